// How a run is operated: rates and grids looked up, prices found, what is missing said.
#pragma once

#include "traincost/ask/assumption.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// The operation of the draft, its ids looked up; the job's cluster gets its price and power. Assumptions say
/// what was looked up, what nobody said, and what is not counted. `Error` where something is unknown, is
/// missing, or has no effect.
Operation resolve_operation(const JobDraft& draft, const Catalogue& catalogue, Job& job, Assumptions& out);

}  // namespace traincost
