#include <traincost/base/error.hpp>
#include <traincost/cost/blocks.hpp>
#include <traincost/cost/ops.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

Job biased(BiasKernel kernel) {
    Job job{search_jobs::gpt(2, 1024, 8), search_jobs::cluster(8), search_jobs::stack(),
            search_jobs::run(2048, 8)};
    job.model.bias = {true, true, true, false};
    job.stack.layer.bias = kernel;
    return job;
}

struct Walks {
    Bytes forward;
    Bytes backward;
};

/// Bytes that a block's products walk beside their operands.
Walks beside_products(const Job& job) {
    Walks sum{};
    for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 2048)) {
        if (op.kind == OpKind::gemm) {
            sum.forward += op.forward_bytes;
            sum.backward += op.backward_bytes;
        }
    }
    return sum;
}

}  // namespace

TEST_CASE("a bias's gradient is one more walk over the output's, unless the product sums it", "[ops]") {
    const Job fused = biased(BiasKernel::fused);
    CHECK(beside_products(fused).backward.value() == 0);
    const Job apart = biased(BiasKernel::gradient_apart);
    // 16 bits of 3 h for q, k and v, h for the attention's output, f and h for the MLP.
    const double h = 1024;
    const auto f = static_cast<double>(apart.model.ffn);
    const double tokens = shape_of(apart).tokens;
    CHECK(beside_products(apart).backward.value() == Approx(2 * tokens * (5 * h + f)));
    CHECK(beside_products(apart).forward.value() == 0);
    // Only q, k and v have no later kernel that takes the bias along.
    CHECK(beside_products(biased(BiasKernel::apart)).forward.value() == Approx(2 * 2 * tokens * 3 * h));
}

TEST_CASE("gradients of q, k and v are joined where one product made them", "[ops]") {
    Job job = biased(BiasKernel::fused);
    const auto joins = [&] {
        double bytes = 0;
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 2048))
            bytes += op.name == "qkv_gradient" ? op.backward_bytes.value() : 0;
        return bytes;
    };
    CHECK(joins() == Approx(2 * 2 * shape_of(job).tokens * 3 * 1024));
    job.stack.layer.fused_qkv = false;
    CHECK(joins() == 0);
}

TEST_CASE("products that copy what they share reduce its gradients one by one", "[ops]") {
    Job job = biased(BiasKernel::apart);
    job.run.parallel.tp = 8;
    job.model.gated_mlp = true;
    job.stack.layer.fused_qkv = job.stack.layer.fused_gate_up = false;
    job.stack.layer.save_sharded_input = false;
    struct Sums {
        double forward;
        double backward;
    };
    const auto sums = [&] {
        Sums n{};
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 2048)) {
            n.forward += op.forward_message.value() > 0 ? 1 : 0;
            n.backward += op.backward_message.value() > 0 ? 1 : 0;
        }
        return n;
    };
    for (const bool sequence : {false, true}) {
        job.run.parallel.sequence_parallel = sequence;
        job.stack.layer.copies_parallel_inputs = false;
        const Sums shared = sums();
        job.stack.layer.copies_parallel_inputs = true;
        // Keys and values beside queries, up beside gate.
        CHECK(sums().backward == shared.backward + 3);
        CHECK(sums().forward == shared.forward + (sequence ? 3 : 0));
    }
    job.stack.layer.fused_qkv = job.stack.layer.fused_gate_up = true;
    job.run.parallel.sequence_parallel = false;
    CHECK(sums().backward == 2);
}

