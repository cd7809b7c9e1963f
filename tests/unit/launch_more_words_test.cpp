// What launch files met at a further first sight taught: words for what was known by others.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("micro-steps that DeepSpeed's file states are not assumed", "[launch]") {
    const std::string flags =
        "deepspeed --num_nodes 2 --num_gpus 4 pretrain_gpt2.py --model-parallel-size 2 --num-layers 8 "
        "--hidden-size 64 --num-attention-heads 4 --batch-size 8 --seq-length 64 --bf16 ";
    const LaunchReading file = said_in(flags + "--deepspeed --deepspeed_config ds.json\n");
    CHECK(said(file, Fact::micro_batch) == "8");
    CHECK(said(file, Fact::accumulation) == "-");
    CHECK(said(file, Fact::global_batch) == "-");
    CHECK(said(said_in(flags + "--use-flash-attn\n"), Fact::global_batch) == "32");
}

TEST_CASE("VeOmni's tables in another's words: packed sequences and micro-steps", "[launch]") {
    const LaunchReading job = said_in(
        "model:\n  model_path: acme/m-8b\ndata:\n  sample_packing_sequence_len: 4096\n"
        "train:\n  data_parallel_mode: fsdp2\n  micro_batch_size: 1\n  gradient_accumulation_steps: 4\n"
        "  init_device: meta\n");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::accumulation) == "4");
}

TEST_CASE("Megatron-Bridge: what is kept in host memory", "[launch]") {
    const std::string text =
        "train:\n  global_batch_size: 16\n  micro_batch_size: 1\n"
        "optimizer:\n  optimizer_cpu_offload: false\n  bf16: true\n"
        "ddp:\n  use_distributed_optimizer: true\n"
        "model:\n  seq_length: 512\n  tensor_model_parallel_size: 2\n  pipeline_model_parallel_size: 2\n";
    CHECK(said(said_in(text), Fact::offload) == "none");
    const LaunchReading job =
        said_in(text + "  fine_grained_activation_offloading: true\n  offload_modules: [core_attn]\n");
    CHECK(said(job, Fact::offload) == "cpu (activations)");
    CHECK(job.contradictions.empty());
}

TEST_CASE("flame: a model is a file of its configuration", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node 2 -m flame.train --job.config_file fla.toml --model.config m/340M.json "
        "--training.batch_size 1 --training.seq_len 512 --training.data_parallel_shard_degree 2\n");
    CHECK(said(job, Fact::model) == "m/340M.json");
}

TEST_CASE("one GPU is not divided", "[launch]") {
    const LaunchReading job = said_in(
        "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=1\n"
        "srun bash train.sh --job.config_file fla.toml --training.batch_size 2 --training.seq_len 512 "
        "--training.gradient_accumulation_steps 4 --activation_checkpoint.mode full\n");
    CHECK(said(job, Fact::tp) == "1");
    CHECK(said(job, Fact::dp) == "1");
    CHECK(said(job, Fact::global_batch) == "8");
}

TEST_CASE("DeepSpeed without hosts takes the GPUs that are visible", "[launch]") {
    const std::string command =
        "CUDA_VISIBLE_DEVICES=0,1,2,3 deepspeed ARGS train.py --model_name_or_path acme/m-1b "
        "--per_device_train_batch_size 2\n";
    const auto with = [&](const std::string& args) {
        std::string text = command;
        return said_in(text.replace(text.find("ARGS"), 4, args));
    };
    CHECK(said(with("--master_port 9901"), Fact::gpus) == "4");
    CHECK(said(with("--master_port 9901"), Fact::nodes) == "1");
    CHECK(said(with("--hostfile hosts"), Fact::gpus) == "-");
}

TEST_CASE("LLaMA-Factory: a model by its path alone", "[launch]") {
    const LaunchReading job = said_in(
        "model_path: /models/m-8b\nfinetuning_type: full\ntemplate: default\ncutoff_len: 512\n"
        "per_device_train_batch_size: 2\n");
    CHECK(said(job, Fact::model) == "/models/m-8b");
}

