// Adapters are counted where their operators are: one inventory for time and memory.

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/ops.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/spec/adapter_format.hpp>
#include <traincost/spec/draft/everyday_names.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

const Catalogue& catalogue() {
    static const Catalogue all;
    return all;
}

std::vector<std::string> ids(Room room) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue().entries(room))
        names.push_back(entry.id);
    return names;
}

/// LoRA of rank 8 in pure bf16 on one accelerator.
Job lora(std::string_view model, const AdapterSpec& adapter) {
    Job job{catalogue().model(model), catalogue().cluster("h200", 1).spec, catalogue().stack("pytorch"),
            search_jobs::run(512, 1)};
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    job.run.tuning = Tuning::lora;
    job.run.adapter = adapter;
    return job;
}

/// Trained weights by the memory of adapters: weight, gradient and two moments in 16 bits.
double trained(const Job& job) {
    double bytes = 0.0;
    for (const StageMemory& m : estimate(job).stages)
        bytes += m[MemoryTerm::adapters].value();
    return bytes / 8.0;
}

}  // namespace

TEST_CASE("a pair beside a product has rank times its inputs and outputs", "[adapters]") {
    // Llama-3.1-8B: 32 layers of h = 4096, 1024 for keys and values, 14336 in the MLP, 128256 rows.
    const double r = 8.0;
    Job job = lora("llama-3.1-8b", {.rank = 8});
    CHECK(trained(job) == Approx(32.0 * r * (4096.0 + 4096.0 + 4096.0 + 1024.0)));
    job.run.adapter = {
        .rank = 8, .query = true, .key = true, .value = true, .attention_out = true, .mlp = true};
    const double all = 32.0 * r * (2.0 * 8192.0 + 2.0 * 5120.0 + 3.0 * (4096.0 + 14336.0));
    CHECK(trained(job) == Approx(all));
    job.run.adapter.lm_head = true;
    CHECK(trained(job) == Approx(all + r * (4096.0 + 128256.0)));
}

TEST_CASE("latent attention and cross attention have pairs of their own", "[adapters]") {
    const Job mla = lora("deepseek-v2-lite", {.rank = 8, .query = true, .value = false});
    // No down-projection of queries: h = 2048 to 16 heads of 192.
    CHECK(trained(mla) == Approx(27.0 * 8.0 * (2048.0 + 16.0 * 192.0)));
    const Job latents = lora("deepseek-v2-lite", {.rank = 8, .query = false, .value = true});
    // To 512 and 64, and from 512 to 16 heads of 128 and 128.
    CHECK(trained(latents) == Approx(27.0 * 8.0 * (2048.0 + 576.0 + 512.0 + 16.0 * 256.0)));
    // T5's 12 + 12 layers: one attention in the encoder, two in the decoder.
    const Job t5 = lora("t5-base", {.rank = 8, .query = true, .value = false});
    CHECK(trained(t5) == Approx((12.0 + 24.0) * 8.0 * (768.0 + 768.0)));
}

TEST_CASE("PEFT's fp32 pairs keep copies of their own inputs of a 16-bit base", "[adapters]") {
    // Llama-3.1-8B, 512 tokens, pairs of rank 8 on all seven products: six read 4,096 features, one 14,336.
    // A profile under PEFT 0.21 holds the fp32 ones, byte for byte (H100, torch 2.11, 2026-11-25).
    const AdapterSpec linear{
        .rank = 8, .query = true, .key = true, .value = true, .attention_out = true, .mlp = true};
    Job job = lora("llama-3.1-8b", linear);
    job.stack = catalogue().stack("hf-transformers");
    const auto kept = [&](std::string_view name) {
        double bytes = 0.0;
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, false, 512.0)) {
            if (op.name == name)
                bytes += op.saved.value();
        }
        return bytes;
    };
    const double inputs = 512.0 * (6.0 * 4096.0 + 14336.0);
    const double inner = 512.0 * 7.0 * 8.0;
    CHECK(adapter_format(job.run, job.stack) == AdapterFormat::base);
    CHECK(kept("lora_a") == Approx(0.0).margin(1e-9));
    CHECK(kept("lora_b") == Approx(2.0 * inner));
    const Bytes pairs = estimate(job).stages[0][MemoryTerm::adapters];

    job.run.precision.gradients = DataType::fp32;
    CHECK(adapter_format(job.run, job.stack) == AdapterFormat::fp32);
    CHECK(kept("lora_a") == Approx(4.0 * inputs));
    CHECK(kept("lora_b") == Approx(4.0 * inner));
    CHECK(estimate(job).stages[0][MemoryTerm::adapters].value() == Approx(2.0 * pairs.value()));
    CHECK(estimate(job).stages[0].allocated.value() >
          estimate(lora("llama-3.1-8b", linear)).stages[0].allocated.value());

    // What a trainer does, and what is taken where nobody says otherwise.
    job.run.precision = tuned_precision(job.stack, *precision_from("bf16-pure"), Tuning::lora);
    CHECK(adapter_format(job.run, job.stack) == AdapterFormat::autocast);
    CHECK(kept("lora_a") == Approx(2.0 * inputs));

    // Products that take their pair along, and stacks without PEFT, cast nothing.
    CHECK(adapter_format(job.run, catalogue().stack("torchtune")) == AdapterFormat::base);
    job.run.tuning = Tuning::full;
    CHECK(adapter_format(job.run, job.stack) == AdapterFormat::base);
}

