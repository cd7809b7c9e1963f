// The answer of `params`, printed.
#pragma once

#include <vector>

#include "traincost/ask/questions/params_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// As tables; each weight tensor too where `tensors` is set.
std::vector<Table> params_tables(const ParamsAnswer& answer, bool tensors);

/// As one JSON object.
void write_json(JsonWriter& out, const ParamsAnswer& answer);

}  // namespace traincost
