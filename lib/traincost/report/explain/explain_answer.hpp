// The answer of `explain`, printed.
#pragma once

#include <vector>

#include "traincost/ask/questions/explain_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// As tables. `Error` of kind not_found where there is no such item.
std::vector<Table> explain_tables(const ExplainAnswer& answer, const Catalogue& catalogue);

/// As one JSON object; likewise.
void write_json(JsonWriter& out, const ExplainAnswer& answer, const Catalogue& catalogue);

}  // namespace traincost
