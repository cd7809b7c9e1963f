#include "traincost/report/tables/scaling_tables.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

std::string_view law_title(std::size_t law) {
    static constexpr std::array<std::string_view, 5> titles = {
        "Chinchilla 1: training envelopes", "Chinchilla 2: IsoFLOP profiles", "Chinchilla 3: parametric loss",
        "Besiroglu: parametric loss, refitted", "fixed ratio"};
    return titles[law];
}

ScalingLaw law_at(std::size_t i) {
    return static_cast<ScalingLaw>(i);
}

/// "5.76e23 FLOP".
std::string compute_text(Flops compute) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g FLOP", finite(compute.value()));
    std::string s = text.data();
    if (const auto plus = s.find("e+"); plus != s.npos)
        s.erase(plus + 1, 1);
    return s;
}

std::vector<Cell> row_of(std::string_view title, const Allocation& a) {
    return {text_cell(title), short_count_cell(a.parameters), short_count_cell(a.tokens),
            number_cell(a.tokens / a.parameters), number_cell(a.loss)};
}

const std::vector<std::string>& allocation_columns() {
    static const std::vector<std::string> columns = {"", "parameters", "tokens", "tokens/parameter", "loss"};
    return columns;
}

Table laws_table(const ScalingBudget& q) {
    Table table{.title = "Compute-optimal for " + compute_text(q.compute),
                .columns = allocation_columns(),
                .rows = {},
                .remarks = q.assumptions};
    table.columns.front() = "by";
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i)
        table.rows.push_back(row_of(law_title(i), optimal_allocation(law_at(i), q.compute, q.ratio)));
    table.remarks.emplace_back(
        "Losses in nats per token on MassiveText: Chinchilla 3 by its own law, the others by Besiroglu's.");
    return table;
}

Table given_size_table(const ScalingBudget& q) {
    const double N = *q.parameters;
    const Allocation best = optimal_allocation(ScalingLaw::besiroglu, q.compute);
    Table table{.title = "The given size, with Besiroglu's loss",
                .columns = allocation_columns(),
                .rows = {row_of("all of the budget", fixed_size(besiroglu_loss, q.compute, N))},
                .remarks = {}};
    const std::optional<double> tokens = tokens_for_loss(besiroglu_loss, N, best.loss);
    if (tokens) {
        table.rows.push_back(row_of("as good as the optimum", {N, *tokens, best.loss}));
        table.remarks.push_back("Matching the optimum takes " +
                                percent_text(6.0 * N * *tokens / q.compute.value()) + " of the budget.");
    } else {
        table.remarks.emplace_back("No number of tokens makes this size as good as the optimum.");
    }
    return table;
}

Table lifetime_table(const ScalingBudget& q) {
    const LifetimeAllocation life = lifetime_optimal(besiroglu_loss, q.compute, *q.inference_tokens);
    const Allocation best = optimal_allocation(ScalingLaw::besiroglu, q.compute);
    const double before = q.compute.value() + 2.0 * best.parameters * *q.inference_tokens;
    Table table{.title = "As good as the optimum, and cheapest with " + count_text(*q.inference_tokens) +
                         " tokens of inference",
                .columns = allocation_columns(),
                .rows = {row_of("over-trained", life.allocation)},
                .remarks = {}};
    table.remarks.push_back("Training " + compute_text(life.training) + ", inference " +
                            compute_text(life.inference) + ": together " +
                            percent_text((life.training + life.inference).value() / before) +
                            " of the compute of the training optimum.");
    return table;
}

// ---- Charts ----

ChartSeries loss_curve(const LossLaw& law, std::string name, Flops compute, double low, double high) {
    constexpr int pieces = 80;
    ChartSeries series{std::move(name), {}, true, false};
    for (int i = 0; i <= pieces; ++i) {
        const double N = low * std::pow(high / low, static_cast<double>(i) / pieces);
        series.points.push_back({N, fixed_size(law, compute, N).loss});
    }
    return series;
}

LineChart loss_chart(const ScalingBudget& q) {
    constexpr double around = 10.0;  // a decade to either side of the optimum
    const double best = optimal_allocation(ScalingLaw::besiroglu, q.compute).parameters;
    double low = best / around;
    double high = best * around;
    if (q.parameters) {
        low = std::min(low, *q.parameters / 2.0);
        high = std::max(high, *q.parameters * 2.0);
    }
    LineChart chart{.title = "Loss of " + compute_text(q.compute) + " for a model of N parameters",
                    .x = {"parameters N", true},
                    .y = {"loss, nats per token", false},
                    .series = {loss_curve(besiroglu_loss, "Besiroglu's loss", q.compute, low, high),
                               loss_curve(chinchilla_loss, "Chinchilla 3's loss", q.compute, low, high)}};
    const auto mark = [&](std::string_view name, double N, double loss) {
        chart.series.push_back({std::string(name), {{N, loss}}, false, true});
    };
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        const Allocation a = optimal_allocation(law_at(i), q.compute, q.ratio);
        mark(law_title(i), a.parameters, a.loss);
    }
    if (q.parameters)
        mark("the given size", *q.parameters, fixed_size(besiroglu_loss, q.compute, *q.parameters).loss);
    if (q.inference_tokens) {
        const Allocation a = lifetime_optimal(besiroglu_loss, q.compute, *q.inference_tokens).allocation;
        mark("over-trained (beyond the budget)", a.parameters, a.loss);
    }
    return chart;
}

LineChart size_chart(const ScalingBudget& q, bool of_tokens) {
    constexpr double around = 1000.0;
    constexpr int pieces = 12;
    LineChart chart{.title = of_tokens ? "Compute-optimal tokens" : "Compute-optimal size",
                    .x = {"training compute, FLOP", true},
                    .y = {of_tokens ? "tokens" : "parameters", true},
                    .series = {},
                    .rules = {{q.compute.value(), "the budget", true}}};
    for (std::size_t i = 0; i < scaling_law_names().size(); ++i) {
        ChartSeries series{std::string(law_title(i)), {}};
        for (int p = 0; p <= pieces; ++p) {
            const Flops C = q.compute * std::pow(around, 2.0 * p / pieces - 1.0);
            const Allocation a = optimal_allocation(law_at(i), C, q.ratio);
            series.points.push_back({C.value(), of_tokens ? a.tokens : a.parameters});
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

}  // namespace

std::vector<Table> scaling_tables(const ScalingBudget& q) {
    std::vector<Table> tables{laws_table(q)};
    if (q.parameters)
        tables.push_back(given_size_table(q));
    if (q.inference_tokens)
        tables.push_back(lifetime_table(q));
    return tables;
}

std::vector<Chart> scaling_charts(const ScalingBudget& q) {
    return {loss_chart(q), size_chart(q, false), size_chart(q, true)};
}

}  // namespace traincost
