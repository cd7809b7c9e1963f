// `traincost method chinchilla-grid`: Compute-Optimal-Model-Estimator's size, tokens and loss.

#include <cli/commands/method_options.hpp>
#include <cli/context.hpp>
#include <cli/options.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/json.hpp>
#include <traincost/methods/chinchilla.hpp>
#include <traincost/methods/printed.hpp>
#include <traincost/spec/names.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct ChinchillaFlags {
    OutputFlags output;
    // The page's own values.
    double tflops = 40.0, utilization = 0.25, days = 7.0;
    std::int64_t cards = 1;
};

Table table_of(const ChinchillaOptimum& grid, const ChinchillaOptimum& exact) {
    const ChinchillaLabels by_grid = chinchilla_labels(grid);
    const ChinchillaLabels by_formula = chinchilla_labels(exact);
    const auto row = [](const char* name, const std::string& one, double one_exact, const std::string& two,
                        double two_exact) {
        return std::vector<Cell>{text_cell(name),
                                 {.text = one, .exact = to_exact(one_exact), .number = true},
                                 {.text = two, .exact = to_exact(two_exact), .number = true}};
    };
    return {
        .title = "Compute-optimal model",
        .columns = {"", "grid", "closed form"},
        .rows = {row("Total Compute Budget", by_grid.compute, grid.compute.value(), by_formula.compute,
                     exact.compute.value()),
                 row("Estimated Final Loss", by_grid.loss, grid.loss, by_formula.loss, exact.loss),
                 row("Optimal Model Size", by_grid.parameters, grid.parameters, by_formula.parameters,
                     exact.parameters),
                 row("Optimal Dataset Size", by_grid.tokens, grid.tokens, by_formula.tokens, exact.tokens)},
        .remarks = {}};
}

void write_optimum(JsonWriter& out, const char* key, const ChinchillaOptimum& best) {
    out.key(key).begin_object();
    out.member("loss", best.loss).member("parameters", best.parameters).member("tokens", best.tokens);
    out.end_object();
}

}  // namespace

void add_chinchilla(CLI::App& parent, Context& context) {
    CLI::App* command =
        parent.add_subcommand("chinchilla-grid", "Compute-Optimal-Model-Estimator's size, tokens and loss");
    const auto f = std::make_shared<ChinchillaFlags>();
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "TFLOP/s of a card; default 40");
    add_parsed(
        *command, "--utilization", f->utilization, "FRACTION",
        [](const std::string& text) { return parse_fraction(text, Range::positive); },
        "Share of that rate in use: 0.25 or 25%; default 0.25");
    add_parsed(*command, "--cards", f->cards, "N", positive_count, "Number of cards; default 1");
    add_parsed(*command, "--days", f->days, "N", positive_number, "Training days; default 7");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        const Flops budget =
            chinchilla_compute(f->tflops, f->utilization, static_cast<double>(f->cards), f->days);
        const ChinchillaOptimum grid = chinchilla_grid(budget);
        const ChinchillaOptimum exact = chinchilla_closed_form(budget);
        if (!f->output.json) {
            const Table table = table_of(grid, exact);
            context.out << render({&table, 1}, f->output.format, context.style);
            return;
        }
        JsonWriter out;
        out.begin_object();
        out.member("schema_version", 1);
        out.member("method", "chinchilla-grid");
        out.member("compute_flop", budget);
        write_optimum(out, "grid", grid);
        write_optimum(out, "closed_form", exact);
        out.end_object();
        context.out << out.text();
    });
}

}  // namespace traincost::cli
