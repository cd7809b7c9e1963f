// Saved tensors and peaks by hand, and against what PyTorch allocated on an H200.

#include <algorithm>
#include <cmath>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/report/tables/estimate_tables.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;
using namespace traincost::literals;

namespace {

constexpr double T = 4096.0;   // tokens of a micro-batch
constexpr double h = 2048.0;   // hidden
constexpr double V = 51200.0;  // vocabulary

const Operator& named(const OpList& ops, std::string_view name) {
    return *std::find_if(ops.begin(), ops.end(), [&](const Operator& op) { return op.name == name; });
}

/// A 2,048-token micro-batch of two on one GPU, everything 16 bits.
Job pure_job() {
    Job job{search_jobs::gpt(4, 2048, 16), search_jobs::cluster(1), search_jobs::stack(),
            search_jobs::run(2048, 2)};
    job.run.micro_batch = 2;
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.stack.head.vocab_multiple = 1;
    job.stack.head.logits_copies_fp32 = 0.0;
    job.stack.states.gradients = GradientStore::parameter;
    return job;
}

/// Highest bytes of the loss operator, going forward or back.
double loss_peak(const Job& job) {
    const OpList head = head_ops(job, shape_of(job));
    const Operator& loss = named(head, "cross_entropy");
    return (loss.saved + std::max(loss.forward_transient, loss.backward_transient)).value();
}

Bytes saved_of_layer(const Job& job) {
    const Shape shape = shape_of(job);
    const double span = static_cast<double>(job.run.sequence);
    return totals(layer_ops(job, shape, Side::decoder, false, span), weight_bytes(job, shape)).saved;
}

}  // namespace

TEST_CASE("the loss of eager PyTorch peaks at 12 bytes a logit", "[memory]") {
    Job job = pure_job();
    job.stack.head.loss = LossKernel::fp32_logits;
    CHECK(loss_peak(job) == Approx(12.0 * T * V));
}

TEST_CASE("a loss in the logits' format peaks at 8 bytes a 16-bit logit", "[memory]") {
    Job job = pure_job();
    job.stack.head.loss = LossKernel::logits_format;
    CHECK(loss_peak(job) == Approx(8.0 * T * V));
}

TEST_CASE("a chunked loss keeps its log-softmax, compiled its 16-bit logits", "[memory]") {
    Job job = pure_job();
    job.stack.head.loss = LossKernel::chunked;
    CHECK(loss_peak(job) == Approx((4.0 + 2.0 + 4.0 / 8.0) * T * V));
    job.run.compile = true;
    job.stack.head.compiled_loss = true;
    CHECK(loss_peak(job) == Approx((2.0 + 2.0 / 8.0) * T * V));
}

// gpt2-medium and gpt2-xl under autocast, Transformers 5.17, torch 2.11, one H200, 2026, keep 84 bytes a
// token and hidden feature: their one q, k, v projection makes one 16-bit copy of its input.
TEST_CASE("a GPT-2 layer under autocast keeps 84 bytes a hidden feature", "[memory]") {
    const Catalogue catalogue;
    Job job{catalogue.model("gpt2-medium"), search_jobs::cluster(1), catalogue.stack("hf-transformers"),
            search_jobs::run(1024, 8)};
    job.run.micro_batch = 8;
    job.run.precision_name = "bf16-amp";
    job.run.precision = *precision_from("bf16-amp");
    const double features = 8.0 * 1024.0 * 1024.0;
    CHECK(saved_of_layer(job).value() / features == Approx(84.0).epsilon(0.01));
}

// llama-2-7b pure bf16, same runs: two norms of 6 bytes, their outputs, q, k, v and the attention output; 8
// bytes a MLP feature.
TEST_CASE("a Llama layer in pure bf16 keeps 24 bytes a hidden and 8 a MLP feature", "[memory]") {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-2-7b"), search_jobs::cluster(1), catalogue.stack("hf-transformers"),
            search_jobs::run(2048, 1)};
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    const double tokens = 2048.0;
    CHECK(saved_of_layer(job).value() == Approx(tokens * (24.0 * 4096.0 + 8.0 * 11008.0)).epsilon(0.02));
}

