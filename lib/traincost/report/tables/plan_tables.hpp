// The answer of `plan` as tables and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// "llama-2-70b on 64 …; sequence 4096, global batch 512": what stands above the tables.
std::string title_of(const PlanAnswer& answer);

/// Model size, memory by module and by ZeRO stage, strategies, assumptions.
std::vector<Table> tables_of(const PlanAnswer& answer, const Residuals& residuals);

/// The same as one JSON object.
void write_json(JsonWriter& out, const PlanAnswer& answer, const Residuals& residuals);

}  // namespace traincost
