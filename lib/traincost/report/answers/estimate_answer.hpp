// The answers about given jobs as tables, charts and JSON: `estimate`, `compare`, `timeline`, `sweep`.
#pragma once

#include <vector>

#include "traincost/ask/questions/compare_question.hpp"
#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/timeline_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Everything about one estimate, first what to change where it does not fit; `details` of its traffic too.
std::vector<Table> tables_of(const EstimateAnswer& answer, bool details = false);
void write_json(JsonWriter& out, const EstimateAnswer& answer);

std::vector<Table> tables_of(const CompareAnswer& answer);
std::vector<Chart> charts_of(const CompareAnswer& answer);
void write_json(JsonWriter& out, const CompareAnswer& answer);

/// The step drawn `width` characters wide.
std::vector<Table> tables_of(const TimelineAnswer& answer, int width);
void write_json(JsonWriter& out, const TimelineAnswer& answer);

}  // namespace traincost
