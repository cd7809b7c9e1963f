// What somebody said of a job: every field may be missing, and each says where it was said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "traincost/base/quantity.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/draft/recompute_choice.hpp"
#include "traincost/spec/model.hpp"
#include "traincost/spec/operation.hpp"
#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// A value, if somebody said one, and the place: "--tp", "job.json:/run/parallel/tp".
template <class T>
struct Stated {
    std::optional<T> value{};
    std::string where{};

    explicit operator bool() const {
        return value.has_value();
    }
    bool has_value() const {
        return value.has_value();
    }
    const T& operator*() const {
        return *value;
    }
    const T* operator->() const {
        return &*value;
    }
    template <class U>
    T value_or(U&& other) const {
        return value.value_or(std::forward<U>(other));
    }
    /// Said by the program itself: nowhere.
    template <class U>
    requires std::is_convertible_v<U, std::optional<T>> Stated& operator=(U&& x) {
        value = std::forward<U>(x);
        where.clear();
        return *this;
    }
    void reset() {
        value.reset();
        where.clear();
    }
    bool operator==(const Stated&) const = default;
};

/// A recipe by its name, with parts that differ from it.
struct NamedPrecision {
    std::string name;
    Precision precision;
    bool operator==(const NamedPrecision&) const = default;
};

/// The matrices that get adapters.
struct AdapterTargets {
    bool query = false, key = false, value = false, attention_out = false, mlp = false, lm_head = false;
    bool operator==(const AdapterTargets&) const = default;
};

/// A job as far as somebody said. Units are those of `RunSpec` and `Operation`; names are not looked up.
struct JobDraft {
    // Model, hardware and software: a name, or the record itself
    Stated<std::string> model{};
    Stated<ModelSpec> model_spec{};
    Stated<std::string> gpu{};
    Stated<AcceleratorSpec> accelerator_spec{};
    Stated<std::string> cluster{};
    Stated<std::int64_t> gpus{};
    Stated<std::int64_t> per_node{};
    Stated<std::string> stack{};
    Stated<StackSpec> stack_spec{};

    // Batches and sequences
    Stated<std::int64_t> sequence{};
    Stated<std::string> sequence_as_given{};  ///< "128K"
    Stated<std::int64_t> micro_batch{};
    Stated<std::int64_t> global_batch{};
    Stated<std::int64_t> accumulation{};  ///< micro-batches of a rank per optimizer step
    Stated<std::int64_t> packed_length{};
    Stated<std::int64_t> padded_length{};
    Stated<double> tokens{};

    // Numbers and kernels
    Stated<std::string> precision{};  ///< as people call it; what it means depends on the stack
    Stated<NamedPrecision> recipe{};  ///< in full
    Stated<Optimizer> optimizer{};
    Stated<RecomputeChoice> recompute{};
    Stated<AttentionKernel> attention{};
    Stated<AttentionGeneration> attention_generation{};
    Stated<bool> compile{};
    Stated<CompiledParts> compiled_parts{};
    Stated<LossKernel> loss{};
    Stated<std::int64_t> loss_chunks{};
    Stated<OptimizerKernel> optimizer_kernel{};
    Stated<Fp8Scaling> fp8_scaling{};
    Stated<std::int64_t> mlp_tiles{};
    Stated<bool> expandable_segments{};
    Stated<DataType> reduce{};  ///< format gradients are reduced in
    Stated<double> dropout{};
    Stated<bool> optimizer_in_backward{};
    Stated<bool> activation_input_fp8{};
    Stated<double> expert_imbalance{};
    Stated<bool> neighbouring_experts{};
    Stated<bool> expert_one_hot{};
    Stated<double> host_speed{};
    Stated<Offload> offload_optimizer{};
    Stated<Offload> offload_parameters{};
    Stated<double> offload_activations{};
    Stated<double> headroom{};

    // What is trained
    Stated<Tuning> tuning{};
    Stated<std::int64_t> lora_rank{};
    Stated<AdapterTargets> lora_targets{};
    Stated<double> adapter_dropout{};
    Stated<bool> adapter_scale_and_bias{};
    Stated<std::int64_t> frozen_layers{};

    // Layout
    Stated<std::int64_t> tp{};
    Stated<std::int64_t> pp{};
    Stated<std::int64_t> vp{};
    Stated<bool> uneven_stages{};
    Stated<std::int64_t> dp{};
    Stated<std::int64_t> cp{};
    Stated<std::int64_t> ep{};
    Stated<std::int64_t> etp{};
    Stated<std::int64_t> zero{};
    Stated<std::int64_t> hybrid_shard{};
    Stated<Reshard> reshard{};
    Stated<std::int64_t> kept_blocks{};
    Stated<bool> sequence_parallel{};
    Stated<bool> tp_overlap{};
    Stated<Schedule> schedule{};
    Stated<ContextKind> context{};

    // Operation
    Stated<std::string> failure_rate{};
    Stated<Seconds> between_failures{};
    Stated<ByteRate> storage{};
    Stated<Seconds> restart{};
    Stated<std::string> price{};
    Stated<Dollars> gpu_hour{};
    Stated<bool> whole_nodes{};
    Stated<Dollars> gpu_purchase{};
    Stated<Dollars> kwh{};
    Stated<Seconds> life{};
    Stated<double> utilization{};
    Stated<double> power_share{};
    Stated<double> pue{};
    Stated<std::string> grid{};
    Stated<double> grid_grams_per_kwh{};
    Stated<bool> price_of_other_nodes{};
    Stated<double> power_limit_w{};

    // Network, in place of the cluster's
    Stated<double> bus_GBps{};
    Stated<double> network_Gbps{};
    Stated<double> bus_latency_us{};
    Stated<double> network_latency_us{};

    bool operator==(const JobDraft&) const = default;
};

/// `over` where it says something, else `base`. What `over` says in another form, or what follows from it,
/// takes the place of what `base` says: an accelerator that of the cluster, a degree that of dp, a price per
/// accelerator-hour that of a kind of price.
JobDraft overlaid(JobDraft base, const JobDraft& over);

/// The ZeRO stage that was said, by its number or by a stack's name that means one.
std::optional<std::int64_t> stated_zero(const JobDraft& draft);

/// Writes what the draft says of the run over `run`. The precision apart: a recipe is taken, a name is not.
void apply(const JobDraft& draft, RunSpec& run);

/// What the draft says of the operation.
Operation operation_of(const JobDraft& draft);

}  // namespace traincost
