// What a record's notes and versions say that none of its fields does.

#include <optional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "support/one_record.hpp"

using namespace traincost;
using one_record::OneRecord;

TEST_CASE_METHOD(OneRecord, "a version that names Liger has its kernels, unless it says that they are off",
                 "[records]") {
    record.run.stack = "hf-transformers";
    const auto stack = [&](const char* version) {
        record.run.stack_version = version;
        return described().stack.id;
    };
    CHECK(stack("TRL on Transformers, Liger kernels, flash-attn").starts_with("liger"));
    CHECK(stack("HF Trainer FSDP1 + Liger-Kernel").starts_with("liger"));
    CHECK_FALSE(stack("HF Trainer FSDP1 (no Liger)").starts_with("liger"));
    CHECK_FALSE(stack("HF Trainer FSDP1").starts_with("liger"));
}

TEST_CASE_METHOD(OneRecord, "a note says whether a step is compiled, where the record itself does not",
                 "[records]") {
    const auto compiled = [&](const char* stack, const char* notes, std::optional<bool> stated = {}) {
        record.run.stack = stack;
        record.run.stack_version = "2026";
        record.notes = notes;
        record.run.compile = stated;
        const Job job = described();
        return is_compiled(job.run, job.stack);
    };
    for (const char* stack : {"torchtitan", "pytorch", "hf-transformers", "olmo-core"}) {
        INFO(stack);
        CHECK_FALSE(compiled(stack, "Table 1; no compile; seq 8192"));
        CHECK_FALSE(compiled(stack, "gradients clipped, not compiled"));
        CHECK(compiled(stack, "vanilla TP; torch.compile"));
        CHECK_FALSE(compiled(stack, "vanilla TP; torch.compile", false));
        CHECK(compiled(stack, "no compile", true));
    }
    record.notes.clear();
    record.run.compile.reset();
    record.run.stack = "pytorch";
    for (const auto& [version, expected] :
         {std::pair{"PyTorch 2.7 FSDP + torch.compile", true}, std::pair{"PyTorch 2.7 FSDP", false},
          std::pair{"torch 2.9, without torch.compile", false}}) {
        INFO(version);
        record.run.stack_version = version;
        const Job job = described();
        CHECK(is_compiled(job.run, job.stack) == expected);
    }
}

TEST_CASE_METHOD(OneRecord, "a note says how fp8 is scaled and whether tensor parallelism is asynchronous",
                 "[records]") {
    const auto scaling = [&](const char* precision, const char* note) {
        record.run.precision = precision;
        record.run.precision_note = note;
        return described().run.fp8_scaling;
    };
    CHECK(scaling("fp8-mixed", "fp8 rowwise") == Fp8Scaling::rowwise);
    CHECK(scaling("fp8-mixed", "fp8 (per-tensor current scaling)") == Fp8Scaling::tensorwise);
    CHECK(scaling("fp8-mixed", "blockwise, 128 x 128") == Fp8Scaling::blockwise);
    CHECK_FALSE(scaling("fp8-mixed", "fp8 (hybrid)"));
    CHECK_FALSE(scaling("mxfp8-mixed", "rowwise"));
    record.run.stack = "torchtitan";
    const auto overlapped = [&](const char* notes) {
        record.notes = notes;
        return described().run.parallel.tp_overlap;
    };
    CHECK(overlapped("torch.compile + async TP") == true);
    CHECK_FALSE(overlapped("vanilla TP; torch.compile"));
    CHECK_FALSE(overlapped("REDUCE_SCATTER, no async TP"));
    record.run.parallel.tp_overlap = false;
    CHECK(overlapped("async TP") == false);
}

TEST_CASE_METHOD(OneRecord, "a note says which blocks run again", "[records]") {
    record.run.recompute = "full";
    const auto every = [&](const char* note) {
        record.run.recompute_note = note;
        return described().run.recompute_every;
    };
    CHECK(every("full") == 1);
    CHECK(every("gradient checkpointing of every block; 8 GPUs") == 1);
    CHECK(every("every 2 blocks") == 2);
    CHECK(every("every 4th layer") == 4);
    CHECK(every("checkpointing every other layer") == 2);
    CHECK(every("every 10 steps a checkpoint is written") == 1);
    record.run.recompute_note = "recompute_method block, recompute_num_layers 12";
    CHECK(described().run.recompute_layers == 12);
    record.run.recompute_note = "recompute_method uniform, recompute_num_layers 1";
    CHECK_FALSE(described().run.recompute_layers);
}

TEST_CASE_METHOD(OneRecord, "notes say an adapter's rank and targets where no field does", "[records]") {
    record.task = "lora";
    record.run.stack = "hf-transformers";
    const auto adapter = [&](const char* notes) {
        record.notes = notes;
        return described().run.adapter;
    };
    CHECK(adapter("median of 8 steps").rank == 8);
    const AdapterSpec all = adapter("FSDP=16; LoRA rank 32 on all linear layers; padded to 4096");
    CHECK(all.rank == 32);
    CHECK((all.query && all.key && all.value && all.attention_out && all.mlp));
    const AdapterSpec two = adapter("LoRA of rank 64 on q and v; k is frozen");
    CHECK(two.rank == 64);
    CHECK((two.query && two.value && !two.key && !two.attention_out && !two.mlp));
    const AdapterSpec four = adapter("LoRA, rank 16 on q_proj, k_proj, v_proj and o_proj.");
    CHECK(four.rank == 16);
    CHECK((four.query && four.key && four.value && four.attention_out && !four.mlp));
    CHECK(adapter("rank 0 (first pipeline stage); LoRA").rank == 8);
}
