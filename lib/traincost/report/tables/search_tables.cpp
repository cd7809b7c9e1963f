#include "traincost/report/tables/search_tables.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

namespace {

/// Steps of the whole training run; nothing where the job does not say how many tokens.
std::optional<double> steps_of(const SearchRequest& request) {
    if (!request.run.tokens)
        return std::nullopt;
    return *request.run.tokens / tokens_per_step(request.run);
}

const Site& site_of(const SearchRequest& request, const Plan& plan) {
    return request.sites[static_cast<std::size_t>(plan.configuration.site)];
}

/// What only matters where there are several.
struct Columns {
    bool clusters;
    bool stacks;
    bool goodput;
    bool energy;
    FitProbability fits;  ///< empty: no such column
};

Columns columns_of(const SearchRequest& request, const FitProbability& fits) {
    Columns c{false, false, false, request.objective.energy != 0.0, fits};
    for (const Site& site : request.sites) {
        const Site& first = request.sites.front();
        c.clusters = c.clusters || site.cluster.id != first.cluster.id ||
                     site.cluster.accelerators != first.cluster.accelerators;
        c.stacks = c.stacks || site.stack.id != first.stack.id;
        c.goodput = c.goodput || site.goodput != first.goodput;
    }
    return c;
}

void add_heading(const SearchRequest& request, const Columns& c, Table& table) {
    if (c.clusters)
        table.columns.insert(table.columns.end(), {"cluster", "GPUs"});
    if (c.stacks)
        table.columns.emplace_back("stack");
    table.columns.insert(table.columns.end(), {"configuration", "step", "memory"});
    if (c.fits)
        table.columns.emplace_back("P(fits)");
    if (c.goodput)
        table.columns.emplace_back("goodput");
    if (c.energy)
        table.columns.emplace_back(steps_of(request) ? "energy" : "energy/step");
    if (steps_of(request)) {
        table.columns.insert(table.columns.end(), {"days", "cost"});
    } else {
        table.columns.emplace_back("cost/step");
    }
}

std::vector<Cell> plan_cells(const SearchRequest& request, const Columns& c, const Plan& plan) {
    const Site& site = site_of(request, plan);
    std::vector<Cell> row;
    if (c.clusters) {
        row.push_back(text_cell(site.cluster.id));
        row.push_back(count_cell(site.cluster.accelerators));
    }
    if (c.stacks)
        row.push_back(text_cell(site.stack.id));
    row.push_back(text_cell(configuration_text(request, plan.configuration)));
    row.push_back(cell(plan.metrics.time * site.goodput));
    row.push_back(cell(plan.metrics.memory));
    if (c.fits) {
        const std::optional<double> fits = c.fits(plan);
        row.push_back(fits ? percent_cell(*fits) : empty_cell());
    }
    const double steps = steps_of(request).value_or(1.0);
    if (c.goodput)
        row.push_back(percent_cell(site.goodput));
    if (c.energy) {
        constexpr double joules_per_kwh = 3.6e6;
        row.push_back(short_count_cell(plan.metrics.energy * steps / joules_per_kwh));
        row.back().text += " kWh";
    }
    if (steps_of(request))
        row.push_back(number_cell(plan.metrics.time.value() * steps / 86400.0));
    row.push_back(plan.metrics.cost.value() > 0.0 ? cell(plan.metrics.cost * steps) : empty_cell());
    return row;
}

/// "; also as cp 4, dp 1, micro-batch 4 or cp 2, dp 2, micro-batch 2".
std::string also_text(const SearchRequest& request, const Recommendation& plan) {
    constexpr std::size_t named = 1;
    std::string text;
    for (std::size_t i = 0; i < std::min(named, plan.also.size()); ++i) {
        text += (i == 0 ? "; same as " : " or ") +
                difference_text(request, plan.plan.configuration, plan.also[i]);
    }
    if (plan.also.size() > named)
        text += " and " + std::to_string(plan.also.size() - named) + " more";
    return text;
}

Table plans_table(const SearchRequest& request, const std::vector<Recommendation>& plans, const TieRule& tie,
                  const Columns& c) {
    Table table{.title = "Best plans", .columns = {"", "behind"}, .rows = {}, .remarks = {}};
    add_heading(request, c, table);
    const auto configuration = static_cast<std::size_t>(
        std::find(table.columns.begin(), table.columns.end(), "configuration") - table.columns.begin());
    table.columns.insert(table.columns.end(), {"MFU", "bound by"});
    std::int64_t rank = 0;
    bool tied = false;
    for (const Recommendation& r : plans) {
        std::vector<Cell> row = {count_cell(++rank)};
        row.push_back(rank == 1 ? empty_cell() : percent_cell(r.behind));
        if (r.tie && rank > 1) {
            row.back().text += " =";
            tied = true;
        }
        for (Cell& value : plan_cells(request, c, r.plan))
            row.push_back(std::move(value));
        row[configuration].text += also_text(request, r);
        row.push_back(percent_cell(r.estimate.throughput.mfu));
        row.push_back(text_cell(bound_by(r.estimate.step)));
        table.rows.push_back(std::move(row));
    }
    if (tied) {
        std::string remark = "= tied with plan 1: differences below " + percent_text(tie.same_site) +
                             " are within prediction error (" + tie.basis + ").";
        if (c.clusters || c.stacks)
            remark += " Between clusters or stacks: " + percent_text(tie.other_site) + ".";
        table.remarks.push_back(std::move(remark));
    }
    table.remarks.push_back("Plan 1 as flags of estimate: " +
                            configuration_flags(request, plans.front().plan.configuration));
    return table;
}

Table why_table(const Recommendation& plan, std::size_t rank) {
    Table table{.title = rank == 0 ? "Why not the neighbours of plan 1"
                                   : "Why not the neighbours of plan " + std::to_string(rank + 1),
                .columns = {},
                .rows = {},
                .remarks = {}};
    for (const Neighbour& n : plan.neighbours)
        table.rows.push_back({text_cell(n.why)});
    return table;
}

Table sensitivity_table(const Recommendation& best) {
    Table table{.title = "Sensitivity of plan 1",
                .columns = {"input", "change", "time", "still best"},
                .rows = {},
                .remarks = {}};
    for (const Sensitivity& s : best.sensitivities) {
        table.rows.push_back({text_cell(s.input), percent_cell(s.change), percent_cell(s.step),
                              text_cell(s.stays_best ? "yes" : "no")});
    }
    return table;
}

Table pareto_table(const SearchRequest& request, const SearchResult& result, const Columns& c) {
    constexpr std::size_t shown = 12;
    Table table{.title = "Pareto front of time, memory and cost", .columns = {}, .rows = {}, .remarks = {}};
    add_heading(request, c, table);
    const std::size_t n = result.pareto.size();
    for (std::size_t i = 0; i < std::min(n, shown); ++i) {
        // Evenly over the front, both ends included.
        const std::size_t at = n <= shown ? i : i * (n - 1) / (shown - 1);
        table.rows.push_back(plan_cells(request, c, result.pareto[at]));
    }
    if (n > shown) {
        table.remarks.push_back(std::to_string(shown) + " of " + std::to_string(n) +
                                " plans on the front; --json has all.");
    }
    return table;
}

Table counts_table(const SearchResult& result) {
    const SearchCounts& c = result.counts;
    Table table{.title = "Searched", .columns = {}, .rows = {}, .remarks = {}};
    const auto row = [&](const char* what, std::int64_t n) {
        table.rows.push_back({text_cell(what), count_cell(n)});
    };
    row("configurations", c.enumerated);
    if (c.cut_by_memory > 0)
        row("pruned: lower bound of memory does not fit", c.cut_by_memory);
    if (c.cut_by_plans > 0)
        row("pruned: lower bound is worse than the best plans", c.cut_by_plans);
    row("evaluated", c.evaluated);
    row("does not fit", c.does_not_fit);
    if (c.over_deadline > 0)
        row("past the deadline", c.over_deadline);
    if (c.over_budget > 0)
        row("over the budget", c.over_budget);
    row("feasible", c.feasible);
    if (result.interrupted)
        table.remarks.emplace_back("Interrupted: best plans so far.");
    return table;
}

}  // namespace

