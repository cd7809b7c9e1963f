// What a batch of files that nobody had read before taught of formats that are known.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

const std::string veomni =
    "model: {model_path: acme/m-7b, attn_implementation: flash_attention_2}\n"
    "data: {max_seq_len: 4096}\n"
    "train:\n  data_parallel_mode: fsdp2\n  ulysses_parallel_size: 2\n  enable_full_shard: true\n"
    "  global_batch_size: 16\n  enable_gradient_checkpointing: false\n";

}  // namespace

TEST_CASE("VeOmni: its tables, and what it does where they are silent", "[launch]") {
    const LaunchReading job = said_in(veomni);
    CHECK(job.format == "veomni");
    CHECK(said(job, Fact::model) == "acme/m-7b");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::cp) == "2");
    CHECK(said(job, Fact::tp) == "1");
    CHECK(said(job, Fact::global_batch) == "16");
    CHECK(said(job, Fact::micro_batch) == "1");
    CHECK(said(job, Fact::recompute) == "none");
    CHECK(said(job, Fact::precision) == "bf16");
}

TEST_CASE("VeOmni: shards that stay gathered, and offloading", "[launch]") {
    CHECK(said(said_in(veomni + "  enable_reshard_after_forward: false\n"), Fact::zero) == "2");
    CHECK(said(said_in(veomni + "  enable_fsdp_offload: true\n"), Fact::offload) ==
          "cpu (parameters, optimizer)");
    std::string copies = veomni;
    copies.replace(copies.find("fsdp2"), 5, "ddp");
    CHECK(said(said_in(copies), Fact::zero) == "0");
}

TEST_CASE("a file that a script writes does not make the script one of its kind", "[launch]") {
    const LaunchReading job = said_in(
        "cat > job.toml << 'EOF'\n[job]\nname = \"a\"\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n"
        "[training]\nlocal_batch_size = 2\nseq_len = 4096\n[optimizer]\nlr = 1e-4\n[metrics]\nlog_freq = 1\n"
        "[parallelism]\ntensor_parallel_degree = 2\nEOF\n"
        "torchrun --nproc_per_node=8 -m torchtitan.train --job.config_file job.toml\n");
    CHECK(job.format == "torchtitan");
    CHECK(said(job, Fact::gpus) == "8");
    CHECK(said(job, Fact::tp) == "2");
}

TEST_CASE("two files that one script writes, and that differ, leave the difference open", "[launch]") {
    const auto written = [](const std::string& second) {
        const std::string head =
            "cat > a.json << 'EOF'\n{\"train_batch_size\": 16, "
            "\"train_micro_batch_size_per_gpu\": 4}\nEOF\n"
            "cat > b.json << 'EOF'\n{\"train_batch_size\": 16, "
            "\"train_micro_batch_size_per_gpu\": ";
        return said_in(head + second +
                       "}\nEOF\ndeepspeed --num_gpus 2 train.py --deepspeed a.json\n"
                       "deepspeed --num_gpus 2 train.py --deepspeed b.json\n");
    };
    CHECK(said(written("4"), Fact::micro_batch) == "4");
    CHECK(said(written("8"), Fact::micro_batch) == "-");
}

TEST_CASE("arguments of a file that is sourced and not given hide the defaults", "[launch]") {
    const std::string line =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size 1 --bf16 --seq-length 64 ";
    CHECK(said(said_in(line + "\n"), Fact::recompute) == "none");
    CHECK(said(said_in("source ./env.sh\n" + line + "${MORE_ARGS[@]}\n"), Fact::recompute) == "-");
    CHECK(said(said_in("source ./env.sh\n" + line + "--swiglu ${MORE_ARGS[@]}\n"), Fact::recompute) == "-");
    CHECK(said(said_in("source ./env.sh\n" + line + "--lr ${LR}\n"), Fact::recompute) == "none");
}

TEST_CASE("NeMo 1: settings of its model alone", "[launch]") {
    const LaunchReading job = said_in(
        "model:\n  tensor_model_parallel_size: 2\n  micro_batch_size: 1\n  global_batch_size: 4\n"
        "  seq_length: 8192\n  bf16: True\n  activations_checkpoint_granularity: selective\n"
        "  data: {train_ds: {file_names: [a.jsonl]}}\n"
        "  peft: {peft_scheme: lora, lora_tuning: {r: 32}}\n");
    CHECK(job.format == "nemo");
    CHECK(said(job, Fact::lora_rank) == "32");
    CHECK(said(job, Fact::precision) == "bf16");
}

TEST_CASE("LitGPT's command: what it does where it is told nothing", "[launch]") {
    const LaunchReading pretrains = said_in("litgpt pretrain pythia-160m --data TextFiles\n");
    CHECK(said(pretrains, Fact::global_batch) == "512");
    CHECK(said(pretrains, Fact::micro_batch) == "4");
    const LaunchReading adapts = said_in("litgpt finetune_lora microsoft/phi-2 --data Alpaca\n");
    CHECK(said(adapts, Fact::global_batch) == "16");
    CHECK(said(adapts, Fact::micro_batch) == "1");
    CHECK(said(adapts, Fact::lora_rank) == "8");
}

TEST_CASE("verl's fine-tuning, LLaMA-Factory and Megatron's experts by other names", "[launch]") {
    const LaunchReading tunes = said_in(
        "torchrun --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer data.train_files=a.parquet \\\n"
        "  model.partial_pretrain=acme/m-1b data.micro_batch_size_per_gpu=1\n");
    CHECK(said(tunes, Fact::sequence) == "1024");
    CHECK(said(tunes, Fact::global_batch) == "256");
    CHECK(said(tunes, Fact::micro_batch) == "1");
    CHECK(said(said_in("model_name_or_path: acme/m-1b\nstage: sft\nfinetuning_type: full\n"
                       "cutoff_len: 512\nper_device_train_batch_size: 1\n"),
               Fact::optimizer) == "adamw_torch");
    const std::string experts =
        said(said_in("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
                     "  --num-attention-heads 4 --moe-num-experts 8 --moe-top-k 2 --micro-batch-size 1\n"),
             Fact::model);
    CHECK(experts.find("experts 8") != std::string::npos);
}

TEST_CASE("torchtune: a recipe that is named before its flags", "[launch]") {
    const LaunchReading job = said_in(
        "tune run lora_finetune_single_device --config llama3_1/8B_lora_single_device batch_size=2 \\\n"
        "  gradient_accumulation_steps=4\n");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(job, Fact::gpus) == "1");
    CHECK(said(job, Fact::model) == "llama3_1_8b");
}

TEST_CASE("a batch beside the one of a device is of all, and flags may state a model", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node=8 train.py --optimizer muon --model_dim 2048 --n_layer 24 --n_head 32 \\\n"
        "  --batch_size 2048 --device_batch_size 2 --sequence_length 2048\n");
    CHECK(said(job, Fact::global_batch) == "2048");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::model) == "layers 24, hidden 2048, heads 32");
    const LaunchReading tokens = said_in(
        "torchrun --nproc_per_node=8 train.py --batch_size 524288 --device_batch_size 16 "
        "--sequence_length 1024\n");
    CHECK(said(tokens, Fact::global_batch) == "-");
}
