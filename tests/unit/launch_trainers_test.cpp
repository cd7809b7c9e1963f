// Launch files of trainers of one's own, of launchers beside torchrun and of batch systems, by what a person
// reads in them.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace traincost;
using namespace traincost::test;

namespace {

/// What a file says, and what is to be read in it.
struct Example {
    std::string text;
    std::map<Fact, std::string> facts;
};

/// Many blocks of a dictionary, which might be YAML's by themselves.
std::string braces(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text +=
            "    \"block" + std::to_string(i) + "\": {\n        \"a\": 1,\n        \"b\": True,\n    },\n";
    }
    return text;
}

void check(const std::vector<Example>& examples) {
    for (const Example& example : examples) {
        INFO(example.text);
        const LaunchReading job = said_in(example.text);
        for (const auto& [fact, value] : example.facts) {
            INFO(fact_name(fact));
            CHECK(said(job, fact) == value);
        }
    }
}

}  // namespace

TEST_CASE("a trainer of one's own is read by the usual names of its arguments", "[launch]") {
    check({
        {"torchrun --nproc_per_node 4 train.py --max_seq_len 2048 --pipe_parallel_size 4 \\\n"
         "  --model_parallel_size 1 --use_flash_attn true --deepspeed_config ds.json\n",
         {{Fact::sequence, "2048"}, {Fact::pp, "4"}, {Fact::tp, "1"}, {Fact::dp, "1"}}},
        {"python src/align.py --model-name acme/m-8b --optimizer paged_adamw_8bit --num-epochs 1 \\\n"
         "  --batch-size 4 --gradient-accumulation 16 --lora-rank 64\n",
         {{Fact::model, "acme/m-8b"},
          {Fact::optimizer, "paged_adamw_8bit"},
          {Fact::micro_batch, "4"},
          {Fact::accumulation, "16"},
          {Fact::lora_rank, "64"}}},
        {"accelerate launch --num_processes 16 --num_machines 2 tune.py --model_name_or_path acme/m \\\n"
         "  --n_epochs 2 --train_bsz_per_gpu 4 --learning_rate 1e-5\n",
         {{Fact::micro_batch, "4"}, {Fact::gpus, "16"}}},
        {"deepspeed --num_gpus 8 main.py --model_path /data/m --max_sentence_length 9000 --dtype bf16 \\\n"
         "  --deepspeed z3.json --base_learning_rate 1\n",
         {{Fact::model, "/data/m"}, {Fact::sequence, "9000"}, {Fact::precision, "bf16"}}},
        {"torchrun --nproc_per_node 4 ft.py --model_dir m-1b --batch_size 8 --ds_config ds.json --ds_stage "
         "1\n",
         {{Fact::model, "m-1b"}, {Fact::zero, "1"}, {Fact::micro_batch, "-"}}},
        {"torchrun --standalone --nproc_per_node=8 -m ttt.train --strategy fsdp2 --precision bf16 --steps "
         "200 \\\n"
         "  --seq-len 1024 --batch-size 1\n",
         {{Fact::zero, "3"}, {Fact::precision, "bf16"}, {Fact::sequence, "1024"}}},
        {"torchrun --nproc_per_node=8 train.py --model llama-7b --batch-size 1 --seq-len 8192 --flash\n",
         {{Fact::model, "llama-7b"}, {Fact::sequence, "8192"}, {Fact::micro_batch, "-"}}},
        {"python train_model.py --checkpoint_dir c --num_nodes 2 --gpus_per_node 4 --peft_scheme lora \\\n"
         "  --global_batch_size 16 --micro_batch_size 1 --tp_size 2\n",
         {{Fact::nodes, "2"}, {Fact::gpus, "8"}, {Fact::dp, "4"}, {Fact::accumulation, "4"}}},
        {"accelerate launch --use_fsdp --num_machines=1 --num_processes=8 --mixed_precision=bf16 \\\n"
         "  tune.py --train_config c.json --distributed_type fsdp\n",
         {{Fact::gpus, "8"}, {Fact::precision, "bf16"}, {Fact::zero, "3"}}},
        {"torchrun --nnodes 1 --nproc_per_node 4 llama.py --enable_fsdp --use_peft --batch_size_training 4 "
         "\\\n"
         "  --context_length 2048 --model_name /m --fsdp_config.pure_bf16 --use_fast_kernels\n",
         {{Fact::zero, "3"}, {Fact::micro_batch, "4"}, {Fact::precision, "bf16"}}},
        {"torchrun --nproc_per_node 4 finetuning.py --enable_fsdp --model_name /m --use_peft --pure_bf16\n",
         {{Fact::zero, "3"}, {Fact::model, "/m"}, {Fact::precision, "bf16"}}},
        {"python train.py --model_name own-v1 --base_model acme/m --batch_size 2 --grad_accum 4\n",
         {{Fact::model, "acme/m"}, {Fact::micro_batch, "2"}, {Fact::accumulation, "4"}}},
        {"python finetune.py --model acme/m --model.type glm --per_device_train_batch_size 16\n",
         {{Fact::model, "acme/m"}, {Fact::micro_batch, "16"}}},
        {"deepspeed --include localhost:0 ft.py --model_dir /m --train_batch_size 2 --max_len 768 \\\n"
         "  --gradient_accumulation_steps 4\n",
         {{Fact::micro_batch, "2"}, {Fact::global_batch, "8"}}},
        {"python run_squad.py --bert_model b --train_batch_size 32 --gradient_accumulation_steps 4 \\\n"
         "  --learning_rate 5e-5\n",
         {{Fact::micro_batch, "-"}, {Fact::accumulation, "4"}}},
        {"deepspeed ../train_sft.py --max_len 2048 --train_batch_size 2 --accumulated_gradient 16 \\\n"
         "  --pretrain acme/m-7b --zero_stage 2 --bf16 --gradient_checkpointing\n",
         {{Fact::sequence, "2048"}, {Fact::micro_batch, "2"}, {Fact::accumulation, "16"}}},
    });
}

