// `method chinchilla-grid`: Compute-Optimal-Model-Estimator's size, tokens and loss.
#include <array>
#include <memory>

#include "traincost/base/text.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/methods/chinchilla.hpp"
#include "traincost/methods/printed.hpp"
#include "traincost/plan/scaling_laws.hpp"
#include "traincost/report/methods/form_values.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

struct ChinchillaFlags {
    // The page's own values.
    double tflops = 40.0, utilization = 0.25, days = 7.0;
    std::int64_t cards = 1;
    bool compare = false;
    bool list = false;
};

/// Its constants, its page's values, and the sizes that it tries.
std::vector<Table> chinchilla_lists() {
    const ChinchillaConstants c;
    const auto number = [](double x) { return Cell{.text = python_text(x), .exact = {}, .number = true}; };
    Table constants{.title = "Constants of L = E + A/N^alpha + B/D^beta",
                    .columns = {"", "value"},
                    .rows = {{text_cell("E"), number(c.E)},
                             {text_cell("A"), number(c.A)},
                             {text_cell("B"), number(c.B)},
                             {text_cell("alpha"), number(c.alpha)},
                             {text_cell("beta"), number(c.beta)}},
                    .remarks = {}};
    const ChinchillaFlags page;
    Table defaults{.title = "Defaults",
                   .columns = {"flag", "value"},
                   .rows = {{text_cell("--tflops"), number(page.tflops)},
                            {text_cell("--utilization"), number(page.utilization)},
                            {text_cell("--cards"), count_cell(page.cards)},
                            {text_cell("--days"), number(page.days)}},
                   .remarks = {}};
    Table grid{.title = "Grid", .columns = {"i", "N"}, .rows = {}, .remarks = {"N = 10^(7 + i/16)."}};
    constexpr double million = 1e6;
    std::int64_t i = 0;
    for (const double N : chinchilla_sizes()) {
        grid.rows.push_back(
            {count_cell(i++),
             {.text = decimals_text(N / million, 2) + "M", .exact = to_exact(N), .number = true}});
    }
    return {constants, defaults, grid};
}

Table chinchilla_table_of(const ChinchillaOptimum& grid, const ChinchillaOptimum& exact) {
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

/// The same compute by every law that we know.
Table chinchilla_laws_table(Flops budget) {
    constexpr std::array<std::string_view, 5> why = {
        "envelope of training curves", "IsoFLOP profiles", "its own law, without the grid",
        "that law, refitted to the same runs", "20 tokens per parameter"};
    Table table{
        .title = "Compared",
        .columns = {"ours (scale)", "parameters", "tokens", "tokens/parameter", "loss", "why"},
        .rows = {},
        .remarks = {
            "The grid runs from 10M to 86.6B in steps of 15.5 %; sizes outside are clamped to its ends."}};
    const auto names = scaling_law_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Allocation a = optimal_allocation(static_cast<ScalingLaw>(i), budget);
        table.rows.push_back({text_cell(names[i]), short_count_cell(a.parameters), short_count_cell(a.tokens),
                              printed_cell(a.tokens / a.parameters, 1), printed_cell(a.loss, 3),
                              text_cell(why.at(i))});
    }
    return table;
}

void chinchilla_write_optimum(JsonWriter& out, const char* key, const ChinchillaOptimum& best) {
    out.key(key).begin_object();
    out.member("loss", best.loss).member("parameters", best.parameters).member("tokens", best.tokens);
    out.end_object();
}

std::string chinchilla_json(Flops budget, const ChinchillaOptimum& grid, const ChinchillaOptimum& exact,
                            bool compare) {
    JsonWriter out;
    out.begin_object();
    out.member("schema_version", 1);
    out.member("method", "chinchilla-grid");
    out.member("compute_flop", budget);
    chinchilla_write_optimum(out, "grid", grid);
    chinchilla_write_optimum(out, "closed_form", exact);
    if (compare) {
        const auto names = scaling_law_names();
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Allocation a = optimal_allocation(static_cast<ScalingLaw>(i), budget);
            chinchilla_write_optimum(out, std::string(names[i]).c_str(),
                                     {budget, a.loss, a.parameters, a.tokens});
        }
    }
    out.end_object();
    return out.text();
}

MethodAnswer chinchilla_answer(const ChinchillaFlags& f) {
    if (f.list) {
        return {.tables = chinchilla_lists()};
    }
    const Flops budget = chinchilla_compute(f.tflops, f.utilization, static_cast<double>(f.cards), f.days);
    const ChinchillaOptimum grid = chinchilla_grid(budget);
    const ChinchillaOptimum exact = chinchilla_closed_form(budget);
    MethodAnswer answer{.tables = {chinchilla_table_of(grid, exact)},
                        .json = chinchilla_json(budget, grid, exact, f.compare)};
    if (f.compare) {
        answer.tables.push_back(chinchilla_laws_table(budget));
    }
    return answer;
}

}  // namespace

MethodForm chinchilla_form() {
    MethodForm form;
    const auto f = std::make_shared<ChinchillaFlags>();
    form.add("--tflops", f->tflops, "TFLOPS", form_number, "TFLOP/s per card; default: 40");
    form.add("--utilization", f->utilization, "FRACTION", form_fraction,
             "Share of that rate in use, as in 0.25 or 25%; default: 0.25");
    form.add("--cards", f->cards, "N", positive_count, "Number of cards; default: 1");
    form.add("--days", f->days, "N", form_number, "Training days; default: 7");
    form.add_switch("--compare", f->compare,
                    "Comparison with the other laws of 'scale', for the same compute");
    form.add_switch("--list", f->list, "Print its constants, defaults and grid");
    form.answer = [f](const Sources&) { return chinchilla_answer(*f); };
    return form;
}

}  // namespace traincost
