#include "traincost/fit/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "traincost/fit/record_keys.hpp"

namespace traincost {

namespace {

struct GroupLess {
    bool operator()(const std::string& a, const std::string& b) const {
        const int x = group_order(a);
        const int y = group_order(b);
        return x != y ? x < y : a < b;
    }
};

template <class T>
using ByGroup = std::map<std::string, T, GroupLess>;

struct Coverage {
    std::int64_t with_interval = 0;
    std::int64_t covered = 0;

    void add(const std::optional<Interval>& interval, double measured) {
        if (!interval)
            return;
        ++with_interval;
        covered += interval->low <= measured && measured <= interval->high ? 1 : 0;
    }
    std::optional<double> share() const {
        if (with_interval == 0)
            return std::nullopt;
        return static_cast<double>(covered) / static_cast<double>(with_interval);
    }
};

struct Errors {
    std::vector<double> errors;
    Coverage siblings_out;
    Coverage source_out;
};

struct Verdicts {
    std::int64_t ran = 0, ran_right = 0, oom = 0, oom_right = 0;
};

void summarize_errors(std::span<const SourcedRecord> records, const RecordGroups& named,
                      Validation& validation) {
    std::array<ByGroup<Errors>, metric_count> groups;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric == Metric::fits)
            continue;
        for (const std::string& name : groups_of(records[row.record], validation.facts[row.record], named)) {
            Errors& group = groups[static_cast<std::size_t>(row.metric)][name];
            group.errors.push_back(row.error);
            group.siblings_out.add(row.interval_80, row.measured);
            group.source_out.add(row.interval_80_new_source, row.measured);
        }
    }
    for (int metric = 0; metric < metric_count; ++metric) {
        for (const auto& [name, group] : groups[static_cast<std::size_t>(metric)]) {
            validation.summary.push_back({static_cast<Metric>(metric), name, error_statistics(group.errors),
                                          group.siblings_out.share(), group.source_out.share()});
        }
    }
}

double share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

void summarize_verdicts(std::span<const SourcedRecord> records, const RecordGroups& named,
                        Validation& validation) {
    ByGroup<Verdicts> groups;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric != Metric::fits)
            continue;
        const bool right = row.error == 0.0;
        for (const std::string& name : groups_of(records[row.record], validation.facts[row.record], named)) {
            Verdicts& group = groups[name];
            (row.measured > 0.5 ? group.ran : group.oom) += 1;
            if (right)
                (row.measured > 0.5 ? group.ran_right : group.oom_right) += 1;
        }
    }
    for (const auto& [name, group] : groups) {
        FitsRow row{};
        row.group = name;
        row.n = group.ran + group.oom;
        row.accuracy = share(group.ran_right + group.oom_right, row.n);
        row.out_of_memory = group.oom;
        if (group.oom > 0)
            row.oom_recall = share(group.oom_right, group.oom);
        if (group.ran > 0)
            row.fit_recall = share(group.ran_right, group.ran);
        validation.fits.push_back(std::move(row));
    }
}

void summarize_safety(Validation& validation) {
    constexpr std::array<double, 7> edges = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0};
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const bool last = i + 2 == edges.size();
        const auto counted = [&](std::optional<double> ValidationRow::*probability) {
            std::int64_t n = 0;
            std::int64_t fitted = 0;
            for (const ValidationRow& row : validation.rows) {
                const std::optional<double>& p = row.*probability;
                if (row.metric != Metric::fits || !p || *p < edges[i] || *p > edges[i + 1] ||
                    (!last && *p == edges[i + 1])) {
                    continue;
                }
                ++n;
                fitted += row.measured > 0.5 ? 1 : 0;
            }
            return std::pair(n, share(fitted, n));
        };
        const auto [n, fitted] = counted(&ValidationRow::probability);
        const auto [n_new, fitted_new] = counted(&ValidationRow::probability_new_source);
        if (n + n_new > 0)
            validation.safety.push_back({edges[i], edges[i + 1], n, fitted, n_new, fitted_new});
    }
}

