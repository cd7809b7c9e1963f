// Conditions on facts of run records, as data/bench/record-rules.json and record-groups.json write them.
#pragma once

#include <string>
#include <vector>

#include "traincost/fit/records/record_rules.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// A word, number or truth as conditions compare them.
std::string condition_text(const JsonNode& node);

/// The conditions of an object, one a member: the fact is its key.
std::vector<RecordCondition> record_conditions_from(const JsonNode& node);

}  // namespace traincost
