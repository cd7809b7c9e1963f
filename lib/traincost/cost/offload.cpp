#include "traincost/cost/offload.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/cost/regime.hpp"

namespace traincost {

namespace {

// Own H200 on PCIe 5 x16, torch 2.11, November 2026, pinned memory, 64 MiB to 1 GiB, both directions, n =
// 6: 51.9 to 54.7 of 63 GB/s; both ways at once 41 to 45 each. Pageable memory gets 6 to 14.
constexpr double link_efficiency = 0.85;

// Own host of 16 cores, the same run: a fused AdamW step moves its 28 bytes a parameter at 103 to 122 GB/s
// (0.23 to 0.27 ns a parameter, 2^24 to 2^29 of them, and 0.26 over the tensors of a 1.3 B model), n = 4.
// Taken as what streaming gets of a node's nominal memory bandwidth when every accelerator's update runs; a
// whole node was not measured.
constexpr double streaming_efficiency = 0.8;

// PyTorch's own AdamW on the host, tensor by tensor, walks 20 operands of 4 bytes a parameter and writes two
// of them to pages that are new to the process. Over a fused one on the same host, November 2026: 5.4 in a
// step of FSDP2 with CPUOffloadPolicy (1.27 ns a parameter of 1.1 B), 5.9 to 6.7 alone with 1 to 16
// threads, 4.7 with eight ranks at once, n = 6.
constexpr double unfused_update = 5.4;

// torchrun gives each of several ranks on a node one thread (OMP_NUM_THREADS=1) unless it is told otherwise.
// A fused update then takes 1.4 ns a parameter alone and 1.7 to 2.7, 1.8 at the median, where eight ranks of
// the same host update at once: 28 bytes at 15.4 GB/s; tensor by tensor 8.0 to 10.1 ns.
constexpr ByteRate one_thread{15.4e9};

// Where a cluster does not say: a two-socket server with eight channels of DDR4-3200 each, PCIe 4 x16, and
// four PCIe 4 drives of 7.0 and 3.8 GB/s (data sheets).
constexpr ByteRate usual_memory{409.6e9};
constexpr ByteRate usual_link{31.5e9};
constexpr ByteRate usual_storage_read{28.0e9};
constexpr ByteRate usual_storage_write{15.2e9};

/// Accelerators of the job that share a node's host.
double sharers(const ClusterSpec& cluster) {
    return static_cast<double>(std::min(cluster.accelerators, cluster.per_node));
}

/// Bytes one micro-batch saves on the stage.
Bytes saved_bytes(const OffloadInputs& x) {
    const Bytes boundary{x.shape.tokens_sp * static_cast<double>(x.job.model.hidden) * x.shape.r};
    Bytes saved;
    for (std::size_t k = 0; k < x.table.size; ++k)
        saved += x.table.kinds[k].totals.saved * x.stage.kinds[k].kept + boundary * x.stage.kinds[k].again;
    return saved;
}

/// Elements of the stage's weights that a rank keeps.
double kept_weights(const OffloadInputs& x) {
    const ShardedCount n = stage_parameters(x.table, x.stage);
    const StateShards z = state_shards(x.job);
    return regime_of(x.job).weights_sharded ? n.dense / z.dense + n.expert / z.expert : n.dense + n.expert;
}

/// Whether FSDP copies a shard from the host when it gathers it. Own H200, the same runs: the copy stands
/// before the block it is for and nothing of it hides (81 ms longer forward, 80 ms of copies), in the format
/// that is stored; gradients go back under the pass.
bool copies_when_gathered(const OffloadInputs& x) {
    const ShardEngine engine = x.job.stack.states.shard;
    return fully_sharded(x.job) && (engine == ShardEngine::fsdp1 || engine == ShardEngine::fsdp2);
}

/// Whether ranks are started by torchrun, one thread each: those of FSDP.
bool single_threaded(const Job& job) {
    const ShardEngine engine = job.stack.states.shard;
    return sharers(job.cluster) > 1.0 && fully_sharded(job) &&
           (engine == ShardEngine::fsdp1 || engine == ShardEngine::fsdp2);
}

/// Time of the update over that of a fused one: engines with an Adam of their own for the host have fused it.
double update_slowdown(const Job& job) {
    const OptimizerKernel kernel = job.run.optimizer_kernel.value_or(job.stack.states.optimizer);
    const bool own =
        job.stack.states.shard == ShardEngine::deepspeed || job.stack.states.shard == ShardEngine::megatron;
    return own || kernel == OptimizerKernel::fused ? 1.0 : unfused_update;
}

/// Seconds for bytes; none for none.
Seconds time_of(Bytes bytes, ByteRate rate) {
    return bytes.value() > 0.0 ? bytes / rate : Seconds{};
}

}  // namespace

HostRates host_rates(const ClusterSpec& cluster) {
    const HostSpec& host = cluster.host;
    const double n = sharers(cluster);
    HostRates r{};
    r.memory = host.memory_bandwidth.value_or(usual_memory) * (streaming_efficiency / n);
    r.link = std::min(host.link_per_accelerator.value_or(usual_link) * link_efficiency, r.memory);
    r.storage_read = host.storage_read.value_or(usual_storage_read) / n;
    r.storage_write = host.storage_write.value_or(usual_storage_write) / n;
    return r;
}

std::vector<std::string> host_assumptions(const Job& job) {
    const HostSpec& host = job.cluster.host;
    const RunSpec& run = job.run;
    const bool stores = run.offload_optimizer == Offload::nvme || run.offload_parameters == Offload::nvme;
    std::vector<std::string> out;
    if (run.offload_optimizer == Offload::none && run.offload_parameters == Offload::none &&
        run.offload_activations == 0.0)
        return out;
    if (!host.memory_bandwidth) {
        out.push_back("host: memory of a node taken at " + to_text(usual_memory) +
                      ", two sockets of eight channels DDR4-3200");
    }
    if (!host.link_per_accelerator)
        out.push_back("host: link to an accelerator taken at " + to_text(usual_link) + ", PCIe 4 x16");
    if (stores && (!host.storage_read || !host.storage_write)) {
        out.push_back("host: NVMe of a node taken at " + to_text(usual_storage_read) + " read and " +
                      to_text(usual_storage_write) + " written, four PCIe 4 drives");
    }
    return out;
}

OffloadTime offload_time(const OffloadInputs& x) {
    const RunSpec& run = x.job.run;
    const bool optimizer = run.offload_optimizer != Offload::none;
    const bool weights = run.offload_parameters != Offload::none;
    OffloadTime t{};
    if (!optimizer && !weights && run.offload_activations == 0.0)
        return t;
    const HostRates rates = host_rates(x.job.cluster);
    const StackSpec& stack = x.job.stack;
    const auto m = static_cast<double>(micro_batches(run));
    const double trained = run.tuning == Tuning::full ? 1.0 : 0.0;

    // Passes: the link carries both directions at once, and what the stack overlaps hides under the pass.
    const Seconds saved = time_of(saved_bytes(x) * run.offload_activations, rates.link);
    const ByteRate up_rate =
        run.offload_parameters == Offload::nvme ? std::min(rates.link, rates.storage_read) : rates.link;
    const bool gathered = copies_when_gathered(x);
    const Precision& p = run.precision;
    const Bytes stored = bytes_per_element(p.master.value_or(p.weights));
    const double moved = gathered ? stored.value() : x.shape.w;
    const Seconds up = weights ? time_of(Bytes{kept_weights(x) * moved}, up_rate) : Seconds{};
    const bool gradients = trained > 0.0 && (optimizer || (weights && fully_sharded(x.job)));
    const Seconds down = gradients ? time_of(Bytes{x.owned * x.shape.e}, rates.link) : Seconds{};
    const bool often = stack.traffic.reduce_every_micro_batch || fully_sharded(x.job);
    const auto pass = [&](Seconds traffic, Seconds compute, bool overlaps, double times) {
        t.transfers += traffic * times;
        if (overlaps)
            t.hidden += std::min(traffic, compute) * times;
    };
    if (weights && gathered) {
        pass(up, x.forward, false, m);
        pass(up, x.backward, false, m);
        pass(saved, x.forward, true, m);
    } else {
        pass(std::max(up, saved), x.forward, !weights || stack.traffic.overlap_param_gather, m);
    }
    const Seconds back = saved + (weights && gathered ? Seconds{} : up);
    pass(std::max(back, down), x.backward, stack.traffic.overlap_grad_reduce, often ? m : 1.0);
    if (!often)
        pass(back, x.backward, !weights || stack.traffic.overlap_param_gather, m - 1.0);

    if (optimizer) {
        const Bytes states = optimizer_state_bytes(run.optimizer, p);
        // Read and written: weights and states; read: gradients; written: compute copies.
        const Bytes walked = (stored + states) * 2.0 + stored + Bytes{x.shape.e};
        // A host of slow or few cores streams its memory as slowly as it does all else.
        const ByteRate memory = single_threaded(x.job) ? std::min(rates.memory, one_thread) : rates.memory;
        t.update =
            time_of(walked * x.owned, memory * (run.host_speed.value_or(1.0) / update_slowdown(x.job)));
        t.upload = weights ? Seconds{} : time_of(Bytes{x.owned * x.shape.w}, rates.link);
        if (run.offload_optimizer == Offload::nvme) {
            const Bytes kept = (stored + states) * x.owned;
            t.storage = time_of(kept, rates.storage_read) + time_of(kept, rates.storage_write);
        }
    }
    t.exposed = t.transfers - t.hidden + std::max({t.update, t.storage, t.upload});
    return t;
}

}  // namespace traincost
