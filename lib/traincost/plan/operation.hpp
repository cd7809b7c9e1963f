// What a run takes beyond its steps under the conditions it is operated in.
#pragma once

#include <optional>

#include "traincost/cost/estimate.hpp"
#include "traincost/plan/reliability.hpp"
#include "traincost/spec/job.hpp"
#include "traincost/spec/operation.hpp"

namespace traincost {

/// What a run takes under its operation.
struct Bill {
    std::optional<Reliability> reliability;  ///< nothing where failures are not counted
    double goodput;                          ///< share of the wall time that trains
    std::optional<Dollars> per_million_tokens;
    std::optional<TrainingTotals> totals;  ///< of the wall time; nothing where the job has no tokens
    std::optional<double> site_kwh;        ///< energy of nodes and building; nothing without a PUE
    std::optional<double> co2_kg;          ///< nothing without a grid
};

/// The job's, whose cluster has its price and power already.
Bill bill(const Job& job, const Estimate& estimate, const Operation& operation);

/// The job's checkpoints and failures; nothing where failures are not counted.
std::optional<Reliability> reliability_of(const Job& job, const Operation& operation);

/// The share of the wall time that trains; 1 where failures are not counted, 0 where the run never ends.
double goodput_of(const Job& job, const Operation& operation);

/// The cluster at the operation's price and power; nothing where it has no such price, or its purchase price
/// or power is not known.
std::optional<ClusterSpec> operated(const ClusterSpec& cluster, const Operation& operation);

}  // namespace traincost
