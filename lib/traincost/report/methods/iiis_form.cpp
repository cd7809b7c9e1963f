// `method iiis`: the IIIS-Turing LLM Training Calculator.
#include <array>
#include <cmath>
#include <memory>

#include "traincost/base/text.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/methods/iiis.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/iiis_comparison.hpp"
#include "traincost/report/methods/own_estimate.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

struct IiisFlags {
    std::optional<std::string> gpu, model;
    std::optional<double> network, tokens, epochs, bus;
    std::optional<std::int64_t> minibatch, microbatch, tp, pp, dp;
    std::optional<Recompute> recompute;
    CompareFlags compare;
    bool list = false;
};

IiisInput iiis_input_of(const IiisFlags& f) {
    if (f.gpu) {
        iiis_gpu(*f.gpu);  // an unknown name is said first
    }
    if (f.model) {
        iiis_model(*f.model);
    }
    require_all({{"--gpu", f.gpu.has_value()},
                 {"--model", f.model.has_value()},
                 {"--network", f.network.has_value()},
                 {"--microbatch", f.microbatch.has_value()},
                 {"--tp", f.tp.has_value()},
                 {"--pp", f.pp.has_value()},
                 {"--dp", f.dp.has_value()},
                 {"--tokens-m", f.tokens.has_value()},
                 {"--epochs", f.epochs.has_value()}});
    IiisGpu gpu = iiis_gpu(*f.gpu);
    gpu.bus_GBps = f.bus.value_or(gpu.bus_GBps);
    return {.gpu = gpu,
            .model = iiis_model(*f.model),
            .network_Gbps = *f.network,
            .minibatch = f.minibatch.value_or(32),  // the page's own
            .microbatch = *f.microbatch,
            .tp = *f.tp,
            .pp = *f.pp,
            .dp = *f.dp,
            .million_tokens = *f.tokens,
            .epochs = *f.epochs,
            .recompute = f.recompute.value_or(Recompute::none)};
}

/// Its page's number format: whole numbers as they are, above 1 two decimals, else six.
Cell iiis_cell(double x) {
    const std::string text = std::floor(x) == x ? to_exact(x) : fixed_text(x, x > 1.0 ? 2 : 6);
    return {.text = text, .exact = to_exact(x), .number = true};
}

constexpr double iiis_GB = 1024.0 * 1024.0 * 1024.0;

/// A number of its output: group, the backend's name, what the page calls it, value. Memory is in bytes.
struct IiisNumber {
    std::string_view group;
    std::string_view key;
    std::string_view label;
    double value;
    bool memory = false;
};

