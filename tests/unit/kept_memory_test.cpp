// What engines keep beside what every trainer does: gathered weights, gathered inputs, wide tables and norms,
// states that are in the way.

#include <algorithm>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/fit/records/record_job.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/record_catalogue.hpp>
#include <traincost/io/records.hpp>
#include <traincost/spec/adapter_format.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

constexpr double tokens = 4096.0;
constexpr double width = 2048.0;

/// Four blocks of `stack` on `accelerators`, sequences of 2,048 tokens two by two, one micro-batch a step.
Job job_under(const char* stack, const char* precision, std::int64_t accelerators = 1) {
    static const Catalogue catalogue;
    Job job{search_jobs::gpt(4, 2048, 16), search_jobs::cluster(accelerators), catalogue.stack(stack),
            search_jobs::run(2048, 2 * accelerators)};
    job.model.tied_embeddings = false;
    job.run.micro_batch = 2;
    job.run.precision_name = precision;
    job.run.precision = *precision_from(precision);
    return job;
}

Job replicas_under(const char* stack, const char* precision, std::int64_t zero) {
    Job job = job_under(stack, precision, 4);
    job.run.parallel.dp = 4;
    job.run.parallel.zero = zero;
    return job;
}

double parameters_of(const Job& job) {
    return static_cast<double>(parameter_count(job.model).total);
}

double saved_of_block(const Job& job) {
    const Shape shape = shape_of(job);
    return totals(layer_ops(job, shape, Side::decoder, false, 2048.0), weight_bytes(job, shape))
        .saved.value();
}

/// The run of a Llama 2 7B record whose stack, version, precision and ZeRO stage are given.
RunSpec run_of_record(const std::string& stack, const std::string& precision, int zero, int year,
                      const std::string& more = "") {
    static const Catalogue catalogue;
    static const RecordCatalogue names = record_catalogue(catalogue);
    const std::string line =
        R"({"schema":"run-record/1","id":"a","task":"full-ft","quality":"A","source":{"year":)" +
        std::to_string(year) +
        R"(},"model":{"name":"Llama-2-7B","family":"llama2","layers":32,"hidden":4096,"heads":32,)"
        R"("kv_heads":32,"head_dim":128,"ffn":11008,"gated_mlp":true,"vocab":32000,"tied_embeddings":false,)"
        R"("positional":"rope","attention":"mha","moe":null,"mla":null},"cluster":{"accelerator":)"
        R"("h100-sxm5-80gb","accelerators":8,"per_node":8},"run":{"stack":")" +
        stack + R"(","precision":")" + precision +
        R"(","optimizer":"adamw","sequence":4096,"micro_batch":1,"global_batch":8)" + more +
        R"(,"parallel":{"tp":1,"pp":1,"vp":1,"dp":8,"cp":1,"ep":1,"zero":)" + std::to_string(zero) +
        R"(},"recompute":"full"},"measured":{"step_time_s":1.5}})"
        "\n";
    const RecordFile file = records_from_text(line, "a.jsonl");
    const RecordJob made = job_of(file.records.front(), names);
    INFO(made.reason);
    REQUIRE(made.job);
    return made.job->run;
}

}  // namespace

TEST_CASE("Gemini releases chunks that are not in use", "[memory]") {
    const Job job = replicas_under("colossalai", "bf16-mixed", 3);
    CHECK(estimate(job).stages[0][MemoryTerm::gathered_weights].value() < 0.2 * parameters_of(job));
}

TEST_CASE("a column-parallel layer that gathers in order saves what it gathered", "[memory]") {
    const Catalogue catalogue;
    Job job = job_under("nanotron", "bf16-mixed", 4);
    job.run.parallel.tp = 4;
    job.run.global_batch = 2;
    const double sharded = saved_of_block(job);
    job.stack = catalogue.stack("nanotron@2024");
    // Inputs of the joined projection and of the MLP, of which three quarters came from other ranks.
    CHECK(saved_of_block(job) - sharded == Approx(2.0 * 0.75 * 2.0 * tokens * width));
    CHECK(job.stack.device.gathered_blocks_ahead == 0.0);
}

TEST_CASE("a 4-bit base prepared by PEFT and run without autocast is in fp32 around its products",
          "[memory]") {
    Job job = job_under("hf-transformers", "nf4-base");
    job.run.tuning = Tuning::qlora;
    job.run.recompute = Recompute::full;
    const double narrow = estimate(job).stages[0][MemoryTerm::block_inputs].value();
    job.run.precision = *precision_from("nf4-base-fp32");
    CHECK(estimate(job).stages[0][MemoryTerm::block_inputs].value() == Approx(2.0 * narrow));
    CHECK(job.run.precision.gemm == DataType::fp32);  // bitsandbytes computes in the input's format
}

