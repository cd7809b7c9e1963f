// The ranges of an operation's numbers, whether flags or a file gave them.
#pragma once

#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/plan/operation.hpp"

namespace traincost {

/// Appends what is out of range, by the keys of a job file's "operation".
void validate(const Operation& operation, std::vector<Problem>& problems);

}  // namespace traincost
