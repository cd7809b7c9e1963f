// The block of JSON in front of a bench script. Internal to export/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/export/bench.hpp"

namespace traincost {

/// Keys of the stack that the options change, in order.
std::vector<std::string_view> changed_choices(const BenchOptions& options);

/// The block of a job that is `benched_job` already: the job, how it is measured, what is expected and
/// predicted, and the record to fill in.
std::string bench_block(const Job& job, const BenchOptions& options);

}  // namespace traincost