TEST_CASE("a frozen product keeps its input for its adapter alone", "[memory]") {
    Job job = pure_job();
    job.stack.layer.fused_qkv = false;
    job.run.tuning = Tuning::lora;
    job.run.adapter = {.rank = 8};
    const auto ops = [&] { return layer_ops(job, shape_of(job), Side::decoder, false, 2048.0); };
    CHECK(named(ops(), "query").saved.value() == T * h * 2.0);
    CHECK(named(ops(), "up").saved.value() == 0.0);
    CHECK(named(ops(), "down").saved.value() == 0.0);
    CHECK(named(ops(), "lora_b").saved.value() == T * 8.0 * 2.0);
    // Dropout: its own copy and a mask, a byte an element, instead of the shared input.
    job.run.adapter.dropout = 0.05;
    CHECK(named(ops(), "query").saved.value() == 0.0);
    CHECK(named(ops(), "lora_a").saved.value() == T * h * 3.0);
}

TEST_CASE("bitsandbytes keeps the input of a quantised product", "[memory]") {
    Job job = pure_job();
    job.run.tuning = Tuning::qlora;
    job.run.precision = *precision_from("nf4-base");
    job.stack.narrow.quantised_keeps_inputs = true;
    const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
    CHECK(named(ops, "down").saved.value() == T * 4.0 * h * 2.0);
    // The weight in 16 bits is made for the product, forward and backward.
    CHECK(named(ops, "down").forward_transient.value() == T * h * 2.0 + 4.0 * h * h * 2.0);
}

TEST_CASE("an adapter's prefix keeps a second attention output", "[memory]") {
    Job job = pure_job();
    job.run.tuning = Tuning::adapter;
    const auto kept = [&] {
        const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
        return named(ops, "core_attention").saved.value();
    };
    const double with = kept();
    job.run.tuning = Tuning::lora;
    CHECK(with - kept() == Approx(T * h * 2.0));
}

TEST_CASE("paged optimizer states are outside the allocator", "[memory]") {
    Job job = pure_job();
    job.run.optimizer = Optimizer::adam8bit;
    const Estimate resident = estimate(job);
    job.run.optimizer = Optimizer::paged_adam8bit;
    const Estimate paged = estimate(job);
    CHECK(paged.stages[0][MemoryTerm::optimizer_states].value() == 0.0);
    CHECK(paged.stages[0].host == resident.stages[0][MemoryTerm::optimizer_states]);
}

TEST_CASE("FSDP1 makes gradients of frozen weights that it wraps with trained ones, FSDP2 does not",
          "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    job.run.parallel.dp = 2;
    job.run.parallel.zero = 3;
    job.run.global_batch = 16;
    job.run.tuning = Tuning::lora;
    job.stack.traffic.reduce_every_micro_batch = false;
    job.stack.states.shard = ShardEngine::fsdp1;
    job.stack.states.frozen_in_flat_parameters = true;
    const double blocks = 4.0 * (12.0 * h * h + 13.0 * h);
    CHECK(estimate(job).stages[0][MemoryTerm::gradients].value() == Approx(2.0 * blocks));
    job.stack.states.shard = ShardEngine::fsdp2;
    CHECK(estimate(job).stages[0][MemoryTerm::gradients].value() == 0.0);
}

TEST_CASE("ZeRO-2 gradients that wait for the last micro-batch are whole", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    job.run.parallel.dp = 2;
    job.run.parallel.zero = 2;
    job.run.global_batch = 16;
    job.stack.states.shard = ShardEngine::deepspeed;
    job.stack.states.gradients = GradientStore::main_buffer;
    job.stack.traffic.reduce_every_micro_batch = false;
    const Bytes waiting = estimate(job).stages[0][MemoryTerm::gradients];
    job.stack.traffic.reduce_every_micro_batch = true;
    CHECK(waiting.value() == Approx(2.0 * estimate(job).stages[0][MemoryTerm::gradients].value()));
}