TEST_CASE("DTensor copies what it gathers or scatters along the sequence", "[ops]") {
    Job job = biased(BiasKernel::fused);
    job.run.parallel.tp = 2;
    job.run.parallel.dp = 1;
    job.run.parallel.sequence_parallel = true;
    job.stack.layer.tensor_parallel = TensorParallelKind::dtensor;
    struct Moved {
        Bytes joined, parted;  ///< forward; backward the other way round
    };
    const auto moved = [&] {
        Moved all{};
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 2048)) {
            if (op.name == "sequence_joined") {
                all.joined += op.forward_bytes;
                all.parted += op.backward_bytes;
            } else if (op.name == "sequence_parted") {
                all.parted += op.forward_bytes;
                all.joined += op.backward_bytes;
            }
        }
        return all;
    };
    const auto messages = [&] {
        const Shape s = shape_of(job);
        return Bytes{4.0 * s.tokens * static_cast<double>(job.model.hidden) * s.e};  // two products each way
    };
    // One sequence: what is gathered is a view, what is scattered a streaming copy.
    job.run.micro_batch = 1;
    CHECK(moved().joined.value() == 0.0);
    CHECK(moved().parted.value() == Approx(2.0 * messages().value()));
    // Several: both are copies, the scattered one of strided chunks.
    job.run.micro_batch = 4;
    CHECK(moved().joined.value() == Approx(2.0 * messages().value()));
    CHECK(moved().parted.value() == Approx(6.0 * messages().value()));
    job.run.compile = true;
    CHECK(moved().parted.value() == Approx(2.0 * messages().value()));
    job.run.parallel.sequence_parallel = false;
    CHECK(moved().parted.value() == 0.0);
    job.run.parallel.sequence_parallel = true;
    job.stack.layer.tensor_parallel = TensorParallelKind::megatron;
    CHECK(moved().parted.value() == 0.0);
}

TEST_CASE("activations that lie sequence first are copied around a flash kernel", "[ops]") {
    Job job = biased(BiasKernel::fused);
    job.stack.attention.kernel = AttentionKernel::flash;
    job.model.position.kind = PositionKind::learned;
    job.run.micro_batch = 2;
    const auto copies = [&] {
        Operator sum{};
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 2048)) {
            if (op.name == "attention_layout")
                sum = op;
        }
        return sum;
    };
    CHECK(copies().forward_bytes.value() == 0);
    job.stack.attention.copies_layout = true;
    const double tokens = shape_of(job).tokens;
    CHECK(tokens == 2 * 2048);
    // Read and written in 16 bits: queries, keys, values and the output; back, the output's gradient.
    CHECK(copies().forward_bytes.value() == Approx(2 * 2 * 4 * tokens * 1024));
    CHECK(copies().backward_bytes.value() == Approx(2 * 2 * tokens * 1024));
    CHECK(copies().saved.value() == Approx(2 * tokens * 1024));
    // One sequence lies in one order: only what is cut out of the joined product is copied.
    job.run.micro_batch = 1;
    CHECK(copies().forward_bytes.value() == Approx(2 * 2 * 3 * 2048 * 1024));
    CHECK(copies().backward_bytes.value() == 0);
    CHECK(copies().saved.value() == 0);
    job.model.position.kind = PositionKind::rope;
    CHECK(copies().forward_bytes.value() == Approx(2 * 2 * 2048 * 1024));
    job.stack.attention.kernel = AttentionKernel::math;
    CHECK(copies().forward_bytes.value() == 0);
}

TEST_CASE("a list of operators refuses what it cannot hold", "[ops]") {
    OpList list;
    for (std::size_t i = 0; i < OpList::capacity; ++i)
        list.push({.name = "one", .module = Module::mlp, .kind = OpKind::memory});
    CHECK_THROWS_AS(list.push({.name = "more", .module = Module::mlp, .kind = OpKind::memory}), Error);
    CHECK(list.size() == OpList::capacity);
}

TEST_CASE("every kind of block that a model can have is costed as itself", "[ops]") {
    Job job = biased(BiasKernel::fused);
    job.model = search_jobs::mixture(12, 1024, 8, 8);
    job.model.architecture = Architecture::encoder_decoder;
    job.model.decoder_layers = 12;
    job.model.moe->first_k_dense = 0;
    job.model.moe->interleave_step = 3;
    job.model.window = WindowSpec{.kind = WindowKind::sliding, .size = 256, .full_every = 2};
    BlockOps ops;
    fill_ops(job, shape_of(job), ops);
    CHECK(ops.size == 8);  // two sides, with experts or without, windowed or not
    for (std::int64_t i = 0; i < block_count(job.model); ++i) {
        const BlockSignature kind = ops.kinds[kind_of(job, ops, i)];
        CHECK(kind.moe == layer_kind(job.model, i).moe);
        CHECK(kind.side == layer_kind(job.model, i).side);
        CHECK(kind.span == static_cast<double>(attention_span(job.model, i, job.run.sequence)));
    }
}
