// The flags that describe a job.
#pragma once

#include <cli/operation_options.hpp>
#include <traincost/base/quantity.hpp>
#include <traincost/spec/run.hpp>
#include <traincost/spec/stack.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace traincost::cli {

/// The parts of a comma-separated list. Throws where there are none.
std::vector<std::string> names_of(const std::string& text);

/// A share of a whole: 0.3 or 30%. Throws where it is more than the whole.
double fraction(const std::string& text);

/// "none", "selective", "selective:core_attn,layernorm", "full", "full:2" (every second block),
/// "full:layers=4" (four blocks of a stage).
struct RecomputeFlag {
    Recompute recompute;
    std::int64_t every;
    RecomputeModules modules;
    std::optional<std::int64_t> layers{};
};
RecomputeFlag recompute_flag(const std::string& text);

/// "on", "off", or the parts that are compiled: "loss,mlp".
struct CompileFlag {
    std::optional<bool> all{};
    std::optional<CompiledParts> parts{};
};

/// A kind of loss, and in how many chunks it is taken: "fused_linear", "chunked_linear:8".
struct LossFlag {
    LossKernel kind;
    std::optional<std::int64_t> chunks{};
};

/// "always", "never", "last_kept" (one block stays gathered), "last_kept:2".
struct ReshardFlag {
    Reshard policy;
    std::int64_t blocks;
};

/// The flags as given; nothing where one was not.
struct JobFlags {
    std::optional<std::string> job_file{};
    std::optional<std::string> model{};
    std::optional<std::string> gpu{};
    std::optional<std::string> cluster{};
    std::optional<std::int64_t> gpus{};
    std::optional<std::int64_t> per_node{};
    std::optional<std::string> stack{};
    std::optional<std::int64_t> sequence{};
    std::string sequence_as_given{};  ///< "128K"
    std::optional<std::int64_t> micro_batch{};
    std::optional<std::int64_t> global_batch{};
    std::optional<std::string> precision{};
    std::optional<Optimizer> optimizer{};
    std::optional<RecomputeFlag> recompute{};
    std::optional<AttentionKernel> attention{};
    std::optional<AttentionGeneration> attention_generation{};
    std::optional<CompileFlag> compile{};
    std::optional<LossFlag> loss{};
    std::optional<OptimizerKernel> optimizer_kernel{};
    bool optimizer_in_backward = false;
    std::optional<ReshardFlag> reshard{};
    std::optional<DataType> reduce{};
    std::optional<std::int64_t> packed_length{};
    std::optional<std::int64_t> padded_length{};
    std::optional<std::int64_t> mlp_tiles{};
    std::optional<bool> expandable_segments{};
    std::optional<double> dropout{};
    std::optional<std::int64_t> tp{};
    std::optional<std::int64_t> pp{};
    std::optional<std::int64_t> vp{};
    bool uneven_stages = false;
    std::optional<std::int64_t> dp{};
    std::optional<std::int64_t> cp{};
    std::optional<std::int64_t> ep{};
    std::optional<std::int64_t> etp{};
    std::optional<std::int64_t> zero{};
    std::optional<std::int64_t> hybrid_shard{};
    std::optional<bool> sequence_parallel{};
    std::optional<Schedule> schedule{};
    std::optional<ContextKind> context{};
    std::optional<Offload> offload_optimizer{};
    std::optional<Offload> offload_parameters{};
    std::optional<double> offload_activations{};
    std::optional<Tuning> tuning{};
    std::optional<std::int64_t> lora_rank{};
    std::optional<std::string> lora_targets{};
    std::optional<double> host_speed{};
    std::optional<double> tokens{};
    OperationFlags operation{};
    std::optional<double> headroom{};  ///< share of the memory to keep free
};

/// Declares the flags.
void add_job_options(CLI::App& app, JobFlags& flags);

}  // namespace traincost::cli
