// `traincost method flagperf`: FlagPerf's tokens/s of a GPU and its 6N MFU.

#include <cli/commands/method_compare.hpp>
#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/methods/flagperf.hpp>

#include <traincost/spec/job_values.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct FlagPerfFlags {
    OutputFlags output;
    CompareFlags compare;
    std::string model = "gpt3-6.7b";
    std::string gpu = "A100";
    std::optional<double> samples_per_s, tokens_per_s, parameters, memory;
    std::int64_t sequence = 2048, gpus = 8, gpus_per_node = 8, tp = 1, pp = 1, zero = 2, micro_batch = 4,
                 global_batch = 1024;
    bool full_recompute = false;
    bool list = false;
};

std::int64_t data_parallel(const FlagPerfFlags& f) {
    if (f.gpus % (f.tp * f.pp) != 0) {
        throw Error(ErrorKind::usage, "--gpus: " + std::to_string(f.gpus) +
                                          " is not a multiple of tp times pp, " +
                                          std::to_string(f.tp * f.pp));
    }
    return f.gpus / (f.tp * f.pp);
}

/// The name of its configuration file: config_TP1PP1SH1SP8A10080Gx1x8.
std::string configuration_name(const FlagPerfFlags& f) {
    return flagperf_configuration({.tp = f.tp,
                                   .pp = f.pp,
                                   .zero = f.zero,
                                   .sharding = data_parallel(f),
                                   .device = f.gpu + "80G",
                                   .nodes = (f.gpus + f.gpus_per_node - 1) / f.gpus_per_node,
                                   .gpus = std::min(f.gpus, f.gpus_per_node)});
}

std::vector<Table> lists() {
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

Rates rates_of(const FlagPerfFlags& f) {
    const FlagPerfModel& model = flagperf_model(f.model);
    const double sequences = static_cast<double>(f.gpus) / static_cast<double>(f.sequence);
    const double tokens =
        f.samples_per_s ? flagperf_tokens(*f.samples_per_s, f.sequence, f.gpus) : *f.tokens_per_s;
    const double N = f.parameters.value_or(model.parameters);
    return {f.samples_per_s.value_or(tokens * sequences), tokens, N, f.parameters.value_or(model.nominal),
            flagperf_mfu(tokens, N, flagperf_peak(f.gpu))};
}

constexpr double percent = 100.0;

Table table_of(const FlagPerfFlags& f) {
    const Rates r = rates_of(f);
    const double nominal = flagperf_mfu(r.tokens, r.nominal, flagperf_peak(f.gpu));
    const double recomputed = f.full_recompute ? 4.0 / 3.0 : 1.0;
    return {.title = {},
            .columns = {"config", "samples/s", "tokens/s/GPU", "mem GB", "MFU %", "MFU % nominal", "HFU %"},
            .rows = {{text_cell(configuration_name(f)), printed_cell(r.samples, 2), printed_cell(r.tokens, 2),
                      f.memory ? printed_cell(*f.memory, 2) : empty_cell(), printed_cell(percent * r.mfu, 1),
                      printed_cell(percent * nominal, 1), printed_cell(percent * r.mfu * recomputed, 1)}},
            .remarks = {"MFU: 6N a token, no attention scores, the input embedding among N; HFU: four thirds "
                        "of it under --full-recompute."}};
}

/// Its runs of GPT-3: PaddleNLP, fp16.
Table comparison(const FlagPerfFlags& f, Context& context) {
    const Rates r = rates_of(f);
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
    const OwnEstimate o = own_estimate(job, context);
    const double recomputed = f.full_recompute ? 4.0 / 3.0 : 1.0;
    const Throughput& t = o.estimate.throughput;
    return compared_table(
        {{"samples/s", printed_cell(r.samples, 2),
          printed_cell(t.tokens_per_s / static_cast<double>(f.sequence), 2),
          "measured there, predicted here"},
         {"tokens/s/GPU", printed_cell(r.tokens, 2), printed_cell(t.tokens_per_s_per_gpu, 2),
          "the same, of one GPU"},
         {"memory, GB", f.memory ? printed_cell(*f.memory, 2) : empty_cell(), gigabyte_cell(o.peak().device),
          "nvidia-smi there; ours the fullest stage's, context and communicators included"},
         {"MFU %", printed_cell(percent * r.mfu, 1), printed_cell(percent * t.mfu, 1),
          "6N of all weights there; ours counts attention and not the input embedding"},
         {"HFU %", printed_cell(percent * r.mfu * recomputed, 1), printed_cell(percent * t.hfu, 1),
          "the MFU, or four thirds of it, there; ours what is really recomputed"}},
        "flagperf", o);
}

void add_layout(CLI::App& command, FlagPerfFlags& f) {
    add_parsed(command, "--gpus-per-node", f.gpus_per_node, "N", positive_count, "GPUs of a node; default 8");
    add_parsed(command, "--tp", f.tp, "N", positive_count, "Tensor parallel degree; default 1");
    add_parsed(command, "--pp", f.pp, "N", positive_count, "Pipeline parallel degree; default 1");
    add_parsed(
        command, "--zero", f.zero, "STAGE", [](auto& t) { return parse_count(t, Range::not_negative); },
        "ZeRO stage (SH of its configurations); default 2");
    command.add_flag("--full-recompute", f.full_recompute,
                     "All blocks recomputed (recompute_granularity full)");
    add_parsed(command, "--micro-batch", f.micro_batch, "N", positive_count,
               "Sequences at once, of our estimate; default 4");
    add_parsed(command, "--global-batch", f.global_batch, "N", positive_count,
               "Sequences of a step, of our estimate; default 1024");
}

}  // namespace

void add_flagperf(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand("flagperf", "FlagPerf's tokens/s per GPU and 6N MFU");
    const auto f = std::make_shared<FlagPerfFlags>();
    command->add_option("--model", f->model, "Model of its tables (see --list); default gpt3-6.7b")
        ->type_name("NAME");
    command->add_option("--gpu", f->gpu, "GPU whose peak is the MFU's (see --list); default A100")
        ->type_name("NAME");
    add_parsed(*command, "--params", f->parameters, "COUNT", positive_parameters,
               "Parameters; default: the model's");
    add_parsed(*command, "--samples-per-s", f->samples_per_s, "RATE", positive_number,
               "Sequences a second of all GPUs");
    add_parsed(*command, "--tokens-per-s", f->tokens_per_s, "RATE", positive_number,
               "Tokens a second of a GPU");
    add_parsed(*command, "--seq", f->sequence, "TOKENS", positive_count, "Sequence length; default 2048");
    add_parsed(*command, "--gpus", f->gpus, "N", positive_count, "GPUs; default 8");
    add_parsed(*command, "--memory", f->memory, "GB", positive_number, "Memory of a GPU as measured");
    add_layout(*command, *f);
    add_compare_options(*command, f->compare);
    command->add_flag("--list", f->list, "Print its models and peaks");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        require_comparison(f->compare);
        if (f->list) {
            print_tables(lists(), f->output, context);
            return;
        }
        require_all({{"--samples-per-s", f->samples_per_s || f->tokens_per_s}});
        if (f->samples_per_s) {
            refuse_all("with --samples-per-s", {{"--tokens-per-s", f->tokens_per_s.has_value()}});
        }
        std::vector<Table> tables = {table_of(*f)};
        if (f->compare.compare) {
            tables.push_back(comparison(*f, context));
        }
        print_tables(tables, f->output, context);
    });
}

}  // namespace traincost::cli