TEST_CASE("FSDP1 keeps waiting gradients in the compute format, FSDP2 as they are reduced", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    job.run.parallel.dp = 2;
    job.run.precision_name = "bf16-amp";
    job.run.precision = *precision_from("bf16-amp");
    job.run.global_batch = 16;
    job.stack.states.amp = CastMode::sharded;
    const auto gradients = [&](ShardEngine engine, int zero, bool reduces) {
        job.stack.states.shard = engine;
        job.run.parallel.zero = zero;
        job.stack.traffic.reduce_every_micro_batch = reduces;
        return estimate(job).stages[0][MemoryTerm::gradients].value();
    };
    for (const int zero : {2, 3}) {
        const double sharded = gradients(ShardEngine::fsdp1, zero, true);  // in fp32
        CHECK(gradients(ShardEngine::fsdp1, zero, false) == Approx(sharded).epsilon(0.01));
        CHECK(gradients(ShardEngine::fsdp2, zero, false) > 1.9 * sharded);
    }
}

TEST_CASE("the matrix library's workspace shrinks to 8.125 MiB a handle before Hopper", "[memory]") {
    const Catalogue catalogue;
    Job job = pure_job();
    job.stack.device.workspace = 64_MiB;
    CHECK(estimate(job).stages[0][MemoryTerm::workspace] == Bytes{2.0 * 8.125 * 1024.0 * 1024.0});  // A100
    job.cluster = catalogue.cluster("dgx-h100", 1).spec;
    CHECK(estimate(job).stages[0][MemoryTerm::workspace] == 64_MiB);
}

TEST_CASE("FP8 products keep the FP8 input they were fed", "[memory]") {
    Job job = pure_job();
    const double wide = saved_of_layer(job).value();
    job.run.precision.gemm = DataType::fp8;
    // Two norm outputs and the MLP's product narrowed, an attention output copied: 2 + 4 - 1 bytes.
    CHECK(wide - saved_of_layer(job).value() == Approx((2.0 + 4.0 - 1.0) * T * h));
}

TEST_CASE("per-op recompute keeps a block's input, attention and every second product", "[memory]") {
    Job job = pure_job();
    job.run.recompute = Recompute::selective;
    job.run.recompute_modules.per_op = true;
    const double heads = static_cast<double>(job.model.heads);
    // Input h, q k v 3h, attention h and its fp32 statistics, MLP up 4h; the output and down products are run
    // again.
    CHECK(saved_of_layer(job).value() == Approx(2.0 * T * (h + 3.0 * h + h + 4.0 * h) + 4.0 * T * heads));
    const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
    CHECK_FALSE(named(ops, "qkv").selective);
    CHECK(named(ops, "attention_out").selective);
    CHECK_FALSE(named(ops, "core_attention").selective);
    CHECK(named(ops, "down").selective);
}

TEST_CASE("all but attention runs again from a block's input and attention's output", "[memory]") {
    Job job = pure_job();
    job.run.recompute = Recompute::full;
    const double whole = estimate(job).step.total.value();
    job.run.recompute = Recompute::selective;
    job.run.recompute_modules.all_but_attention = true;
    const double heads = static_cast<double>(job.model.heads);
    CHECK(saved_of_layer(job).value() == Approx(2.0 * T * (h + h) + 4.0 * T * heads));
    const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
    CHECK(named(ops, "qkv").selective);
    CHECK_FALSE(named(ops, "core_attention").selective);
    CHECK(named(ops, "down").selective);
    CHECK(estimate(job).step.total.value() < whole);
}

TEST_CASE("selective recompute of a run that names no modules is the stack's own", "[memory]") {
    Job job = pure_job();
    job.run.attention = AttentionKernel::math;
    const Bytes all = saved_of_layer(job);
    job.run.recompute = Recompute::selective;
    job.stack.layer.selective = {.core_attention = true};
    const Bytes less = saved_of_layer(job);
    CHECK(less < all);
    job.run.recompute_modules.core_attention = true;
    CHECK(saved_of_layer(job) == less);
}

TEST_CASE("a compiled loss keeps the logits and holds their gradient beside them", "[memory]") {
    Job job = pure_job();
    job.stack.head.loss = LossKernel::fp32_logits;
    job.stack.head.compiled_loss = true;
    CHECK(loss_peak(job) == Approx(12.0 * T * V));
    job.run.compile = true;
    CHECK(loss_peak(job) == Approx(4.0 * T * V));  // measured of one compiled apart, one H200, 2026-11-26
    job.stack.head.logits = LogitsPlace::returned;
    CHECK(loss_peak(job) == Approx(6.0 * T * V));
}