TEST_CASE("a total batch is in sequences, or in tokens where it is far more than any count of them",
          "[launch]") {
    check({
        {"torchrun --standalone --nproc_per_node 4 main.py --lr 0.001 --batch_size 64 \\\n"
         "  --total_batch_size 512 --dtype bfloat16 --max_length 256 --optimizer adamw\n",
         {{Fact::global_batch, "512"}, {Fact::micro_batch, "64"}, {Fact::accumulation, "2"}}},
        {"torchrun --standalone --nproc_per_node 8 train.py --batch_size 32 --sequence_length 1024 \\\n"
         "  --total_batch_size 262144 --learning_rate 0.0015 --model d12\n",
         {{Fact::global_batch, "256"}, {Fact::micro_batch, "32"}, {Fact::accumulation, "1"}}},
    });
}

TEST_CASE("what evaluates or serves a model is no training job", "[launch]") {
    const std::string training =
        "torchrun --nproc_per_node 4 train.py --model_name acme/m --batch_size 2 --grad_accum_steps 4\n";
    const LaunchReading job =
        said_in(training + "python evaluate.py --model_name acme/n --batch_size 64 --max_length 512\n");
    CHECK(said(job, Fact::model) == "acme/m");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(job.contradictions.empty());
    const LaunchReading beside = said_in(
        "accelerate launch --num_processes=7 grpo.py --per_device_train_batch_size=2\n"
        "CUDA_VISIBLE_DEVICES=4,5,6,7 python occupy.py\n");
    CHECK(said(beside, Fact::gpus) == "7");
    CHECK(said(beside, Fact::gpus_per_node) == "-");
}

