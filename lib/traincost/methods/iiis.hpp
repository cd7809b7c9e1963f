// The IIIS-Turing LLM Training Calculator, reproduced to its printed digit.
//
// Source: iiis-turing-llm/llm-training-calculator@b73dbc4 (2024-01-08), its backend; units of its inputs are
// kept. Its formulas are kept as they are, wrong ones too:
//   - tensor-parallel and pipeline volumes have h·h·b where they should have s·h·b, and do not depend on t;
//   - activations are those of the whole minibatch on every stage: nothing bounds the micro-batches in
//   flight;
//   - computing runs at the FP32/TF32 peak, at 100 %, without attention scores or recomputation;
//   - a LLaMA layer is 12h² + 5h: no grouped keys, two MLP matrices, no untied head, but a position table
//     ("LLaMA2 70B" is 64.7 B parameters, it has 68.98 B);
//   - gradients are all-reduced without a ring factor, over the network and by 8 GPUs a host, for one replica
//   too;
//     so is the embedding with one stage;
//   - transfers between stages are shown, not added; the optimizer takes no time;
//   - "GB" is 10^9 bytes in the recommended pipeline and 2^30 in the out-of-memory test;
//   - the recommended pipeline can be zero, negative, or more than the layers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "traincost/spec/run.hpp"

namespace traincost {

/// A GPU as its table has it.
struct IiisGpu {
    std::string_view name;
    double fp16_TFLOPs;
    double fp32_TFLOPs;
    double memory_GB;
    double memory_bandwidth_GBps;
    double bus_GBps;
    double delay_us;
};

/// A model as its table has it.
struct IiisModel {
    std::string_view name;
    std::int64_t sequence;
    std::int64_t heads;
    std::int64_t hidden;
    std::int64_t layers;
    std::int64_t vocab;
};

std::span<const IiisGpu> iiis_gpus();
std::span<const IiisModel> iiis_models();
/// The row of that name, ignoring case, spaces and hyphens. `Error` of kind not_found that suggests the
/// nearest.
const IiisGpu& iiis_gpu(std::string_view name);
const IiisModel& iiis_model(std::string_view name);

struct IiisInput {
    IiisGpu gpu;
    IiisModel model;
    double network_Gbps;  ///< of a host
    std::int64_t minibatch;
    std::int64_t microbatch;
    std::int64_t tp;
    std::int64_t pp;
    std::int64_t dp;
    double million_tokens;
    double epochs;
    Recompute recompute;
};

struct IiisParameters {
    double word_embedding;
    double self_attention;  ///< of a layer
    double feed_forward;    ///< of a layer
    double position_embedding;
    double total;
};

/// Bytes.
struct IiisMemory {
    double optimizer_states;
    double weights;
    double gradients;
    double activation;
    double overall;
    bool out_of_memory;  ///< overall ≥ memory · 2^30
};

/// Seconds of an iteration, and of one layer of one micro-batch ("per loop").
struct IiisComputation {
    double per_device_layers;
    double micro_batches;
    double forward;
    double backward;
    double loop_forward;
    double loop_backward;
};

struct IiisCommunication {
    double forward_allgather;
    double backward_allgather;
    double backward_reduce_scatter;
    double p2p;
    double loop_forward_allgather;
    double loop_backward_allgather;
    double loop_backward_reduce_scatter;
    double loop_p2p;
    double embedding_allreduce;
    double gradient_allreduce;
};

struct IiisTimeline {
    double forward;  ///< of a micro-batch
    double forward_gpu_usage;
    double backward;
    double backward_gpu_usage;
    double warmup;
    double cooldown;
    double stable;
    double allreduce;
    double iteration;
};

struct IiisTotal {
    double global_minibatch;
    double iterations;
    double seconds;
    std::int64_t gpus;
};

struct IiisRecommended {
    std::int64_t tp;
    std::int64_t pp;
    std::int64_t microbatch;
};

struct IiisResult {
    IiisParameters parameters;
    IiisRecommended recommended;
    IiisMemory memory;
    IiisComputation computation;
    IiisCommunication communication;
    IiisTimeline timeline;
    IiisTotal total;
};

IiisParameters iiis_parameters(const IiisModel& model);

/// min(8, max(1, floor(3 h W / (2·1000·F32)))), W the bus in GB/s.
std::int64_t iiis_recommended_tensor(const IiisGpu& gpu, const IiisModel& model);
/// ceil((16 φ/t) / (M·10^9 - A)); `Error` of kind input where the denominator is zero.
std::int64_t iiis_recommended_pipeline(const IiisGpu& gpu, const IiisModel& model, std::int64_t minibatch,
                                       Recompute recompute, std::int64_t tp);
/// max(1, floor(B / 4p)).
std::int64_t iiis_recommended_microbatch(std::int64_t minibatch, std::int64_t pp);

/// All it shows. `Error` of kind input where its own checks fail: B mod b, L mod p, ranges.
IiisResult iiis(const IiisInput& input);

}  // namespace traincost
