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

#include <array>
#include <cmath>
#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct ChinchillaFlags {
    OutputFlags output;
    std::optional<double> tflops, utilization, cards, days;
};

Table table_of(const ChinchillaOptimum& grid, const ChinchillaOptimum& exact) {
    const auto row = [](std::string_view name, Cell by_grid, Cell by_formula) {
        return std::vector<Cell>{text_cell(name), std::move(by_grid), std::move(by_formula)};
    };
    const auto with_unit = [](double x, double unit, const char* letter) {
        Cell cell = printed_cell(x / unit, 2);
        cell.text += letter;
        cell.exact = to_exact(x);
        return cell;
    };
    constexpr double million = 1e6;
    constexpr double billion = 1e9;
    const Cell compute{
        .text = to_exact(grid.compute.value()), .exact = to_exact(grid.compute.value()), .number = true};
    return {.title = "Compute-optimal model",
            .columns = {"", "grid", "closed form"},
            .rows = {row("Total Compute Budget", compute, compute),
                     row("Estimated Final Loss", printed_cell(grid.loss, 3), printed_cell(exact.loss, 3)),
                     row("Optimal Model Size", with_unit(grid.parameters, million, "M"),
                         with_unit(exact.parameters, million, "M")),
                     row("Optimal Dataset Size", with_unit(grid.tokens, billion, "B"),
                         with_unit(exact.tokens, billion, "B"))},
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
    add_parsed(*command, "--tflops", f->tflops, "TFLOPS", positive_number, "Of a card");
    add_parsed(
        *command, "--utilization", f->utilization, "FRACTION",
        [](const std::string& text) { return parse_fraction(text, Range::positive); }, "0.25 or 25%");
    add_parsed(*command, "--cards", f->cards, "N", positive_number, "Number of cards");
    add_parsed(*command, "--days", f->days, "N", positive_number, "Training days");
    add_output_options(*command, f->output);
    command->callback([f, &context] {
        require_all({{"--tflops", f->tflops.has_value()},
                     {"--utilization", f->utilization.has_value()},
                     {"--cards", f->cards.has_value()},
                     {"--days", f->days.has_value()}});
        const Flops budget = chinchilla_compute(*f->tflops, *f->utilization, *f->cards, *f->days);
        const ChinchillaOptimum grid = chinchilla_grid(budget);
        const ChinchillaOptimum exact = chinchilla_closed_form(budget);
        if (!f->output.json) {
            const Table table = table_of(grid, exact);
            context.out << render({&table, 1}, f->output.format);
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