TEST_CASE("launchers beside torchrun count nodes and GPUs", "[launch]") {
    const std::string trainer = " train.py --model_name_or_path acme/m --per_device_train_batch_size 2\n";
    check({
        {"mpirun -np 16 --npernode 8 -x PATH python" + trainer,
         {{Fact::gpus, "16"}, {Fact::gpus_per_node, "8"}, {Fact::nodes, "2"}}},
        {"mpirun --map-by ppr:4:node -np $N python" + trainer,
         {{Fact::gpus_per_node, "4"}, {Fact::gpus, "-"}}},
        {"python -m paddle.distributed.launch --gpus \"0,1\"" + trainer, {{Fact::gpus_per_node, "2"}}},
        {"msrun --worker_num 16 --local_worker_num 8" + trainer, {{Fact::gpus, "16"}, {Fact::nodes, "2"}}},
        {"colossalai run --nproc_per_node 4" + trainer, {{Fact::gpus_per_node, "4"}}},
        {"ft_launcher --nproc_per_node=4 --nnodes=8 --max-restarts=5" + trainer, {{Fact::gpus, "32"}}},
        {"accelerate launch -m --num_machines 1 --num_processes 4 scripts.train --config a.yaml\n",
         {{Fact::gpus, "4"}}},
        {"sbatch --nodes 16 --gres=gpu:8 train.sh\n", {{Fact::nodes, "16"}, {Fact::gpus, "128"}}},
        {"sbatch --exclusive --nodes 16 --wrap=\"srun bash train.sh\"\n", {{Fact::nodes, "16"}}},
        {"lightning run model --accelerator=cuda --devices=8 --num-nodes=2" + trainer,
         {{Fact::gpus, "16"}, {Fact::nodes, "2"}}},
        {"#PBS -l select=4:ngpus=8\nmpirun python" + trainer, {{Fact::nodes, "4"}, {Fact::gpus, "32"}}},
        {"export CUDA_VISIBLE_DEVICES=3,4\npython" + trainer, {{Fact::gpus_per_node, "2"}}},
        {"export CUDA_VISIBLE_DEVICES=2,5,6\ndeepspeed" + trainer, {{Fact::gpus_per_node, "3"}}},
        {"export NPROC_PER_NODE=4\ntorchrun --nproc_per_node 2" + trainer, {{Fact::gpus_per_node, "2"}}},
        {"python -m accelerate.commands.launch --num_machines 1 --num_processes 4" + trainer,
         {{Fact::gpus, "4"}, {Fact::micro_batch, "2"}}},
        {"torchrun --module --nproc_per_node 4 own.train --model_name_or_path /m --batch_size 2 "
         "--grad_accum 2\n",
         {{Fact::gpus_per_node, "4"}, {Fact::model, "/m"}}},
        {"export CUDA_VISIBLE_DEVICES=0,1\ntorchrun --nproc_per_node 1" + trainer,
         {{Fact::gpus_per_node, "1"}}},
        {"aprun -n $N -N 4 ./rank.sh python" + trainer, {{Fact::gpus_per_node, "4"}}},
        {"#$ -l rt_F=8\nmpirun python" + trainer, {{Fact::nodes, "8"}}},
        {"#BSUB -nnodes 16\njsrun python" + trainer, {{Fact::nodes, "16"}}},
    });
}

TEST_CASE("what is to be filled in between angle brackets is no redirection", "[launch]") {
    check(
        {{"deepspeed --include localhost:0 train.py --output_dir <output_dir> --data <your data> \\\n"
          "  --base_model_name_or_path acme/m --per_device_train_batch_size 4 <input.txt >log.txt\n",
          {{Fact::model, "acme/m"}, {Fact::micro_batch, "4"}, {Fact::gpus, "1"}}}});
}

TEST_CASE("Colossal-AI's plug-ins say what is sharded", "[launch]") {
    check({
        {"torchrun --nproc_per_node 1 --standalone pretrain.py --plugin zero2 --batch_size 16 --lr 3e-4 \\\n"
         "  --max_length 1024 --flash_attention --mixed_precision bf16\n",
         {{Fact::zero, "2"}, {Fact::micro_batch, "16"}, {Fact::attention, "flash"}}},
        {"colossalai run --nproc_per_node 8 pretrain.py -p 3d -g -b 64 --mbs 2 --tp 4 --pp 2 --zero 1\n",
         {{Fact::zero, "1"}, {Fact::micro_batch, "2"}, {Fact::tp, "4"}, {Fact::pp, "2"}}},
    });
}

TEST_CASE("Beaker's and dstack's tasks are read as the scripts that they run", "[launch]") {
    check({
        {"version: v2\ndescription: tune\ntasks:\n  - name: tune\n    command: ['/bin/sh', '-c']\n"
         "    arguments: ['accelerate launch --mixed_precision bf16 --num_processes 4\n"
         "      tune.py --model_name_or_path /m --per_device_train_batch_size 2']\n"
         "    resources: {gpuCount: 4}\n",
         {{Fact::gpus, "4"}, {Fact::gpus_per_node, "4"}, {Fact::precision, "bf16"}, {Fact::model, "/m"}}},
        {"type: task\nnodes: 2\ncommands:\n  - pip install .\n"
         "  - torchrun --nnodes=$DSTACK_NODES_NUM --nproc_per_node=$DSTACK_GPUS_PER_NODE\n"
         "    tune.py --model_name_or_path /m --per_device_train_batch_size 2\n"
         "resources: {gpu: H100:8}\n",
         {{Fact::nodes, "2"}, {Fact::gpus_per_node, "8"}, {Fact::micro_batch, "2"}}},
    });
}

