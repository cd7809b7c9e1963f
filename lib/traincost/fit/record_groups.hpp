// Groups of run records whose errors are summed up together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/fit/validate.hpp"

namespace traincost {

/// Every group a record belongs to: "all", "stack:X", "accelerator:Y", "source:FILE", and the tables of the
/// field "table:NAME", which cut across stacks, accelerators and files.
std::vector<std::string> groups_of(const SourcedRecord& sourced, const RecordFacts& facts);

/// Where a group stands: "all", then tables, sources, stacks, accelerators.
int group_order(std::string_view group);

/// Whether the record is of the sweep whose layouts compete with each other.
bool is_of_layout_sweep(const RunRecord& record);

}  // namespace traincost