TEST_CASE("a 4-bit base prepared by PEFT and run under autocast has fp32 tables and residuals", "[memory]") {
    Job job = job_under("hf-transformers", "nf4-base");
    job.run.tuning = Tuning::qlora;
    job.run.recompute = Recompute::full;
    const Estimate plain = estimate(job);
    job.run.precision = *precision_from("nf4-base-amp");
    const Estimate prepared = estimate(job);
    const StageMemory& memory = prepared.stages[0];
    CHECK(memory[MemoryTerm::block_inputs].value() ==
          Approx(2.0 * plain.stages[0][MemoryTerm::block_inputs].value()));
    CHECK(memory[MemoryTerm::weights] > plain.stages[0][MemoryTerm::weights]);
    CHECK(prepared.step.total > plain.step.total);
    // The base is made in the compute format where it is used: nothing of it is cast beside the head.
    CHECK(memory[MemoryTerm::cast_weights].value() <=
          Approx(2.0 * static_cast<double>(job.model.vocab) * width));
}

TEST_CASE("frozen blocks under FSDP1 keep their inputs and the gradients of these", "[memory]") {
    Job job = job_under("hf-transformers", "bf16-pure", 2);
    job.run.tuning = Tuning::lora;
    job.run.recompute = Recompute::full;
    job.run.parallel.dp = 2;
    job.run.parallel.zero = 3;
    job.model.vocab = 512;  // the loss takes next to nothing
    const StageMemory freed = [&] {
        Job other = job;
        other.stack.states.shard = ShardEngine::fsdp2;
        return estimate(other).stages[0];
    }();
    const StageMemory kept = estimate(job).stages[0];
    CHECK(freed[MemoryTerm::block_inputs].value() == Approx(4.0 * 2.0 * tokens * width));
    // The last block that is gathered with another ahead of it finds two gradients beside the four inputs.
    CHECK(kept[MemoryTerm::block_inputs].value() == Approx(6.0 * 2.0 * tokens * width));
    job.run.tuning = Tuning::full;
    CHECK(estimate(job).stages[0][MemoryTerm::block_inputs].value() <= Approx(4.0 * 2.0 * tokens * width));
}

TEST_CASE("a base in one 16-bit format under autocast to the other is copied at each use", "[memory]") {
    Job job = job_under("hf-transformers", "bf16-mixed");
    job.run.tuning = Tuning::lora;
    job.run.precision = tuned_precision(job.stack, *precision_from("bf16-mixed"), Tuning::lora);
    const Estimate base = estimate(job);
    for (const char* recipe : {"fp16-base-bf16", "bf16-base-fp16"}) {
        job.run.precision = tuned_precision(job.stack, *precision_from(recipe), Tuning::lora);
        INFO(recipe);
        const Estimate cast = estimate(job);
        CHECK(cast.stages[0][MemoryTerm::weights] == base.stages[0][MemoryTerm::weights]);
        CHECK(cast.stages[0][MemoryTerm::cast_weights].value() > 0.0);
        CHECK(cast.step.total > base.step.total);
    }
}

TEST_CASE("autocast copies weights anew for each micro-batch in flight", "[memory]") {
    Job job = job_under("pytorch", "bf16-amp", 2);
    job.run.parallel.pp = 2;
    job.run.global_batch = 16;
    const Estimate taken = estimate(job);
    // Two blocks a stage; the first stage has a second micro-batch in flight.
    CHECK(taken.stages[0][MemoryTerm::cast_weights].value() ==
          Approx(2.0 * 2.0 * 2.0 * 12.0 * width * width).epsilon(0.3));
    CHECK(taken.stages[0][MemoryTerm::cast_weights].value() >
          1.4 * taken.stages[1][MemoryTerm::cast_weights].value());
}

