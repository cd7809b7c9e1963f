// What a run states that is else its stack's: losses in chunks, compiled parts, resharding, tiles, padding
// and the allocator; and what attention and norms keep, against saved tensors of Transformers 5.17 on an
// H200.

#include <algorithm>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/regime.hpp>
#include <traincost/fit/records/record_choices.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

constexpr double T = 4096.0;   // tokens of a micro-batch
constexpr double h = 2048.0;   // hidden
constexpr double V = 51200.0;  // vocabulary

const Operator& named(const OpList& ops, std::string_view name) {
    return *std::find_if(ops.begin(), ops.end(), [&](const Operator& op) { return op.name == name; });
}

/// A micro-batch of two sequences of 2,048 tokens, everything 16 bits, on `gpus` accelerators.
Job pure_job(std::int64_t gpus = 1) {
    Job job{search_jobs::gpt(4, 2048, 16), search_jobs::cluster(gpus), search_jobs::stack(),
            search_jobs::run(2048, 2 * gpus)};
    job.run.micro_batch = 2;
    job.run.parallel.dp = gpus;
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.stack.head.vocab_multiple = 1;
    job.stack.head.logits_copies_fp32 = 0.0;
    job.stack.states.gradients = GradientStore::parameter;
    job.stack.device.fragmentation = job.stack.device.fragmentation_recompute = 0.3;
    return job;
}

Operator loss_of(const Job& job) {
    return named(head_ops(job, shape_of(job)), "cross_entropy");
}

OpTotals layer_of(const Job& job) {
    const Shape shape = shape_of(job);
    return totals(layer_ops(job, shape, Side::decoder, false, static_cast<double>(job.run.sequence)),
                  weight_bytes(job, shape));
}

Bytes peak(const Job& job) {
    return estimate(job).stages.front().allocated;
}

/// A model of the catalogue under eager Transformers, 4,096 tokens of one sequence.
Job eager(std::string_view model, AttentionKernel attention) {
    static const Catalogue catalogue;
    Job job{catalogue.model(model), search_jobs::cluster(1), catalogue.stack("hf-transformers"),
            search_jobs::run(4096, 1)};
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.run.attention = attention;
    return job;
}

/// Bytes a block saves over those of one 16-bit tensor of its hidden width.
double hidden_tensors(const Job& job) {
    const Shape shape = shape_of(job);
    const double span = static_cast<double>(attention_span(job.model, 0, job.run.sequence));
    const OpTotals block =
        totals(layer_ops(job, shape, Side::decoder, false, span), weight_bytes(job, shape));
    return block.saved.value() / (shape.tokens * static_cast<double>(job.model.hidden) * 2.0);
}

}  // namespace

TEST_CASE("a loss whose head runs in chunks has one chunk's logits at a time", "[memory][loss]") {
    Job job = pure_job();
    job.run.loss = LossKernel::chunked_linear;
    job.run.loss_chunks = 8;
    // Eager: 16-bit logits, their fp32 copy, its log-softmax and gradient; beside it the chunk's gradient of
    // the head.
    CHECK(loss_of(job).saved.value() == Approx(2.0 * T * h));
    CHECK(loss_of(job).backward_transient.value() == Approx(14.0 * T * V / 8.0 + 2.0 * V * h));
    job.run.compiled_parts = CompiledParts{.loss = true};
    CHECK(loss_of(job).backward_transient.value() == Approx(4.0 * T * V / 8.0 + 2.0 * V * h));
    job.run.loss = LossKernel::fused_linear;
    CHECK(loss_of(job).backward_transient.value() == Approx(2.0 * T * V / 8.0 + 2.0 * V * h));
    job.run.tuning = Tuning::lora;  // a frozen head has no gradient
    CHECK(loss_of(job).backward_transient.value() == Approx(2.0 * T * V / 8.0));
}

TEST_CASE("logits that keep their format have no fp32 copies", "[memory][loss]") {
    Job job = pure_job();
    const auto peak_of = [&](LossKernel loss, double copies) {
        job.run.loss = loss;
        job.stack.head.logits_copies_fp32 = copies;
        return loss_of(job).backward_transient;
    };
    CHECK((peak_of(LossKernel::fp32_logits, 1.0) - peak_of(LossKernel::fp32_logits, 0.0)).value() ==
          Approx(4.0 * T * V));
    CHECK(peak_of(LossKernel::logits_format, 1.0) == peak_of(LossKernel::logits_format, 0.0));
}

TEST_CASE("a chunked loss over a quantised head keeps the gradient of the head's input", "[memory][loss]") {
    Job job = pure_job();
    job.run.tuning = Tuning::qlora;
    job.run.precision = *precision_from("nf4-base");
    job.run.loss = LossKernel::fused_linear;
    job.stack.narrow.quantised_head = true;
    CHECK(loss_of(job).saved.value() == Approx(2.0 * T * h));
}

TEST_CASE("FSDP sums the chunks' gradients of the head in the format it reduces", "[memory][loss]") {
    Job job = pure_job(8);
    job.stack.states.shard = ShardEngine::fsdp2;
    job.run.parallel.zero = 3;
    job.run.loss = LossKernel::chunked_linear;
    const double narrow = loss_of(job).backward_transient.value();
    job.run.precision.reduce = DataType::fp32;
    CHECK(loss_of(job).backward_transient.value() - narrow == Approx(2.0 * V * h));
}

