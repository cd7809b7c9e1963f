// The operators that a number of an estimate is a sum of, printed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "traincost/cost/operator_list.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// A table for each part that has an operator of `item` ("step.gemm": products; "step.attention",
/// "step.memory_bound", "step.tensor_parallel", ... likewise; every operator for an item of none).
std::vector<Table> operator_tables(std::span<const OperatorPart> parts, std::string_view item);

/// The member "operators", of the same operators, both passes apart, in base units.
void write_operators(JsonWriter& out, std::span<const OperatorPart> parts, std::string_view item);

}  // namespace traincost