std::vector<IiisNumber> iiis_numbers_of(const IiisResult& r) {
    const auto count = [](std::int64_t x) { return static_cast<double>(x); };
    return {
        {"parameter", "word_embedding", "Word embedding", r.parameters.word_embedding},
        {"parameter", "self_attention", "Self attention, a layer", r.parameters.self_attention},
        {"parameter", "feed_forward", "Feed forward, a layer", r.parameters.feed_forward},
        {"parameter", "position_embedding", "Position embedding", r.parameters.position_embedding},
        {"parameter", "total_parameters", "Total", r.parameters.total},
        {"recommended_config", "recomended_tensor_parallel_degree", "Tensor parallel degree",
         count(r.recommended.tp)},
        {"recommended_config", "recomended_pipeline_parallel_degree", "Pipeline parallel degree",
         count(r.recommended.pp)},
        {"recommended_config", "recommended_microbatch", "Microbatch size", count(r.recommended.microbatch)},
        {"memory_usage", "optimizer_states", "Optimizer States", r.memory.optimizer_states, true},
        {"memory_usage", "weights", "Weights", r.memory.weights, true},
        {"memory_usage", "gradients", "Gradients", r.memory.gradients, true},
        {"memory_usage", "activation", "Activation", r.memory.activation, true},
        {"memory_usage", "overall_usage", "Overall Usage", r.memory.overall, true},
        {"computation", "per_device_layers", "Per-device layers", r.computation.per_device_layers},
        {"computation", "num_microbatches", "Number of microbatches", r.computation.micro_batches},
        {"computation", "total_forward_computation_time", "Total forward", r.computation.forward},
        {"computation", "total_backward_computation_time", "Total backward", r.computation.backward},
        {"computation", "per_loop_forward_computation_time", "Per-loop forward", r.computation.loop_forward},
        {"computation", "per_loop_backward_computation_time", "Per-loop backward",
         r.computation.loop_backward},
        {"communication", "total_forward_allgather_time", "Total forward allgather",
         r.communication.forward_allgather},
        {"communication", "per_loop_forward_allgather_time", "Per-loop forward allgather",
         r.communication.loop_forward_allgather},
        {"communication", "total_backward_allgather_time", "Total backward allgather",
         r.communication.backward_allgather},
        {"communication", "per_loop_backward_allgather_time", "Per-loop backward allgather",
         r.communication.loop_backward_allgather},
        {"communication", "total_backward_reduce_scatter_time", "Total backward reduce-scatter",
         r.communication.backward_reduce_scatter},
        {"communication", "per_loop_backward_reduce_scatter_time", "Per-loop backward reduce-scatter",
         r.communication.loop_backward_reduce_scatter},
        {"communication", "total_p2p_time", "Total p2p", r.communication.p2p},
        {"communication", "per_loop_p2p_time", "Per-loop p2p", r.communication.loop_p2p},
        {"communication", "word_embedding_allreduce_time", "Word embedding allreduce",
         r.communication.embedding_allreduce},
        {"communication", "gradient_allreduce_time", "Gradient allreduce",
         r.communication.gradient_allreduce},
        {"timeline", "warmup_time", "Warmup", r.timeline.warmup},
        {"timeline", "forward_time", "Forward", r.timeline.forward},
        {"timeline", "forward_gpu_usage", "Forward GPU usage", r.timeline.forward_gpu_usage},
        {"timeline", "backward_time", "Backward", r.timeline.backward},
        {"timeline", "backward_gpu_usage", "Backward GPU usage", r.timeline.backward_gpu_usage},
        {"timeline", "cooldown_time", "Cooldown", r.timeline.cooldown},
        {"timeline", "stable_time", "Stable", r.timeline.stable},
        {"timeline", "allreduce_time", "Allreduce", r.timeline.allreduce},
        {"timeline", "per_iter_training_time", "Iteration", r.timeline.iteration},
        {"total_time", "global_minibatch_size", "Global minibatch size", r.total.global_minibatch},
        {"total_time", "total_number_of_iters", "Number of iterations", r.total.iterations},
        {"total_time", "total_training_time", "Total duration", r.total.seconds},
        {"total_time", "totoal_number_of_gpus", "Total number of gpus", count(r.total.gpus)},
    };
}

std::vector<Table> iiis_tables_of(const IiisResult& r) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> titles = {
        {{"parameter", "Parameters"},
         {"recommended_config", "Recommended"},
         {"memory_usage", "Memory (GB of 2^30)"},
         {"computation", "Computation Time (s)"},
         {"communication", "Communication Time (s)"},
         {"timeline", "Timeline (s)"},
         {"total_time", "Total"}}};
    std::vector<Table> tables;
    for (const auto& [group, title] : titles) {
        Table table{.title = std::string(title), .columns = {}, .rows = {}, .remarks = {}};
        for (const IiisNumber& number : iiis_numbers_of(r)) {
            if (number.group == group) {
                const bool floored = number.key == "total_number_of_iters";  // as its page does
                const double value = number.memory ? number.value / iiis_GB : number.value;
                table.rows.push_back(
                    {text_cell(number.label), iiis_cell(floored ? std::floor(value) : value)});
            }
        }
        if (group == "memory_usage" && r.memory.out_of_memory) {
            table.remarks.emplace_back("OUT OF MEMORY");
        }
        tables.push_back(std::move(table));
    }
    return tables;
}

std::string iiis_json_of(const IiisResult& r, const std::optional<Table>& compared) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("method", "iiis");
    std::string_view group;
    for (const IiisNumber& number : iiis_numbers_of(r)) {
        if (number.group != group) {
            if (!group.empty()) {
                out.end_object();
            }
            group = number.group;
            out.key(group).begin_object();
        }
        out.member(number.key, number.value);
    }
    out.end_object();
    out.member("out_of_memory", r.memory.out_of_memory);
    if (compared) {
        out.key("compared");
        write_json(out, *compared);
    }
    out.end_object();
    return out.text();
}

