#include "traincost/io/records.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "traincost/base/error.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/spec/draft/recompute_policies.hpp"

#include "support/one_record.hpp"

using namespace traincost;
using one_record::line;
using one_record::OneRecord;

namespace {

std::string message_of(const std::string& text) {
    try {
        records_from_text(text, "file.jsonl");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("a record file is read line by line, blank lines skipped", "[records]") {
    const RecordFile file = records_from_text(line("a-1") + "\n" + line("a-2"), "file.jsonl");
    REQUIRE(file.records.size() == 2);
    CHECK(file.remarks.empty());
    const RunRecord& r = file.records[0];
    CHECK(r.id == "a-1");
    CHECK(r.model.layers == 32);
    CHECK(r.run.parallel.tp == 2);
    CHECK(r.run.recompute.empty());
    CHECK(*r.measured.step_time_s == 1.5);
    CHECK_FALSE(r.measured.memory_bytes);
    CHECK(r.extra_text("rank") == "8");
}

TEST_CASE("a bad record names file, line and place", "[records]") {
    CHECK(message_of(line("a-1") + "{\"schema\"\n").find("file.jsonl:2") == 0);
    CHECK(message_of(line("a-1") + line("a-1")) == "file.jsonl:2:/id: 'a-1' names two records");
    CHECK(message_of(line("a-1", R"({"step_time_s":"fast"})")).find("file.jsonl:1:/measured/step_time_s") ==
          0);
    CHECK(message_of(line("a-1", R"({"step_time_s":-1})")).find("file.jsonl:1:/measured: ") == 0);
    CHECK(message_of("\n\n").find("file.jsonl: holds no records") == 0);
    CHECK(message_of("[]\n").find("file.jsonl:1") == 0);
}

TEST_CASE("a key the schema does not know is remarked once, with the nearest one it knows", "[records]") {
    const std::string bad = R"({"step_time":1.5})";
    const RecordFile file = records_from_text(line("a-1", bad) + line("a-2", bad), "file.jsonl");
    REQUIRE(file.remarks.size() == 1);
    CHECK(file.remarks[0].find("file.jsonl:1: unknown key 'measured.step_time'") == 0);
    CHECK(file.remarks[0].find("step_time_s") != std::string::npos);
}

TEST_CASE("a record becomes a valid job, and says what it assumed", "[records]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const RecordFile file = records_from_text(line("a-1"), "file.jsonl");
    const RecordJob job = job_of(file.records[0], look_up);
    REQUIRE(job.job);
    CHECK(validate(*job.job).empty());
    CHECK(job.job->model.norm.kind == NormKind::rmsnorm);
    CHECK(job.job->run.parallel.zero == 1);
    CHECK_FALSE(job.assumptions.empty());
}

TEST_CASE_METHOD(OneRecord, "a record that cannot become a job says why", "[records]") {
    record.run.precision = "bf17";
    CHECK(job_of(record, look_up).reason == "run.precision 'bf17' is not known");
    record.run.precision = "bf16-mixed";
    record.run.sequence = 0;
    CHECK(job_of(record, look_up).reason == "run.sequence is not stated");
    record.run.sequence = 4096;
    record.cluster.accelerator = "abacus";
    CHECK(job_of(record, look_up).reason.find("abacus") != std::string::npos);
}

TEST_CASE_METHOD(OneRecord, "a stranger's spellings of what a record states are understood", "[records]") {
    record.run.stack = "NeMo";
    record.run.precision = "BF16_mixed";
    record.run.optimizer = "AdamW";
    record.run.recompute = "Full";
    record.run.attention_kernel = "FlashAttention-2";
    record.run.offload = "None";
    record.run.parallel.zero.reset();
    const RecordJob job = job_of(record, look_up);
    INFO(job.reason);
    REQUIRE(job.job);
    CHECK(job.job->stack.id == "nemo");
    CHECK(job.job->run.parallel.zero == 1);  // what its recipes set, whatever the case of its name
    CHECK(job.job->run.precision_name == "bf16-mixed");
    CHECK(job.job->run.recompute == Recompute::full);
    CHECK(job.job->run.attention == AttentionKernel::flash);
    record.run.stack = "MaxText";
    record.cluster.accelerator = "TPU v5e";
    CHECK(described().stack.id == "maxtext");
    record.cluster.accelerator = "H100";
    CHECK(described().stack.id == "maxtext-gpu");
}

TEST_CASE_METHOD(OneRecord, "a word that names no loss or resharding is said to be taken for none",
                 "[records]") {
    record.run.loss = "chunked";
    record.run.reshard = "never";
    const std::size_t known = job_of(record, look_up).assumptions.size();
    record.run.loss = "cut_cross_entropy";
    record.run.reshard = "sometimes";
    const RecordJob job = job_of(record, look_up);
    REQUIRE(job.job);
    CHECK_FALSE(job.job->run.loss);
    CHECK(job.assumptions.size() == known + 2);
    CHECK(std::count_if(job.assumptions.begin(), job.assumptions.end(), [](const std::string& a) {
              return a == "loss 'cut_cross_entropy' is not known: the stack's is taken";
          }) == 1);
}

TEST_CASE_METHOD(OneRecord, "counts that the others leave no choice for are completed and said",
                 "[records]") {
    record.run.parallel.dp = 1;
    record.run.global_batch = 0;
    record.run.accumulation = 32;
    const RecordJob job = job_of(record, look_up);
    REQUIRE(job.job);
    CHECK(job.job->run.parallel.dp == 4);
    CHECK(job.job->run.global_batch == 128);
    CHECK(std::count_if(job.assumptions.begin(), job.assumptions.end(), [](const std::string& a) {
              return a.find("is not stated") != std::string::npos;
          }) >= 2);
    record.run.accumulation.reset();
    CHECK(job_of(record, look_up).reason == "run.global_batch is not stated");
}

TEST_CASE_METHOD(OneRecord, "Transformers under DeepSpeed is a stack of its own", "[records]") {
    record.run.parallel = {.dp = 8, .zero = 3};
    record.run.stack = "deepspeed";
    CHECK(described().stack.id == "deepspeed");
    record.run.stack_version = "DeepSpeed 0.14, Transformers 4.40";
    CHECK(described().stack.id == "hf-deepspeed");
    record.run.stack = "hf-transformers";
    CHECK(described().stack.id == "hf-deepspeed");
    // Transformers under stage 3 is no baseline beside a Megatron table.
    for (const std::string stated : {"hf-deepspeed", "hf-transformers"}) {
        record.run.stack = stated;
        record.run.stack_version = "PyTorch Lightning, DeepSpeed ZeRO-3";
        CHECK(described().stack.id == "hf-deepspeed");
    }
    // Experts were a loop until the end of 2025.
    record.model.moe = RecordMoe{.experts = 8, .top_k = 2, .ffn = 14336};
    record.source_year = 2024;
    CHECK(described().stack.id == "hf-deepspeed@4");
    record.source_year = 2026;
    CHECK(described().stack.id == "hf-deepspeed");
}

TEST_CASE_METHOD(OneRecord, "Transformers' layers in a pipeline are DeepSpeed's", "[records]") {
    record.run.stack_version = "DeepSpeed 0.17.1 PipelineModule, Transformers Qwen3 layers";
    record.run.parallel.pp = 2;
    record.run.parallel.dp = 2;
    for (const std::string& stack : {"deepspeed", "hf-deepspeed"}) {
        record.run.stack = stack;
        CHECK(described().stack.id == "deepspeed@transformers");
    }
}

TEST_CASE_METHOD(OneRecord, "torchtitan's tables are compiled unless they say otherwise", "[records]") {
    record.run.stack = "torchtitan";
    const auto compiled = [&](const std::string& version, std::optional<bool> stated) {
        record.run.stack_version = version;
        record.run.compile = stated;
        const Job job = described();
        return is_compiled(job.run, job.stack);
    };
    CHECK(compiled("torchtitan 820504e (Jun 2025)", std::nullopt));
    CHECK_FALSE(compiled("torchtitan 820504e (Jun 2025)", false));
    CHECK_FALSE(compiled("torchtitan (Apr 2024)", std::nullopt));
    CHECK(compiled("torchtitan (Apr 2024)", true));
}

TEST_CASE_METHOD(OneRecord, "torchtitan's release is that of its months", "[records]") {
    record.run.stack = "torchtitan";
    record.source_year = 2025;
    record.run.stack_version = "torchtitan of January 2025, torch nightly";
    CHECK(described().stack.id == "torchtitan@2024");
    record.run.stack_version = "torchtitan of September 2025";
    CHECK(described().stack.id == "torchtitan@2025");
}

TEST_CASE_METHOD(OneRecord, "a torch built from its source tree runs FlashAttention-2 in torchtitan",
                 "[records]") {
    record.run.stack = "torchtitan";
    record.source_year = 2026;
    record.run.attention_kernel = "flash";
    record.run.stack_version = "torchtitan (2026-05), torch 2.13.0a0+git85cb48a, CUDA 13.1";
    CHECK(described().stack.attention.generation == AttentionGeneration::flash2);
    record.run.stack_version = "torchtitan (2026-05), torch 2.13.0.dev20260501+cu131";
    CHECK(described().stack.attention.generation == AttentionGeneration::flash4);
}

TEST_CASE_METHOD(OneRecord, "a FlashAttention that is named takes no mask in a compiled model either",
                 "[records]") {
    record.run.stack = "hf-transformers";
    record.run.parallel.tp = 1;
    record.run.parallel.dp = 8;
    const auto attention = [&](const std::string& kernel, bool compile) {
        record.run.attention_kernel = kernel;
        record.run.compile = compile;
        return estimate(described()).step[StepTerm::attention].value();
    };
    CHECK(attention("flash2", true) == Approx(attention("flash2", false)));
    CHECK(attention("flash", true) > 1.5 * attention("flash", false));
}

TEST_CASE_METHOD(OneRecord, "DeepEP under Megatron-Core sends a token to a node once", "[records]") {
    record.run.stack = "megatron-core";
    record.model.moe = RecordMoe{.experts = 8, .top_k = 2, .ffn = 14336};
    record.run.parallel = {.dp = 8, .ep = 8, .zero = 1};
    CHECK_FALSE(described().stack.experts.token_dispatch);
    record.run.stack_version = "Megatron-Core 0.12, DeepEP";
    CHECK(described().stack.id == "megatron-core@deepep");
    CHECK(described().stack.experts.token_dispatch);
}

TEST_CASE_METHOD(OneRecord, "what was called FlashAttention in its year", "[records]") {
    record.run.stack = "flash-attention";
    record.source_year = 2023;
    CHECK(described().stack.attention.generation == AttentionGeneration::flash2);
    record.source_year = 2022;
    CHECK(described().stack.attention.generation == AttentionGeneration::memory_efficient);
    record.run.attention_kernel = "FlashAttention-2";
    CHECK(described().stack.attention.generation == AttentionGeneration::flash2);
}

TEST_CASE("degrees of parallelism that cannot be are refused by name", "[records]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    for (const std::int64_t degree : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 62}) {
        RunRecord record = records_from_text(line("a-1"), "file.jsonl").records[0];
        record.run.parallel.pp = degree;
        CHECK_FALSE(job_of(record, look_up).job);
        CHECK(job_of(record, look_up).reason.find("run.parallel.pp is") == 0);
    }
}

TEST_CASE_METHOD(OneRecord, "a record's power limit slows its accelerators, and an absurd one is refused",
                 "[records]") {
    record.cluster.accelerator = "b200-sxm-180gb";
    const double full = estimate(described()).step.total.value();
    record.cluster.power_limit_w = 500.0;
    const double limited = estimate(described()).step.total.value();
    CHECK(limited > 1.1 * full);
    record.cluster.power_limit_w = 20.0;
    CHECK_FALSE(job_of(record, look_up).job);
    CHECK(job_of(record, look_up).reason.find("power_limit_W") != std::string::npos);
}

TEST_CASE_METHOD(OneRecord, "a record states the capacity of its experts and how tokens reach them",
                 "[records]") {
    const auto run_with = [&](const std::string& words) {
        record = records_from_text(line("a-1", R"({"step_time_s":1.5})", words), "file.jsonl").records[0];
        return job_of(record, look_up);
    };
    CHECK(run_with("").job->run.expert_imbalance == 1.0);
    CHECK_FALSE(run_with("").job->run.expert_one_hot);
    const RecordJob stated = run_with(R"(,"expert_imbalance":1.25,"expert_one_hot":true)");
    CHECK(stated.job->run.expert_imbalance == 1.25);
    CHECK(stated.job->run.expert_one_hot);
    CHECK_FALSE(validate(*run_with(R"(,"expert_imbalance":0.5)").job).empty());
}

TEST_CASE_METHOD(OneRecord, "a policy of XLA says what runs again, stated or usual", "[records]") {
    const auto modules = [&] {
        const RecordJob made = job_of(record, look_up);
        CHECK(made.job->run.recompute == Recompute::selective);
        return made.job->run.recompute_modules;
    };
    record.run.stack = "maxtext";
    CHECK(modules() == recompute_policy("save_qkv_proj")->modules);
    record.run.recompute = "selective";
    for (const std::string policy : {"minimal_flash", "save_dot_with_context_except_mlp", "save_qkv_proj"}) {
        record.run.recompute_note = "selective (" + policy + ")";
        CHECK(modules() == recompute_policy(policy)->modules);
    }
    record.run.recompute.clear();
    record.cluster.accelerator = "tpu-v5p";
    CHECK(described().run.recompute == Recompute::full);
}

TEST_CASE_METHOD(OneRecord, "GPT-2 of Transformers before 4.46 widens no logits", "[records]") {
    record.run.stack = "hf-deepspeed";
    record.model.family = "gpt2";
    record.source_year = 2022;
    CHECK(described().stack.head.loss == LossKernel::logits_format);
    record.source_year = 2025;
    CHECK(described().stack.head.loss == LossKernel::fp32_logits);
    record.source_year = 2022;
    record.model.family = "llama";
    CHECK(described().stack.head.loss == LossKernel::fp32_logits);
}
