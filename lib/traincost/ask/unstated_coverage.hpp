// How often intervals hold of jobs whose settings nobody states: measured runs asked about by name alone.
#pragma once

#include <span>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/fit/left_out.hpp"

namespace traincost {

/// By source, in their order. Of every run recomputation, attention kernel and compiler are forgotten and
/// taken as the stack's launcher has them; the run's source, and all runs of its stack, have no say in its
/// interval, which spreads over what the settings may be.
std::vector<LeftOutCoverage> coverage_unstated(std::span<const SourcedRecord> records, const JobOf& job_of,
                                               const Sources& sources);

}  // namespace traincost
