// A space of jobs, every combination of some flags' values, and what became of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// One flag and the values it takes, as the command line has them.
struct SweepAxis {
    std::string flag;  ///< without dashes: "tp"
    std::vector<std::string> values;
};

/// Reads "tp=1,2,4"; "seq=2048..32768 x2": 2048, 4096 … 32768; "pp=2..8 +2": 2, 4, 6, 8; a range alone
/// doubles. `Error` of kind usage where it is none of these, or has more than 10,000 values.
SweepAxis sweep_axis(const std::string& text);

/// Every combination, the last axis fastest. `Error` of kind usage where there are more than a million.
std::vector<std::vector<std::string>> sweep_combinations(const std::vector<SweepAxis>& axes);

/// One combination: its values, and its job and estimate or why there is none.
struct SweepPoint {
    std::vector<std::string> values;
    std::optional<Job> job{};
    Operation operation{};
    std::vector<std::string> assumptions{};
    std::optional<Estimate> estimate{};
    std::optional<Bill> bill{};
    std::string problem{};
};

}  // namespace traincost
