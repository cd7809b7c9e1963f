// Failures, checkpoints and restarts: which share of the wall time trains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// A measured rate of interruptions.
struct FailureRate {
    std::string id;
    std::string what;     ///< "Llama 3 405B, 16,384 H100, 54 days, 419 unexpected interruptions"
    Seconds per_failure;  ///< accelerator-time between failures
    std::optional<std::int64_t> failures;  ///< counted, where it is stated
    std::string date;
    std::string source;
};

/// What interrupts a run and what brings it back.
struct ReliabilityInputs {
    Seconds between_failures;  ///< accelerator-time
    ByteRate storage;          ///< bandwidth of all ranks' checkpoint writes together
    Seconds restart;           ///< from a failure to training again, lost work apart
};

/// Checkpointing at the best interval.
struct Reliability {
    Bytes checkpoint;   ///< weights, master weights and optimizer states of all that is trained
    Seconds write;      ///< time training stops for one
    Seconds restart;    ///< from a failure to training again
    Seconds mean_time;  ///< between failures of the whole job
    Seconds interval;   ///< of training between two checkpoints
    double goodput;     ///< share of the wall time that is training that lasts; 0 where it makes no progress
};

/// Bytes one checkpoint of the job holds: weights, master weights, optimizer states. BLOOM-176B's took 2.3
/// TB, 14 bytes a parameter. Of adapters over a frozen base, theirs alone.
Bytes checkpoint_bytes(const Job& job);

/// sqrt(2 δ M): the first-order optimal interval                                        [Young74]
Seconds young_interval(Seconds write, Seconds mean_time);

/// sqrt(2 δ M) [1 + sqrt(δ/2M)/3 + (δ/2M)/9] - δ for δ < 2M, else M                       [Daly06, Eq. 37]
Seconds daly_interval(Seconds write, Seconds mean_time);

/// Training over wall time at interval τ: τ / (M e^(R/M) (e^((τ+δ)/M) - 1))              [Daly06, Eq. 20]
double goodput(Seconds interval, Seconds write, Seconds restart, Seconds mean_time);

/// The job's, at Daly's interval. Where a checkpoint takes twice the time between failures or longer, no
/// interval is of use [Daly06]: goodput 0.
Reliability reliability(const Job& job, const ReliabilityInputs& inputs);

}  // namespace traincost
