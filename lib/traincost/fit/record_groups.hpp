// Groups of run records whose errors are summed up together. Which there are is data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/records/record_rules.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// Records that meet all of `when`, but for those that meet all of `unless`.
struct RecordGroup {
    std::string name;
    std::vector<RecordCondition> when{};
    std::vector<RecordCondition> unless{};  ///< empty: none is left out
};

struct RecordGroups {
    std::vector<RecordGroup> tables{};     ///< they cut across stacks, accelerators and files
    std::optional<RecordGroup> layouts{};  ///< runs whose layouts compete with each other
    std::string layouts_note{};            ///< what to know of them
};

/// The facts that conditions of groups ask for: the keys of `record_keys`, "mfu" and "memory_GiB" as
/// measured.
std::span<const std::string_view> group_facts();
/// Whether a fact of `group_facts` is a number, where it is stated.
bool is_number_fact(std::string_view fact);

bool contains(const RecordGroup& group, const SourcedRecord& sourced, const RecordFacts& facts);

/// Every group a record belongs to: "all", "stack:X", "accelerator:Y", "source:FILE", and the tables of the
/// groups, "table:NAME".
std::vector<std::string> groups_of(const SourcedRecord& sourced, const RecordFacts& facts,
                                   const RecordGroups& groups);

/// Where a group stands: "all", then tables, sources, stacks, accelerators.
int group_order(std::string_view group);

}  // namespace traincost
