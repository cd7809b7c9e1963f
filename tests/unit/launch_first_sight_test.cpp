// What launch files met for the first time taught: names, shapes and defaults, each in a file of its own.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("Primus: modules may be a list, with parameters and a model of name and size", "[launch]") {
    const LaunchReading job = said_in(
        "modules:\n  - name: pre_trainer\n    framework: torchtitan\n    model: {name: acme, flavor: 8B}\n"
        "    params:\n      training: {data_parallel_shard_degree: 4, tensor_parallel_degree: 2}\n"
        "      optimizer: {name: AdamW}\n");
    CHECK(job.format == "primus");
    CHECK(said(job, Fact::model) == "acme 8B");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::dp) == "4");
    CHECK(said(job, Fact::optimizer) == "AdamW");
}

TEST_CASE("FlagScale: braces that stand for a path, and its own adapters", "[launch]") {
    const std::string text =
        "system: {tensor_model_parallel_size: 2, precision: {bf16: true}}\n"
        "model: {num_layers: 4, hidden_size: 256, micro_batch_size: 1, peft_type: lora, lora_dim: 16}\n"
        "data:\n  data_path: {data_path:??}\n";
    const LaunchReading job = said_in(text);
    CHECK(job.format == "flagscale");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::lora_rank) == "16");
    CHECK_THROWS_AS(said_in(text + "broken: [1, {2\n"), Error);
}

TEST_CASE("verl's first releases know the batch of a GPU by a shorter name", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node=2 -m verl.trainer.fsdp_sft_trainer data.train_files=a "
        "data.max_length=1024 "
        "data.micro_batch_size=4 model.partial_pretrain=acme/m-1b\n");
    CHECK(job.format == "verl");
    CHECK(said(job, Fact::micro_batch) == "4");
}

TEST_CASE("Colossal-AI's scripts: the model they begin with, and the short flags of what they measure",
          "[launch]") {
    CHECK(said(said_in("torchrun --nproc_per_node 8 train_sft.py --pretrained acme/m-7b --plugin zero2 "
                       "--accumulation_steps 4 --micro_batch_size 2 --mixed_precision bf16\n"),
               Fact::model) == "acme/m-7b");
    const LaunchReading job = said_in(
        "colossalai run --nproc_per_node 8 benchmark.py -c 7b --plugin 3d_cpu -l 2048 -g -b 16 -x "
        "--tp 4 --pp 2 --zero 1 --mbs 2\n");
    CHECK(said(job, Fact::model) == "7b");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::attention) == "flash");
    CHECK(said(job, Fact::offload) == "cpu (optimizer)");
}

TEST_CASE("PaddleNLP: degrees, stages and recomputation by its own names", "[launch]") {
    const std::string head =
        R"({"model_name_or_path": "acme/m-7b", "per_device_train_batch_size": 2, "bf16": true, )"
        R"("gradient_accumulation_steps": 4, "max_length": 2048, "recompute": true, "unified_checkpoint": true, )";
    const LaunchReading job = said_in(
        head +
        R"("tensor_parallel_degree": 4, "pipeline_parallel_degree": 2, "sharding": "stage2", "lora": true})");
    CHECK(job.format == "paddlenlp");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::lora_rank) == "8");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(said_in(head + R"("recompute_granularity": "core_attn"})"), Fact::recompute) == "selective");
}

TEST_CASE("NeMo Automodel: a step's batch, a mesh and a model of Hugging Face", "[launch]") {
    const LaunchReading job = said_in(
        "step_scheduler: {global_batch_size: 64, local_batch_size: 2}\n"
        "distributed: {strategy: fsdp2, dp_size: none, tp_size: 2, pp_size: 4, activation_checkpointing: "
        "true}\n"
        "model:\n  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained\n"
        "  pretrained_model_name_or_path: acme/m-8b\n  torch_dtype: bfloat16\n  attn_implementation: sdpa\n"
        "packed_sequence: {packed_sequence_size: 4096}\npeft: {dim: 8}\n"
        "optimizer: {_target_: torch.optim.Adam}\n");
    CHECK(job.format == "nemo-automodel");
    CHECK(said(job, Fact::model) == "acme/m-8b");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "64");
    CHECK(said(job, Fact::pp) == "4");
    CHECK(said(job, Fact::dp) == "-");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::lora_rank) == "8");
    CHECK(said(job, Fact::optimizer) == "Adam");
}

