// The weights that adapter tuning trains.
#pragma once

#include <cstdint>

#include "traincost/spec/job.hpp"

namespace traincost {

/// Weights of the adapters of the whole model; 0 where all of it is trained.
std::int64_t adapter_parameters(const Job& job);

}  // namespace traincost
