// Choices a run record states that are else its stack's: the loss, compiled parts, the optimizer's kernel.
#pragma once

#include <string>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// Sets what the record's run states, or the keys of `extra` that say the same in a source's own words. What
/// no field can hold becomes an assumption.
void set_stated_choices(const RunRecord& record, RunSpec& run, std::vector<std::string>& assumptions);

}  // namespace traincost