TEST_CASE("flat optimizer tensors do not fit where activations were", "[memory]") {
    Job job = pure_job();
    job.run.precision_name = "fp16-mixed";
    job.run.precision = *precision_from("fp16-mixed");
    job.stack.device.fragmentation = 0.0;
    job.stack.device.fragmentation_recompute = 0.0;
    const StageMemory plain = estimate(job).stages[0];
    job.stack.states.flat_optimizer = true;
    job.stack.states.flat_gradient_copies = 1.0;
    const StageMemory flat = estimate(job).stages[0];
    const double parameters = plain[MemoryTerm::weights].value() / 2.0;
    // A 16-bit copy and the widened one beside the highest moment of the step.
    CHECK(flat.reserved.value() - plain.allocated.value() == Approx(6.0 * parameters).epsilon(1e-6));
}

TEST_CASE("gathers on a side stream are held as far as the host runs ahead", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    job.run.parallel.tp = 2;
    job.run.parallel.sequence_parallel = true;
    job.run.global_batch = 16;
    job.stack.device.fragmentation = 0.0;
    const Bytes in_order = estimate(job).stages[0].reserved;
    job.stack.device.gathered_blocks_ahead = 4.0;
    job.stack.device.held_gathers_limit = 1.0;
    // Two gathers of 16-bit inputs a block, half of each another rank's: all blocks, and those of the next
    // micro-batch.
    const double block = 2.0 * T * h * 2.0 / 2.0;
    CHECK((estimate(job).stages[0].reserved - in_order).value() == Approx(4.0 * block));
    job.stack.device.gathered_blocks_ahead = 6.0;
    CHECK((estimate(job).stages[0].reserved - in_order).value() == Approx(6.0 * block));
    job.stack.device.held_gathers_limit = 1e-3;
    CHECK((estimate(job).stages[0].reserved - in_order).value() ==
          Approx(1e-3 * usable_memory(job.cluster.accelerator).value()));
    // One micro-batch alone: the host waits at its end.
    job.run.global_batch = 2;
    job.stack.device.held_gathers_limit = 1.0;
    const Bytes ahead = estimate(job).stages[0].reserved;
    job.stack.device.gathered_blocks_ahead = 0.0;
    CHECK((ahead - estimate(job).stages[0].reserved).value() == Approx(0.7 * 4.0 * block));
}

TEST_CASE("starved hosts run ahead of nothing they are slower than", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(16);
    job.run.parallel.tp = 2;
    job.run.parallel.dp = 8;
    job.run.parallel.sequence_parallel = true;
    job.run.global_batch = 128;
    job.stack.device.gathered_blocks_ahead = 4.0;
    job.stack.device.held_gathers_limit = 1.0;
    REQUIRE(job.cluster.network.scale_out);
    const Bytes ahead = estimate(job).stages[0].reserved;
    job.cluster.network.scale_out->curves.all_gather.low_latency.step = 500_us;
    CHECK(hosts_starved(job.cluster.network));
    job.stack.host.per_starved_block_rank = 1_s;
    CHECK(estimate(job).stages[0].reserved < ahead);
    job.stack.host.per_starved_block_rank = Seconds{};
    CHECK(estimate(job).stages[0].reserved == ahead);
}

TEST_CASE("held memory that is stuck is demanded even where nothing is free", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2, 1.0);
    job.run.parallel.tp = 2;
    job.run.parallel.sequence_parallel = true;
    job.run.global_batch = 16;
    const Bytes in_order = estimate(job).stages[0].reserved;
    job.stack.device.gathered_blocks_ahead = 4.0;
    job.stack.device.held_gathers_limit = 1.0;
    CHECK(estimate(job).stages[0].reserved == in_order);
    job.stack.device.held_gathers_stuck = 0.5;
    CHECK((estimate(job).stages[0].reserved - in_order).value() == Approx(0.5 * 4.0 * 2.0 * T * h));
}

TEST_CASE("an FP8 store of the non-linearity's input halves it", "[memory]") {
    Job job = pure_job();
    const double wide = saved_of_layer(job).value();
    job.run.activation_input_fp8 = true;
    CHECK(wide - saved_of_layer(job).value() == Approx(4.0 * T * h));
}

