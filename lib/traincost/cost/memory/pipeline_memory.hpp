// Times of played pipelines that this thread asked for a moment ago.
#pragma once

#include "traincost/cost/pipeline_simulation.hpp"

namespace traincost {

/// `played_time(pipeline)`, to the bit. A search asks for the same pipeline under every choice of model
/// states: each thread remembers the last few hundred and what they took. Up to some 1 MB a thread that plays
/// any.
Seconds remembered_time(const Pipeline& pipeline);

}  // namespace traincost
