// The answer of `achieved`, printed.
#pragma once

#include <vector>

#include "traincost/ask/questions/achieved_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

std::vector<Table> achieved_tables(const AchievedAnswer& answer);

/// As one JSON object.
void write_json(JsonWriter& out, const AchievedAnswer& answer);

}  // namespace traincost