std::vector<Table> iiis_lists() {
    Table gpus{.title = "GPUs",
               .columns = {"--gpu", "fp16 TFLOP/s", "fp32 TFLOP/s", "memory GB", "memory GB/s", "bus GB/s",
                           "delay us"},
               .rows = {},
               .remarks = {}};
    for (const IiisGpu& gpu : iiis_gpus()) {
        std::vector<Cell> row = {text_cell(gpu.name)};
        for (const double x : {gpu.fp16_TFLOPs, gpu.fp32_TFLOPs, gpu.memory_GB, gpu.memory_bandwidth_GBps,
                               gpu.bus_GBps, gpu.delay_us}) {
            row.push_back(iiis_cell(x));
        }
        gpus.rows.push_back(std::move(row));
    }
    Table models{.title = "Models",
                 .columns = {"--model", "token length", "heads", "hidden", "layers", "vocab", "parameters"},
                 .rows = {},
                 .remarks = {}};
    for (const IiisModel& model : iiis_models()) {
        models.rows.push_back({text_cell(model.name), count_cell(model.sequence), count_cell(model.heads),
                               count_cell(model.hidden), count_cell(model.layers), count_cell(model.vocab),
                               iiis_cell(iiis_parameters(model).total)});
    }
    return {gpus, models};
}

MethodAnswer iiis_answer(const IiisFlags& f, const Sources& sources) {
    if (f.list) {
        return {.tables = iiis_lists()};
    }
    require_comparison(f.compare);
    const IiisInput in = iiis_input_of(f);
    const IiisResult r = iiis(in);
    std::optional<Table> compared;
    if (f.compare.compare) {
        compared = iiis_comparison(in, r, f.compare, sources);
    }
    MethodAnswer answer{
        .tables = iiis_tables_of(r), .json = iiis_json_of(r, compared), .yes = !r.memory.out_of_memory};
    if (compared) {
        answer.tables.push_back(*std::move(compared));
    }
    return answer;
}

}  // namespace

MethodForm iiis_form() {
    MethodForm form;
    const auto f = std::make_shared<IiisFlags>();
    const auto word = [](const std::string& text) { return text; };
    form.add("--gpu", f->gpu, "NAME", word, "GPU from its table: H200, H100, A100, 4090, 3090");
    form.add("--model", f->model, "NAME", word, "Model from its table: LLAMA-7B, ... (see --list)");
    form.add("--network", f->network, "GBIT_PER_S", form_gigabits_per_second,
             "Network bandwidth per host in Gbit/s, or with a unit, as in 50GB/s");
    form.add("--minibatch", f->minibatch, "N", positive_count,
             "Sequences per rank and iteration; default: 32");
    form.add("--microbatch", f->microbatch, "N", positive_count, "Sequences per micro-batch");
    form.add("--tp", f->tp, "N", positive_count, "Tensor parallel degree");
    form.add("--pp", f->pp, "N", positive_count, "Pipeline parallel degree");
    form.add("--dp", f->dp, "N", positive_count, "Data parallel degree");
    form.add("--tokens-m", f->tokens, "MILLIONS", form_number, "Tokens per epoch, in millions");
    form.add("--epochs", f->epochs, "N", form_number, "Epochs");
    form.add("--bus", f->bus, "GB_PER_S", form_gigabytes_per_second,
             "Bus bandwidth in GB/s, or with a unit, as in 400Gb/s; default: the GPU's");
    form.add(
        "--recompute", f->recompute, "full|selective|none",
        [](const std::string& text) {
            if (const auto value = value_of<Recompute>(text)) {
                return *value;
            }
            throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: full, selective, none" +
                                              did_you_mean(text, enum_names<Recompute>()));
        },
        "Recomputation strategy; default: none");
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print its tables of GPUs and models");
    form.answer = [f](const Sources& sources) { return iiis_answer(*f, sources); };
    return form;
}

}  // namespace traincost
