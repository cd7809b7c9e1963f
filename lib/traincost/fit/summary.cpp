#include "traincost/fit/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace traincost {

namespace {

using Selector = bool (*)(const RunRecord& record, const RecordFacts& facts);

bool from(const RunRecord& record, std::string_view source) {
    return record.id.starts_with(source) && record.id.size() > source.size() &&
           record.id[source.size()] == '-';
}

bool from_any(const RunRecord& record, std::initializer_list<std::string_view> sources) {
    return std::any_of(sources.begin(), sources.end(), [&](std::string_view s) { return from(record, s); });
}

bool nvidia_recipe(const RunRecord& record) {
    return from_any(record, {"nemo", "dgxc", "mbridge"});
}

bool plain_dense(const RunRecord& record) {
    return !record.model.moe && record.run.parallel.cp == 1 && record.run.precision == "bf16-mixed";
}

bool dtensor(const RunRecord& record) {
    return from(record, "h200") && record.run.stack == "pytorch" && record.run.parallel.tp > 1;
}

/// Groups that cut across stacks, accelerators and files.
struct Table {
    std::string_view name;
    Selector contains;
};

constexpr std::array<Table, 13> tables = {{
    {"h200 without DTensor",
     [](const RunRecord& r, const RecordFacts&) { return from(r, "h200") && !dtensor(r); }},
    {"h200 DTensor", [](const RunRecord& r, const RecordFacts&) { return dtensor(r); }},
    {"vtrain 2-8 GPUs",
     [](const RunRecord& r, const RecordFacts&) { return from(r, "vtrain") && r.cluster.accelerators <= 8; }},
    {"vtrain 64-512 GPUs",
     [](const RunRecord& r, const RecordFacts&) {
         return from(r, "vtrain") && r.cluster.accelerators >= 64;
     }},
    {"nemo, dgxc, mbridge dense",
     [](const RunRecord& r, const RecordFacts&) { return nvidia_recipe(r) && plain_dense(r); }},
    {"nemo, dgxc, mbridge MoE, CP, FP8, FP4",
     [](const RunRecord& r, const RecordFacts&) { return nvidia_recipe(r) && !plain_dense(r); }},
    {"mlperf, internevo, bigscience, megatron, flagperf",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"mlperf", "internevo", "bigscience", "megatron", "flagperf"});
     }},
    {"nanotron-sweep, tp <= 8, MFU >= 20 %",
     [](const RunRecord& r, const RecordFacts& f) {
         return from(r, "nanotron-sweep") && r.run.parallel.tp <= 8 && f.measured_mfu >= 0.20;
     }},
    {"nanotron-sweep, more than 70 GiB reserved",
     [](const RunRecord& r, const RecordFacts&) {
         constexpr double near_limit = 70.0 * 1073741824.0;  // of 79.1 GiB
         return from(r, "nanotron-sweep") && r.measured.memory_bytes.value_or(0.0) > near_limit;
     }},
    {"nanotron-sweep + nanotron-oom",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"nanotron-sweep", "nanotron-oom"});
     }},
    {"TPU, Trainium, Gaudi",
     [](const RunRecord& r, const RecordFacts&) {
         return r.cluster.accelerator.starts_with("tpu") || r.cluster.accelerator.starts_with("trainium") ||
                r.cluster.accelerator.starts_with("gaudi");
     }},
    {"litgpt, torchtune, llamafactory",
     [](const RunRecord& r, const RecordFacts&) {
         return from_any(r, {"litgpt", "torchtune", "llamafactory"});
     }},
    {"quality A", [](const RunRecord& r, const RecordFacts&) { return r.quality == "A"; }},
}};

/// Every group a record belongs to.
std::vector<std::string> groups_of(const SourcedRecord& sourced, const RecordFacts& facts) {
    const RunRecord& record = sourced.record;
    std::vector<std::string> groups = {"all", "stack:" + record.run.stack,
                                       "accelerator:" + record.cluster.accelerator,
                                       "source:" + sourced.source};
    for (const Table& table : tables) {
        if (table.contains(record, facts))
            groups.push_back("table:" + std::string(table.name));
    }
    return groups;
}

// "all", then tables, sources, stacks, accelerators.
int group_order(std::string_view group) {
    constexpr std::array<std::string_view, 5> kinds = {"all", "table:", "source:", "stack:", "accelerator:"};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (group.starts_with(kinds[i]))
            return static_cast<int>(i);
    }
    return static_cast<int>(kinds.size());
}

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

