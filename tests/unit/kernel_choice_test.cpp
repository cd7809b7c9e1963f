// Which kernels run where there is none for what was asked, on every accelerator and stack of the catalogue.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <traincost/base/error.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/kernels.hpp>
#include <traincost/cost/kernels/gemm.hpp>
#include <traincost/cost/kernels/kernel_choice.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/plan/vocabulary_padding.hpp>

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

Job job_of(std::string_view model, std::string_view cluster, std::string_view stack,
           std::string_view precision, std::int64_t sequence = 1024) {
    Job job{catalogue().model(model), catalogue().cluster(cluster, 1).spec, catalogue().stack(stack),
            search_jobs::run(sequence, 8)};
    job.run.micro_batch = 8;
    job.run.precision_name = precision;
    job.run.precision = stack_precision(job.stack.states, *precision_from(precision));
    return job;
}

bool xla(const StackSpec& stack) {
    return stack.states.shard == ShardEngine::xla || stack.layer.tensor_parallel == TensorParallelKind::xla;
}

}  // namespace

TEST_CASE("no stack runs a 16-bit flash kernel on fp32 operands, but XLA's", "[kernel_choice]") {
    for (const std::string& name : ids(Room::stacks)) {
        INFO(name);
        for (const std::string_view precision : {"tf32", "fp32"}) {
            const Job grouped = job_of("llama-3.2-1b", "h100", name, precision);
            const Job single = job_of("gpt2-124m", "h100", name, precision);
            if (xla(grouped.stack)) {
                CHECK(substitutions(grouped).empty());
                continue;
            }
            if (grouped.stack.attention.kernel == AttentionKernel::math)
                continue;
            const bool repeats = grouped.stack.attention.repeats_kv;
            CHECK(attention_in_force(grouped).kernel ==
                  (repeats ? AttentionKernel::flash : AttentionKernel::math));
            CHECK(attention_in_force(single) ==
                  AttentionChoice{AttentionKernel::flash, AttentionGeneration::memory_efficient});
            CHECK_FALSE(substitutions(grouped).empty());
        }
        const Job narrow = job_of("llama-3.2-1b", "h100", name, "bf16-mixed");
        CHECK(attention_in_force(narrow).kernel == narrow.stack.attention.kernel);
        CHECK(attention_in_force(narrow).generation == narrow.stack.attention.generation);
    }
}

TEST_CASE("kernels of flash-attn and Transformer Engine do not run where matrix units lack bf16",
          "[kernel_choice]") {
    int unfused = 0;
    int fused = 0;
    for (const std::string& name : ids(Room::stacks)) {
        for (const std::string_view cluster : {"v100", "t4"}) {
            INFO(name << " on " << cluster);
            const Job job = job_of("gpt2-124m", cluster, name, "fp16-mixed");
            const AttentionChoice runs = attention_in_force(job);
            if (xla(job.stack) || job.stack.attention.kernel == AttentionKernel::math) {
                CHECK(runs.kernel == job.stack.attention.kernel);
                continue;
            }
            const bool package = job.stack.layer.tensor_parallel == TensorParallelKind::megatron ||
                                 job.stack.attention.generation == AttentionGeneration::flash_triton;
            CHECK(runs.kernel == (package ? AttentionKernel::math : AttentionKernel::flash));
            CHECK(substitutions(job).size() == (package ? 1 : 0));
            (package ? unfused : fused) += 1;
            if (!package)
                continue;
            CHECK(substitutions(job).front().find("need bf16 matrix units") != std::string::npos);
            Job efficient = job;  // whoever says xFormers has it
            efficient.run.attention_generation = AttentionGeneration::memory_efficient;
            CHECK(attention_in_force(efficient).kernel == AttentionKernel::flash);
            CHECK(estimate(job).step.total > estimate(efficient).step.total);
        }
    }
    CHECK(unfused >= 16);
    CHECK(fused >= 16);
    for (const std::string_view stack : {"megatron-core", "gpt-neox", "nanotron", "deepspeed"})
        CHECK(attention_in_force(job_of("gpt2-124m", "v100", stack, "fp16-mixed")).kernel ==
              AttentionKernel::math);
    for (const std::string_view stack : {"pytorch", "hf-transformers", "hf-deepspeed", "litgpt"})
        CHECK(attention_in_force(job_of("gpt2-124m", "v100", stack, "fp16-amp")).kernel ==
              AttentionKernel::flash);
}

