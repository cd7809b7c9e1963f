// `traincost method flagperf`: FlagPerf's tokens/s of a GPU and its 6N MFU.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/methods/flagperf.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct FlagPerfFlags {
    OutputFlags output;
    std::string model = "gpt3-6.7b";
    std::string gpu = "A100";
    std::optional<double> samples_per_s, tokens_per_s, parameters;
    std::int64_t sequence = 2048, gpus = 8;
    bool list = false;
};

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

Table table_of(const FlagPerfFlags& f) {
    const FlagPerfModel& model = flagperf_model(f.model);
    const FlagPerfPeak& gpu = flagperf_peak(f.gpu);
    const double tokens =
        f.samples_per_s ? flagperf_tokens(*f.samples_per_s, f.sequence, f.gpus) : *f.tokens_per_s;
    constexpr double percent = 100.0;
    const double N = f.parameters.value_or(model.parameters);
    Table table{.title = {},
                .columns = {"", "value"},
                .rows = {{text_cell("tokens/s a GPU"), printed_cell(tokens, 2)},
                         {text_cell("MFU %, 6N"), printed_cell(percent * flagperf_mfu(tokens, N, gpu), 1)},
                         {text_cell("MFU %, 6N of the nominal N"),
                          printed_cell(percent * flagperf_mfu(tokens, model.nominal, gpu), 1)},
                         {text_cell("HFU %, full recompute"),
                          printed_cell(percent * flagperf_mfu(tokens, N, gpu) * 4.0 / 3.0, 1)}},
                .remarks = {"No attention scores; the input embedding is among N."}};
    return table;
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
    command->add_flag("--list", f->list, "Print its models and peaks");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        if (f->list) {
            print_tables(lists(), f->output, context);
            return;
        }
        require_all({{"--samples-per-s", f->samples_per_s || f->tokens_per_s}});
        if (f->samples_per_s) {
            refuse_all("with --samples-per-s", {{"--tokens-per-s", f->tokens_per_s.has_value()}});
        }
        print_tables({table_of(*f)}, f->output, context);
    });
}

}  // namespace traincost::cli
