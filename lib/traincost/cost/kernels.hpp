#pragma once

#include <optional>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernels/attention_time.hpp"
#include "traincost/cost/kernels/bandwidth.hpp"
#include "traincost/cost/kernels/gemm.hpp"
#include "traincost/cost/ops.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

enum class Pass : std::uint8_t { forward, backward };

/// Time of one list of operators in one pass, by what takes it. `host` is launch time that the device does
/// not hide.
struct PassTime {
    Seconds gemm;
    Seconds attention;
    Seconds memory;
    Seconds tensor;   ///< exposed tensor-parallel communication
    Seconds context;  ///< exposed context-parallel communication
    Seconds expert;   ///< exposed expert-parallel communication
    Seconds host;     ///< in which the device waits for launches
    Seconds spare;    ///< device time beyond what the host takes to issue it

    Seconds device() const {
        return gemm + attention + memory + tensor + context + expert;
    }
    Seconds total() const {
        return device() + host;
    }
    PassTime& operator+=(const PassTime& o);
    PassTime operator*(double factor) const;
};

/// What every operator of a job shares: rates of its kernels and where its groups lie. Valid while the job
/// lives.
struct KernelContext {
    const Job* job;
    GroupPlacements groups;
    GemmModel gemm;        ///< products in the run's matrix format
    GemmModel plain_gemm;  ///< products kept in the compute format: head, router, adapters, attention scores
    AttentionModel attention;
    BandwidthModel memory;
    GemmPass weight_gradient;  ///< accumulated into an fp32 buffer, or written
    bool quantises;            ///< narrow inputs are made by the stack's own kernels (`quantise_bytes`)
    std::optional<GemmModel> wide_gemm{};  ///< of products that stay in fp32: experts', attention's, pairs'
};
KernelContext kernel_context(const Job& job);

/// Time of a collective of `group`'s ranks, alone on the network but for its sister groups.
Seconds communication_time(Collective collective, Bytes message, Group group, const Job& job,
                           const GroupPlacements& groups);

/// Where the job's groups lie on its network.
GroupPlacements placements(const Job& job);

/// Which operators of a list run.
enum class Part : std::uint8_t {
    whole,
    selective,           ///< what selective recompute runs again
    before_last_output,  ///< up to the last tensor that is saved, the input of the last product included: all
                         ///< that a checkpoint runs again which stops there
};

/// Time of `ops` in `pass`, whose host work is that of the launches and `also`.
PassTime pass_time(const OpList& ops, Pass pass, const KernelContext& context, Part part = Part::whole,
                   Seconds also = {});

/// How fast the job's host launches, over that which stacks were measured on: as the run states, else as its
/// node, else 1.
inline double launch_speed(const Job& job) {
    return job.run.host_speed.value_or(job.cluster.host.launch_speed.value_or(1.0));
}

/// A host's time for what takes the host that stacks were measured on `reference`.
Seconds host_time(Seconds reference, const Job& job);

/// Time of one operator in one pass, communication not overlapped.
Seconds operator_time(const Operator& op, Pass pass, const KernelContext& context);

/// Time of a multi-tensor kernel's walk over `bytes`.
Seconds optimizer_walk_time(Bytes bytes, const Job& job);

/// Time in which `elements` new gradients are added to those of earlier micro-batches, mean over the
/// micro-batches: the new ones are read, the sums read and written. A wider buffer beside 16-bit gradients
/// takes those of every micro-batch (nanotron, DeepSpeed's bf16 optimizer), else the first needs no sum.
/// Products that accumulate only read the sums besides (Megatron). None where it is counted elsewhere: in
/// products that write a wider buffer (Megatron, XLA), or after the reduction of fully sharded gradients, on
/// a small part of them.
Seconds accumulation_time(const Job& job, double elements);

/// Time of the optimizer's update, which walks over `bytes` if it is fused.
Seconds optimizer_time(Bytes bytes, const Job& job);

}  // namespace traincost
