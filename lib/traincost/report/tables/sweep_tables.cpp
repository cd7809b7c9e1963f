#include "traincost/report/tables/sweep_tables.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "traincost/base/error.hpp"
#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

constexpr double seconds_a_day = 86400.0;

Bytes peak_memory(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)].device;
}

/// One quantity of a chart; nothing where a point has none.
struct Measure {
    std::string name;   ///< "Step time"
    std::string label;  ///< "step time, s"
    std::function<std::optional<double>(const SweepPoint&)> of;
};

std::vector<Measure> measures_of(const std::vector<SweepPoint>& points) {
    const auto totals = [](const SweepPoint& p) -> const TrainingTotals* {
        return p.bill && p.bill->totals ? &*p.bill->totals : nullptr;
    };
    const std::vector<Measure> all = {
        {"Step time", "step time, s", [](const SweepPoint& p) { return p.estimate->step.total.value(); }},
        {"Memory per GPU at its peak", "memory, GiB",
         [](const SweepPoint& p) { return peak_memory(*p.estimate).value() / gibi; }},
        {"Throughput", "tokens per second per GPU",
         [](const SweepPoint& p) { return p.estimate->throughput.tokens_per_s_per_gpu; }},
        {"Training time", "days",
         [totals](const SweepPoint& p) {
             const TrainingTotals* t = totals(p);
             return t ? std::optional(t->time.value() / seconds_a_day) : std::nullopt;
         }},
        {"Cost of the training", "cost, USD", [totals](const SweepPoint& p) {
             const TrainingTotals* t = totals(p);
             return t && t->cost ? std::optional(t->cost->value()) : std::nullopt;
         }}};
    std::vector<Measure> known;
    for (const Measure& measure : all) {
        const bool any = std::any_of(points.begin(), points.end(),
                                     [&](const SweepPoint& p) { return p.estimate && measure.of(p); });
        if (any)
            known.push_back(measure);
    }
    return known;
}

/// The values as numbers; nothing where one is none.
std::optional<std::vector<double>> numbers_of(const SweepAxis& axis) {
    std::vector<double> numbers;
    for (const std::string& value : axis.values) {
        try {
            numbers.push_back(static_cast<double>(parse_count(value)));
        } catch (const Error&) {
            try {
                numbers.push_back(parse_number(value));
            } catch (const Error&) {
                return std::nullopt;
            }
        }
    }
    return numbers;
}

/// "stack=megatron-core, tp=4": a point's values but for one axis'.
std::string name_of_rest(const std::vector<SweepAxis>& axes, const SweepPoint& point, std::size_t without) {
    std::string name;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (i != without)
            name += (name.empty() ? "" : ", ") + axes[i].flag + "=" + point.values[i];
    }
    return name;
}

/// Usable memory, where all points have the same.
std::optional<double> common_capacity(const std::vector<SweepPoint>& points) {
    std::optional<double> capacity;
    for (const SweepPoint& p : points) {
        if (!p.estimate)
            continue;
        const double own = p.estimate->capacity.value() / gibi;
        if (capacity && *capacity != own)
            return std::nullopt;
        capacity = own;
    }
    return capacity;
}

std::vector<std::string> chart_remarks(const std::vector<SweepPoint>& points) {
    std::vector<std::string> remarks;
    const auto invalid =
        std::count_if(points.begin(), points.end(), [](const SweepPoint& p) { return !p.estimate; });
    const bool hollow = std::any_of(points.begin(), points.end(),
                                    [](const SweepPoint& p) { return p.estimate && !p.estimate->fits; });
    if (hollow)
        remarks.emplace_back("Hollow marker: does not fit.");
    if (invalid > 0)
        remarks.push_back(std::to_string(invalid) + " of " + std::to_string(points.size()) +
                          " invalid combinations are left out.");
    return remarks;
}

/// "seq, tokens": a flag with the unit of its values, where they have one.
std::string axis_label(const std::string& flag) {
    struct Unit {
        std::string_view flag;
        std::string_view unit;
    };
    static constexpr std::array<Unit, 7> units = {{{"seq", "tokens"},
                                                   {"tokens", "tokens"},
                                                   {"micro-batch", "sequences"},
                                                   {"global-batch", "sequences"},
                                                   {"gpus", "accelerators"},
                                                   {"per-node", "accelerators"},
                                                   {"gpu-hour-price", "USD"}}};
    const auto found =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.flag == flag; });
    return found == units.end() ? flag : flag + ", " + std::string(found->unit);
}