TEST_CASE("a script that submits itself is read as the job", "[launch]") {
    check(
        {{"#!/bin/bash\n#SBATCH --nodes=2\nif [ -z $SLURM_JOB_ID ]; then\n  sbatch \"$0\"\n  exit\nfi\n"
          "torchrun --nproc_per_node 8 train.py --num-layers 2 --hidden-size 64 \\\n"
          "  --num-attention-heads 2 --seq-length 128 --micro-batch-size 4\n",
          {{Fact::sequence, "128"}, {Fact::nodes, "2"}, {Fact::micro_batch, "4"}}}});
}

TEST_CASE("what another machine is to start is followed", "[launch]") {
    const std::string train =
        "python3 MaxText/train.py MaxText/configs/base.yml model_name=llama2-13b per_device_batch_size=4";
    check({{"python3 xpk.py workload create --num-slices=1 --command \"" + train + "\"\n",
            {{Fact::model, "llama2-13b"}, {Fact::micro_batch, "4"}}},
           {"gcloud compute tpus tpu-vm ssh pod --worker=all --command=\"" + train + "\"\n",
            {{Fact::model, "llama2-13b"}, {Fact::micro_batch, "4"}}}});
}

TEST_CASE("a script that only sets arguments for another is read by them", "[launch]") {
    const std::string arguments =
        "INFRA_ARGS=(\n  --tensor-model-parallel-size 2\n  --pipeline-model-parallel-size 4\n"
        "  --use-distributed-optimizer\n)\nMODEL_ARGS=\" --num-layers 16 --hidden-size 2048 \\\n"
        "  --num-attention-heads 16 --seq-length 4096\"\n";
    check({{"#!/bin/bash\n" + arguments,
            {{Fact::tp, "2"}, {Fact::pp, "4"}, {Fact::zero, "1"}, {Fact::sequence, "4096"}}}});
    const LaunchReading both = read_launch_files(
        std::vector<LaunchFile>{
            {"main.sh",
             "#!/bin/bash\nsource $CONF\ntorchrun --nproc_per_node 8 pretrain_gpt.py --bf16 \\\n"
             "  --micro-batch-size 2 --global-batch-size 8 ${INFRA_ARGS[@]} ${MODEL_ARGS[@]}\n"},
            {"conf.sh", "#!/bin/bash\n" + arguments}},
        {});
    CHECK(said(both, Fact::tp) == "2");
    CHECK(said(both, Fact::micro_batch) == "2");
    CHECK(both.contradictions.empty());
}

TEST_CASE("a switch before options that nobody sets is on", "[launch]") {
    check(
        {{"P=\" --bf16\"\nRUN=\"torchrun --nproc_per_node 8 train.py --num-layers 2 --hidden-size 64 \\\n"
          "  --num-attention-heads 2 --seq-length 128 --micro-batch-size 4 $P $LOAD $TE\"\neval $RUN\n",
          {{Fact::precision, "bf16"}}}});
}

TEST_CASE("MindSpeed: idle layers are no layers of the model, and its LoRA is read", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node 8 posttrain_gpt.py --noop-layers 94,95 --num-layers 96 --lora-r 16 \\\n"
        "  --hidden-size 4096 --num-attention-heads 64 --seq-length 128 --micro-batch-size 1 \\\n"
        "  --pipeline-model-parallel-size 8 --num-layers-per-virtual-pipeline-stage 4\n");
    CHECK(said(job, Fact::model).find("94") != std::string::npos);
    CHECK(said(job, Fact::vp) == "3");
    CHECK(said(job, Fact::lora_rank) == "16");
}

TEST_CASE("NeMo's launcher may say nothing of the trainer", "[launch]") {
    check(
        {{"python3 /opt/NeMo-Framework-Launcher/launcher_scripts/main.py training==mixtral/mixtral_8x3b \\\n"
          "  stages=[training] training.model.pipeline_model_parallel_size=1 \\\n"
          "  training.model.expert_model_parallel_size=8 \\\n"
          "  training.model.optim.name=mcore_distributed_optim\n",
          {{Fact::pp, "1"}, {Fact::ep, "8"}, {Fact::zero, "1"}}},
         {"python tuning/megatron_gpt_peft_tuning.py trainer.precision=bf16 \\\n"
          "  model.restore_from_path=/m model.peft.peft_scheme=lora\n",
          {{Fact::precision, "bf16"}}}});
}

