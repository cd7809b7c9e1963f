// What a run recomputes whose source does not say.
#pragma once

#include <string>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Sets the least recomputation with which a run that ran is not ruled out (`verdict_of`, from residuals of
/// other sources than its own), where `record` states none: nothing, the same with a buffer of gradients
/// in the compute format where it states no format of them either, the stack's selective modules, then as
/// few whole blocks a stage as are needed. Nothing is changed where even all of them would not do. What was
/// assumed is appended.
void assume_least_recompute(const RunRecord& record, const Residuals& residuals, const LeftOut& left_out,
                            Job& job, std::vector<std::string>& assumptions);

}  // namespace traincost