// Llama 3.1 405B in 64 chunks: the first holds the embedding and one layer, the last one layer and the head.
// Stage 0 has 15 layers; at its peak (8 + 6) + 1 micro-batches of the first chunk, 8 of the seven others.
TEST_CASE("embedding and head take a layer's place each in a pipeline that does not divide the layers",
          "[memory][stages]") {
    const Catalogue catalogue;
    Job job{catalogue.model("llama-3.1-405b"), search_jobs::cluster(512), catalogue.stack("megatron-core"),
            search_jobs::run(8192, 512)};
    job.run.parallel.tp = 8;
    job.run.parallel.pp = 8;
    job.run.parallel.vp = 8;
    job.run.parallel.dp = 8;
    CHECK(validate(job).empty());
    const StageLayout layout = stage_layout(job);
    CHECK(chunk_size(layout, 0) == 1);
    CHECK(chunk_size(layout, 1) == 2);
    CHECK(chunk_size(layout, 63) == 1);
    CHECK(chunk_first(layout, 63) + chunk_size(layout, 63) == 126);
    CHECK(micro_batches_in_flight(job, 0) == Approx((15.0 * 1.0 + 8.0 * 14.0) / 15.0));
    CHECK(micro_batches_in_flight(job, 1) == micro_batches_in_flight(Schedule::interleaved, 8, 8, 1, 64));
}

TEST_CASE("a pipeline that does not divide the layers must be asked for", "[memory][stages]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(3);
    job.run.parallel.pp = 3;
    job.run.global_batch = 16;
    const std::vector<Problem> problems = validate(job);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].path == "run.parallel.pp");
    CHECK(to_string(problems[0]) ==
          "run.parallel.pp: pp*vp = 3 does not divide the model's 4 layers; 2 and 4 do; or allow uneven "
          "stages with --uneven-stages "
          "(uneven_stages)");
    job.run.uneven_stages = true;
    CHECK(validate(job).empty());
    job.run.uneven_stages = false;
    job.stack.pipeline.balanced_stages = true;
    CHECK(validate(job).empty());
}

TEST_CASE("offloaded states are on the host, or on NVMe with a sub-group in pinned buffers", "[memory]") {
    Job job = pure_job();
    job.run.precision_name = "bf16-mixed";
    job.run.precision = *precision_from("bf16-mixed");
    const Estimate on_gpu = estimate(job);
    const StageMemory& gpu = on_gpu.stages[0];
    CHECK(on_gpu.node_host.value() == 0.0);
    const Bytes states = gpu[MemoryTerm::optimizer_states] + gpu[MemoryTerm::master_weights];
    const double parameters = gpu[MemoryTerm::weights].value() / 2.0;
    const Bytes gradients = bytes_per_element(job.run.precision.gradients) * parameters;
    job.run.offload_optimizer = Offload::cpu;
    const Estimate cpu = estimate(job);
    CHECK(cpu.stages[0].host.value() == Approx((states + gradients).value()));
    CHECK(cpu.stages[0].storage.value() == 0.0);
    // What a node cannot hold does not fit, whatever is left of the device.
    job.cluster.host.memory = cpu.node_host * 0.5;
    const Estimate crowded = estimate(job);
    CHECK_FALSE(crowded.fits);
    CHECK(crowded.shortfall.value() == 0.0);
    CHECK(crowded.host_shortfall().value() == Approx(cpu.node_host.value() * 0.5));
    CHECK(verdict(crowded).find("of host memory on a node with") != std::string::npos);
    job.cluster.host.memory = cpu.node_host;
    CHECK(estimate(job).fits);
    job.run.offload_optimizer = Offload::nvme;
    const Estimate nvme = estimate(job);
    CHECK(nvme.stages[0].storage.value() == Approx(states.value()));
    CHECK(nvme.stages[0].host.value() ==
          Approx((gradients + states * std::min(1.0, 1e9 / parameters)).value()));
    CHECK(nvme.node_storage == nvme.stages[0].storage);  // one GPU
    CHECK(nvme.stages[0].device == cpu.stages[0].device);
}

