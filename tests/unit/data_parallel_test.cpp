#include <traincost/cost/data_parallel.hpp>
#include <traincost/cost/kernels.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

/// 32 A100 in nodes of 8, all of them data-parallel.
Job replicas(std::int64_t zero) {
    Job job{search_jobs::gpt(8, 2048, 16), search_jobs::cluster(32), search_jobs::stack(),
            search_jobs::run(2048, 32)};
    job.run.parallel.dp = 32;
    job.run.parallel.zero = zero;
    return job;
}

/// A stage of 8 blocks with 100 million weights, no compute to hide under.
DataParallel stage(const Job& job, const GroupPlacements& groups) {
    return {job, groups, {1e8, 0.0, 0.0}, 1.0, 2.0, 8.0, Seconds{}, Seconds{}, 2.0};
}

Seconds time(const Job& job) {
    const GroupPlacements groups = placements(job);
    return data_parallel_time(stage(job, groups)).exposed;
}

}  // namespace

TEST_CASE("replicas all-reduce by buckets, in the format they reduce in", "[data_parallel]") {
    Job job = replicas(0);
    job.stack.states.shard = ShardEngine::none;
    job.stack.traffic.gradient_bucket = 25_MB;
    job.run.precision.reduce = DataType::fp32;
    const GroupPlacements groups = placements(job);
    const DataParallel d = stage(job, groups);
    CHECK(reduction_messages(d, 1e8) == Approx(16));  // 400 MB
    const Seconds one = collective_time(Collective::all_reduce, 25_MB, groups.dp_cp, job.cluster.network);
    const DataParallelTime t = data_parallel_time(d);
    CHECK((t.exposed - t.copies).value() == Approx(16 * one.value()));
    // 400 MB read and written into the buckets, and back again.
    CHECK(t.copies.value() == Approx(optimizer_walk_time(1600_MB, job).value()));
    job.stack.traffic.gradient_bucket_view = true;
    CHECK(data_parallel_time(stage(job, groups)).copies.value() == 0.0);
}

TEST_CASE("a bucket that is scattered overshoots its size by a matrix", "[data_parallel]") {
    Job job = replicas(1);
    job.stack.states.shard = ShardEngine::zero_redundancy;
    job.stack.traffic.gradient_bucket = 25_MB;
    const GroupPlacements groups = placements(job);
    // 200 MB of 16-bit gradients in 8 blocks of 4 matrices: 6.25 MB each
    CHECK(reduction_messages(stage(job, groups), 1e8) == Approx(200 / 31.25));
}

TEST_CASE("DeepSpeed's first stage all-reduces whole gradients and gathers weights", "[data_parallel]") {
    Job job = replicas(1);
    job.stack.states.shard = ShardEngine::deepspeed;
    job.stack.traffic.gradient_bucket = Bytes{};
    const GroupPlacements groups = placements(job);
    const DataParallelTime t = data_parallel_time(stage(job, groups));
    const Bytes gradients = bytes_per_element(job.run.precision.reduce) * 1e8;
    CHECK(t.reduction.value() ==
          Approx(
              collective_time(Collective::all_reduce, gradients, groups.dp_cp, job.cluster.network).value()));
    CHECK(t.gathering.value() ==
          Approx(collective_time(Collective::all_gather, 200_MB, groups.dp_cp, job.cluster.network).value()));
}

TEST_CASE("fully sharded blocks travel whole or matrix by matrix", "[data_parallel]") {
    Job job = replicas(3);
    job.stack.states.shard = ShardEngine::deepspeed;
    const GroupPlacements groups = placements(job);
    CHECK(reduction_messages(stage(job, groups), 1e8) == Approx(8));
    job.stack.traffic.sharded_messages = 4.0;
    CHECK(reduction_messages(stage(job, groups), 1e8) == Approx(32));
}

TEST_CASE("slices of a sharded optimizer cost the host a block and rank", "[data_parallel]") {
    Job job = replicas(1);
    const Seconds without = time(job);
    job.stack.host.per_block_slice = 40_us;
    CHECK((time(job) - without).value() == Approx(40e-6 * 8 * 32));
}

