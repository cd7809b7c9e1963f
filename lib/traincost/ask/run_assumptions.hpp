// What a job takes from habit because nobody said it.
#pragma once

#include "traincost/ask/resolve.hpp"

namespace traincost {

/// Adds an assumption for everything about the run that the draft does not say, in the words of its flag.
void state_run_defaults(const JobDraft& draft, const JobNeeds& needs, const Job& job, Assumptions& out);

}  // namespace traincost