TEST_CASE("FSDP2 keeps the root's group while its model computes the loss", "[memory]") {
    Job job = job_under("pytorch@loss-inside", "bf16-amp", 4);
    job.run.parallel.dp = 4;
    job.run.parallel.zero = 3;
    job.run.micro_batch = 16;
    job.run.global_batch = 64;
    job.run.recompute = Recompute::full;
    Job other = job;
    other.stack = Catalogue().stack("pytorch");
    const StageMemory inside = estimate(job).stages[0];
    const StageMemory apart = estimate(other).stages[0];
    const double tables = 2.0 * static_cast<double>(job.model.vocab) * width;  // of embedding and head
    const double block = 2.0 * 12.0 * width * width;
    CHECK((inside.allocated - apart.allocated).value() == Approx(2.0 * tables + block).epsilon(0.01));
    job.run.compile = other.run.compile = true;  // a compiler leaves the loss out
    CHECK(estimate(job).stages[0].allocated == estimate(other).stages[0].allocated);
}

TEST_CASE("FSDP2 adds up gradients that wait in the format it reduces", "[memory]") {
    Job job = job_under("pytorch", "bf16-pure", 4);
    job.stack.traffic.reduce_every_micro_batch = false;
    job.run.parallel.dp = 4;
    job.run.parallel.zero = 3;
    job.run.global_batch = 32;
    job.run.precision.reduce = DataType::fp32;
    CHECK(estimate(job).stages[0][MemoryTerm::gradients].value() ==
          Approx(4.0 * parameters_of(job)).epsilon(0.01));
}

TEST_CASE("ranks that share a sequence are replicas whose gradients live in buckets", "[memory]") {
    Job job = job_under("pytorch", "bf16-amp", 2);
    job.run.global_batch = 2;
    job.run.parallel.dp = 1;
    job.run.parallel.cp = 2;
    CHECK(estimate(job).stages[0][MemoryTerm::gradients].value() ==
          Approx(4.0 * parameters_of(job)).epsilon(0.01));
}

TEST_CASE("DeepSpeed's optimizer of bf16 shards its states at stage 0", "[memory]") {
    for (const auto& [precision, ranks] : {std::pair{"bf16-mixed", 4.0}, std::pair{"fp16-mixed", 1.0}}) {
        const Job job = replicas_under("megatron-deepspeed", precision, 0);
        INFO(precision);
        CHECK(estimate(job).stages[0][MemoryTerm::optimizer_states].value() ==
              Approx(8.0 * parameters_of(job) / ranks).epsilon(0.01));
    }
}

TEST_CASE("moments made after the first step lie where activations were", "[memory]") {
    Job job = replicas_under("megatron-core", "bf16-mixed", 1);
    const StageMemory in_the_way = estimate(job).stages[0];
    job.stack.device.sharded_states_pin = 0.0;
    const StageMemory before = estimate(job).stages[0];
    CHECK((in_the_way.reserved - before.reserved).value() ==
          Approx(before[MemoryTerm::optimizer_states].value()));
    job.stack.device.sharded_states_pin = 2.0;
    job.run.expandable_segments = true;
    const StageMemory pages = estimate(job).stages[0];
    job.stack.device.sharded_states_pin = 0.0;
    CHECK(pages.reserved == estimate(job).stages[0].reserved);
}

TEST_CASE("keys and values that a forward pass returns outlive the blocks run again", "[memory]") {
    Job job = job_under("hf-transformers", "bf16-pure");
    job.run.recompute = Recompute::full;
    job.model.vocab = 512;  // the loss takes next to nothing
    const Bytes plain = estimate(job).stages[0].allocated;
    job.stack.attention.returns_caches = true;
    const Bytes returned = estimate(job).stages[0].allocated;
    const double caches = 4.0 * 2.0 * 2.0 * tokens * width;  // four blocks, 16 bits
    CHECK((returned - plain).value() <= Approx(caches));
    job.stack.head.holds_outputs = true;
    // The step's own are there to the end of its backward pass; logits of 512 in fp32 too.
    CHECK((estimate(job).stages[0].allocated - plain).value() ==
          Approx(caches + 4.0 * tokens * 512.0).epsilon(0.01));
    job.model.vocab = 131072;  // the loss is the highest moment: those of the step before are there as well
    Job dropped = job;
    dropped.stack.head.holds_outputs = false;
    dropped.stack.attention.returns_caches = false;
    CHECK((estimate(job).stages[0].allocated - estimate(dropped).stages[0].allocated).value() >=
          Approx(2.0 * caches).epsilon(0.01));
}

TEST_CASE("a loop that holds the graph holds what bitsandbytes keeps in it", "[memory]") {
    Job job = job_under("litgpt", "nf4-base");
    job.run.tuning = Tuning::qlora;
    job.model.vocab = 512;  // the loss takes next to nothing
    REQUIRE(job.stack.head.holds_outputs);
    const StageMemory held = estimate(job).stages[0];
    job.stack.head.holds_outputs = false;
    CHECK((held.allocated - estimate(job).stages[0].allocated).value() > 4.0 * 2.0 * tokens * width);
}