TEST_CASE("ms-swift: the kind of model where its path is unknown", "[launch]") {
    const LaunchReading job = said_in(
        "CUDA_VISIBLE_DEVICES=0 swift sft --model_id_or_path ${SOMEWHERE} --model_type vl2-8b "
        "--dataset d --max_length 512\n");
    CHECK(said(job, Fact::model) == "vl2-8b");
    const LaunchReading known =
        said_in("swift sft --model_id_or_path acme/m-8b --model_type vl2-8b --dataset d\n");
    CHECK(said(known, Fact::model) == "acme/m-8b");
}

TEST_CASE("Colossal-AI's benchmark by its plug-in's letter", "[launch]") {
    const LaunchReading job =
        said_in("colossalai run --nproc_per_node 4 benchmark.py -p 3d --pp 4 -b 16 -g -x --n_chunks 2\n");
    CHECK(said(job, Fact::pp) == "4");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::attention) == "flash");
}

TEST_CASE("trainers of one's own: sharding, compilation and models by further names", "[launch]") {
    const LaunchReading sharded = said_in(
        "torchrun --standalone --nproc_per_node 2 fsdp_trainer.py --batch_size 4 --max_steps 10 "
        "--sharding FULL_SHARD\n");
    CHECK(said(sharded, Fact::zero) == "3");
    CHECK(said(sharded, Fact::micro_batch) == "-");  // a GPU's, or of all
    const LaunchReading compiled = said_in(
        "accelerate launch --num_processes 2 train.py --model_name_or_path acme/m-1b "
        "--per_device_train_batch_size 2 --max_length 512 --compile --gradient_checkpointing\n");
    CHECK(said(compiled, Fact::compile) == "true");
    const LaunchReading seeing = said_in(
        "torchrun --nproc_per_node 2 train.py --vlm_path models/vl-3b --per_device_train_batch_size 2 "
        "--use_flash_attn2 True\n");
    CHECK(said(seeing, Fact::model) == "models/vl-3b");
    CHECK(said(seeing, Fact::attention) == "flash");
}

TEST_CASE("settings alone: kernels of attention and experts in their tables", "[launch]") {
    const LaunchReading job = said_in(
        "model:\n  name: acme/m-1b\n  attention_implementation: sdpa\n"
        "training:\n  per_device_train_batch_size: 2\n  gradient_accumulation_steps: 4\n"
        "  learning_rate: 1e-4\n  moe:\n    expert_parallel_size: 4\n");
    CHECK(said(job, Fact::attention) == "sdpa");
    CHECK(said(job, Fact::ep) == "4");
}

TEST_CASE("EasyLM: a mesh of replicas, shards and parts, whose batch is the whole mesh's", "[launch]") {
    const std::string start = "python -m EasyLM.models.llama.llama_train --dtype=bf16 --total_steps=100 ";
    const std::string end =
        " --optimizer.type=adamw --optimizer.accumulate_gradient_steps=2 "
        "--train_dataset.type=huggingface --train_dataset.huggingface_dataset.seq_length=2048 "
        "--train_dataset.huggingface_dataset.batch_size=256\n";
    const LaunchReading job = said_in(start + "--mesh_dim='1,-1,4' --load_llama_config=13b" + end);
    CHECK(job.format == "easylm");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::dp) == "-");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::cp) == "1");
    CHECK(said(job, Fact::model) == "llama-13b");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::micro_batch) == "-");
    CHECK(said(job, Fact::accumulation) == "2");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::precision) == "bf16");
    const LaunchReading replicas =
        said_in(start + "--mesh_dim=dp:8,fsdp:1,mp:1 --llama.base_model=llama3_8b" + end);
    CHECK(said(replicas, Fact::model) == "llama3_8b");
    CHECK(said(replicas, Fact::tp) == "1");
    CHECK(said(replicas, Fact::dp) == "8");
    CHECK(said(replicas, Fact::micro_batch) == "32");
    CHECK(said(replicas, Fact::zero) == "0");
    const LaunchReading four = said_in(
        "python -u -m latent.train --mesh_dim='!-1,4,1,2' --load_llama_config=7b --dtype=bf16 "
        "--optimizer.accumulate_gradient_steps=1 --train_dataset.json_dataset.batch_size=4\n");
    CHECK(four.format == "easylm");
    CHECK(said(four, Fact::cp) == "2");
    CHECK(said(four, Fact::global_batch) == "4");
    CHECK(said(four, Fact::model) == "llama-7b");
}