TEST_CASE("memory and time count the same adapters of every model of the catalogue", "[adapters]") {
    for (const std::string& name : ids(Room::models)) {
        INFO(name);
        Job job = lora(name, {.rank = 4, .key = true, .attention_out = true, .mlp = true, .lm_head = true});
        if (!validate(job).empty())
            continue;
        const Shape s = shape_of(job);
        double products = 0.0;
        const auto add = [&](const OpList& ops) {
            for (const Operator& op : ops) {
                if (op.adapter)
                    products += op.gemm.n * op.gemm.k * op.gemm.count;
            }
        };
        for (std::int64_t i = 0; i < block_count(job.model); ++i) {
            const LayerKind kind = layer_kind(job.model, i);
            add(layer_ops(job, s, kind.side, kind.moe, 512.0, kind.mixer, kind.mlp));
        }
        add(head_ops(job, s));
        CHECK(products > 0.0);
        CHECK(trained(job) == Approx(products));
    }
}

TEST_CASE("some of q, k and v in one product have a pair each", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    const double apart = trained(job);
    job.stack.layer.fused_qkv = true;
    CHECK(trained(job) == Approx(apart));
    job.run.adapter.key = true;  // all three: one pair
    CHECK(trained(job) == Approx(32.0 * 8.0 * (4096.0 + 4096.0 + 2.0 * 1024.0)));
}

TEST_CASE("autocast keeps copies of frozen weights only where they are saved", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    job.run.precision_name = "bf16-amp";
    job.run.precision = *precision_from("bf16-amp");
    const auto copies = [&] { return estimate(job).stages[0][MemoryTerm::cast_weights].value(); };
    CHECK(copies() > 2.0 * 6.9e9);  // their input gradients read them
    job.run.recompute = Recompute::full;
    CHECK(copies() == 0.0);
    job.run.tuning = Tuning::full;  // cached until the forward pass ends, recomputed or not
    const Shape s = shape_of(job);
    const OpTotals block = totals(layer_ops(job, s, Side::decoder, false, 512.0), weight_bytes(job, s));
    CHECK(block.cached_cast == block.cast);
    CHECK(block.cast.value() > 0.0);
}

TEST_CASE("under DeepSpeed Accelerate makes no copies of weights", "[adapters]") {
    Job job = lora("mixtral-8x7b", {.rank = 16});
    job.cluster = catalogue().cluster("h100", 8).spec;
    job.stack = catalogue().stack("hf-deepspeed");
    job.run.parallel.dp = 8;
    job.run.parallel.zero = 3;
    job.run.global_batch = 8;
    for (const std::string_view precision : {"bf16-mixed", "bf16-amp", "bf16-pure"}) {
        INFO(precision);
        job.run.precision_name = precision;
        job.run.precision = *precision_from(precision);
        const StageMemory m = estimate(job).stages[0];
        CHECK(m[MemoryTerm::cast_weights].value() == 0.0);
        CHECK(m.device.value() < 45e9);  // 47 billion weights over 8 ranks, a block gathered
    }
}

namespace {

/// The operator of the first kind of block by its name.
Operator operator_of(const Job& job, std::string_view name) {
    BlockOps ops;
    fill_ops(job, shape_of(job), ops);
    for (const Operator& op : ops.blocks[0]) {
        if (op.name == name)
            return op;
    }
    return {};
}

}  // namespace