TEST_CASE("weights that autocast narrows are gathered as they are stored", "[memory]") {
    Job job = replicas_under("hf-transformers@own-autocast-loop", "bf16-amp", 3);
    job.run.recompute = Recompute::full;
    const StageMemory stored = estimate(job).stages[0];
    job.stack.states.gathers_stored = false;
    const StageMemory cast = estimate(job).stages[0];
    CHECK(stored[MemoryTerm::gathered_weights].value() ==
          Approx(2.0 * cast[MemoryTerm::gathered_weights].value()));
    CHECK(stored[MemoryTerm::block_inputs].value() == Approx(2.0 * cast[MemoryTerm::block_inputs].value()));
}

TEST_CASE("the graph keeps gathered weights of blocks that are not run again", "[memory]") {
    Job job = replicas_under("hf-deepspeed@loaded-first", "bf16-mixed", 3);
    const double blocks = 4.0 * 2.0 * 12.0 * width * width;
    CHECK(estimate(job).stages[0][MemoryTerm::gathered_weights].value() >= Approx(blocks).epsilon(0.01));
    job.run.offload_parameters = Offload::cpu;  // over one rank they come from the host
    job.run.parallel.dp = 1;
    job.run.global_batch = 2;
    CHECK(estimate(job).stages[0][MemoryTerm::gathered_weights].value() >= Approx(blocks).epsilon(0.01));
    job.run.recompute = Recompute::full;
    CHECK(estimate(job).stages[0][MemoryTerm::gathered_weights].value() < 0.6 * blocks);
}

TEST_CASE("where keys and values are gathered all ranks' are there at once", "[memory]") {
    Job job = job_under("hf-transformers", "bf16-pure", 8);
    job.run.parallel.cp = 8;
    job.run.parallel.dp = 1;
    job.run.sequence = 65536;
    job.run.global_batch = 2;
    const auto peak = [](const Job& of) {
        const Shape shape = shape_of(of);
        double highest = 0.0;
        for (const Operator& op : layer_ops(of, shape, Side::decoder, false, 65536.0)) {
            if (op.kind == OpKind::attention)
                highest = std::max(highest, op.forward_transient.value());
        }
        return highest;
    };
    REQUIRE(job.stack.attention.ring_gathers);
    const double gathered = peak(job);
    job.stack.attention.ring_gathers = false;
    const double kv = 2.0 * 2.0 * (2.0 * 65536.0 / 8.0) * width;  // a rank's own, 16 bits
    CHECK(gathered - peak(job) == Approx(7.0 * kv));
}

TEST_CASE("Liger of 2025 exchanges the norms of blocks, not those of queries and keys", "[memory]") {
    Job job = job_under("liger@2025", "bf16-pure");
    job.model.norm.kind = NormKind::rmsnorm;
    job.model.norm.qk = QkNorm::per_head;
    const double kept = saved_of_block(job);
    job.stack.layer.composite_head_norms = false;
    // The widened values and the normalised ones for the kernel's input: 4 bytes an element more.
    CHECK(kept - saved_of_block(job) == Approx(4.0 * 2.0 * tokens * width).epsilon(0.01));
}

TEST_CASE("what Accelerate's FSDP trains is sharded in fp32, whatever it was loaded in", "[record]") {
    const Precision wide = *precision_from("bf16-amp");
    CHECK(run_of_record("hf-transformers", "bf16-mixed", 3, 2024).precision == wide);
    CHECK(run_of_record("hf-transformers", "bf16-pure", 3, 2024,
                        R"(,"precision_note":"weights of bfloat16, bf16 autocast")")
              .precision == wide);
    CHECK(run_of_record("hf-transformers", "bf16-pure", 3, 2024).precision.weights == DataType::bf16);
    CHECK(run_of_record("hf-deepspeed", "bf16-mixed", 3, 2024).precision.master == DataType::fp32);
    CHECK(run_of_record("torchtune", "fp8-mixed", 3, 2025).precision.moments == DataType::bf16);
}

TEST_CASE("AdamW that names no kernel takes lists of tensors before Transformers 5", "[record]") {
    CHECK(run_of_record("hf-transformers", "bf16-pure", 0, 2024).optimizer_kernel ==
          OptimizerKernel::foreach);
    CHECK_FALSE(run_of_record("hf-transformers", "bf16-pure", 0, 2026).optimizer_kernel);
}
