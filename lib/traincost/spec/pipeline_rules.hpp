// Which pipelines exist.
#pragma once

#include <cstdint>

#include "traincost/spec/job.hpp"

namespace traincost {

/// Whether a schedule exists for pp stages of vp chunks and a step of so many micro-batches: DualPipe feeds
/// an even number, two for each stage, from both ends [DeepSeekV3, section 3.2.1]; the interleaved schedule
/// takes them in groups of pp [Narayanan21, section 2.2]; others have no virtual stages. All are the same
/// where pp = 1.
bool runs_schedule(Schedule schedule, std::int64_t pp, std::int64_t vp, std::int64_t micro_batches);

/// Whether the blocks (with the two ends, where the stack counts them) make `chunks` equal parts.
bool deals_evenly(const Job& job, std::int64_t chunks);

/// Adds what keeps the job's schedule from running on its stages and micro-batches.
void validate_schedule(const Job& job, std::vector<Problem>& problems);

}  // namespace traincost