LineChart line_chart(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                     std::size_t at, const std::vector<double>& numbers, const Measure& measure) {
    constexpr double wide = 7.9;  // a range of three doublings reads better in logarithms
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    LineChart chart{.title = measure.name,
                    .x = {axis_label(axes[at].flag), *least > 0.0 && *most / *least > wide},
                    .y = {measure.label, false},
                    .series = {}};
    for (const SweepPoint& p : points) {
        if (!p.estimate)
            continue;
        const std::optional<double> y = measure.of(p);
        if (!y)
            continue;
        const std::string name = axes.size() == 1 ? measure.name : name_of_rest(axes, p, at);
        auto series = std::find_if(chart.series.begin(), chart.series.end(),
                                   [&](const ChartSeries& s) { return s.name == name; });
        if (series == chart.series.end())
            series = chart.series.insert(chart.series.end(), {name, {}});
        const auto value = std::find(axes[at].values.begin(), axes[at].values.end(), p.values[at]);
        series->points.push_back(
            {numbers[static_cast<std::size_t>(value - axes[at].values.begin())], *y, !p.estimate->fits});
    }
    for (ChartSeries& series : chart.series)
        std::sort(series.points.begin(), series.points.end(),
                  [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    return chart;
}

BarChart bar_chart(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points,
                   const Measure& measure) {
    BarChart chart{.title = measure.name, .label = measure.label, .names = {}, .parts = {{measure.name, {}}}};
    for (const SweepPoint& p : points) {
        const std::optional<double> value = p.estimate ? measure.of(p) : std::nullopt;
        if (!value)
            continue;
        chart.names.push_back(name_of_rest(axes, p, axes.size()) +
                              (p.estimate->fits ? "" : " (does not fit)"));
        chart.parts.front().values.push_back(*value);
    }
    return chart;
}

}  // namespace

namespace {

/// Whether an axis decides which stack is usual, and so changes more than its name says.
bool changes_stack(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points) {
    if (std::any_of(axes.begin(), axes.end(), [](const SweepAxis& axis) { return axis.flag == "stack"; }))
        return false;
    const std::string* first = nullptr;
    for (const SweepPoint& p : points) {
        if (!p.job)
            continue;
        if (first != nullptr && *first != p.job->stack.id)
            return true;
        first = &p.job->stack.id;
    }
    return false;
}

}  // namespace

Table sweep_table(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points) {
    Table table{.title = "Sweep", .columns = {}, .rows = {}, .remarks = {}};
    for (const SweepAxis& axis : axes)
        table.columns.push_back(axis.flag);
    const bool totals = std::any_of(points.begin(), points.end(),
                                    [](const SweepPoint& p) { return p.bill && p.bill->totals; });
    const bool stacks = changes_stack(axes, points);
    if (stacks)
        table.columns.emplace_back("stack");
    table.columns.insert(table.columns.end(), {"fits", "memory", "step", "tokens/s", "MFU"});
    if (totals)
        table.columns.insert(table.columns.end(), {"days", "cost"});
    table.columns.emplace_back("bound by");
    for (const SweepPoint& p : points) {
        std::vector<Cell> row;
        for (const std::string& value : p.values)
            row.push_back(text_cell(value));
        if (stacks)
            row.push_back(p.job ? text_cell(p.job->stack.id) : empty_cell());
        if (!p.estimate) {
            row.push_back(text_cell("invalid"));
            row.resize(table.columns.size() - 1, empty_cell());
            row.push_back(text_cell(p.problem));
            table.rows.push_back(std::move(row));
            continue;
        }
        const Estimate& e = *p.estimate;
        row.push_back(text_cell(e.fits ? "yes" : "no"));
        row.push_back(cell(peak_memory(e)));
        row.push_back(cell(e.step.total));
        row.push_back(short_count_cell(e.throughput.tokens_per_s));
        row.push_back(percent_cell(e.throughput.mfu));
        if (totals) {
            const std::optional<TrainingTotals> t = p.bill ? p.bill->totals : std::nullopt;
            row.push_back(t ? number_cell(t->time.value() / seconds_a_day) : empty_cell());
            row.push_back(t && t->cost ? cell(*t->cost) : empty_cell());
        }
        row.push_back(text_cell(bound_by(e.step)));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::vector<Chart> sweep_charts(const std::vector<SweepAxis>& axes, const std::vector<SweepPoint>& points) {
    std::size_t at = 0;
    std::optional<std::vector<double>> numbers;
    while (at < axes.size() && !numbers) {
        numbers = axes[at].values.size() > 1 ? numbers_of(axes[at]) : std::nullopt;
        at += numbers ? 0 : 1;
    }
    std::vector<Chart> charts;
    const std::optional<double> capacity = common_capacity(points);
    for (const Measure& measure : measures_of(points)) {
        const auto add = [&](auto chart) {
            if (measure.label == "memory, GiB" && capacity)
                chart.rules = {{*capacity, "usable"}};
            chart.remarks = chart_remarks(points);
            charts.emplace_back(std::move(chart));
        };
        if (numbers)
            add(line_chart(axes, points, at, *numbers, measure));
        else
            add(bar_chart(axes, points, measure));
    }
    return charts;
}

}  // namespace traincost