TEST_CASE("under an interleaved pipeline only the last chunk's share of a long reduction is bare",
          "[data_parallel]") {
    Job job = replicas(1);
    job.run.parallel.dp = 4;
    job.run.parallel.pp = 8;
    job.stack.traffic.overlap_param_gather = false;
    const GroupPlacements groups = placements(job);
    DataParallel d = stage(job, groups);
    d.micro_batches = 16.0;
    const DataParallelTime bare = data_parallel_time(d);
    const Seconds reduction = bare.reduction;
    CHECK(bare.hidden.value() == 0.0);
    d.backward = reduction / 4.0;
    CHECK(data_parallel_time(d).hidden.value() == Approx(reduction.value() / 4.0));
    job.run.parallel.vp = 3;  // a chunk's part, less its own pass of one micro-batch, is left
    CHECK(data_parallel_time(d).hidden.value() == Approx(reduction.value() * (1.0 - (1.0 - 0.25) / 3.0)));
    d.backward = reduction / 100.0;  // 8 micro-batches of two chunks, and one of the last
    CHECK(data_parallel_time(d).hidden.value() == Approx(reduction.value() / 100.0 * 17.0 / 3.0));
}

TEST_CASE("compute slows down less beside traffic that waits for a network between nodes",
          "[data_parallel]") {
    Job job = replicas(3);
    job.stack.states.shard = ShardEngine::xla;  // copies nothing
    job.stack.traffic.overlap_slowdown = 0.6;
    job.stack.traffic.waiting_slowdown = 0.1;
    GroupPlacements groups = placements(job);
    DataParallel d = stage(job, groups);
    d.forward = d.backward = 100_s;
    const DataParallelTime between = data_parallel_time(d);
    CHECK(between.slowdown > 0.1);
    CHECK(between.slowdown < 0.6);
    // What links inside the node would take counts in full, the rest as waiting.
    const Network& network = job.cluster.network;
    const GroupPlacement node = place_group(8, 1, network);
    const Bytes weights = 200_MB / 8.0;
    const Bytes gradients = bytes_per_element(job.run.precision.reduce) * 1e8 / 8.0;
    const Seconds gathers = collective_time(Collective::all_gather, weights, node, network) * 8.0;
    const Seconds scatters = collective_time(Collective::reduce_scatter, gradients, node, network) * 8.0;
    const Seconds moving = gathers * between.gathers + scatters * between.reductions;
    const Seconds all = between.gathering * between.gathers + between.reduction * between.reductions;
    CHECK(between.slowdown == Approx(0.1 + 0.5 * (moving / all)));
    job.run.parallel.dp = 8;
    groups = placements(job);
    CHECK(data_parallel_time(d).slowdown == Approx(0.6));  // inside a node nothing waits
}

TEST_CASE("owners broadcast their tensors one after the other", "[data_parallel]") {
    Job job = replicas(1);
    job.stack.traffic.overlap_grad_reduce = job.stack.traffic.overlap_param_gather = false;
    const GroupPlacements groups = placements(job);
    const DataParallel d = stage(job, groups);
    const Network& network = job.cluster.network;
    CHECK(data_parallel_time(d).gathering.value() ==
          Approx(collective_time(Collective::all_gather, 200_MB, groups.dp_cp, network).value()));
    job.stack.traffic.broadcasts_updates = true;
    CHECK(data_parallel_time(d).gathering.value() ==
          Approx(32 * collective_time(Collective::broadcast, 6.25_MB, groups.dp_cp, network).value()));
}