TEST_CASE("a program that trains by its name and is told of a model is a trainer", "[launch]") {
    const LaunchReading job = said_in(
        "accelerate launch --num_machines=1 --num_processes=8 --mixed_precision=bf16 train.py "
        "--model-id acme/m-8b --data-path d.parquet\n");
    CHECK(said(job, Fact::model) == "acme/m-8b");
    CHECK(said(job, Fact::gpus) == "8");
    const LaunchReading length = said_in(
        "torchrun --nnodes 2 --nproc_per_node 4 train.py --batch_train 128 --seq_len 64 --total_steps 9\n");
    CHECK(said(length, Fact::sequence) == "64");
    CHECK(said(length, Fact::gpus) == "8");
}

TEST_CASE("NeMo's launcher: the training that is chosen names the model", "[launch]") {
    const LaunchReading job = said_in(
        "python3 main.py training=gpt3/5b stages=[training] training.trainer.num_nodes=2 \\\n"
        " training.model.global_batch_size=128 training.model.tensor_model_parallel_size=4\n");
    CHECK(said(job, Fact::model) == "gpt3/5b");
}

TEST_CASE("PaddleFormers: degrees in Megatron's words, and its kernel of attention", "[launch]") {
    const LaunchReading job = said_in(
        "model_name_or_path: acme/m-8b\nmax_seq_len: 8192\nper_device_train_batch_size: 1\n"
        "gradient_accumulation_steps: 4\ntensor_model_parallel_size: 4\npipeline_model_parallel_size: 2\n"
        "sharding: stage1\nrecompute: true\nbf16: true\nfp16_opt_level: O2\n"
        "_attn_implementation: flashmask\n");
    CHECK(job.format == "paddlenlp");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::attention) == "flashmask");
}

TEST_CASE("Megatron's arguments without dimensions: the checkpoint of the model", "[launch]") {
    const LaunchReading job = said_in(
        "source models/m-9b.sh\nMODEL_DIR=$(dirname $0)\n"
        "python3 train.py ${MODEL_ARGS[@]} --hf-checkpoint ${MODEL_DIR}/M-9B \\\n"
        " --tensor-model-parallel-size 4 --pipeline-model-parallel-size 1 --global-batch-size 256 \\\n"
        " --use-distributed-optimizer --optimizer adam\n");
    CHECK(said(job, Fact::model) == "M-9B");
    CHECK(said(job, Fact::tp) == "4");
}

TEST_CASE("trainers of one's own: degrees by names that mean them, where one was assumed", "[launch]") {
    const auto with = [](const std::string& flag) {
        return said_in(
            "torchrun --nproc_per_node 8 train.py --model_name_or_path acme/m-8b --batch_size 2 "
            "--learning_rate 1e-4 --gradient_accumulation_steps 2 " +
            flag + "\n");
    };
    for (const char* flag : {"--tensor_parallel 4", "--tp_degree 4", "--mp_size 4", "--model-parallel 4",
                             "--tensor-model-parallel-size 4"}) {
        CAPTURE(flag);
        CHECK(said(with(flag), Fact::tp) == "4");
        CHECK(said(with(flag), Fact::dp) == "2");
    }
    CHECK(said(with("--pipeline_model_parallel_size 2"), Fact::pp) == "2");
    CHECK(said(with("--context_parallel 2"), Fact::cp) == "2");
    CHECK(said(with("--ulysses_degree 4"), Fact::cp) == "4");
    CHECK(said(with("--tensor_parallel $(count)"), Fact::tp) == "-");
    CHECK(said(with("--mp bf16"), Fact::tp) == "1");
    CHECK(said(with("--rollout_tp_size 4"), Fact::tp) == "1");  // another program's
    CHECK(said(with("--model_size 7 --context_size 512"), Fact::tp) == "1");
    CHECK(said(with("--model_parallel"), Fact::tp) == "1");
}
