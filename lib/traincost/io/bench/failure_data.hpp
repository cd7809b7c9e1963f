// Measured failure rates: data/bench/failure-rates.json.
#pragma once

#include <string>
#include <vector>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"
#include "traincost/plan/reliability.hpp"

namespace traincost {

/// What is known of failures: rates of published runs, and the time from one to training again.
struct FailureData {
    std::vector<FailureRate> rates;
    Seconds restart;
    std::string restart_what;
    std::string restart_source;
};

/// Reads a "failure-rates/1" record; `Error` of kind input where a key is unknown, missing or wrong.
FailureData failure_data_from_json(const JsonNode& node);

/// The catalogue's.
FailureData read_failure_data(const Catalogue& catalogue);

}  // namespace traincost
