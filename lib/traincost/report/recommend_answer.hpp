// The answer of a search, printed.
#pragma once

#include <vector>

#include "traincost/ask/recommend_question.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// As tables; why the neighbours of the first `explained` plans lose.
std::vector<Table> recommend_tables(const RecommendAnswer& answer, const Residuals& residuals,
                                    std::size_t explained);

/// As one JSON object.
void write_json(JsonWriter& out, const RecommendAnswer& answer, const Residuals& residuals);

}  // namespace traincost
