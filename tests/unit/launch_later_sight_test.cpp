// What launch files met later taught: layouts of pipelines, adapters, optimizers in eight bits.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

std::string of_layout(const std::string& layout) {
    return said(said_in("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 61 --hidden-size 64 \\\n"
                        "  --num-attention-heads 4 --micro-batch-size 1 --global-batch-size 64 \\\n"
                        "  --seq-length 64 --pipeline-model-parallel-size 4 \\\n"
                        "  --pipeline-model-parallel-layout '" +
                        layout + "'\n"),
                Fact::vp);
}

}  // namespace

TEST_CASE("Megatron: chunks of a stage by a layout, whose groups repeat", "[launch]") {
    CHECK(of_layout("Et*15|t*16|t*15|t*15,L") == "1");
    CHECK(of_layout("Et*3|(tt|)*29,m|L") == "8");  // 1 + 29 + 2 stages
    CHECK(of_layout("Et|t") == "-");
}

TEST_CASE("Primus: adapters in a block with a switch", "[launch]") {
    const std::string text =
        "modules:\n  pre_trainer:\n    framework: megatron\n    model: acme.yaml\n    overrides:\n"
        "      micro_batch_size: 1\n      lora: {enabled: true, dim: 16}\n";
    CHECK(said(said_in(text), Fact::lora_rank) == "16");
    std::string off = text;
    off.replace(off.find("true"), 4, "false");
    CHECK(said(said_in(off), Fact::lora_rank) == "-");
}

TEST_CASE("LLaMA-Factory: orthogonal tuning has no rank of LoRA", "[launch]") {
    const LaunchReading job = said_in(
        "model_name_or_path: acme/m-1b\nfinetuning_type: oft\noft_block_size: 32\ncutoff_len: 2048\n"
        "per_device_train_batch_size: 1\nbf16: true\n");
    CHECK(job.format == "llama-factory");
    CHECK(said(job, Fact::lora_rank) == "-");
}

TEST_CASE("GPT-NeoX: Adam of bitsandbytes keeps eight bits", "[launch]") {
    const LaunchReading job = said_in(
        "{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"num_layers\": 2, \"hidden_size\": 64,\n"
        " \"use_bnb_optimizer\": true, \"optimizer\": {\"type\": \"Adam\"},\n"
        " \"train_micro_batch_size_per_gpu\": 4}\n");
    CHECK(job.format == "gpt-neox");
    CHECK(said(job, Fact::optimizer) == "Adam8bit");
}

TEST_CASE("OpenRLHF: a student is the model, by the newer name", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --standalone --nproc-per-node 8 -m openrlhf.cli.train_kd --max_len 2048 \\\n"
        "  --train_batch_size 256 --micro_train_batch_size 2 --model_name_or_path acme/m-1b \\\n"
        "  --teacher_model acme/m-70b --param_dtype bf16\n");
    CHECK(said(job, Fact::model) == "acme/m-1b");
}

TEST_CASE("a trainer that shares one name with LLaMA-Factory has none of its defaults", "[launch]") {
    const LaunchReading job = said_in(
        "deepspeed --num_gpus=4 train.py --model_name_or_path acme/m-1b --finetuning_type lora --lora_r 128 "
        "\\\n"
        "  --per_device_train_batch_size 2 --gradient_accumulation_steps 64 --bf16 True --output_dir out\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::lora_rank) == "128");
    CHECK(said(job, Fact::sequence) == "-");
    CHECK(said(job, Fact::recompute) == "none");
}

TEST_CASE("llm-foundry: the width of a feed-forward block that is stated, not a ratio", "[launch]") {
    const LaunchReading job = said_in(
        "max_seq_len: 128\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\nprecision: amp_bf16\n"
        "model:\n  name: mpt_causal_lm\n  d_model: 64\n  n_heads: 4\n  n_layers: 2\n"
        "  ffn_config: {ffn_type: mb_dmoe, ffn_hidden_size: 96, moe_num_experts: 4, moe_top_k: 2}\n");
    CHECK(job.format == "llm-foundry");
    CHECK(said(job, Fact::model).find("ffn 96") != std::string::npos);
}

TEST_CASE("LLaMA-Factory's fa2 is flash attention, its other words stay", "[launch]") {
    const auto attention = [](const std::string& word) {
        return said(
            said_in("model_name_or_path: acme/m-8b\nstage: sft\nfinetuning_type: full\ncutoff_len: 512\n"
                    "per_device_train_batch_size: 1\nflash_attn: " +
                    word + "\n"),
            Fact::attention);
    };
    CHECK(attention("fa2") == "flash");
    CHECK(attention("sdpa") == "sdpa");
    CHECK(attention("auto") == "auto");
    CHECK(attention("true") == "flash");
}