// Of `layouts`, those of one model on the same nodes with the same batch compete. Runs of one cluster may
// have met its fabric in different states, of which a plan has one.
std::optional<RankingRegret> ranking_regret(std::span<const SourcedRecord> records,
                                            const RecordGroup& layouts, const Validation& validation,
                                            bool one_fabric) {
    std::map<std::string, std::vector<const ValidationRow*>> groups;
    for (const ValidationRow& row : validation.rows) {
        const RunRecord& record = records[row.record].record;
        if (row.metric != Metric::step_time ||
            !contains(layouts, records[row.record], validation.facts[row.record]))
            continue;
        const std::int64_t nodes = node_count(record);
        std::string name = record.model.name + ", " + std::to_string(nodes) + " nodes, global batch " +
                           std::to_string(record.run.global_batch) + ", sequence " +
                           std::to_string(record.run.sequence);
        if (const std::string& fabric = validation.facts[row.record].fabric; one_fabric && !fabric.empty())
            name += ", " + fabric;
        groups[name].push_back(&row);
    }
    std::vector<double> regrets;
    RankingRegret ranking{};
    for (const auto& [name, rows] : groups) {
        if (rows.size() < 2)
            continue;
        const auto by = [](double ValidationRow::*field) {
            return [field](const ValidationRow* a, const ValidationRow* b) { return a->*field < b->*field; };
        };
        const ValidationRow* chosen =
            *std::min_element(rows.begin(), rows.end(), by(&ValidationRow::predicted));
        const ValidationRow* best = *std::min_element(rows.begin(), rows.end(), by(&ValidationRow::measured));
        const double regret = chosen->measured / best->measured - 1.0;
        if (regrets.empty() || regret > ranking.worst) {
            ranking.worst = regret;
            ranking.worst_group = name;
        }
        regrets.push_back(regret);
    }
    if (regrets.empty())
        return std::nullopt;
    std::sort(regrets.begin(), regrets.end());
    ranking.groups = static_cast<std::int64_t>(regrets.size());
    ranking.mean = mean(regrets);
    ranking.median = quantile(regrets, 0.5);
    return ranking;
}

}  // namespace

void summarize(std::span<const SourcedRecord> records, const RecordGroups& groups, Validation& validation) {
    summarize_errors(records, groups, validation);
    summarize_verdicts(records, groups, validation);
    summarize_safety(validation);
    if (!groups.layouts)
        return;
    validation.layouts = groups.layouts->name;
    validation.layouts_note = groups.layouts_note;
    validation.ranking = ranking_regret(records, *groups.layouts, validation, false);
    validation.ranking_one_fabric = ranking_regret(records, *groups.layouts, validation, true);
}

std::vector<ResidualGroup> residual_groups(const Validation& validation,
                                           std::span<const SourcedRecord> records, Metric metric,
                                           std::span<const std::string> by) {
    std::map<std::vector<std::string>, std::vector<const ValidationRow*>> groups;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric != metric)
            continue;
        std::vector<std::string> values;
        for (const std::string& key : by)
            values.push_back(
                record_key(records[row.record], validation.facts[row.record], key).value_or("?"));
        groups[std::move(values)].push_back(&row);
    }
    std::vector<ResidualGroup> result;
    for (const auto& [values, rows] : groups) {
        ResidualGroup group{values, static_cast<std::int64_t>(rows.size()), 0.0, 0.0, 0.0};
        const double n = static_cast<double>(rows.size());
        double squares = 0.0;
        for (const ValidationRow* row : rows) {
            const double log_error = std::log(row->predicted / row->measured);
            group.mean_log_error += log_error / n;
            squares += log_error * log_error / n;
            group.mape += std::abs(row->error) / n;
        }
        group.spread = std::sqrt(std::max(0.0, squares - group.mean_log_error * group.mean_log_error));
        result.push_back(std::move(group));
    }
    return result;
}

}  // namespace traincost