// Own H200 step of Transformers 5.17, torch 2.11, 2026-11-22: 679 ms and 115.9 GiB allocated.
TEST_CASE("Llama-3.2-1B in tf32 writes its scores to memory", "[kernel_choice]") {
    Job job = job_of("llama-3.2-1b", "h200", "hf-transformers", "tf32", 4096);
    job.run.micro_batch = job.run.global_batch = 2;
    const Estimate e = estimate(job);
    CHECK(e.stages[0].allocated.value() / std::pow(2.0, 30) == Approx(115.9).epsilon(0.05));
    CHECK(e.step.total.value() == Approx(0.679).epsilon(0.12));
}

// Llama-2-70B's heads, 8192 tokens: one causal kernel over 1024 tokens, seven over half the keys or half the
// queries. cuDNN 9.19 on one H200, torch 2.11, 2026-11-23: 276 and 1108 us, where one kernel over all keys
// takes 213 and 731.
TEST_CASE("attention around a ring runs a kernel for each block", "[kernel_choice]") {
    Job job = job_of("llama-2-70b", "h200", "megatron-core", "bf16-mixed", 8192);
    job.cluster = catalogue().cluster("h200", 8).spec;
    job.run.parallel.cp = 8;
    job.run.micro_batch = job.run.global_batch = 1;
    const OpList ops = layer_ops(job, shape_of(job), Side::decoder, false, 8192.0);
    const auto attention =
        std::find_if(ops.begin(), ops.end(), [](const Operator& op) { return op.kind == OpKind::attention; });
    REQUIRE(attention != ops.end());
    CHECK(attention->forward_kernels == 8);
    const auto us = [&](Pass pass) {
        return operator_time(*attention, pass, kernel_context(job)).value() * 1e6;
    };
    CHECK(us(Pass::forward) == Approx(276).epsilon(0.15));
    CHECK(us(Pass::backward) == Approx(1108).epsilon(0.2));
    const double ring = us(Pass::forward);
    job.stack.attention.ring_launches = 0.0;
    CHECK(us(Pass::forward) < ring * 0.9);
}

// scaled_dot_product_attention and products on one H200, torch 2.11, 2026-11-22, milliseconds.
TEST_CASE("fp32 attention and tf32 products take what an H200 takes", "[kernel_choice]") {
    const Job job = job_of("gpt2-124m", "h200", "pytorch", "tf32");
    const KernelContext c = kernel_context(job);
    struct Row {
        double batch, heads, sequence, dim, forward, backward;
    };
    for (const Row& r : {Row{8, 12, 1024, 64, 0.483, 1.268}, Row{4, 16, 4096, 64, 4.21, 10.46},
                         Row{2, 16, 4096, 128, 3.22, 10.0}}) {
        const AttentionShape a{r.batch,    r.heads, r.heads, r.sequence, r.sequence,
                               r.sequence, r.dim,   r.dim,   true};
        CHECK(attention_forward_time(a, c.attention).value() * 1e3 == Approx(r.forward).epsilon(0.2));
        CHECK(attention_backward_time(a, c.attention).value() * 1e3 == Approx(r.backward).epsilon(0.25));
    }
    const auto ms = [&](double n, double k) {
        return gemm_time({8192, n, k}, GemmPass::forward, c.plain_gemm).value() * 1e3;
    };
    CHECK(ms(50257, 768) == Approx(4.92).epsilon(0.15));
    CHECK(ms(50260, 768) == Approx(1.69).epsilon(0.25));  // whole steps of 16 bytes
    CHECK(ms(50257, 1600) == Approx(9.97).epsilon(0.15));
    const KernelContext plain = kernel_context(job_of("gpt2-124m", "h200", "pytorch", "fp32"));
    const double odd = gemm_time({8192, 50257, 768}, GemmPass::forward, plain.plain_gemm).value();
    const double even = gemm_time({8192, 50304, 768}, GemmPass::forward, plain.plain_gemm).value();
    CHECK(odd == Approx(even).epsilon(0.02));  // fp32 units need no alignment: 12.36 and 12.30
    CHECK(odd * 1e3 == Approx(12.36).epsilon(0.2));
}