TEST_CASE("OLMo-core: a model of any dimensions, the length of its main, the nodes it is started on",
          "[launch][python]") {
    const std::string parts =
        "from olmo_core.nn.transformer import TransformerConfig\n"
        "def build_model(common):\n"
        "    return TransformerConfig.llama_like_moe(d_model=256, n_layers=4, n_heads=8, num_experts=2)\n"
        "def build_module(common):\n"
        "    return TransformerTrainModuleConfig(rank_microbatch_size=2 * 4096,\n"
        "        max_sequence_length=common.dataset.effective_sequence_length, optim=AdamWConfig())\n"
        "def build_trainer(common):\n    return TrainerConfig(save_overwrite=True)\n";
    const LaunchReading job =
        said_in(parts +
                "main(global_batch_size=16 * 4096, num_nodes=2, model_config_builder=build_model,\n"
                "    train_module_config_builder=build_module, trainer_config_builder=build_trainer)\n");
    CHECK(said(job, Fact::model) == "layers 4, hidden 256, heads 8, experts 2");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "16");
    CHECK(said(job, Fact::nodes) == "2");
}

TEST_CASE("NeMo 2: the recipe that is run, however many functions build its parts", "[launch][python]") {
    const LaunchReading job = said_in(
        "import nemo_run as run\nfrom data import data\n"
        "def data():\n    return run.Config(Rows, seq_length=4096, micro_batch_size=1, "
        "global_batch_size=32)\n"
        "def trainer():\n"
        "    strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=4)\n"
        "    trainer = run.Config(nl.Trainer, devices=4, max_steps=300, accelerator='gpu', "
        "strategy=strategy)\n"
        "    return trainer\n"
        "def recipe():\n    return run.Partial(llm.finetune, trainer=trainer(), data=data())\n"
        "def local(devices: int = 4):\n    return run.LocalExecutor(ntasks_per_node=devices)\n"
        "if __name__ == '__main__':\n    run.run(recipe(), executor=local())\n");
    CHECK(job.format == "nemo-2");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::global_batch) == "32");
    CHECK(said(job, Fact::gpus_per_node) == "4");
}

TEST_CASE("NeMo 2: a model that is laid over a recipe's is the one that trains", "[launch][python]") {
    const LaunchReading job = said_in(
        "import nemo_run as run\n"
        "def main():\n"
        "    recipe = llm.llama3_8b.pretrain_recipe(num_gpus_per_node=2)\n"
        "    recipe.model = llm.LlamaModel(llm.Llama3Config(num_layers=4, hidden_size=256,\n"
        "        num_attention_heads=8))\n"
        "    run.run(recipe, direct=True)\n"
        "main()\n");
    CHECK(job.format == "nemo-2");
    CHECK(said(job, Fact::model) == "layers 4, hidden 256, heads 8");
}

TEST_CASE("LitGPT: what it downloads and converts is beside what it trains", "[launch]") {
    const LaunchReading job = said_in(
        "litgpt download acme/m-1b --tokenizer_only True\n"
        "litgpt pretrain m-1b --train.global_batch_size 128 --train.max_seq_len 2048\n");
    CHECK(job.contradictions.empty());
    CHECK(said(job, Fact::model) == "m-1b");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::global_batch) == "128");
}

TEST_CASE("DeepSpeed-Chat's kin name the device that waits", "[launch]") {
    CHECK(said(said_in("deepspeed --num_gpus 1 main.py --offload --offload_optimizer_device nvme "
                       "--offload_param_device nvme --model_name_or_path acme/m-7b --zero_stage 3 "
                       "--per_device_train_batch_size 4 --max_seq_len 512\n"),
               Fact::offload) == "nvme (optimizer, parameters)");
}

TEST_CASE("Colossal-AI's benchmark shards everything where no plug-in is named", "[launch]") {
    const LaunchReading job =
        said_in("colossalai run --nproc_per_node 8 --hostfile hosts.txt benchmark.py -c 70b -g -x -b 2\n");
    CHECK(said(job, Fact::model) == "70b");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("a program of unknown name that is told settings is read by them, verl's recomputation of Megatron",
          "[launch]") {
    const LaunchReading job = said_in(
        "ARGS=\"engine=megatron engine.tensor_model_parallel_size=2 "
        "engine.override_transformer_config.recompute_granularity=selective\"\n"
        "$COMMAND data.train_files=a data.train_batch_size=64 data.micro_batch_size_per_gpu=2 "
        "data.max_length=1024 model.path=acme/m-7b $ARGS\n");
    CHECK(job.format == "verl");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::global_batch) == "64");
    CHECK(said(job, Fact::recompute) == "selective");
}

TEST_CASE("a model in a folder that nobody knows is named by the end of its path", "[launch]") {
    const auto model = [](const std::string& path) {
        return said(said_in("torchrun --nproc_per_node 2 train.py --per_device_train_batch_size 1 "
                            "--output_dir out --model_name_or_path " +
                            path + "\n"),
                    Fact::model);
    };
    CHECK(model("$HOME/models/acme/m-7b") == "models/acme/m-7b");
    CHECK(model("$HOME/models") == "-");
    CHECK(model("$MODEL") == "-");
}