TEST_CASE("compiled parts fuse what they name", "[memory]") {
    Job job = pure_job();
    job.model.gated_mlp = true;
    job.stack.layer.activation = ActivationKernel::eager;
    job.run.compile = false;
    const double f = static_cast<double>(job.model.ffn);
    const double whole = layer_of(job).saved.value();
    job.run.compiled_parts = CompiledParts{.mlp = true};
    CHECK(whole - layer_of(job).saved.value() == Approx(2.0 * T * f));  // act(gate)
    CHECK_FALSE(shape_of(job).compiled);
    job.run.compiled_parts = CompiledParts{true, true, true, false};
    CHECK(shape_of(job).compiled);
}

TEST_CASE("a tiled MLP keeps its input and one tile", "[memory]") {
    Job job = pure_job();
    job.model.gated_mlp = true;
    job.stack.layer.activation = ActivationKernel::eager;
    const OpTotals whole = layer_of(job);
    job.run.mlp_tiles = 4;
    const OpTotals tiled = layer_of(job);
    const double f = static_cast<double>(job.model.ffn);
    CHECK((whole.saved - tiled.saved).value() == Approx(4.0 * 2.0 * T * f));
    CHECK(tiled.backward_peak < whole.backward_peak);
    CHECK(estimate(job).step[StepTerm::recompute] > Seconds{});
}

TEST_CASE("weights that stay gathered between the passes take their room", "[memory][fsdp]") {
    Job job = pure_job(8);
    job.stack.states.shard = ShardEngine::fsdp2;
    job.run.parallel.zero = 3;
    const Bytes always = peak(job);
    job.run.reshard = Reshard::last_kept;
    job.run.kept_blocks = 4;
    const Bytes kept = peak(job);
    job.run.reshard = Reshard::never;
    CHECK(kept > always);
    CHECK(peak(job) > always);
    CHECK(regime_of(job).zero == 2);
    job.run.parallel.zero = 2;
    job.run.reshard = Reshard::always;
    CHECK(regime_of(job).zero == 2);
}

TEST_CASE("lists of tensors make the denominators of the whole update", "[memory][optimizer]") {
    Job job = pure_job();
    job.run.sequence = 16;  // the peak is the update
    job.run.optimizer_kernel = OptimizerKernel::fused;
    const StageMemory fused = estimate(job).stages.front();
    job.run.optimizer_kernel = OptimizerKernel::foreach;
    const StageMemory lists = estimate(job).stages.front();
    REQUIRE(lists.moment == Moment::optimizer);
    // Weights, gradients, two moments and their denominators: five times the weights.
    CHECK(lists[MemoryTerm::optimizer_temporaries].value() == Approx(lists[MemoryTerm::weights].value()));
    CHECK((lists.allocated - lists[MemoryTerm::workspace]).value() ==
          Approx(5.0 * lists[MemoryTerm::weights].value()).epsilon(1e-3));
    CHECK(fused.allocated < lists.allocated);
}

TEST_CASE("mapped pages come back before the step fails", "[memory][allocator]") {
    Job job = pure_job();
    job.cluster.kernels.allocator = {.stuck_segments = 1.0, .stuck_pages = 0.1, .page_gaps = 0.05};
    const StageMemory blocks = estimate(job).stages.front();
    CHECK(blocks.returnable == Bytes{});
    job.run.expandable_segments = true;
    const StageMemory pages = estimate(job).stages.front();
    CHECK(pages.reserved < blocks.reserved);
    CHECK(pages.returnable.value() == Approx(0.9 * (pages.reserved - pages.allocated).value()));
    // On a device that holds the tensors and the tenth of the gaps that stays, and no more, it still fits.
    job.cluster.accelerator.memory_usable = Bytes{(pages.device - pages.returnable).value() * 1.001};
    CHECK(estimate(job).fits);
    job.run.expandable_segments = false;
    CHECK_FALSE(estimate(job).fits);
}

TEST_CASE("padding shortens the step and leaves memory to the longest", "[memory][time]") {
    Job job = pure_job();
    const Estimate equal = estimate(job);
    job.run.padded_length = 1024;
    const Estimate padded = estimate(job);
    CHECK(padded.stages.front().allocated == equal.stages.front().allocated);
    CHECK(padded.step.total < equal.step.total);
    CHECK(padded.throughput.tokens_per_step == Approx(0.5 * equal.throughput.tokens_per_step));
}

TEST_CASE("eager Transformers keep what saved tensors on an H200 show", "[memory][hf]") {
    // Over one hidden tensor, as counted there: 24.5, 20, 18, 25.7 and 27 with a mask for its window.
    CHECK(hidden_tensors(eager("llama-3.1-8b", AttentionKernel::flash)) == Approx(24.5).epsilon(0.01));
    CHECK(hidden_tensors(eager("stablelm-2-1.6b", AttentionKernel::flash)) == Approx(20.0).epsilon(0.01));
    CHECK(hidden_tensors(eager("pythia-2.8b", AttentionKernel::flash)) == Approx(18.0).epsilon(0.01));
    CHECK(hidden_tensors(eager("llama-3.1-8b", AttentionKernel::math)) == Approx(122.0).epsilon(0.01));
    CHECK(hidden_tensors(eager("gemma-2-2b", AttentionKernel::math)) == Approx(94.4).epsilon(0.01));
}

