#include "traincost/fit/record_groups.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"
#include "traincost/fit/record_keys.hpp"

namespace traincost {

namespace {

constexpr std::string_view mfu_fact = "mfu";
constexpr std::string_view memory_fact = "memory_GiB";

std::optional<std::string> fact_of(std::string_view name, const SourcedRecord& sourced,
                                   const RecordFacts& facts) {
    constexpr double gib = 1073741824.0;
    if (name == mfu_fact)
        return facts.measured_mfu > 0.0 ? std::optional(to_exact(facts.measured_mfu)) : std::nullopt;
    if (name == memory_fact) {
        const std::optional<double>& bytes = sourced.record.measured.memory_bytes;
        return bytes ? std::optional(to_exact(*bytes / gib)) : std::nullopt;
    }
    std::optional<std::string> value = record_key(sourced, facts, name);
    return value == "unstated" ? std::nullopt : value;
}

bool all_hold(const std::vector<RecordCondition>& conditions, const SourcedRecord& sourced,
              const RecordFacts& facts) {
    return std::all_of(conditions.begin(), conditions.end(), [&](const RecordCondition& condition) {
        return holds(condition, fact_of(condition.fact, sourced, facts));
    });
}

}  // namespace

std::span<const std::string_view> group_facts() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all(record_keys().begin(), record_keys().end());
        all.insert(all.end(), {mfu_fact, memory_fact});
        return all;
    }();
    return names;
}

bool is_number_fact(std::string_view fact) {
    constexpr std::array<std::string_view, 17> numbers = {
        "layers",       "hidden",       "gpus",   "nodes",     "tp",       "pp",
        "vp",           "dp",           "cp",     "ep",        "sequence", "micro_batch",
        "global_batch", "accumulation", mfu_fact, memory_fact, "zero"};
    return std::find(numbers.begin(), numbers.end(), fact) != numbers.end();
}

bool contains(const RecordGroup& group, const SourcedRecord& sourced, const RecordFacts& facts) {
    return all_hold(group.when, sourced, facts) &&
           (group.unless.empty() || !all_hold(group.unless, sourced, facts));
}

std::vector<std::string> groups_of(const SourcedRecord& sourced, const RecordFacts& facts,
                                   const RecordGroups& groups) {
    const RunRecord& record = sourced.record;
    std::vector<std::string> names = {"all", "stack:" + record.run.stack,
                                      "accelerator:" + record.cluster.accelerator,
                                      "source:" + sourced.source};
    for (const RecordGroup& group : groups.tables) {
        if (contains(group, sourced, facts))
            names.push_back("table:" + group.name);
    }
    return names;
}

int group_order(std::string_view group) {
    constexpr std::array<std::string_view, 5> kinds = {"all", "table:", "source:", "stack:", "accelerator:"};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (group.starts_with(kinds[i]))
            return static_cast<int>(i);
    }
    return static_cast<int>(kinds.size());
}

}  // namespace traincost