TEST_CASE("nanotron's experts, and the processes of a group under Ray", "[launch]") {
    CHECK(said(said_in("model:\n  dtype: bfloat16\n  model_config: {num_hidden_layers: 4, hidden_size: 256, "
                       "moe_config: {num_experts: 8, top_k: 2}}\n"
                       "parallelism: {dp: 2, tp: 1, pp: 1}\n"
                       "tokens: {micro_batch_size: 1, sequence_length: 1024, "
                       "batch_accumulation_per_replica: 1}\n"),
               Fact::model) == "layers 4, hidden 256, experts 8, experts_per_token 2");
    CHECK(said(said_in("model: acme/m-7b\ntrain_type: lora\nper_device_train_batch_size: 1\ndataset: a\n"
                       "use_ray: true\ndevice_groups: {nproc_per_node: 4}\n"),
               Fact::gpus_per_node) == "4");
}

TEST_CASE("XTuner: a model by its configuration where nobody knows what it is loaded from",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "import os\nfrom xtuner.v1.train import TrainerConfig\n"
        "WHERE = os.environ['WHERE']\n"
        "trainer = TrainerConfig(model_cfg=Acme4BConfig(), load_from=WHERE, optim_cfg=AdamWConfig(lr=1e-4),\n"
        "    dataloader_cfg=DataloaderConfig(pack_max_length=4096), global_batch_size=8)\n");
    CHECK(job.format == "xtuner");
    CHECK(said(job, Fact::model) == "Acme4B");
    CHECK(said(job, Fact::sequence) == "4096");
}

TEST_CASE("Python trainers: parts of dictionaries, and arguments that a function makes of others",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "import argparse\nfrom transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
        "SIZES = {'rows': 2, 'steps': [4, 8]}\n"
        "def arguments(args):\n"
        "    return TrainingArguments(output_dir='out', per_device_train_batch_size=args.batch_size,\n"
        "        gradient_accumulation_steps=SIZES['steps'][1], bf16=True)\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--batch_size', type=int, default=3)\n"
        "    parser.add_argument('--max_seq_len', type=int, default=2048)\n"
        "    args = parser.parse_args()\n"
        "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "    model = model.to('cuda')\n"
        "    trainer = Trainer(model=model, args=arguments(args))\n"
        "main()\n");
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::micro_batch) == "3");
    CHECK(said(job, Fact::accumulation) == "8");
    CHECK(said(job, Fact::sequence) == "2048");
}

TEST_CASE("Python trainers: a model that is made anew of a configuration", "[launch][python]") {
    const LaunchReading job = said_in(
        "from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments\n"
        "sizes = {'num_hidden_layers': 6, 'hidden_size': 256, 'num_attention_heads': 4}\n"
        "config = BertConfig(**sizes)\n"
        "model = BertForMaskedLM(config)\n"
        "model = model.train()\n"
        "args = TrainingArguments(output_dir='out', per_device_train_batch_size=16)\n"
        "trainer = Trainer(model=model, args=args)\n");
    CHECK(said(job, Fact::model) == "layers 6, hidden 256, heads 4");
    CHECK(said(job, Fact::micro_batch) == "16");
}

TEST_CASE("Megatron-Bridge: the names of its first blocks, the model's own FP8, and a function's parameters",
          "[launch]") {
    const LaunchReading old = said_in(
        "model_config: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 2}\n"
        "train_config: {global_batch_size: 256, micro_batch_size: 4}\nscheduler_config: {warmup: 10}\n");
    CHECK(old.format == "megatron-bridge");
    CHECK(said(old, Fact::pp) == "2");
    CHECK(said(old, Fact::global_batch) == "256");
    const LaunchReading job = said_in(
        "from bridge.recipes import acme_1b_pretrain_config\n"
        "def build(\n    *,\n    load: str,\n    steps: int = 100,\n    rows: int = 512,\n    length: int = "
        "8192,\n"
        "    tp: int = 2,\n    pp: int = 1,\n    eval_interval: int = 2000,\n) -> Container:\n"
        "    cfg: Container = acme_1b_pretrain_config()\n"
        "    cfg.checkpoint.load = load\n    cfg.train.global_batch_size = rows\n"
        "    cfg.model.seq_length = length\n    cfg.model.tensor_model_parallel_size = tp\n"
        "    cfg.model.pipeline_model_parallel_size = pp\n    cfg.model.fp8 = 'hybrid'\n    return cfg\n");
    CHECK(job.format == "megatron-bridge");
    CHECK(said(job, Fact::model) == "acme_1b");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::precision) == "fp8");
}