TEST_CASE("scales of rows and blocks take casts and kernels of their own, those of tensors none", "[time]") {
    const Catalogue catalogue;
    Job job = pure_job(8);
    job.cluster = catalogue.cluster("dgx-b200", 8).spec;
    job.run.precision_name = "fp8-mixed";
    job.run.precision = *precision_from("fp8-mixed");
    const auto seconds = [&](std::optional<Fp8Scaling> scaling) {
        job.run.fp8_scaling = scaling;
        return estimate(job).step.total.value();
    };
    job.stack.narrow.quantise_bytes = 5.0;
    const double plain = seconds(std::nullopt);
    CHECK(seconds(Fp8Scaling::tensorwise) == plain);
    CHECK(seconds(Fp8Scaling::rowwise) > plain);  // Blackwell's rowwise kernels
    job.stack.narrow.fine_quantise_bytes = 15.0;
    CHECK(seconds(std::nullopt) == plain);
    const double rowwise = seconds(Fp8Scaling::rowwise), blockwise = seconds(Fp8Scaling::blockwise);
    job.stack.narrow.fine_quantise_bytes = 30.0;
    CHECK(seconds(Fp8Scaling::rowwise) > rowwise);
    CHECK(seconds(Fp8Scaling::blockwise) > blockwise);

    job.run.precision = *precision_from("bf16-mixed");
    const std::vector<Problem> problems = validate(job);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().path == "run.fp8_scaling");
}

TEST_CASE("records state their choices in fields, or in a source's own words", "[records]") {
    RunRecord record{};
    record.extra = {{"compiled", "[\"loss\",\"feed_forward\"]"},
                    {"loss_chunks", "4"},
                    {"reshard", "all but the last 2 blocks"},
                    {"optimizer_implementation", "in backward, fused"}};
    RunSpec run{};
    std::vector<std::string> assumptions;
    set_stated_choices(record, run, assumptions);
    CHECK(run.compiled_parts == CompiledParts{.mlp = true, .loss = true});
    CHECK(run.loss_chunks == 4);
    CHECK(run.reshard == Reshard::last_kept);
    CHECK(run.kept_blocks == 2);
    CHECK(run.optimizer_in_backward);
    CHECK(run.optimizer_kernel == OptimizerKernel::fused);
    CHECK(assumptions.empty());

    record.run.loss = "fused_linear";
    record.run.loss_chunks = 16;
    record.run.compiled_parts = {"blocks", "inner_attention"};
    record.run.reduce_dtype = "fp32";
    record.run.padded_length = 300;
    record.run.expandable_segments = true;
    record.run.dropout = 0.1;
    run = {};
    set_stated_choices(record, run, assumptions);
    CHECK(run.loss == LossKernel::fused_linear);
    CHECK(run.loss_chunks == 16);
    CHECK(run.compiled_parts == CompiledParts{true, true, true, false});
    CHECK(run.precision.reduce == DataType::fp32);
    CHECK(run.padded_length == 300);
    CHECK(run.expandable_segments == true);
    CHECK(run.dropout == 0.1);
    CHECK(assumptions.size() == 1);
}

TEST_CASE("FSDP that casts what it gathers has no 16-bit copy beside its fp32 weights", "[precision]") {
    const Catalogue catalogue;
    const Precision recipe = *precision_from("fp8-mixed");
    const Precision sharded = stack_precision(catalogue.stack("torchtitan").states, recipe);
    CHECK(sharded.weights == DataType::fp32);
    CHECK_FALSE(sharded.master);
    CHECK(sharded.reduce == DataType::fp32);
    CHECK(stack_precision(catalogue.stack("megatron-core").states, recipe).weights == DataType::bf16);
    CHECK(stack_precision(catalogue.stack("torchtitan").states, *precision_from("bf16-pure")).reduce ==
          DataType::fp32);
}

TEST_CASE("what a compiler casts to fp8 it makes again, torchao's eager layers keep it", "[memory][fp8]") {
    Job job = pure_job();
    job.model.gated_mlp = true;
    job.run.precision.gemm = DataType::fp8;
    job.stack.narrow.input = NarrowInput::compute;
    job.run.compile = false;
    const double eager_layer = layer_of(job).saved.value();
    job.run.compile = true;
    const double compiled = layer_of(job).saved.value();
    job.run.precision.gemm = DataType::bf16;
    const double plain = layer_of(job).saved.value();
    const double f = static_cast<double>(job.model.ffn);
    CHECK(plain - compiled == Approx(2.0 * T * (2.0 * h + f)));  // inputs of qkv, gate and up, down
    job.run.compile = false;
    CHECK(layer_of(job).saved.value() == Approx(eager_layer));
}
