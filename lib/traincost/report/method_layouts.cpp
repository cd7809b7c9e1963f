#include "traincost/report/method_layouts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "traincost/base/error.hpp"
#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/achieved.hpp"
#include "traincost/methods/fast_llm.hpp"

namespace traincost {

namespace {

/// Its script of the model's kind; nothing where it has none.
std::optional<FastLlmVariant> fast_llm_script(const ModelSpec& model) {
    if (!model.moe)
        return FastLlmVariant::readme;
    const std::int64_t E = model.moe->experts;
    return E == 1 || E == 2 || E == 4 || E == 8 ? std::optional(FastLlmVariant::moe) : std::nullopt;
}

FastLlmInput fast_llm_input(const EstimateAnswer& of, FastLlmVariant variant) {
    const Job& job = of.job;
    FastLlmInput in = fast_llm_defaults(variant);
    in.hidden = job.model.hidden;
    in.layers = job.model.layers;
    in.sequence = job.run.sequence;
    in.vocab = job.model.vocab;
    in.heads = job.model.heads;
    if (job.model.moe)
        in.experts = job.model.moe->experts;
    in.gpus_per_node = std::min(job.cluster.per_node, job.cluster.accelerators);
    in.nodes = job.cluster.accelerators / in.gpus_per_node;
    in.gpu_memory_GB = std::llround(job.cluster.accelerator.memory.value() / giga);
    in.batch = job.run.micro_batch;
    if (of.bill.totals)
        in.billion_tokens = of.bill.totals->tokens / giga;
    const double tflops = achieved(job, of.estimate.step.total).hardware.rate.value() / tera;
    in.tflops = std::max(0.1, std::round(10.0 * tflops) / 10.0);
    in.checkpointing = job.run.recompute == Recompute::full;
    return in;
}

std::string fast_llm_command(const FastLlmInput& in) {
    const auto flag = [](const char* name, std::int64_t value) {
        return " --" + std::string(name) + " " + std::to_string(value);
    };
    std::string command = "traincost method fast-llm";
    if (in.variant == FastLlmVariant::moe)
        command += " --variant moe" + flag("heads", in.heads) + flag("experts", in.experts);
    command += flag("hidden", in.hidden) + flag("layers", in.layers) + flag("seq", in.sequence) +
               flag("vocab", in.vocab) + flag("nodes", in.nodes) + flag("gpus-per-node", in.gpus_per_node) +
               flag("gpu-memory", in.gpu_memory_GB) + flag("batch", in.batch) + " --btokens " +
               to_exact(in.billion_tokens) + " --tflops " + to_exact(in.tflops);
    return command + (in.checkpointing ? "" : " --no-checkpointing");
}

std::vector<MethodFigure> fast_llm_figures(const EstimateAnswer& of, const FastLlmSheet& sheet) {
    std::vector<MethodFigure> figures = {
        {"Model_size, B", sheet.model_size, static_cast<double>(of.estimate.parameters.total) / giga,
         "theirs: 12h² per layer, tied head, position table; ours: the published architecture"}};
    const auto stage = static_cast<std::size_t>(of.job.run.parallel.zero);
    const auto& p = of.job.run.parallel;
    if (stage >= 1 && stage <= sheet.zero.size() && p.tp == 1 && p.pp == 1) {
        const Bytes ours = of.estimate.stages[static_cast<std::size_t>(of.estimate.peak_stage)].device;
        figures.push_back({sheet.zero[stage - 1].name + ", train GB", sheet.zero[stage - 1].train,
                           ours.value() / giga,
                           "theirs: twice the root of activations in GB; ours: the moment of the peak"});
    }
    constexpr double day = 86400.0;
    if (of.bill.totals && !sheet.plans.empty())
        figures.push_back({"Trianing_days", sheet.plans.front().days, of.bill.totals->time.value() / day,
                           "theirs: 8ND at the given rate, for any strategy; ours: this layout"});
    return figures;
}

}  // namespace

std::vector<MethodLayout> method_layouts(const EstimateAnswer& of) {
    const std::optional<FastLlmVariant> variant = fast_llm_script(of.job.model);
    const std::int64_t node = std::min(of.job.cluster.per_node, of.job.cluster.accelerators);
    if (!variant || of.job.cluster.accelerators % node != 0)
        return {};
    const FastLlmInput in = fast_llm_input(of, *variant);
    const FastLlmSheet sheet = fast_llm(in);
    return {{.name = "fast-llm",
             .command = fast_llm_command(in),
             .text = fast_llm_text(sheet),
             .figures = fast_llm_figures(of, sheet)}};
}

void write_json(JsonWriter& out, const std::vector<MethodLayout>& layouts) {
    out.begin_array();
    for (const MethodLayout& layout : layouts) {
        out.begin_object().member("name", layout.name).member("command", layout.command);
        out.member("text", layout.text).key("figures").begin_array();
        for (const MethodFigure& figure : layout.figures) {
            out.begin_object().member("what", figure.what).member("theirs", figure.theirs);
            out.member("ours", figure.ours).member("why", figure.why).end_object();
        }
        out.end_array().end_object();
    }
    out.end_array();
}

}  // namespace traincost