TEST_CASE("stage 2 reduces each matrix to its owner where the stack does", "[data_parallel]") {
    Job job = replicas(2);
    job.stack.traffic.overlap_grad_reduce = job.stack.traffic.overlap_param_gather = false;
    const Network& network = job.cluster.network;
    const GroupPlacements groups = placements(job);
    const Bytes gradients = bytes_per_element(job.run.precision.reduce) * 1e8;
    const Seconds scattered = data_parallel_time(stage(job, groups)).reduction;
    job.stack.traffic.reduces_to_owner = true;
    for (const bool fused : {true, false}) {
        job.stack.layer.fused_qkv = fused;
        const double matrices = 8.0 * (fused ? 4.0 : 6.0);
        CHECK(reduction_messages(stage(job, groups), 1e8) == matrices);
        CHECK(
            data_parallel_time(stage(job, groups)).reduction.value() ==
            Approx(matrices *
                   collective_time(Collective::reduce, gradients / matrices, groups.dp_cp, network).value()));
    }
    CHECK(data_parallel_time(stage(job, groups)).reduction > scattered);
    // A chain from the other end: all of the message, where a scatter moves (n-1)/n of it.
    CHECK(collective_traffic(Collective::reduce, 8_MB, 4) == 8_MB);
    job.run.parallel.zero = 1;
    CHECK(reduction_collective(job) == Collective::reduce_scatter);
}

TEST_CASE("hybrid sharding gathers inside the shard group and sums a shard among its replicas",
          "[data_parallel]") {
    Job job = replicas(3);
    job.stack.states.shard = ShardEngine::xla;  // copies nothing
    job.stack.traffic.overlap_grad_reduce = job.stack.traffic.overlap_param_gather = false;
    job.stack.traffic.reduce_every_micro_batch = true;
    job.run.parallel.hybrid_shard = 8;
    const Network& network = job.cluster.network;
    const GroupPlacement node = place_group(8, 1, network);
    const GroupPlacement peers = place_group(4, 8, network);
    const Bytes weights = 200_MB / 8.0;
    const Bytes gradients = bytes_per_element(job.run.precision.reduce) * 1e8 / 8.0;
    const Seconds block = collective_time(Collective::all_gather, weights, node, network) * 2.0 +
                          collective_time(Collective::reduce_scatter, gradients, node, network) +
                          collective_time(Collective::all_reduce, gradients / 8.0, peers, network);
    CHECK(time(job).value() == Approx(block.value() * 8 * 2));  // 8 blocks, 2 micro-batches
    Job whole = job;
    whole.run.parallel.hybrid_shard.reset();
    CHECK(time(job) < time(whole));
}

TEST_CASE("16-bit gradients kept beside a wider buffer are added to it every micro-batch",
          "[data_parallel]") {
    Job job = replicas(0);
    job.run.precision.gradients = DataType::fp32;
    CHECK(accumulation_time(job, 1e8).value() == 0.0);
    job.stack.states.model_gradients_kept = true;
    const Seconds walk = optimizer_walk_time(1_GB, job);  // 2 + 4 + 4 bytes of 1e8
    CHECK(accumulation_time(job, 1e8).value() == Approx(walk.value()));
}

TEST_CASE("every stack adds up its gradients once", "[data_parallel]") {
    const Catalogue catalogue;
    for (const CatalogueEntry& entry : catalogue.entries(Room::stacks)) {
        INFO(entry.id);
        Job job = replicas(0);
        job.stack = catalogue.stack(entry.id);
        job.run.precision.gradients = DataType::fp32;
        Job none = job;
        none.stack.states.model_gradients_kept = false;
        none.stack.states.gradients = GradientStore::main_buffer;
        none.run.precision.gradients = none.run.precision.compute;
        // No operator of a block walks over gradients that a sum of its own walks over.
        const auto beside = [](const Job& j) {
            Bytes bytes;
            for (const Operator& op : layer_ops(j, shape_of(j), Side::decoder, false, 1024.0)) {
                if (op.kind == OpKind::gemm)
                    bytes += op.backward_bytes;
            }
            return bytes.value();
        };
        CHECK(beside(job) == beside(none));
    }
}

TEST_CASE("DDP without no_sync reduces in every micro-batch", "[data_parallel]") {
    Job job = replicas(0);
    job.stack.states.shard = ShardEngine::none;
    job.run.global_batch *= 2;
    const double once = time(job).value();
    job.stack.traffic.replicas_reduce_every_micro_batch = true;
    CHECK(time(job).value() == Approx(2 * once));
    job.run.parallel.zero = 1;
    CHECK_FALSE(reduces_every_micro_batch(job));
}
