// What each command makes of its question: JSON in, JSON out. `Error` for what cannot be asked or answered.
#pragma once

#include <string>

#include "traincost/ask/sources.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

// Of one job, or of several.
std::string answer_estimate(JsonObject& object, const Sources& sources);
std::string answer_timeline(JsonObject& object, const Sources& sources);
std::string answer_sweep(JsonObject& object, const Sources& sources);
std::string answer_compare(JsonObject& object, const Sources& sources);
std::string answer_explain(JsonObject& object, const Sources& sources);
std::string answer_achieved(JsonObject& object, const Sources& sources);
std::string answer_export(JsonObject& object, const Sources& sources);
std::string answer_sheet(JsonObject& object, const Sources& sources);
std::string answer_report(JsonObject& object, const Sources& sources);
std::string answer_methods(JsonObject& object, const Sources& sources);

// Of a space of jobs.
std::string answer_plan(JsonObject& object, const Sources& sources);
std::string answer_recommend(JsonObject& object, const Sources& sources);

// Of files, models, records, and the published calculators.
std::string answer_fields(JsonObject& object, const Sources& sources);
std::string answer_read(JsonObject& object, const Sources& sources);
std::string answer_scale(JsonObject& object, const Sources& sources);
std::string answer_params(JsonObject& object, const Sources& sources);
std::string answer_method(JsonObject& object, const Sources& sources);
std::string answer_days(JsonObject& object, const Sources& sources);
std::string answer_list(JsonObject& object, const Sources& sources);
std::string answer_show(JsonObject& object, const Sources& sources);

}  // namespace traincost