TEST_CASE("a low-rank pair's output is scaled and added, its input's gradient added", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    const double elements = 512.0 * 4096.0;  // tokens of the queries, whose inputs and outputs are 4096 wide
    CHECK(operator_of(job, "lora_b").forward_bytes.value() == Approx(5.0 * 2.0 * elements));
    CHECK(operator_of(job, "lora_b").backward_bytes.value() == Approx(2.0 * 2.0 * elements));
    CHECK(operator_of(job, "lora_a").backward_bytes.value() == Approx(3.0 * 2.0 * elements));
    job.run.adapter.dropout = 0.05;  // a copy and a byte of mask
    CHECK(operator_of(job, "lora_a").forward_bytes.value() == Approx(5.0 * elements));
    job.run.adapter.dropout = 0.0;
    job.stack.layer.adapter_fused = true;  // the product reads what it adds to
    CHECK(operator_of(job, "lora_b").forward_bytes.value() == Approx(2.0 * elements));
    CHECK(operator_of(job, "lora_b").backward_bytes.value() == 0.0);
}

TEST_CASE("one function of product and pair has both gradients of its input", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    const auto down = [&] { return operator_of(job, "down").backward_transient.value(); };
    const double without = down();
    job.run.adapter.mlp = true;
    CHECK(down() == without);
    job.stack.layer.inplace_backward = true;
    CHECK(down() - without == Approx(2.0 * 512.0 * 14336.0));
    job.stack.layer.adapter_fused = true;  // the pair's product adds to it
    CHECK(down() == without);
}

TEST_CASE("after a sum over tensor-parallel ranks a pair is added to a part of the sequence", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8, .query = false, .value = false, .attention_out = true});
    const double whole = operator_of(job, "lora_b").forward_bytes.value();
    job.run.parallel.tp = 4;
    job.run.parallel.sequence_parallel = true;
    CHECK(operator_of(job, "lora_b").forward_bytes.value() == Approx(whole / 4.0));
}

TEST_CASE("a frozen norm takes no gradient of its weight", "[adapters]") {
    Job frozen = lora("llama-3.1-8b", {.rank = 8});
    frozen.stack.layer.norm = NormKernel::composite;
    Job trained = frozen;
    trained.run.tuning = Tuning::full;
    const double elements = 512.0 * 4096.0;
    CHECK(operator_of(trained, "attention_norm").backward_bytes.value() -
              operator_of(frozen, "attention_norm").backward_bytes.value() ==
          Approx(4.0 * 2.0 * elements));
}

TEST_CASE("scales of a quantised weight are made with it", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    CHECK(operator_of(job, "quantised_scales").forward_kernels == 0);
    job.run.tuning = Tuning::qlora;
    job.run.precision_name = "nf4-base";
    job.run.precision = *precision_from("nf4-base");
    CHECK(operator_of(job, "quantised_scales").forward_bytes.value() ==
          Approx(4096.0 * 4096.0 / 64.0 * 13.0));
}

TEST_CASE("quantised experts are made again as dense products are", "[adapters]") {
    Job job = lora("mixtral-8x7b", {.rank = 8});
    const Operator plain = operator_of(job, "expert_down");
    job.run.tuning = Tuning::qlora;
    job.run.precision_name = "nf4-base";
    job.run.precision = *precision_from("nf4-base");
    const Operator made = operator_of(job, "expert_down");
    const double weights = 8.0 * 4096.0 * 14336.0;
    const double stored = bytes_per_element(DataType::nf4).value();
    CHECK((made.forward_bytes - plain.forward_bytes).value() == Approx(weights * (stored + 2.0)));
    CHECK((made.backward_bytes - plain.backward_bytes).value() == Approx(weights * (stored + 2.0)));
    CHECK(made.forward_kernels == plain.forward_kernels + 8);
    // One expert's matrix is there at a time.
    CHECK((made.forward_transient - plain.forward_transient).value() == Approx(weights / 8.0 * 2.0));
}