TEST_CASE("a ring of contexts holds a block of keys and values that comes and one that goes", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    const auto transient = [&] {
        const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
        return named(ops, "core_attention").backward_transient.value();
    };
    const double alone = transient();
    job.run.parallel.cp = 2;
    const double kv = 2.0 * (T / 2.0) * h * 2.0;
    CHECK(transient() == Approx(alone / 2.0 + 4.0 * kv));
    job.run.context = ContextKind::all_to_all;
    CHECK(transient() == Approx(alone / 2.0 + 2.0 * kv / 2.0 + kv));
}

TEST_CASE("adapters under ZeRO-3 bring no gradients for frozen weights", "[memory]") {
    const Catalogue catalogue;
    for (const std::string_view name : {"hf-deepspeed", "hf-transformers"}) {
        Job job = pure_job();
        job.stack = catalogue.stack(name);
        job.cluster = search_jobs::cluster(4);
        job.run.parallel.dp = 4;
        job.run.parallel.zero = 3;
        job.run.global_batch = 16;
        job.run.tuning = Tuning::lora;
        const StageMemory m = estimate(job).stages[0];
        INFO(name);
        CHECK(m[MemoryTerm::gradients].value() == 0.0);
    }
}

TEST_CASE("DeepSpeed's stage 3 keeps 16 bytes a parameter over its ranks", "[memory]") {
    const Catalogue catalogue;
    Job job = pure_job();
    job.stack = catalogue.stack("hf-deepspeed");
    job.cluster = search_jobs::cluster(4);
    job.run.parallel.dp = 4;
    job.run.parallel.zero = 3;
    job.run.global_batch = 8;
    job.run.precision_name = "bf16-mixed";
    job.run.precision = *precision_from("bf16-mixed");
    job.run.precision.gradients = DataType::bf16;
    const Estimate e = estimate(job);
    const StageMemory& m = e.stages[0];
    const Bytes kept = m[MemoryTerm::weights] + m[MemoryTerm::master_weights] +
                       m[MemoryTerm::optimizer_states] + m[MemoryTerm::gradients];
    CHECK(kept.value() <= 16.01 * static_cast<double>(e.parameters.total) / 4.0);
}

TEST_CASE("replicas whose gradients are not views of their buckets hold them twice", "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(2);
    job.run.parallel.dp = 2;
    job.run.global_batch = 4;
    job.stack.traffic.bucket_copies = 0.0;
    job.stack.states.shard = ShardEngine::fsdp2;
    const StageMemory once = estimate(job).stages[0];
    job.stack.traffic.buckets_kept = true;
    const StageMemory twice = estimate(job).stages[0];
    const double parameters = static_cast<double>(parameter_count(job.model).total);
    CHECK(twice[MemoryTerm::gradient_staging].value() == Approx(2.0 * parameters));
    CHECK((twice.allocated - once.allocated).value() == Approx(2.0 * parameters));
    job.run.parallel.dp = 1;
    job.cluster = search_jobs::cluster(1);
    job.run.global_batch = 2;
    CHECK(estimate(job).stages[0][MemoryTerm::gradient_staging].value() == 0.0);
}

TEST_CASE("a ring that merges outside the kernel moves its bytes once for each block that comes",
          "[memory]") {
    Job job = pure_job();
    job.cluster = search_jobs::cluster(4);
    job.run.parallel.cp = 4;
    job.stack.attention.ring_merge_bytes = 100.0;
    job.stack.attention.ring_sends_gradients = true;
    const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 2048.0);
    const double out = T / 4.0 * h;
    CHECK(named(ops, "ring_merge").forward_bytes.value() == Approx(3.0 * 100.0 * out));
    CHECK(named(ops, "ring_merge").backward_bytes.value() == Approx(6.0 * 100.0 * out));
    // Four blocks' gradients of keys and values in fp32.
    CHECK(named(ops, "key_gradients").backward_message.value() == Approx(4.0 * 2.0 * out * 4.0));
    const Seconds under = estimate(job).step.terms[static_cast<std::size_t>(StepTerm::context_parallel)];
    job.stack.attention.compiled_ring_waits = true;
    job.run.compile = true;
    const Seconds waiting = estimate(job).step.terms[static_cast<std::size_t>(StepTerm::context_parallel)];
    CHECK(waiting > under);
}
