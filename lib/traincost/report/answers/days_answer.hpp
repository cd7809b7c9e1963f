// The answer of `days`, printed.
#pragma once

#include "traincost/ask/questions/days_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Six lines: compute, rate, MFU, tokens/s, time, cost. The answer must have a rate.
Table days_table(const DaysAnswer& answer);

/// As one JSON object; without a rate {"schema_version", "problem"}.
void write_json(JsonWriter& out, const DaysAnswer& answer);

}  // namespace traincost