TEST_CASE("a quantised base is gathered as it is stored", "[adapters]") {
    const auto gathering = [](std::string_view precision, Offload weights, ShardEngine engine) {
        Job job = lora("llama-2-70b", {.rank = 8});
        job.cluster = catalogue().cluster("h200", 2).spec;
        job.run.parallel.dp = 2;
        job.run.parallel.zero = 3;
        job.run.global_batch = 2;
        job.stack.states.shard = engine;
        job.run.offload_parameters = weights;
        job.run.precision_name = precision;
        job.run.precision = *precision_from(precision);
        if (precision == "nf4-base")
            job.run.tuning = Tuning::qlora;
        return estimate(job).step.parts;
    };
    const StepParts wide = gathering("bf16-pure", Offload::none, ShardEngine::fsdp1);
    const StepParts narrow = gathering("nf4-base", Offload::none, ShardEngine::fsdp1);
    const double share = narrow.data_parallel.gathering / wide.data_parallel.gathering;
    CHECK(share > 0.25);  // 4.13 bits a weight, tables of 0.76 % in 16
    CHECK(share < 0.29);
    // So is what a host holds; FSDP1 copies it ahead of the block it is for, FSDP2 does not.
    const StepParts host = gathering("nf4-base", Offload::cpu, ShardEngine::fsdp1);
    CHECK(host.offload.transfers /
              gathering("bf16-pure", Offload::cpu, ShardEngine::fsdp1).offload.transfers ==
          Approx(share).epsilon(0.05));
    CHECK(host.offload.hidden.value() > 0.0);
    CHECK(gathering("nf4-base", Offload::cpu, ShardEngine::fsdp2).offload.hidden.value() == 0.0);
}

TEST_CASE("DeepSpeed's hooks run around each matrix of each expert of a loop", "[adapters]") {
    const auto host = [](std::string_view stack) {
        Job job{catalogue().model("mixtral-8x7b"), catalogue().cluster("h200", 8).spec,
                catalogue().stack(stack), search_jobs::run(512, 1)};
        job.run.parallel.dp = 8;
        job.run.parallel.zero = 3;
        job.run.global_batch = 8;
        const Shape s = shape_of(job);
        BlockOps ops;
        fill_ops(job, s, ops);
        const BlockTable table = block_table(job, s, ops);
        return (table.kinds[0].time.forward.host + table.kinds[0].time.backward.host).value();
    };
    // 31 modules instead of 9, fetched when they are met; and six products an expert, 80 us each.
    const double dense = catalogue().stack("hf-deepspeed").host.per_sharded_block.value();
    const double met = catalogue().stack("hf-deepspeed@4").host.per_sharded_block.value();
    CHECK(met > dense);
    const double more = met * 31.0 / 9.0 - dense + 8.0 * 6.0 * 8e-5;
    const auto modules = [](std::string_view stack) {
        return sharded_modules({catalogue().model("mixtral-8x7b"), catalogue().cluster("h200", 8).spec,
                                catalogue().stack(stack), search_jobs::run(512, 1)});
    };
    CHECK(modules("hf-deepspeed@4") == Approx(31.0 / 9.0));  // and as many messages
    CHECK(modules("hf-deepspeed") == 1.0);
    CHECK(host("hf-deepspeed@4") - host("hf-deepspeed") == Approx(more).epsilon(0.1));
}

TEST_CASE("sharding a block takes the host's time, forward and backward", "[adapters]") {
    Job job = lora("llama-3.1-8b", {.rank = 8});
    job.run.tuning = Tuning::full;
    const auto host = [&] {
        const BlockTable table = [&] {
            const Shape s = shape_of(job);
            BlockOps ops;
            fill_ops(job, s, ops);
            return block_table(job, s, ops);
        }();
        return table.kinds[0].time.forward.host + table.kinds[0].time.backward.host;
    };
    job.stack.host.per_kernel = Seconds{1e-3};  // launch-bound
    const Seconds replica = host();
    job.run.parallel.zero = 3;
    const double more = (host() - replica).value();
    CHECK(more == Approx(job.stack.host.per_sharded_block.value()).epsilon(0.2));
    CHECK(more > 0.0);
    job.stack.states.shard = ShardEngine::deepspeed;  // from stage 3 on, where its hooks gather
    const Seconds gathered = host();
    job.run.parallel.zero = 2;
    CHECK((gathered - host()).value() > 0.8 * job.stack.host.per_sharded_block.value());
}

TEST_CASE("bf16 means what its stack trains in, and under adapters a base that is loaded in bf16",
          "[adapters]") {
    for (const std::string& id : ids(Room::stacks)) {
        CAPTURE(id);
        const StackSpec stack = catalogue().stack(id);
        const bool casts = stack.states.amp != CastMode::none;
        CHECK(precision_meant_by("bf16", stack, Tuning::full) == (casts ? "bf16-amp" : "bf16-mixed"));
        if (wraps_products(stack))
            CHECK(precision_meant_by("bf16", stack, Tuning::lora) == "bf16-mixed");
    }
}