TEST_CASE("NeMo 2: dimensions that a program gives a recipe's model are those of another model",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "import nemo_run as run\n"
        "recipe = llm.llama3_8b.pretrain_recipe(num_nodes=1, num_gpus_per_node=1)\n"
        "recipe.model.config.num_layers = 1\nrecipe.model.config.hidden_size = 256\n"
        "recipe.trainer.strategy.tensor_model_parallel_size = 1\nrun.run(recipe)\n");
    CHECK(said(job, Fact::model) == "layers 1, hidden 256");
}

TEST_CASE("Lightning: the optimizer that a module makes itself", "[launch][python]") {
    const LaunchReading job = said_in(
        "import torch\nimport lightning as L\nfrom torch.utils.data import DataLoader\n"
        "class Model(L.LightningModule):\n"
        "    def __init__(self, width):\n        self.width = width\n"
        "    def configure_optimizers(self):\n"
        "        made = torch.optim.AdamW(self.parameters(), lr=0.1)\n"
        "        return [made], [torch.optim.lr_scheduler.StepLR(made, 1)]\n"
        "model = Model(4)\n"
        "trainer = L.Trainer(accelerator='cuda', devices=2, strategy='fsdp', max_epochs=1)\n"
        "trainer.fit(model, DataLoader(rows, batch_size=4))\n");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::zero) == "3");
}

TEST_CASE("Paddle's launcher starts one node where nobody says", "[launch]") {
    const LaunchReading job = said_in(
        "python -u -m paddle.distributed.launch --gpus \"0,1,2,3\" run.py --model_name_or_path acme/m-1b \\\n"
        "  --per_device_train_batch_size 1 --gradient_accumulation_steps 8 --tensor_parallel_degree 2 \\\n"
        "  --pipeline_parallel_degree 2 --sharding stage1 --output_dir out\n");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::global_batch) == "8");
}

TEST_CASE("Megatron-DeepSpeed: the stage stands in DeepSpeed's file, and is unknown without it", "[launch]") {
    const std::string command =
        "deepspeed --num_gpus 8 pretrain_gpt.py --num-layers 24 --hidden-size 1536 --num-attention-heads 16 "
        "\\\n"
        "  --micro-batch-size 8 --global-batch-size 256 --seq-length 2048 --deepspeed";
    CHECK(said(said_in(command + " --deepspeed_config ds.json\n"), Fact::zero) == "-");
    CHECK(said(said_in(command + " --deepspeed_config ds.json --zero-stage 2\n"), Fact::zero) == "2");
}

TEST_CASE("OpenRLHF: a backend that shards by itself", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node=8 -m openrlhf.cli.train_sft --backend fsdp2 --max_len 512 \\\n"
        "  --train_batch_size 128 --micro_train_batch_size 2 --pretrain acme/m-1b --param_dtype bf16\n");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::accumulation) == "8");
}

TEST_CASE("Fast-LLM has one optimizer", "[launch]") {
    const LaunchReading job = said_in(
        "batch: {sequence_length: 2048, micro_batch_size: 1, batch_size: 32}\n"
        "optimizer: {weight_decay: 0.1}\nmodel: {multi_stage: {zero_stage: 2}}\ntraining: {train_iters: "
        "1}\n");
    CHECK(job.format == "fast-llm");
    CHECK(said(job, Fact::optimizer) == "adam");
}

TEST_CASE("Megatron-Bridge by the sections of AMD's launcher", "[launch]") {
    const LaunchReading job = said_in(
        "framework: megatron_bridge\nhf_model_name_or_path: acme/m-1b\nlora: {use_lora: true, lora_rank: "
        "16}\n"
        "training: {micro_batch_size: 2, global_batch_size: 64}\nprecision: {bf16: true}\n"
        "parallelism: {tensor_model_parallel_size: 2, pipeline_model_parallel_size: 1}\n"
        "data: {seq_length: 2048}\n");
    CHECK(job.format == "megatron-bridge");
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::global_batch) == "64");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::lora_rank) == "16");
}

TEST_CASE("What Slurm is asked for beside machines does not matter", "[launch]") {
    const LaunchReading job = said_in(
        "#!/bin/bash\n#SBATCH --time=5:00:00\n#SBATCH --nodes=2\n#SBATCH --account=acme\n"
        "srun torchrun --nproc-per-node 4 --nnodes 2 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size 1 --global-batch-size 8 --seq-length 64\n");
    CHECK(said(job, Fact::gpus) == "8");
    for (const UnreadSetting& unread : job.unread) {
        CHECK_FALSE(unread.matters);
    }
}