TEST_CASE("Accelerate: DeepSpeed's own keys beside its own are read where they say more", "[launch]") {
    check(
        {{"deepspeed_config:\n  zero_stage: 3\n  offload_optimizer_device: none\n"
          "  tensor_parallel: {tp_size: 4}\n  train_batch_size: 32\n"
          "  train_micro_batch_size_per_gpu: 1\n  gradient_accumulation_steps: 32\n"
          "  bf16: {enabled: true}\n  optimizer: {type: AdamW}\n"
          "distributed_type: DEEPSPEED\nnum_machines: 1\nnum_processes: 4\n",
          {{Fact::tp, "4"},
           {Fact::dp, "1"},
           {Fact::global_batch, "32"},
           {Fact::precision, "bf16"},
           {Fact::optimizer, "AdamW"}}}});
}

TEST_CASE("a dictionary that is all of a Python file is read as a configuration", "[launch]") {
    check({{"# ours\nds_config = {\n    \"zero_optimization\": {\n        \"stage\": 2,  # gradients too\n"
            "        \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": True},\n    },\n"
            "    \"fp16\": {\"enabled\": True},\n    \"train_micro_batch_size_per_gpu\": 8,\n}\n",
            {{Fact::zero, "2"}, {Fact::precision, "fp16"}, {Fact::micro_batch, "8"}}},
           {"deepspeed_config = {\n" + braces(40) + "    \"zero_optimization\": {\"stage\": 1},\n}\n",
            {{Fact::zero, "1"}}}});
}

TEST_CASE("a configuration that a command names is asked for, a model's is not", "[launch]") {
    const auto asked = [](const std::string& flags) {
        const LaunchReading job =
            said_in("torchrun --nproc_per_node 8 own.py --per_device_train_batch_size 2 " + flags + "\n");
        return std::any_of(job.unread.begin(), job.unread.end(),
                           [](const UnreadSetting& unread) { return unread.why.starts_with("give "); });
    };
    CHECK(asked("--config-path conf --config-name large"));
    CHECK(asked("--config_path conf/large.yaml"));
    CHECK_FALSE(asked("--config_path acme/m-1b"));
    CHECK_FALSE(asked("--config_name gpt2"));
}

TEST_CASE("Megatron-Bridge: the optimizer's precision is the model's", "[launch]") {
    check(
        {{"train: {global_batch_size: 32, micro_batch_size: 1}\noptimizer: {bf16: true}\n"
          "model: {tensor_model_parallel_size: 4, pipeline_model_parallel_size: 8, seq_length: 8192}\n",
          {{Fact::precision, "bf16"}, {Fact::sequence, "8192"}}}});
}

TEST_CASE("nanotron: sequence parallelism needs tensor parallelism", "[launch]") {
    const std::string rest =
        "tokens: {micro_batch_size: 4, sequence_length: 2048, batch_accumulation_per_replica: 1}\n";
    check({{"parallelism: {dp: 8, pp: 1, tp: 1, tp_mode: REDUCE_SCATTER}\n" + rest,
            {{Fact::sequence_parallel, "false"}}},
           {"parallelism: {dp: 8, pp: 1, tp: 2, tp_mode: REDUCE_SCATTER}\n" + rest,
            {{Fact::sequence_parallel, "true"}}}});
}

TEST_CASE("DeepSpeed's block in a configuration of another kind is read", "[launch]") {
    check(
        {{"seed: 0\nepochs: 1\ndeepspeed:\n  train_batch_size: 256\n  train_micro_batch_size_per_gpu: 64\n"
          "  gradient_accumulation_steps: 1\n  zero_optimization: {stage: 1}\n  optimizer: {type: Adam}\n",
          {{Fact::zero, "1"}, {Fact::global_batch, "256"}, {Fact::dp, "4"}, {Fact::optimizer, "Adam"}}}});
}

TEST_CASE("one optimizer under two names is no contradiction", "[launch]") {
    const LaunchReading job = said_in(
        "cat <<EOT > ds.json\n{\"optimizer\": {\"type\": \"AdamW\"}, \"zero_optimization\": {\"stage\": "
        "3}}\nEOT\n"
        "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path acme/m --optim adamw_torch \\\n"
        "  --per_device_train_batch_size 2 --deepspeed ds.json\n");
    CHECK(job.contradictions.empty());
    CHECK(said(job, Fact::zero) == "3");
    const LaunchReading cased = said_in(
        "cat <<EOT > ds.json\n{\"optimizer\": {\"type\": \"AdamW\"}}\nEOT\n"
        "deepspeed own.py --per_device_train_batch_size 2 --optimizer adamw --deepspeed ds.json\n");
    CHECK(cased.contradictions.empty());
}
