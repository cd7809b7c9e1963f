// `method flagperf`: FlagPerf's tokens/s of a GPU and its 6N MFU.
#include <algorithm>
#include <memory>

#include "traincost/methods/flagperf.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/methods/own_estimate.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_values.hpp"

namespace traincost {

namespace {

struct FlagPerfFlags {
    CompareFlags compare;
    std::string model = "gpt3-6.7b";
    std::string gpu = "A100";
    std::optional<double> samples_per_s, tokens_per_s, parameters, memory;
    std::int64_t sequence = 2048, gpus = 8, gpus_per_node = 8, tp = 1, pp = 1, zero = 2, micro_batch = 4,
                 global_batch = 1024;
    bool full_recompute = false;
    bool list = false;
};

/// A whole number of `least` to `most`.
std::int64_t flagperf_count_within(const std::string& text, std::int64_t least, std::int64_t most) {
    const std::int64_t n = parse_count(text, Range::not_negative);
    if (n < least || n > most) {
        throw Error(ErrorKind::usage, "'" + text + "' is not allowed: it must be " + std::to_string(least) +
                                          " to " + std::to_string(most));
    }
    return n;
}

/// Full nodes, or a part of one.
void flagperf_check_nodes(const FlagPerfFlags& f) {
    if (f.gpus > f.gpus_per_node && f.gpus % f.gpus_per_node != 0) {
        throw Error(ErrorKind::usage, "--gpus: '" + std::to_string(f.gpus) +
                                          "' is not allowed: it must be less than --gpus-per-node, " +
                                          std::to_string(f.gpus_per_node) + ", or a multiple of it");
    }
}

std::int64_t flagperf_data_parallel(const FlagPerfFlags& f) {
    if (f.gpus % (f.tp * f.pp) != 0) {
        throw Error(ErrorKind::usage, "--gpus: " + std::to_string(f.gpus) +
                                          " is not a multiple of tp times pp, " +
                                          std::to_string(f.tp * f.pp));
    }
    return f.gpus / (f.tp * f.pp);
}

/// The name of its configuration file: config_TP1PP1SH1SP8A10080Gx1x8.
std::string flagperf_configuration_name(const FlagPerfFlags& f) {
    return flagperf_configuration({.tp = f.tp,
                                   .pp = f.pp,
                                   .zero = f.zero,
                                   .sharding = flagperf_data_parallel(f),
                                   .device = f.gpu + "80G",
                                   .nodes = (f.gpus + f.gpus_per_node - 1) / f.gpus_per_node,
                                   .gpus = std::min(f.gpus, f.gpus_per_node)});
}

std::vector<Table> flagperf_lists() {
    Table models{.title = "Models", .columns = {"--model", "N", "nominal N"}, .rows = {}, .remarks = {}};
    for (const FlagPerfModel& m : flagperf_models()) {
        models.rows.push_back({text_cell(m.name), count_cell(static_cast<std::int64_t>(m.parameters)),
                               count_cell(static_cast<std::int64_t>(m.nominal))});
    }
    Table peaks{.title = "Peaks", .columns = {"--gpu", "TFLOP/s"}, .rows = {}, .remarks = {}};
    for (const FlagPerfPeak& p : flagperf_peaks()) {
        peaks.rows.push_back({text_cell(p.name), printed_cell(p.TFLOPs, 1)});
    }
    return {models, peaks};
}

struct Rates {
    double samples;
    double tokens;  ///< of a GPU
    double N;
    double nominal;
    double mfu;
};

Rates flagperf_rates_of(const FlagPerfFlags& f) {
    const FlagPerfModel& model = flagperf_model(f.model);
    const double sequences = static_cast<double>(f.gpus) / static_cast<double>(f.sequence);
    const double tokens =
        f.samples_per_s ? flagperf_tokens(*f.samples_per_s, f.sequence, f.gpus) : *f.tokens_per_s;
    const double N = f.parameters.value_or(model.parameters);
    return {f.samples_per_s.value_or(tokens * sequences), tokens, N, f.parameters.value_or(model.nominal),
            flagperf_mfu(tokens, N, flagperf_peak(f.gpu))};
}

constexpr double flagperf_percent = 100.0;

Table flagperf_table_of(const FlagPerfFlags& f) {
    const Rates r = flagperf_rates_of(f);
    const double nominal = flagperf_mfu(r.tokens, r.nominal, flagperf_peak(f.gpu));
    const double recomputed = f.full_recompute ? 4.0 / 3.0 : 1.0;
    return {
        .title = {},
        .columns = {"config", "samples/s", "tokens/s/GPU", "mem GB", "MFU %", "MFU % nominal", "HFU %"},
        .rows = {{text_cell(flagperf_configuration_name(f)), printed_cell(r.samples, 2),
                  printed_cell(r.tokens, 2), f.memory ? printed_cell(*f.memory, 2) : empty_cell(),
                  printed_cell(flagperf_percent * r.mfu, 1), printed_cell(flagperf_percent * nominal, 1),
                  printed_cell(flagperf_percent * r.mfu * recomputed, 1)}},
        .remarks = {"MFU: 6N per token, without attention scores, with the input embedding in N; HFU: 4/3 "
                    "of it under --full-recompute."}};
}

/// Its runs of GPT-3: PaddleNLP, fp16.
Table flagperf_comparison(const FlagPerfFlags& f, const Sources& sources) {
    const Rates r = flagperf_rates_of(f);
    JobDraft job;
    job.model = compared_model(f.compare, f.model);
    job.gpu = compared_gpu(f.compare, f.gpu);
    job.gpus = f.gpus;
    job.stack = "paddlenlp";
    job.precision = "fp16-mixed";
    job.recompute = recompute_choice(f.full_recompute ? "full" : "none");
    job.sequence = f.sequence;
    job.micro_batch = f.micro_batch;
    job.global_batch = f.global_batch;
    job.tp = f.tp;
    job.pp = f.pp;
    job.zero = f.zero;
    const OwnEstimate o = own_estimate(job, sources);
    const double recomputed = f.full_recompute ? 4.0 / 3.0 : 1.0;
    const Throughput& t = o.estimate.throughput;
    return compared_table(
        {{"samples/s", printed_cell(r.samples, 2),
          printed_cell(t.tokens_per_s / static_cast<double>(f.sequence), 2),
          "theirs: measured; ours: predicted"},
         {"tokens/s/GPU", printed_cell(r.tokens, 2), printed_cell(t.tokens_per_s_per_gpu, 2),
          "the same, per GPU"},
         {"memory, GB", f.memory ? printed_cell(*f.memory, 2) : empty_cell(), gigabyte_cell(o.peak().device),
          "theirs: nvidia-smi; ours: the fullest stage, with context and communicators"},
         {"MFU %", printed_cell(flagperf_percent * r.mfu, 1), printed_cell(flagperf_percent * t.mfu, 1),
          "theirs: 6N of all weights; ours: with attention, without input embedding"},
         {"HFU %", printed_cell(flagperf_percent * r.mfu * recomputed, 1),
          printed_cell(flagperf_percent * t.hfu, 1),
          "theirs: MFU, or 4/3 of it; ours: the actual recomputation"}},
        "flagperf", o);
}

void flagperf_add_layout(MethodForm& form, FlagPerfFlags& f) {
    form.add(
        "--gpus-per-node", f.gpus_per_node, "N", [](auto& t) { return flagperf_count_within(t, 1, 8); },
        "GPUs per node, at most 8; default: 8");
    form.add("--tp", f.tp, "N", positive_count, "Tensor parallel degree; default: 1");
    form.add("--pp", f.pp, "N", positive_count, "Pipeline parallel degree; default: 1");
    form.add(
        "--zero", f.zero, "STAGE", [](auto& t) { return flagperf_count_within(t, 0, 3); },
        "ZeRO stage (SH of its configurations), 0 to 3; default: 2");
    form.add_switch("--full-recompute", f.full_recompute,
                    "All blocks recomputed (recompute_granularity full)");
    form.add("--micro-batch", f.micro_batch, "N", positive_count,
             "Sequences per micro-batch for the comparison; default: 4");
    form.add("--global-batch", f.global_batch, "N", positive_count,
             "Sequences per optimizer step for the comparison; default: 1024");
}

MethodAnswer flagperf_answer(const FlagPerfFlags& f, const Sources& sources) {
    require_comparison(f.compare);
    if (f.list) {
        return {.tables = flagperf_lists()};
    }
    require_all({{"--samples-per-s", f.samples_per_s || f.tokens_per_s}});
    if (f.samples_per_s) {
        refuse_all("with --samples-per-s", {{"--tokens-per-s", f.tokens_per_s.has_value()}});
    }
    flagperf_check_nodes(f);
    MethodAnswer answer{.tables = {flagperf_table_of(f)}};
    if (f.compare.compare) {
        answer.tables.push_back(flagperf_comparison(f, sources));
    }
    return answer;
}

}  // namespace

MethodForm flagperf_form() {
    MethodForm form;
    const auto f = std::make_shared<FlagPerfFlags>();
    form.add_text("--model", f->model, "NAME", "Model from its tables (see --list); default: gpt3-6.7b");
    form.add_text("--gpu", f->gpu, "NAME", "GPU whose peak the MFU uses (see --list); default: A100");
    form.add("--params", f->parameters, "COUNT", positive_parameters, "Parameters; default: the model's");
    form.add("--samples-per-s", f->samples_per_s, "RATE", form_number, "Sequences per second, all GPUs");
    form.add("--tokens-per-s", f->tokens_per_s, "RATE", form_number, "Tokens per second and GPU");
    form.add("--seq", f->sequence, "TOKENS", sequence_length, "Sequence length; default: 2048");
    form.add("--gpus", f->gpus, "N", positive_count, "GPUs; default: 8");
    form.add("--memory", f->memory, "GB", form_number, "Measured memory per GPU in GB");
    flagperf_add_layout(form, *f);
    add_compare_fields(form, f->compare);
    form.add_switch("--list", f->list, "Print its models and peaks");
    form.answer = [f](const Sources& sources) { return flagperf_answer(*f, sources); };
    return form;
}

}  // namespace traincost