TEST_CASE("matrix units that take fp16 alone leave bf16 to the fp32 units, and it is said",
          "[kernel_choice]") {
    int emulating = 0;
    for (const std::string& id : ids(Room::accelerators)) {
        INFO(id);
        std::optional<AcceleratorSpec> read;
        try {
            read = catalogue().accelerator(id);
        } catch (const Error&) {
            continue;  // no rates or no memory are published
        }
        const AcceleratorSpec& a = *read;
        const auto own = a.peak[static_cast<std::size_t>(DataType::bf16)];
        if (!a.peak[static_cast<std::size_t>(DataType::fp16)] || own) {
            CHECK_FALSE(emulates(a, DataType::bf16));
            continue;
        }
        CHECK(emulates(a, DataType::bf16));
        CHECK(sixteen_bit_rate(a) == a.peak[static_cast<std::size_t>(DataType::fp16)]);
        const auto rate = peak_rate(a, DataType::bf16);
        if (rate) {
            ++emulating;
            CHECK(rate == peak_rate(a, DataType::fp32));
            CHECK(*rate < *peak_rate(a, DataType::fp16));
        }
    }
    CHECK(emulating >= 10);
    for (const std::string_view cluster : {"v100", "t4", "p100", "rtx-2080-ti"}) {
        INFO(cluster);
        const Job bf16 = job_of("gpt2-124m", cluster, "pytorch", "bf16-amp");
        const Job fp16 = job_of("gpt2-124m", cluster, "pytorch", "fp16-amp");
        REQUIRE(substitutions(bf16).size() == 2);
        CHECK(substitutions(bf16)[0].find("emulated") != std::string::npos);
        CHECK(substitutions(fp16).empty());
        CHECK(attention_in_force(bf16).kernel == AttentionKernel::math);
        CHECK(estimate(bf16).step.total > estimate(fp16).step.total);
    }
}

TEST_CASE("a compiler pads products off the 16-byte grid, an eager stack pays for them", "[kernel_choice]") {
    Job job = job_of("gpt2-124m", "h200", "hf-transformers", "bf16-amp");
    const auto gemm = [&](std::int64_t vocab, bool compile) {
        Job other = job;
        other.model.vocab = vocab;
        other.run.compile = compile;
        return estimate(other).step[StepTerm::gemm].value();
    };
    CHECK(gemm(50257, true) == Approx(gemm(50264, true)).epsilon(1e-3));
    CHECK(gemm(50257, false) > 1.5 * gemm(50264, false));
    for (const std::string& name : ids(Room::stacks)) {
        INFO(name);
        Job of_stack = job;
        of_stack.stack = catalogue().stack(name);
        const KernelContext c = kernel_context(of_stack);
        CHECK(c.gemm.pads == of_stack.stack.layer.compile);
    }
}

TEST_CASE("a padded vocabulary is advised where it pays, and only there", "[kernel_choice]") {
    Job job = job_of("gpt2-124m", "h200", "hf-transformers", "bf16-amp");
    const Estimate e = estimate(job);
    const auto padding = paying_padding(job, e.step.total);
    REQUIRE(padding);
    CHECK(padding->vocabulary == 50304);
    CHECK(padding->faster > 0.1);
    CHECK(padding->step < e.step.total);
    job.model.vocab = 50304;
    CHECK_FALSE(paying_padding(job, estimate(job).step.total));
    job.model.vocab = 50257;
    job.run.compile = true;
    CHECK_FALSE(paying_padding(job, estimate(job).step.total));
    job.run.compile = false;
    job.stack = catalogue().stack("megatron-core");  // pads to 128
    CHECK_FALSE(paying_padding(job, estimate(job).step.total));
}

TEST_CASE("a vendor's kernels are its accelerators' alone: elsewhere the same stack calls FlashAttention-2",
          "[kernel_choice]") {
    const AttentionGeneration pallas = AttentionGeneration::flash_pallas;
    const AttentionGeneration aiter = AttentionGeneration::flash_aiter;
    for (const std::string& name : ids(Room::accelerators)) {
        INFO(name);
        std::optional<AcceleratorSpec> a;
        try {
            a = catalogue().accelerator(name);
        } catch (const Error&) {
            continue;  // no rates or no memory are published
        }
        const KernelModels kernels = kernel_models_of(*a, catalogue().bench());
        const auto own = attention_model(*a, kernels, pallas, DataType::bf16);
        const auto other = attention_model(*a, kernels, AttentionGeneration::flash2, DataType::bf16);
        REQUIRE(own.has_value() == other.has_value());
        if (!own)
            continue;
        if (name.starts_with("tpu"))
            CHECK(own->fit->forward.efficiency[2] ==
                  Approx(0.49 * other->fit->forward.efficiency[2]).epsilon(1e-3));
        else
            CHECK(own->fit == other->fit);
        const auto amd = attention_model(*a, kernels, aiter, DataType::bf16);
        REQUIRE(amd);
        if (a->architecture.starts_with("CDNA") && a->architecture >= "CDNA3") {
            CHECK(amd->fit->backward.efficiency[2] > 2 * other->fit->backward.efficiency[2]);
            const auto latest = attention_model(*a, kernels, AttentionGeneration::flash4, DataType::bf16);
            CHECK(latest->fit == amd->fit);
        } else {
            CHECK(amd->fit == other->fit);
        }
    }
}
