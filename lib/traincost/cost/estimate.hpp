#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/cost/step.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Tokens, FLOPs and rates of a step.
struct Throughput {
    double tokens_per_step;
    double tokens_per_s;
    double tokens_per_s_per_gpu;
    FlopRate model_flops_per_gpu;     ///< exact inventory FLOPs of forward and backward, over the step
    FlopRate hardware_flops_per_gpu;  ///< and of what is recomputed
    double mfu;                       ///< model FLOP rate over the peak of the matrix format
    double hfu;
};

/// The whole training run: present when the job says how many tokens.
struct TrainingTotals {
    double tokens;
    double steps;
    Seconds time;
    double gpu_hours;
    std::optional<Dollars> cost;
    std::optional<double> energy_kwh;
};

/// The answer to one job: one flat value, no reference to anything.
struct Estimate {
    ParameterCount parameters;
    std::vector<StageMemory> stages;
    std::int64_t peak_stage;
    Bytes capacity;      ///< memory per accelerator available to the job (`allowed_memory`)
    bool fits;           ///< on the device, and in a node's host memory where that is known
    Bytes shortfall;     ///< device memory beyond the capacity
    Bytes node_host;     ///< host memory of a node whose ranks all hold the stage that keeps most there
    Bytes node_storage;  ///< the same on NVMe
    std::optional<Bytes> node_memory;  ///< what a node has; absent: not known
    StepTime step;
    Throughput throughput;
    std::optional<TrainingTotals> training;

    /// What the ranks of a node keep in host memory beyond what it has; zero where that is not known.
    Bytes host_shortfall() const {
        return node_memory && node_host > *node_memory ? node_host - *node_memory : Bytes{};
    }
};

/// Predicts memory, step time, throughput and totals. The job must be valid (`validate`); a configuration
/// that does not fit is a result.
Estimate estimate(const Job& job);

}  // namespace traincost
