// `traincost method lightning`: Lightning-LLM-Training-Test's training days, and its forward-only TFLOP/s.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <traincost/methods/lightning.hpp>
#include <traincost/methods/six_nd.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

constexpr double tera = 1e12;

struct LightningFlags {
    OutputFlags output;
    std::string model = "gpt2";
    std::optional<double> parameters, tokens, tflops, peak, tokens_per_s;
    std::optional<Seconds> forward;
    double utilization = 0.25;  // the middle of the 0.2 to 0.3 that its README calls usual
    std::int64_t gpus = 1, sequence = 512, batch = 1;
    bool list = false;
};

Cell plain_cell(double x) {
    return {.text = python_text(x), .exact = to_exact(x), .number = true};
}

Table days_table(const LightningFlags& f, double parameters) {
    const double each = f.tflops ? *f.tflops : *f.peak * f.utilization;
    const double system = each * static_cast<double>(f.gpus);
    Table table{
        .title = "Training time",
        .columns = {"", "value"},
        .rows = {{text_cell("D"), plain_cell(*f.tokens)},
                 {text_cell("N"), plain_cell(parameters)},
                 {text_cell("C = 6DN"), plain_cell(six_nd(parameters, *f.tokens).value())},
                 {text_cell("FLOPS (TFLOP/s, all GPUs)"), printed_cell(system, 3)},
                 {text_cell("T_days"), printed_cell(lightning_days(parameters, *f.tokens, system), 2)}},
        .remarks = {}};
    if (!f.tflops) {
        table.remarks.push_back("No --tflops: the peak at a utilization of " + to_significant(f.utilization) +
                                " (--utilization).");
    }
    return table;
}

/// The report of a step that was measured: its own TFLOP/s, and those of the whole step.
Table report_table(const LightningFlags& f, const LightningModel& model) {
    const Flops forward = lightning_forward(model, f.sequence, f.batch);
    const double gpus = static_cast<double>(f.gpus);
    constexpr double mega = 1e6;
    Table table{
        .title = "Report",
        .columns = {"", "GPU", "total"},
        .rows = {{text_cell("model"), text_cell(model.name), empty_cell()},
                 {text_cell("model size"),
                  text_cell(to_exact(std::floor(lightning_parameters(model) / mega)) + "M"), empty_cell()},
                 {text_cell("GFLOP forward"), printed_cell(forward.value() / 1e9, 2), empty_cell()}},
        .remarks = {}};
    if (f.tokens_per_s) {
        const double rate = python_round(*f.tokens_per_s, 3);
        const double whole = 6.0 * lightning_parameters(model) * rate / tera;
        table.rows.push_back({text_cell("tokens/s"), plain_cell(rate), plain_cell(rate * gpus)});
        table.rows.push_back({text_cell("TFLOP/s of the step, 6N a token"), printed_cell(whole, 3),
                              printed_cell(whole * gpus, 3)});
    }
    if (f.forward) {
        const double rate = python_round(forward.value() / f.forward->value() / tera, 3);
        table.rows.push_back(
            {text_cell("TFLOP/s, forward only"), plain_cell(rate), printed_cell(rate * gpus, 3)});
        table.remarks.emplace_back(
            "Its TFLOP/s are the forward pass's alone: in T_days use those of the step.");
    }
    return table;
}

Table models_table() {
    Table table{.title = "Models",
                .columns = {"--model", "layers", "hidden", "vocab", "parameters"},
                .rows = {},
                .remarks = {}};
    for (const LightningModel& model : lightning_models()) {
        table.rows.push_back({text_cell(model.name), count_cell(model.layers), count_cell(model.hidden),
                              count_cell(model.vocab),
                              count_cell(static_cast<std::int64_t>(lightning_parameters(model)))});
    }
    return table;
}

void print(const LightningFlags& f, Context& context) {
    const LightningModel& model = lightning_model(f.model);
    std::vector<Table> tables;
    if (f.tokens || f.tflops || f.peak) {
        require_all({{"--tokens", f.tokens.has_value()}, {"--tflops", f.tflops || f.peak}});
        tables.push_back(days_table(f, f.parameters.value_or(lightning_parameters(model))));
    }
    if (tables.empty() || f.tokens_per_s || f.forward) {
        tables.push_back(report_table(f, model));
    }
    print_tables(tables, f.output, context);
}

}  // namespace

void add_lightning(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand(
        "lightning", "Lightning-LLM-Training-Test's training days and forward-only TFLOP/s");
    const auto f = std::make_shared<LightningFlags>();
    command->add_option("--model", f->model, "Model of its list (see --list); default gpt2")
        ->type_name("NAME");
    add_parsed(*command, "--params", f->parameters, "COUNT", positive_parameters,
               "N, parameters; default: the model's");
    add_parsed(*command, "--tokens", f->tokens, "COUNT", positive_parameters, "D, tokens to train on");
    add_parsed(*command, "--gpus", f->gpus, "N", positive_count, "GPUs; default 1");
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "TFLOP/s a GPU is known to reach");
    add_parsed(*command, "--peak", f->peak, "TFLOPS", positive_number,
               "Peak TFLOP/s of a GPU, where none are known");
    add_parsed(
        *command, "--utilization", f->utilization, "FRACTION",
        [](auto& t) { return parse_fraction(t, Range::positive); }, "Share of --peak in use; default 0.25");
    add_parsed(*command, "--seq", f->sequence, "TOKENS", positive_count, "Sequence length; default 512");
    add_parsed(*command, "--batch", f->batch, "N", positive_count, "Sequences per GPU and step; default 1");
    add_parsed(*command, "--tokens-per-s", f->tokens_per_s, "RATE", positive_number,
               "Tokens a second that a GPU was measured at");
    add_parsed(
        *command, "--forward", f->forward, "DURATION",
        [](auto& t) { return parse_duration(t, Range::positive); }, "Time of the forward pass: 35.9ms");
    command->add_flag("--list", f->list, "Print its models");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        if (f->list) {
            print_tables({models_table()}, f->output, context);
        } else {
            print(*f, context);
        }
    });
}

}  // namespace traincost::cli