std::vector<Table> search_tables(const SearchRequest& request, const SearchResult& result,
                                 const std::vector<Recommendation>& plans, const TieRule& tie,
                                 const std::vector<std::string>& assumptions, const FitProbability& fits,
                                 const Operation& operation, std::size_t explained) {
    const Columns columns = columns_of(request, fits);
    std::vector<Table> tables;
    if (!plans.empty()) {
        tables.push_back(plans_table(request, plans, tie, columns));
        tables.push_back(
            operation_table("Training run of plan 1", plans.front().job, plans.front().estimate, operation));
        if (tables.back().rows.empty())
            tables.pop_back();
        for (std::size_t i = 0; i < std::min(explained, plans.size()); ++i)
            tables.push_back(why_table(plans[i], i));
        tables.push_back(sensitivity_table(plans.front()));
        tables.push_back(pareto_table(request, result, columns));
    }
    tables.push_back(counts_table(result));
    if (!assumptions.empty())
        tables.push_back(remarks_table("Assumed", assumptions));
    return tables;
}

Table cluster_table(const SearchRequest& request, const std::vector<ClusterPlan>& clusters,
                    const FitProbability& fits) {
    Columns c = columns_of(request, fits);
    c.clusters = true;
    Table table{.title = "Best of each cluster", .columns = {"behind"}, .rows = {}, .remarks = {}};
    add_heading(request, c, table);
    table.columns.emplace_back("reason if none");
    for (const ClusterPlan& one : clusters) {
        if (!one.plan) {
            std::vector<Cell> row{empty_cell(), text_cell(one.cluster)};
            row.resize(table.columns.size() - 1, empty_cell());
            const std::vector<std::string> why = why_no_plan(one.request, one.result);
            row.push_back(text_cell(one.result.counts.enumerated == 0 ? "nothing to search"
                                    : why.empty()                     ? ""
                                                                      : why.front()));
            table.rows.push_back(std::move(row));
            continue;
        }
        const double behind = loss_of(request.objective, clusters.front().plan->value, one.plan->value);
        std::vector<Cell> row{behind == 0.0 ? empty_cell() : percent_cell(behind)};
        for (Cell& value : plan_cells(request, c, *one.plan))
            row.push_back(std::move(value));
        row.push_back(text_cell(""));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string relaxed_text(const std::vector<std::string>& relaxed) {
    std::string text = "Nothing fits in the stack's usual search space; also searched: ";
    for (std::size_t i = 0; i < relaxed.size(); ++i)
        text += (i == 0 ? "" : ", ") + relaxed[i];
    return text + ".";
}

std::vector<std::string> why_no_plan(const SearchRequest& request, const SearchResult& result) {
    const SearchCounts& c = result.counts;
    std::vector<std::string> why;
    const std::string all = std::to_string(c.enumerated);
    if (c.does_not_fit + c.cut_by_memory == c.enumerated) {
        std::string text = "memory: none of " + all + " configurations fit";
        if (result.smallest) {
            const Plan& plan = *result.smallest;
            const Bytes allowed = allowed_memory(site_of(request, plan).cluster.accelerator, request.run);
            text += "; the smallest (" + configuration_text(request, plan.configuration) + ") needs " +
                    to_text(plan.metrics.memory) + " of " + to_text(allowed);
        }
        why.push_back(text);
        return why;
    }
    const double steps = steps_of(request).value_or(1.0);
    if (result.fastest && request.limits.step_time &&
        result.fastest->metrics.time > *request.limits.step_time) {
        why.push_back("--deadline: the fastest that fits (" +
                      configuration_text(request, result.fastest->configuration) + ") takes " +
                      to_text(result.fastest->metrics.time * steps) + "; the limit is " +
                      to_text(*request.limits.step_time * steps));
    }
    if (result.cheapest && request.limits.step_cost &&
        result.cheapest->metrics.cost > *request.limits.step_cost) {
        why.push_back("--budget: the cheapest that fits (" +
                      configuration_text(request, result.cheapest->configuration) + ") costs " +
                      to_text(result.cheapest->metrics.cost * steps) + "; the limit is " +
                      to_text(*request.limits.step_cost * steps));
    }
    if (why.empty() && result.fastest && result.cheapest) {
        why.push_back("--deadline and --budget together: the fastest that fits takes " +
                      to_text(result.fastest->metrics.time * steps) + " and costs " +
                      to_text(result.fastest->metrics.cost * steps) + ", the cheapest " +
                      to_text(result.cheapest->metrics.time * steps) + " and " +
                      to_text(result.cheapest->metrics.cost * steps));
    }
    return why;
}

}  // namespace traincost