void summarize_errors(std::span<const SourcedRecord> records, Validation& validation) {
    std::array<ByGroup<Errors>, metric_count> groups;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric == Metric::fits)
            continue;
        for (const std::string& name : groups_of(records[row.record], validation.facts[row.record])) {
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

void summarize_verdicts(std::span<const SourcedRecord> records, Validation& validation) {
    ByGroup<Verdicts> groups;
    for (const ValidationRow& row : validation.rows) {
        if (row.metric != Metric::fits)
            continue;
        const bool right = row.error == 0.0;
        for (const std::string& name : groups_of(records[row.record], validation.facts[row.record])) {
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

std::int64_t node_count(const RunRecord& record) {
    const std::int64_t per_node = std::max<std::int64_t>(1, record.cluster.per_node.value_or(8));
    return (record.cluster.accelerators + per_node - 1) / per_node;
}

// Layouts of one model on the same nodes with the same batch compete. Runs of one cluster may have met its
// fabric in different states, of which a plan has one.
std::optional<RankingRegret> ranking_regret(std::span<const SourcedRecord> records,
                                            const Validation& validation, bool one_fabric) {
    std::map<std::string, std::vector<const ValidationRow*>> groups;
    for (const ValidationRow& row : validation.rows) {
        const RunRecord& record = records[row.record].record;
        if (row.metric != Metric::step_time || !from(record, "nanotron-sweep"))
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

std::string size_class(double parameters) {
    constexpr std::array<std::pair<double, std::string_view>, 7> classes = {{{1e9, "<1B"},
                                                                             {3e9, "1-3B"},
                                                                             {10e9, "3-10B"},
                                                                             {30e9, "10-30B"},
                                                                             {100e9, "30-100B"},
                                                                             {300e9, "100-300B"},
                                                                             {1e30, ">300B"}}};
    for (const auto& [below, name] : classes) {
        if (parameters < below)
            return std::string(name);
    }
    return {};
}

struct Key {
    std::string_view name;
    std::string (*value)(const SourcedRecord& sourced, const RecordFacts& facts);
};

std::string stated(const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : "unstated";
}
std::string stated(const std::optional<bool>& value) {
    return value ? (*value ? "yes" : "no") : "unstated";
}
std::string stated(const std::string& text) {
    return text.empty() ? "unstated" : text;
}

// "20-30%"
std::string tenth(double share) {
    const int tens = std::clamp(static_cast<int>(share * 10.0), 0, 9);
    return std::to_string(10 * tens) + "-" + std::to_string(10 * (tens + 1)) + "%";
}

#define TRAINCOST_KEY(name, expression)                                                                    \
    Key {                                                                                                  \
        name, [](const SourcedRecord& sourced, [[maybe_unused]] const RecordFacts& facts) -> std::string { \
            [[maybe_unused]] const RunRecord& r = sourced.record;                                          \
            return expression;                                                                             \
        }                                                                                                  \
    }
constexpr std::array keys = {
    TRAINCOST_KEY("stack", r.run.stack),
    TRAINCOST_KEY("accelerator", r.cluster.accelerator),
    TRAINCOST_KEY("class", facts.accelerator_class),
    TRAINCOST_KEY("source", sourced.source),
    TRAINCOST_KEY("id", r.id),
    TRAINCOST_KEY("model", r.model.name),
    TRAINCOST_KEY("family", r.model.family),
    TRAINCOST_KEY("size", size_class(facts.parameters)),
    TRAINCOST_KEY("layers", std::to_string(r.model.layers)),
    TRAINCOST_KEY("hidden", std::to_string(r.model.hidden)),
    TRAINCOST_KEY("moe", r.model.moe ? "moe" : "dense"),
    TRAINCOST_KEY("gpus", std::to_string(r.cluster.accelerators)),
    TRAINCOST_KEY("nodes", std::to_string(node_count(r))),
    TRAINCOST_KEY("tp", std::to_string(r.run.parallel.tp)),
    TRAINCOST_KEY("pp", std::to_string(r.run.parallel.pp)),
    TRAINCOST_KEY("vp", std::to_string(r.run.parallel.vp)),
    TRAINCOST_KEY("dp", std::to_string(r.run.parallel.dp)),
    TRAINCOST_KEY("cp", std::to_string(r.run.parallel.cp)),
    TRAINCOST_KEY("ep", std::to_string(r.run.parallel.ep)),
    TRAINCOST_KEY("zero", stated(r.run.parallel.zero)),
    TRAINCOST_KEY("sp", stated(r.run.parallel.sequence_parallel)),
    TRAINCOST_KEY("precision", r.run.precision),
    TRAINCOST_KEY("sequence", std::to_string(r.run.sequence)),
    TRAINCOST_KEY("micro_batch", std::to_string(r.run.micro_batch)),
    TRAINCOST_KEY("global_batch", std::to_string(r.run.global_batch)),
    TRAINCOST_KEY("accumulation", stated(r.run.accumulation)),
    TRAINCOST_KEY("recompute", stated(r.run.recompute)),
    TRAINCOST_KEY("attention", stated(r.run.attention_kernel)),
    TRAINCOST_KEY("offload", stated(r.run.offload)),
    TRAINCOST_KEY("compile", stated(r.run.compile)),
    TRAINCOST_KEY("task", stated(r.task)),
    TRAINCOST_KEY("quality", r.quality),
    TRAINCOST_KEY("kind", stated(r.measured.memory_kind)),
    TRAINCOST_KEY("version", stated(r.run.stack_version)),
    TRAINCOST_KEY("kernels", facts.measured_kernels ? "measured" : "of the family"),
    TRAINCOST_KEY("communication", tenth(facts.exposed_communication)),
};
#undef TRAINCOST_KEY

constexpr auto key_names = [] {
    std::array<std::string_view, keys.size()> names{};
    for (std::size_t i = 0; i < keys.size(); ++i)
        names[i] = keys[i].name;
    return names;
}();

}  // namespace

std::span<const std::string_view> record_keys() {
    return key_names;
}

std::optional<std::string> record_key(const SourcedRecord& record, const RecordFacts& facts,
                                      std::string_view key) {
    for (const Key& known : keys) {
        if (known.name == key)
            return known.value(record, facts);
    }
    return std::nullopt;
}

void summarize(std::span<const SourcedRecord> records, Validation& validation) {
    summarize_errors(records, validation);
    summarize_verdicts(records, validation);
    summarize_safety(validation);
    validation.ranking = ranking_regret(records, validation, false);
    validation.ranking_one_fabric = ranking_regret(records, validation, true);
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
