#include "traincost/report/methods/fast_llm_comparison.hpp"

#include <cmath>

#include "traincost/report/methods/form_values.hpp"

namespace traincost {

namespace {

/// The model of its presets that has the shape.
std::string fast_llm_model_of(const FastLlmInput& in, const CompareFlags& flags) {
    for (const FastLlmPreset& preset : fast_llm_presets()) {
        if (preset.hidden == in.hidden && preset.layers == in.layers && preset.vocab == in.vocab) {
            return compared_model(flags, preset.name);
        }
    }
    return compared_model(flags, "that NHIDDEN, NLAYERS and VOCAB_SIZE");
}

/// A layout of the sheet; data-parallel ranks take what is left.
struct FastLlmLayout {
    std::int64_t zero;
    std::int64_t tp;
    std::int64_t pp;
    std::int64_t dp;
};

OwnEstimate fast_llm_own(const FastLlmInput& in, const CompareFlags& flags, const FastLlmLayout& layout,
                         const Sources& sources) {
    JobDraft job;
    job.model = fast_llm_model_of(in, flags);
    job.gpu = flags.gpu.value_or("a100-sxm4-80gb");
    job.gpus = layout.dp * layout.tp * layout.pp;
    job.per_node = in.gpus_per_node;
    job.sequence = in.sequence;
    job.micro_batch = in.batch;
    // Enough micro-batches that a pipeline is nothing but its own: its batch is a rank's.
    job.global_batch = in.batch * layout.dp * (layout.pp > 1 ? 4 * layout.pp : 1);
    job.tp = layout.tp;
    job.pp = layout.pp;
    job.dp = layout.dp;
    job.zero = layout.zero;
    job.uneven_stages = in.layers % layout.pp != 0;
    job.recompute = RecomputeChoice{in.checkpointing ? Recompute::full : Recompute::none, {}, 1, {}};
    job.tokens = in.billion_tokens * 1e9;
    return own_estimate(job, sources);
}

FastLlmLayout fast_llm_layout_of(const FastLlmInput& in, const FastLlmPlan& plan) {
    const std::int64_t zero = plan.strategy.starts_with("Zero3")   ? 3
                              : plan.strategy.starts_with("Zero2") ? 2
                                                                   : 1;
    if (plan.tp == 1 && plan.pp == 1) {
        return {zero, 1, 1, in.nodes * in.gpus_per_node};
    }
    return {zero, plan.tp, plan.pp, std::llround(parse_number(plan.dp))};
}

}  // namespace

std::vector<Table> fast_llm_comparison(const FastLlmInput& in, const FastLlmSheet& sheet,
                                       const CompareFlags& flags, const Sources& sources) {
    constexpr double day = 86400.0;
    const std::int64_t gpus = in.nodes * in.gpus_per_node;
    const OwnEstimate first = fast_llm_own(in, flags, {1, 1, 1, gpus}, sources);
    std::vector<ComparedFigure> rows = {
        {"Model_size, B", printed_cell(sheet.model_size, 2),
         printed_cell(static_cast<double>(first.estimate.parameters.total) / 1e9, 2),
         "theirs: 12h² per layer, tied head, position table; ours: the published architecture"}};
    std::vector<std::string> names;
    names.reserve(sheet.zero.size() + 2 * sheet.plans.size());
    const auto add = [&](std::string name, Cell theirs, Cell ours, std::string_view why) {
        names.push_back(std::move(name));
        rows.push_back({names.back(), std::move(theirs), std::move(ours), why});
    };
    for (std::size_t i = 0; i < sheet.zero.size(); ++i) {
        const auto stage = static_cast<std::int64_t>(i) + 1;
        const OwnEstimate o = fast_llm_own(in, flags, {stage, 1, 1, gpus}, sources);
        add(sheet.zero[i].name + ", train GB", printed_cell(sheet.zero[i].train, 2),
            gigabyte_cell(o.peak().device),
            i == 0 ? "theirs: twice the root of activations in GB; ours: the moment of the peak, context "
                     "included"
                   : "as above; ours also has buckets and gathered blocks");
    }
    for (const FastLlmPlan& plan : sheet.plans) {
        const OwnEstimate o = fast_llm_own(in, flags, fast_llm_layout_of(in, plan), sources);
        add(plan.strategy + ", train GB", printed_cell(plan.train_GB, 2), gigabyte_cell(o.peak().device),
            "theirs: activations not divided by stages; ours: micro-batches in flight");
        add(plan.strategy + ", days", printed_cell(plan.days, 2),
            o.estimate.training ? printed_cell(o.estimate.training->time.value() / day, 2) : empty_cell(),
            "theirs: 8ND at the given rate, for any strategy; ours: compute, bubbles and traffic");
    }
    return {compared_table(rows, "fast-llm", first)};
}

}  // namespace traincost
