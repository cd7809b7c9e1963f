// `method iiis-sheet`: what the IIIS-Turing calculator's spreadsheet gives.
#include <memory>

#include "traincost/methods/iiis_sheet.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/iiis_comparison.hpp"
#include "traincost/report/methods/own_estimate.hpp"

namespace traincost {

namespace {

struct SheetFlags {
    std::optional<std::string> gpu, model;
    std::optional<double> network, tokens, epochs, bus;
    std::optional<std::int64_t> minibatch, microbatch, tp, pp, dp;
    CompareFlags compare;
    bool list = false;
};

IiisInput iiis_sheet_input_of(const SheetFlags& f) {
    IiisInput in = iiis_sheet_defaults();
    if (f.gpu) {
        in.gpu = iiis_sheet_gpu(*f.gpu);
    }
    if (f.model) {
        in.model = iiis_sheet_model(*f.model);
    }
    take(f.bus, in.gpu.bus_GBps);
    take(f.network, in.network_Gbps);
    take(f.minibatch, in.minibatch);
    take(f.microbatch, in.microbatch);
    take(f.tp, in.tp);
    take(f.pp, in.pp);
    take(f.dp, in.dp);
    take(f.tokens, in.million_tokens);
    take(f.epochs, in.epochs);
    return in;
}

/// A cell, and the page's figure of the same.
struct SheetCell {
    const char* cell;
    const char* what;
    double sheet;
    double page;
};

std::vector<SheetCell> iiis_sheet_cells_of(const IiisSheet& s, const IiisResult& r) {
    const double m = s.computation.micro_batches;
    const IiisCommunication& sc = s.communication;
    const IiisCommunication& rc = r.communication;
    return {
        {"Input!E13", "Recommended tensor parallel degree", s.recommended_tp,
         static_cast<double>(r.recommended.tp)},
        {"Input!E14", "Recommended pipeline parallel degree", s.recommended_pp,
         static_cast<double>(r.recommended.pp)},
        {"Input!E15", "Recommended microbatch", s.recommended_microbatch,
         static_cast<double>(r.recommended.microbatch)},
        {"Computation!C1", "Total parameters", s.parameters.total, r.parameters.total},
        {"Computation!E1", "Word embedding", s.parameters.word_embedding, r.parameters.word_embedding},
        {"Computation!G1", "Self attention, a layer", s.parameters.self_attention,
         r.parameters.self_attention},
        {"Computation!I1", "Feed forward, a layer", s.parameters.feed_forward, r.parameters.feed_forward},
        {"Computation!K1", "Position embedding", s.parameters.position_embedding,
         r.parameters.position_embedding},
        {"Computation!C4", "Optimizer states", s.memory.optimizer_states, r.memory.optimizer_states},
        {"Computation!E4", "Weights", s.memory.weights, r.memory.weights},
        {"Computation!G4", "Gradients", s.memory.gradients, r.memory.gradients},
        {"Computation!I4", "Activation", s.memory.activation, r.memory.activation},
        {"Computation!K4", "Overall usage", s.memory.overall, r.memory.overall},
        {"Computation!C6", "Per-device layers", s.computation.per_device_layers,
         r.computation.per_device_layers},
        {"Computation!E6", "Number of microbatches", m, r.computation.micro_batches},
        {"Computation!G6", "Total forward", s.computation.forward, r.computation.forward},
        {"Computation!I6", "Total backward", s.computation.backward, r.computation.backward},
        {"Computation!K6", "Per-loop forward", s.computation.loop_forward, r.computation.loop_forward},
        {"Computation!M6", "Per-loop backward", s.computation.loop_backward, r.computation.loop_backward},
        {"Computation!C9", "Total forward allgather", sc.forward_allgather, rc.forward_allgather},
        {"Computation!E9", "Per-loop forward allgather", sc.loop_forward_allgather,
         rc.loop_forward_allgather},
        {"Computation!C10", "Total backward allgather", sc.backward_allgather, rc.backward_allgather},
        {"Computation!E10", "Per-loop backward allgather", sc.loop_backward_allgather,
         rc.loop_backward_allgather},
        {"Computation!C11", "Total backward reduce-scatter", sc.backward_reduce_scatter,
         rc.backward_reduce_scatter},
        {"Computation!E11", "Per-loop backward reduce-scatter", sc.loop_backward_reduce_scatter,
         rc.loop_backward_reduce_scatter},
        {"Computation!C12", "Total p2p", sc.p2p, rc.p2p},
        {"Computation!E12", "Per-loop p2p", sc.loop_p2p, rc.loop_p2p},
        {"Computation!C13", "Word embedding allreduce", sc.embedding_allreduce, rc.embedding_allreduce},
        {"Computation!E13", "Gradient allreduce", sc.gradient_allreduce, rc.gradient_allreduce},
        {"Output!C1", "Per-device layers", s.computation.per_device_layers, r.computation.per_device_layers},
        {"Output!E1", "Number of microbatches", m, r.computation.micro_batches},
        {"Output!G1", "Warmup", s.timeline.warmup, r.timeline.warmup},
        {"Output!I1", "Forward", s.timeline.forward, r.timeline.forward},
        {"Output!K1", "Backward", s.timeline.backward, r.timeline.backward},
        {"Output!M1", "Stable", s.timeline.stable, r.timeline.stable},
        {"Output!O1", "Cooldown", s.timeline.cooldown, r.timeline.cooldown},
        {"Output!Q1", "Allreduce", s.timeline.allreduce, r.timeline.allreduce},
        {"Output!S1", "Per-iteration time", s.timeline.iteration, r.timeline.iteration},
        {"Output!U1", "Number of GPUs", s.gpus, static_cast<double>(r.total.gpus)},
        {"Output!W1", "Number of iterations", s.iterations, r.total.iterations},
        {"Output!Y1", "Total time", s.seconds, r.total.seconds},
        {"Output!I4", "Forward GPU usage", s.timeline.forward_gpu_usage, r.timeline.forward_gpu_usage},
        {"Output!K5", "Backward GPU usage", s.timeline.backward_gpu_usage, r.timeline.backward_gpu_usage}};
}

Table iiis_sheet_table_of(const SheetFlags& f) {
    const IiisInput in = iiis_sheet_input_of(f);
    const auto exact = [](double x) {
        return Cell{.text = spreadsheet_text(x), .exact = to_exact(x), .number = true};
    };
    Table table{.title = {}, .columns = {"cell", "what", "sheet"}, .rows = {}, .remarks = {}};
    if (f.compare.compare) {
        table.columns.emplace_back("page");
        table.remarks = {
            "The web page adds the position table to the parameters and caps the tensor-parallel degree at "
            "8.",
            "The sheet's forward and backward times are per iteration, the page's per micro-batch.",
            "The sheet reads a million tokens as ten million, and rounds iterations up."};
    }
    for (const SheetCell& c : iiis_sheet_cells_of(iiis_sheet(in), iiis(in))) {
        table.rows.push_back({text_cell(c.cell), text_cell(c.what), exact(c.sheet)});
        if (f.compare.compare) {
            table.rows.back().push_back(exact(c.page));
        }
    }
    return table;
}

Table iiis_sheet_gpus_table() {
    Table gpus{.title = "GPUs",
               .columns = {"--gpu", "fp16 TFLOP/s", "fp32 TFLOP/s", "memory GB", "bus GB/s"},
               .rows = {},
               .remarks = {}};
    for (const IiisGpu& gpu : iiis_sheet_gpus()) {
        gpus.rows.push_back({text_cell(gpu.name), printed_cell(gpu.fp16_TFLOPs, 1),
                             printed_cell(gpu.fp32_TFLOPs, 1), printed_cell(gpu.memory_GB, 1),
                             printed_cell(gpu.bus_GBps, 1)});
    }
    return gpus;
}

/// Its heads are the dimensions of GPT-3's heads.
Table iiis_sheet_models_table() {
    Table models{.title = "Models",
                 .columns = {"--model", "token length", "heads", "hidden", "layers", "vocab", "parameters"},
                 .rows = {},
                 .remarks = {"Its GPT-3 heads are head widths; nothing here depends on them."}};
    for (const IiisModel& m : iiis_sheet_models()) {
        const IiisParameters p = iiis_parameters(m);
        models.rows.push_back({text_cell(m.name), count_cell(m.sequence), count_cell(m.heads),
                               count_cell(m.hidden), count_cell(m.layers), count_cell(m.vocab),
                               count_cell(static_cast<std::int64_t>(p.total - p.position_embedding))});
    }
    return models;
}

MethodAnswer iiis_sheet_answer(const SheetFlags& f, const Sources& sources) {
    require_comparison(f.compare);
    if (f.list) {
        return {.tables = {iiis_sheet_gpus_table(), iiis_sheet_models_table()}};
    }
    MethodAnswer answer{.tables = {iiis_sheet_table_of(f)}};
    if (f.compare.compare) {
        const IiisInput in = iiis_sheet_input_of(f);
        answer.tables.push_back(iiis_comparison(in, iiis(in), f.compare, sources));
        answer.tables.back().columns[1] = "page";
    }
    return answer;
}

}  // namespace

MethodForm iiis_sheet_form() {
    MethodForm form;
    const auto f = std::make_shared<SheetFlags>();
    const auto word = [](const std::string& text) { return text; };
    form.add("--gpu", f->gpu, "NAME", word, "GPU from its table (see --list); default: 3090");
    form.add("--model", f->model, "NAME", word, "Model from its table; default: LLAMA-7B");
    form.add("--network", f->network, "GBIT_PER_S", form_gigabits_per_second,
             "Network bandwidth per host in Gbit/s, or with a unit, as in 50GB/s; default: 100");
    form.add("--minibatch", f->minibatch, "N", positive_count, "Sequences per rank; default: 32");
    form.add("--microbatch", f->microbatch, "N", positive_count, "Sequences per micro-batch; default: 2");
    form.add("--tp", f->tp, "N", positive_count, "Tensor parallel degree; default: 4");
    form.add("--pp", f->pp, "N", positive_count, "Pipeline parallel degree; default: 2");
    form.add("--dp", f->dp, "N", positive_count, "Data parallel degree; default: 2");
    form.add("--tokens-m", f->tokens, "MILLIONS", form_number, "Tokens per epoch, in millions; default: 100");
    form.add("--epochs", f->epochs, "N", form_number, "Epochs; default: 2");
    form.add("--bus", f->bus, "GB_PER_S", form_gigabytes_per_second,
             "Bus bandwidth in GB/s, or with a unit, as in 400Gb/s; default: the GPU's");
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print its table of GPUs");
    form.answer = [f](const Sources& sources) { return iiis_sheet_answer(*f, sources); };
    return form;
}

}  // namespace traincost
