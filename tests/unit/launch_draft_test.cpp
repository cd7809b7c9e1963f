#include <algorithm>

#include <traincost/import/importers.hpp>
#include <traincost/import/launch_draft.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

LaunchDraft draft_of(std::vector<LaunchFile> files) {
    static const Catalogue catalogue;
    return launch_draft(read_launch_files(files), catalogue);
}

}  // namespace

TEST_CASE("a launch file's facts become a draft that says where each stands", "[import][draft]") {
    const LaunchDraft read = draft_of({{"train.yaml", R"(base_model: NousResearch/Meta-Llama-3.1-8B-Instruct
sequence_len: 4096
micro_batch_size: 2
gradient_accumulation_steps: 8
adapter: lora
lora_r: 16
lora_alpha: 32
bf16: true
optimizer: paged_adamw_8bit
gradient_checkpointing: true
flash_attention: true
datasets:
  - path: a/b
)"}});
    const JobDraft& d = read.draft;
    CHECK(d.sequence.value == 4096);
    CHECK(d.sequence.where == "train.yaml:2 sequence_len");
    CHECK(d.micro_batch.value == 2);
    CHECK(d.accumulation.value == 8);
    CHECK_FALSE(d.global_batch);
    CHECK(d.lora_rank.value == 16);
    CHECK(d.precision.value == "bf16");
    CHECK(d.optimizer.value == Optimizer::paged_adam8bit);
    CHECK(d.recompute->kind == Recompute::full);
    CHECK(d.attention.value == AttentionKernel::flash);
    CHECK(d.stack.value == "hf-transformers");
}

TEST_CASE("a hub's name of a checkpoint is the catalogue's model of its shape", "[import][draft]") {
    LaunchReading reading;
    static const Catalogue catalogue;
    for (const char* name : {"meta-llama/Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct",
                             "/ckpt/llama-3.1-8b", "unsloth/Llama-3.1-8B-Instruct-bnb-4bit"}) {
        INFO(name);
        reading.facts[Fact::model] = {std::string(name), "train.yaml:1 model"};
        CHECK(launch_draft(reading, catalogue).draft.model.value == "llama-3.1-8b");
    }
    reading.facts[Fact::model] = {std::string("acme/unheard-of"), "train.yaml:1 model"};
    CHECK(launch_draft(reading, catalogue).draft.model.value == "acme/unheard-of");
}

TEST_CASE("dimensions that one model has name it, those of several ask for a name", "[import][draft]") {
    LaunchReading reading;
    static const Catalogue catalogue;
    reading.facts[Fact::model] = {ModelDimensions{{"layers", 126}, {"hidden", 16384}, {"heads", 128}},
                                  "x.sh:3"};
    CHECK(launch_draft(reading, catalogue).draft.model.value == "llama-3.1-405b");
    reading.facts[Fact::model] = {ModelDimensions{{"layers", 32}, {"hidden", 4096}, {"heads", 32}}, "x.sh:3"};
    const LaunchDraft several = launch_draft(reading, catalogue);
    CHECK_FALSE(several.draft.model);
    CHECK(several.unread.empty());
    CHECK(several.model_hint.find("x.sh:3 says layers 32, hidden 4096, heads 32, the dimensions of ") == 0);
}

TEST_CASE("what is not modelled is said, not guessed", "[import][draft]") {
    LaunchReading reading;
    static const Catalogue catalogue;
    reading.facts[Fact::optimizer] = {std::string("shampoo"), "a.yaml:4 optim"};
    reading.facts[Fact::recompute] = {std::string("qkv_proj_offloaded"), "a.yaml:5 remat_policy"};
    reading.facts[Fact::offload] = {std::string("nvme (optimizer)"), "a.json:2"};
    const LaunchDraft read = launch_draft(reading, catalogue);
    CHECK_FALSE(read.draft.optimizer);
    CHECK_FALSE(read.draft.recompute);
    CHECK(read.draft.offload_optimizer.value == Offload::nvme);
    CHECK(read.unread ==
          std::vector<std::string>{"a.yaml:4 optim: optimizer 'shampoo' is not modelled",
                                   "a.yaml:5 remat_policy: recompute 'qkv_proj_offloaded' is not modelled"});
}

TEST_CASE("each format's trainer is a stack of the catalogue", "[import][draft]") {
    static const Catalogue catalogue;
    // Launchers start any trainer; the others have no record of their own yet.
    const std::vector<std::string_view> none = {"launcher", "fast-llm", "veomni"};
    for (const std::string_view format : launch_formats()) {
        CAPTURE(format);
        const bool known = catalogue.find(Room::stacks, std::string(format)).has_value();
        CHECK(known == (std::find(none.begin(), none.end(), format) == none.end()));
    }
}

TEST_CASE("a trainer that is handed to DeepSpeed is another stack", "[import][draft]") {
    const LaunchFile arguments{
        "args.json", R"({"per_device_train_batch_size": 4, "gradient_accumulation_steps": 1, "bf16": true})"};
    CHECK(draft_of({arguments}).draft.stack.value == "hf-transformers");
    const LaunchFile zero{"ds.json",
                          R"({"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"})"};
    const LaunchDraft under = draft_of({arguments, zero});
    CHECK(under.draft.stack.value == "hf-deepspeed");
    CHECK(under.draft.stack.where == "a launch file of hf-arguments under DeepSpeed");
    const std::string recipe =
        "base_model: a/b\nsequence_len: 4096\nmicro_batch_size: 2\n"
        "datasets:\n  - path: a/b\ngradient_accumulation_steps: 8\n";
    CHECK(draft_of({{"a.yaml", recipe}}).draft.stack.value == "hf-transformers");
    CHECK(draft_of({{"a.yaml", recipe + "deepspeed:\n"}}).draft.stack.value == "hf-transformers");
    CHECK(
        draft_of({{"a.yaml", recipe + "deepspeed: deepspeed_configs/zero3_bf16.json\n"}}).draft.stack.value ==
        "hf-deepspeed");
}

TEST_CASE("what shares a scale in fp8 products is stated in each framework's words", "[import][draft]") {
    const auto read = [](const std::string& text, const char* name) {
        return draft_of({{name, text}}).draft;
    };
    const auto megatron = [&](const char* recipe) {
        return read(
            "torchrun pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 "
            "--seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --fp8-format hybrid "
            "--fp8-recipe " +
                std::string(recipe) + "\n",
            "train.sh");
    };
    CHECK(megatron("delayed").fp8_scaling.value == Fp8Scaling::tensorwise);
    CHECK(megatron("blockwise").fp8_scaling.value == Fp8Scaling::blockwise);
    CHECK_FALSE(megatron("mxfp8").fp8_scaling);
    CHECK(megatron("mxfp8").precision.value == "mxfp8-mixed");
    const auto titan = [&](const char* rest) {
        return read("[model]\nname = \"llama3\"\nflavor = \"8B\"\n" + std::string(rest), "run.toml");
    };
    CHECK(titan("converters = [\"quantize.linear.float8\"]\n[quantize.linear.float8]\nrecipe_name = "
                "\"rowwise\"\n")
              .fp8_scaling.value == Fp8Scaling::rowwise);
    CHECK_FALSE(titan("converters = [\"quantize.linear.float8\"]\n").fp8_scaling);
    CHECK(titan("converters = [\"quantize.linear.mx\"]\n").precision.value == "mxfp8-mixed");
    CHECK_FALSE(titan("[float8]\nrecipe_name = \"rowwise\"\n").fp8_scaling);  // nothing is converted
}

TEST_CASE("MaxText's policies are what they keep", "[import][draft]") {
    const auto recompute = [](const std::string& policy) {
        return draft_of({{"train.yml",
                          "base_emb_dim: 4096\nmax_target_length: 8192\nper_device_batch_size: 2\n"
                          "remat_policy: " +
                              policy + "\n"}})
            .draft.recompute;
    };
    CHECK(recompute("minimal").value == RecomputeChoice{.kind = Recompute::selective, .layers = {}});
    CHECK(recompute("full").value->kind == Recompute::full);
    CHECK(recompute("save_dot_except_mlp").value->modules.mlp);
    CHECK_FALSE(recompute("minimal_with_context").value->modules.core_attention);
    CHECK_FALSE(recompute("custom"));  // said to be left out, not guessed
}

TEST_CASE("tf32 without a 16-bit switch is the precision, and flash-attn by name is its kernel",
          "[import][draft]") {
    const auto with = [](const char* more) {
        return draft_of({{"args.yaml", std::string("per_device_train_batch_size: 4\n"
                                                   "gradient_checkpointing: true\n") +
                                           more}})
            .draft;
    };
    CHECK(with("tf32: true\n").precision.value == "tf32");
    CHECK(with("tf32: true\nbf16: true\n").precision.value == "bf16");
    CHECK_FALSE(with("tf32: false\n").precision);
    // Weights that are loaded in 16 bits stay so, unless they are sharded or frozen.
    CHECK(with("torch_dtype: bfloat16\nbf16: true\n").precision.value == "bf16-pure");
    CHECK(with("torch_dtype: float32\nbf16: true\n").precision.value == "bf16");
    CHECK(with("torch_dtype: bfloat16\nbf16: true\nfsdp: full_shard auto_wrap\n").precision.value == "bf16");
    CHECK(with("torch_dtype: bfloat16\nbf16: true\nuse_peft: true\nlora_r: 16\n").precision.value == "bf16");
    CHECK(with("torch_dtype: bfloat16\nbf16: true\ndeepspeed: zero2.json\n").precision.value == "bf16");
    CHECK(with("attn_implementation: flash_attention_2\n").attention_generation.value ==
          AttentionGeneration::flash2);
    CHECK_FALSE(with("attn_implementation: sdpa\n").attention_generation);
}
