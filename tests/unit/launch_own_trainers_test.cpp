// Trainers beside the large frameworks, and configurations of one's own around a trainer's arguments.

#include "support/launch_reading.hpp"

#include <initializer_list>

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

struct Case {
    const char* what;
    std::string text;
    const char* format;
    std::vector<std::pair<Fact, const char*>> facts;
};

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        INFO(c.what);
        const LaunchReading job = said_in(c.text);
        CHECK(job.format == c.format);
        CHECK(job.contradictions.empty());
        for (const auto& [fact, value] : c.facts) {
            INFO(fact_name(fact));
            CHECK(said(job, fact) == value);
        }
    }
}

}  // namespace

TEST_CASE("Levanter: batches of a step and of a device, the policy of precisions, the mesh", "[launch]") {
    check({{"a model by its dimensions",
            "data: !include data/a.yaml\n"
            "model: {type: llama, seq_len: 4096, hidden_dim: 2048, intermediate_dim: 5632, num_layers: 24,\n"
            "  num_heads: 16, num_kv_heads: 8, attn_backend: jax_flash}\n"
            "trainer: {mp: 'p=f32,c=bfloat16', train_batch_size: 512, per_device_parallelism: 4,\n"
            "  model_axis_size: 2, fsdp_axis: embed, tensor_parallel_axes: [mlp, heads]}\n"
            "optimizer: {type: adam, learning_rate: 1E-3}\n",
            "levanter",
            {{Fact::model, "layers 24, hidden 2048, heads 16, kv_heads 8, ffn 5632"},
             {Fact::sequence, "4096"},
             {Fact::global_batch, "512"},
             {Fact::micro_batch, "4"},
             {Fact::precision, "bf16"},
             {Fact::tp, "2"},
             {Fact::zero, "3"},
             {Fact::optimizer, "adam"},
             {Fact::attention, "jax_flash"}}},
           {"a model by its name, adapters, one micro-step",
            "initialize_from_hf: acme/m-7b\nmax_tune_length: 1024\nlora: {r: 8}\n"
            "trainer: {mp: f32, train_batch_size: 64, num_train_steps: 10, fsdp_axis: null}\n",
            "levanter",
            {{Fact::model, "acme/m-7b"},
             {Fact::sequence, "1024"},
             {Fact::lora_rank, "8"},
             {Fact::precision, "fp32"},
             {Fact::zero, "0"},
             {Fact::micro_batch, "-"},
             {Fact::accumulation, "1"}}}});
}

TEST_CASE("nanoGPT counts the micro-steps of all processes, llm.c and nanochat the tokens of a step",
          "[launch][python]") {
    check(
        {{"assignments",
          "# settings\nwandb_log = False\nbatch_size = 12\nblock_size = 1024\n"
          "gradient_accumulation_steps = 5 * 8\nn_layer = 48\nn_head = 25\nn_embd = 1600 # xl\n"
          "max_iters = 10 ** 4\ndtype = 'bfloat16'\n",
          "nanogpt",
          {{Fact::model, "layers 48, hidden 1600, heads 25"},
           {Fact::micro_batch, "12"},
           {Fact::global_batch, "480"},
           {Fact::sequence, "1024"},
           {Fact::precision, "bf16"},
           {Fact::accumulation, "-"}}},
         {"a dictionary",
          "config = {\n    'init_from' : 'gpt2-medium',\n    'batch_size': 8,\n    'block_size' : 512,\n"
          "    'max_iters' : 100,\n    'eval_iters' : 5\n}\n",
          "nanogpt",
          {{Fact::model, "gpt2-medium"}, {Fact::micro_batch, "8"}, {Fact::sequence, "512"}}},
         {"flags over a file that nobody gave",
          "torchrun --standalone --nproc_per_node=8 train.py config/own.py --batch_size=15 \\\n"
          "  --gradient_accumulation_steps=16\n",
          "nanogpt",
          {{Fact::gpus, "8"}, {Fact::global_batch, "240"}, {Fact::accumulation, "2"}, {Fact::compile, "-"}}},
         {"llm.c",
          "torchrun --standalone --nproc_per_node=2 train_gpt2.py --input_bin a.bin --model d12 \\\n"
          "  --batch_size 32 --sequence_length 1024 --total_batch_size 262144\n",
          "nanogpt",
          {{Fact::model, "d12"},
           {Fact::micro_batch, "32"},
           {Fact::global_batch, "256"},
           {Fact::accumulation, "4"}}},
         {"nanochat: what follows pre-training is not the job",
          "torchrun --standalone --nproc_per_node=8 -m scripts.base_train -- --depth=20 --fp8 \\\n"
          "  --device-batch-size=16 --total-batch-size=524288\n"
          "torchrun --standalone --nproc_per_node=8 -m scripts.base_eval -- --device-batch-size=4\n"
          "torchrun --standalone --nproc_per_node=8 -m scripts.chat_sft -- --device-batch-size=4\n",
          "nanochat",
          {{Fact::model, "layers 20, hidden 1280"},
           {Fact::sequence, "2048"},
           {Fact::micro_batch, "16"},
           {Fact::global_batch, "256"},
           {Fact::precision, "fp8"}}}});
}

TEST_CASE("Lightning: devices in each of their spellings, strategies by name and as objects", "[launch]") {
    const std::string rest = "  max_steps: 10\n  precision: bf16-mixed\n  accumulate_grad_batches: 4\n";
    check({{"the command line's file",
            "seed_everything: 1\ntrainer:\n  accelerator: gpu\n  devices: [0, 1]\n"
            "  strategy: deepspeed_stage_2_offload\n" +
                rest +
                "data:\n  class_path: a.Texts\n  init_args: {batch_size: 16, max_length: 512}\n"
                "model:\n  class_path: a.Model\n  init_args: {model_name: acme/m-1b}\n",
            "lightning",
            {{Fact::gpus, "2"},
             {Fact::zero, "2"},
             {Fact::offload, "cpu (optimizer)"},
             {Fact::precision, "bf16"},
             {Fact::accumulation, "4"},
             {Fact::micro_batch, "16"},
             {Fact::global_batch, "128"},
             {Fact::sequence, "512"},
             {Fact::model, "acme/m-1b"}}},
           {"an object, as many devices as there are",
            "trainer:\n  accelerator: gpu\n  devices: auto\n  num_nodes: 2\n"
            "  strategy:\n    class_path: lightning.pytorch.strategies.FSDPStrategy\n"
            "    init_args: {sharding_strategy: SHARD_GRAD_OP, cpu_offload: true}\n" +
                rest,
            "lightning",
            {{Fact::nodes, "2"},
             {Fact::gpus, "-"},
             {Fact::zero, "2"},
             {Fact::offload, "cpu (parameters, optimizer)"}}},
           {"Hydra's table",
            "_target_: lightning.pytorch.Trainer\naccelerator: gpu\ndevices: \"0,\"\nprecision: 32\n"
            "strategy: ddp_find_unused_parameters_true\n",
            "lightning",
            {{Fact::gpus, "1"}, {Fact::precision, "fp32"}, {Fact::zero, "0"}}}});
}

TEST_CASE("a trainer's arguments stand in tables of one's own", "[launch]") {
    check(
        {{"YAML",
          "model: {name: acme/m-1b, revision: main}\nlora: {r: 64, alpha: 16}\n"
          "training:\n  per_device_train_batch_size: 4\n  gradient_accumulation_steps: 2\n"
          "  bf16: true\n  gradient_checkpointing: false\ndata: {max_seq_length: 2048}\n",
          "hf-arguments",
          {{Fact::model, "acme/m-1b"},
           {Fact::lora_rank, "64"},
           {Fact::micro_batch, "4"},
           {Fact::accumulation, "2"},
           {Fact::sequence, "2048"},
           {Fact::precision, "bf16"},
           {Fact::recompute, "none"}}},
         {"Hydra's objects, a name that is left out",
          "model_name: ???\nlora_config: {_target_: peft.LoraConfig, r: 8}\n"
          "arguments: {_target_: transformers.TrainingArguments, per_device_train_batch_size: 1,\n"
          "  optim: paged_adamw_32bit}\n",
          "hf-arguments",
          {{Fact::model, "-"}, {Fact::lora_rank, "8"}, {Fact::optimizer, "paged_adamw_32bit"}}},
         {"a batch beside the steps that accumulate",
          "model: {name: acme/m-4b}\ntraining: {batch_size: 1, gradient_accumulation_steps: 4}\n"
          "lora: {rank: 8, alpha: 16}\ndata: {max_length: 2048}\nsystem: {gradient_checkpointing: true}\n",
          "hf-arguments",
          {{Fact::model, "acme/m-4b"},
           {Fact::micro_batch, "1"},
           {Fact::accumulation, "4"},
           {Fact::lora_rank, "8"},
           {Fact::sequence, "2048"},
           {Fact::recompute, "full"}}},
         {"overrides of a command",
          "accelerate launch --num_processes=2 --num_machines=1 --module own.sft -- model=small \\\n"
          "  model.r=8 model.lora_alpha=16 sft.max_length=8192 sft.per_device_train_batch_size=4 \\\n"
          "  sft.gradient_accumulation_steps=8\n",
          "hf-arguments",
          {{Fact::lora_rank, "8"}, {Fact::sequence, "8192"}, {Fact::global_batch, "64"}, {Fact::model, "-"}}},
         {"two stages that differ",
          "sft: {per_device_train_batch_size: 4, bf16: true}\ndpo: {per_device_train_batch_size: 2}\n",
          "hf-arguments",
          {{Fact::micro_batch, "-"}, {Fact::precision, "bf16"}}},
         {"Python's dictionaries",
          "MODEL = {\n    \"model_name\": \"acme/m-1b\",\n    \"load_in_4bit\": False,\n}\n\n"
          "MAX_SEQ_LENGTH = 512\n\nPEFT = {\n    \"r\": 32,\n}\n\nARGUMENTS = {\n"
          "    \"per_device_train_batch_size\": 8,\n    \"bf16\": True,\n}\n",
          "hf-arguments",
          {{Fact::model, "acme/m-1b"},
           {Fact::lora_rank, "32"},
           {Fact::micro_batch, "8"},
           {Fact::sequence, "512"},
           {Fact::precision, "bf16"}}},
         {"a framework's file below a name",
          "job:\n  model: {_component_: torchtune.models.llama3.lora_llama3_8b, lora_rank: 16}\n"
          "  tokenizer: {_component_: a.b, max_seq_len: 1024}\n  batch_size: 2\n  "
          "gradient_accumulation_steps: 1\n  dtype: bf16\n",
          "torchtune",
          {{Fact::model, "llama3_8b"}, {Fact::lora_rank, "16"}, {Fact::sequence, "1024"}}}});
}

TEST_CASE("programs of one's own by the names they count a batch with", "[launch]") {
    check({{"sequences of a step beside those of a process",
            "torchrun --standalone --nproc_per_node 4 own.py --model_config m.json --batch_size 64 \\\n"
            "  --total_batch_size 512 --dtype bfloat16 --optimizer adamw --max_length 256\n",
            "hf-arguments",
            {{Fact::micro_batch, "64"},
             {Fact::global_batch, "512"},
             {Fact::accumulation, "2"},
             {Fact::precision, "bf16"},
             {Fact::sequence, "256"}}},
           {"open_lm",
            "torchrun --nproc-per-node=4 -m own.main --model m_1b --precision amp_bfloat16 --fsdp --fsdp-amp "
            "\\\n"
            "  --global-batch-size 512 --accum-freq 32 --grad-checkpointing --seq-len 2048\n",
            "hf-arguments",
            {{Fact::model, "m_1b"},
             {Fact::accumulation, "32"},
             {Fact::micro_batch, "4"},
             {Fact::zero, "3"},
             {Fact::recompute, "full"}}},
           {"llama-recipes, a model's flag without its word",
            "torchrun --nnodes 1 --nproc_per_node 2 own.py --enable_fsdp --pure_bf16 --model_name \\\n"
            "  --batch_size_training 8 --gradient_accumulation_steps 1 --use_peft\n",
            "hf-arguments",
            {{Fact::zero, "3"},
             {Fact::precision, "bf16"},
             {Fact::micro_batch, "8"},
             {Fact::global_batch, "16"},
             {Fact::model, "-"}}},
           {"a batch beside the steps that accumulate, a name that is to be filled in",
            "torchrun --nproc_per_node 2 own.py --model_name <your-model> --batch_size 4 \\\n"
            "  --gradient_accumulation_steps 2 --use_4bit --max_length 128 > log.txt\n",
            "hf-arguments",
            {{Fact::model, "-"},
             {Fact::micro_batch, "4"},
             {Fact::global_batch, "16"},
             {Fact::quantization, "4-bit"},
             {Fact::sequence, "128"}}},
           {"QLoRA",
            "python own.py --model_name_or_path acme/m-7b --bits 4 --source_max_len 384 \\\n"
            "  --target_max_len 128 --per_device_train_batch_size 4 --lora_r 64\n",
            "hf-arguments",
            {{Fact::quantization, "4-bit"}, {Fact::sequence, "512"}, {Fact::lora_rank, "64"}}}});
}

TEST_CASE("a Python program that adapts a model says so without a trainer's arguments", "[launch][python]") {
    check(
        {{"an adapter that takes the rank itself",
          "from unsloth import FastLanguageModel\n"
          "model, tokenizer = FastLanguageModel.from_pretrained(\n    model_name = \"acme/m-8b-4bit\",\n"
          "    max_seq_length = 2 ** 11,\n    load_in_4bit = True,\n)\n"
          "model = FastLanguageModel.get_peft_model(model, r = 33 // 2, use_gradient_checkpointing = True)\n",
          "hf-arguments",
          {{Fact::model, "acme/m-8b-4bit"},
           {Fact::sequence, "2048"},
           {Fact::quantization, "4-bit"},
           {Fact::lora_rank, "16"},
           {Fact::recompute, "full"},
           {Fact::micro_batch, "-"}}}});
}

TEST_CASE("commands: exported devices, modules behind other flags, words in a group's place", "[launch]") {
    const std::string trainer = "own.py --model_name_or_path acme/m-1b --per_device_train_batch_size 2\n";
    check(
        {{"one exported device, no launcher",
          "export CUDA_VISIBLE_DEVICES=7\npython " + trainer,
          "hf-arguments",
          {{Fact::gpus, "1"}, {Fact::global_batch, "2"}}},
         {"several: how they are used nobody says",
          "export CUDA_VISIBLE_DEVICES=0,1\npython " + trainer,
          "hf-arguments",
          {{Fact::gpus, "-"}}},
         {"a launcher counts by itself",
          "export CUDA_VISIBLE_DEVICES=0,1,2,3\ntorchrun --nproc_per_node 2 " + trainer,
          "hf-arguments",
          {{Fact::gpus, "2"}}},
         {"exported, then started by the program itself",
          "export NPROC_PER_NODE=4\nswift sft --model acme/m-1b --train_type lora --max_length 512\n",
          "ms-swift",
          {{Fact::gpus, "4"}, {Fact::dp, "4"}}},
         {"torchtitan's kin: a script of another name",
          "NNODE=1 NGPU=4 bash own.sh --job.config_file a/b.toml --training.batch_size 2 \\\n"
          "  --training.seq_len 1024 --training.gradient_accumulation_steps 2 --training.compile\n",
          "torchtitan",
          {{Fact::gpus, "4"}, {Fact::micro_batch, "2"}, {Fact::accumulation, "2"}, {Fact::compile, "true"}}},
         {"-m in front of other flags",
          "torchrun -m --nnodes 1 --nproc_per_node=8 verl.trainer.fsdp_sft_trainer \\\n"
          "  data.micro_batch_size_per_gpu=1 data.train_batch_size=8 model.partial_pretrain=acme/m-1b\n",
          "verl",
          {{Fact::gpus, "8"}, {Fact::model, "acme/m-1b"}, {Fact::micro_batch, "1"}}},
         {"torchtune's parts by their class, a configuration of its own",
          "tune run --nproc_per_node 8 lora_finetune_distributed --config llama3_1/8B_lora \\\n"
          "  optimizer=torch.optim.AdamW optimizer.lr=1e-5 batch_size=1\n",
          "torchtune",
          {{Fact::model, "llama3_1_8b"}, {Fact::optimizer, "AdamW"}, {Fact::gpus, "8"}}},
         {"LitGPT's model behind its subcommand",
          "litgpt pretrain pythia-14m --optimizer AdamW --optimizer.lr 0.005 --train.micro_batch_size=4\n",
          "litgpt",
          {{Fact::model, "pythia-14m"}, {Fact::optimizer, "AdamW"}, {Fact::micro_batch, "4"}}}});
}

TEST_CASE("Beaker's tasks frame a command", "[launch]") {
    check(
        {{"a shell's text in a list",
          "version: v2\ntasks:\n  - name: tune\n    image: {beaker: acme/image}\n"
          "    command: ['/bin/sh', '-c']\n    arguments: ['accelerate launch\n      --mixed_precision bf16\n"
          "      own.py\n      --model_name_or_path /models/m\n      --per_device_train_batch_size 2\n"
          "      --gradient_accumulation_steps 16\n    ']\n    replicas: 2\n    resources: {gpuCount: 4}\n",
          "hf-arguments",
          {{Fact::gpus, "8"},
           {Fact::nodes, "2"},
           {Fact::model, "/models/m"},
           {Fact::precision, "bf16"},
           {Fact::global_batch, "256"}}}});
}

TEST_CASE("XTuner: a configuration that its trainer wrote out, and the second version", "[launch][python]") {
    check({{"DeepSpeed's settings in place, adapters of the language model",
            "accumulative_counts = 2\nbatch_size = 8\nmax_length = 8192\n"
            "model = dict(\n    freeze_llm=True,\n    llm_lora=dict(r=128, type='peft.LoraConfig'),\n"
            "    model_path='/models/m-2b',\n    type='own.Model')\noptim_type = 'torch.optim.AdamW'\n"
            "strategy = dict(\n    config=dict(\n        bf16=dict(enabled=True),\n"
            "        zero_optimization=dict(stage=2)),\n    type='own.Strategy')\n",
            "xtuner",
            {{Fact::model, "/models/m-2b"},
             {Fact::lora_rank, "128"},
             {Fact::zero, "2"},
             {Fact::precision, "bf16"},
             {Fact::micro_batch, "8"}}},
           {"objects",
            "from xtuner.v1.config import AdamWConfig, FSDPConfig\npack_max_length = 4 * 1024\n"
            "optim_cfg = AdamWConfig(lr=1e-6)\n"
            "fsdp_cfg = FSDPConfig(torch_compile=False, cpu_offload=True, ep_size=1, recompute_ratio=0.5)\n"
            "trainer = TrainerConfig(load_from='/models/m-4b', optim_cfg=optim_cfg, fsdp_cfg=fsdp_cfg,\n"
            "    dataloader_cfg=DataloaderConfig(pack_max_length=pack_max_length), global_batch_size=16)\n",
            "xtuner",
            {{Fact::model, "/models/m-4b"},
             {Fact::sequence, "4096"},
             {Fact::global_batch, "16"},
             {Fact::zero, "3"},
             {Fact::offload, "cpu (parameters, optimizer)"},
             {Fact::optimizer, "AdamW"},
             {Fact::recompute, "0.5"},
             {Fact::compile, "false"}}},
           {"flags",
            "torchrun --nproc-per-node 1 xtuner/v1/train/cli/sft.py --load-from models/m-1b \\\n"
            "  --pack-max-length 4096\n",
            "xtuner",
            {{Fact::model, "models/m-1b"}, {Fact::sequence, "4096"}, {Fact::gpus, "1"}}}});
}

TEST_CASE("what a Python program's options are where nobody gives them counts as a default",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "import argparse\nfrom trl import DPOConfig\n\n"
        "def main():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('-m', '--base-model', default='lab/small')\n"
        "    parser.add_argument('--rows', type=int, default=3)\n"
        "    parser.add_argument('--out', required=True)\n"
        "    args = parser.parse_args()\n"
        "    try:\n"
        "        model = AutoModelForCausalLM.from_pretrained(args.base_model, attn_implementation='sdpa')\n"
        "        if args.adapt:\n            model = get_peft_model(model, found)\n"
        "        config = DPOConfig(\n            output_dir=args.out,\n"
        "            per_device_train_batch_size=args.rows,\n            bf16=True,\n            "
        "max_length=768,\n"
        "        )\n"
        "    except ValueError:\n        pass\n\n"
        "main()\n");
    CHECK(said(job, Fact::model) == "lab/small");
    CHECK(said(job, Fact::micro_batch) == "3");
    CHECK(job.facts.at(Fact::micro_batch).how == How::by_default);
    CHECK(job.facts.at(Fact::micro_batch).where == "job:7 --rows");
    CHECK(said(job, Fact::sequence) == "768");
    CHECK(said(job, Fact::attention) == "sdpa");
    CHECK(said(job, Fact::lora_rank) == "-");
}

TEST_CASE("a Python program may name its options alone, load the model elsewhere, keep no trainer",
          "[launch][python]") {
    check({{"options that another file's functions take",
            "import work\n\ndef parse_args():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--base_model', default='lab/small')\n"
            "    parser.add_argument('--max_seq_length', type=int, default=640)\n"
            "    parser.add_argument('--lora_r', type=int, default=12)\n"
            "    parser.add_argument('--batch_size', type=int, default=3)\n"
            "    parser.add_argument('--grad_accum', type=int, default=5)\n"
            "    return parser.parse_args()\n\n"
            "def main():\n    args = parse_args()\n    work.run(rows=args.batch_size)\n",
            "hf-arguments",
            {{Fact::model, "lab/small"},
             {Fact::sequence, "640"},
             {Fact::lora_rank, "12"},
             {Fact::micro_batch, "3"},
             {Fact::accumulation, "5"}}},
           {"a loop of one's own that Accelerate spreads",
            "import accelerate\n\ndef loop():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--start', default='lab/voice')\n"
            "    parser.add_argument('--batch_size', type=int, default=6)\n"
            "    parser.add_argument('--steps', type=int, default=7)\n"
            "    args = parser.parse_args()\n"
            "    spread = Accelerator(gradient_accumulation_steps=args.steps, mixed_precision='fp16')\n"
            "    model = VoiceModel.from_pretrained(args.start, attn_implementation='eager')\n\n"
            "if __name__ == '__main__':\n    loop()\n",
            "hf-arguments",
            {{Fact::model, "lab/voice"},
             {Fact::micro_batch, "6"},
             {Fact::accumulation, "7"},
             {Fact::precision, "fp16"},
             {Fact::attention, "eager"},
             {Fact::gpus, "-"}}},
           {"a trainer made and run at once, its model from a function that main calls",
            "import trl\n\ndef loaded(name='lab/small', length=256):\n"
            "    model, words = FastLanguageModel.from_pretrained(model_name=name, max_seq_length=length)\n"
            "    return model, words\n\n"
            "def run(model, length):\n    trl.SFTTrainer(model=model, max_seq_length=length,\n"
            "        args=TrainingArguments(per_device_train_batch_size=3, fp16=True)).train()\n\n"
            "def main():\n    model, words = loaded(length=896)\n    run(model, 896)\n",
            "hf-arguments",
            {{Fact::model, "lab/small"},
             {Fact::sequence, "896"},
             {Fact::micro_batch, "3"},
             {Fact::precision, "fp16"}}}});
}

TEST_CASE("of several trainers in one Python function the arguments' name is chosen", "[launch][python]") {
    const std::string text =
        "import trl\n"
        "def steps():\n    warm = trl.SFTConfig(output_dir='a', per_device_train_batch_size=2)\n"
        "    reward = trl.GRPOConfig(output_dir='b', per_device_train_batch_size=6)\n";
    CHECK_THROWS_WITH(said_in(text),
                      "job: makes the arguments of several trainers: reward, warm; choose one with --select");
    const auto chosen = [&](const std::string& name) {
        return said(read_launch_files(std::vector<LaunchFile>{{"job", text}}, name), Fact::micro_batch);
    };
    CHECK(chosen("warm") == "2");
    CHECK(chosen("reward") == "6");
}

TEST_CASE("what a function makes counts once where the file's top calls it", "[launch][python]") {
    const LaunchReading job = said_in(
        "import trl\n"
        "def cut(rows):\n"
        "    return tokenizer(rows['text'], truncation=True, max_length=640)\n"
        "def made(rows):\n"
        "    lengths = tokenizer(rows, truncation=True, max_length=640)\n"
        "    args = trl.GRPOConfig(output_dir='b', per_device_train_batch_size=6)\n"
        "    return trl.GRPOTrainer(args=args)\n"
        "if __name__ == '__main__':\n    trainer = made(read())\n");
    CHECK(said(job, Fact::micro_batch) == "6");
    CHECK(said(job, Fact::sequence) == "640");
}

TEST_CASE("a strategy of Lightning may hold DeepSpeed's settings, accelerate's module may follow its flags",
          "[launch]") {
    check({{"a dictionary in Python",
            "import lightning as L\n\nstages = {\n    'zero_optimization': {'stage': 3},\n"
            "    'optimizer': {'type': 'Lion'},\n}\n"
            "trainer = L.Trainer(\n    devices=3,\n    strategy=DeepSpeedStrategy(config=stages),\n"
            "    max_epochs=2,\n    precision=16,\n)\n",
            "lightning",
            {{Fact::gpus_per_node, "3"},
             {Fact::zero, "3"},
             {Fact::precision, "fp16"},
             {Fact::optimizer, "Lion"}}},
           {"-m first",
            "#!/bin/bash\naccelerate launch -m --num_machines 2 --num_processes 6 work.train "
            "--config a.yaml\n",
            "accelerate",
            {{Fact::gpus, "6"}, {Fact::nodes, "2"}}}});
}

TEST_CASE("a Python program trains with the configuration that it makes, changes and starts",
          "[launch][python]") {
    const std::string recipe =
        "    recipe = llm.acme_9b.pretrain_recipe(name='a', num_nodes=nodes, num_gpus_per_node=4,\n"
        "        tensor_parallelism=2)\n"
        "    recipe.data.global_batch_size = 24\n    recipe.model.config.fp8 = 'hybrid'\n";
    const std::string helpers =
        "def variables():\n    return {}\n\ndef machine(gpus: int = 2):\n"
        "    return run.Executor(gpus=gpus)\n\n";
    check({{"in a function that returns nothing",
            "import run\n\n" + helpers + "def train():\n    nodes = 3\n" + recipe +
                "    run.run(recipe, executor=machine(2))\n\nif __name__ == '__main__':\n    train()\n",
            "nemo-2",
            {{Fact::model, "acme_9b"},
             {Fact::gpus, "12"},
             {Fact::tp, "2"},
             {Fact::global_batch, "24"},
             {Fact::precision, "fp8"},
             {Fact::pp, "-"}}},
           {"changed where it is started",
            "import run\n\n" + helpers + "def made(nodes: int = 1):\n" + recipe +
                "    return recipe\n\ndef main():\n    recipe = made(2)\n"
                "    recipe.data.global_batch_size = 32\n    run.run(recipe)\n\nmain()\n",
            "nemo-2",
            {{Fact::gpus, "8"}, {Fact::global_batch, "32"}}},
           {"one of several that the program names",
            "import run\n\ndef small():\n    nodes = 1\n" + recipe +
                "    return recipe\n\ndef large():\n"
                "    nodes = 2\n" +
                recipe +
                "    return recipe\n\nif __name__ == '__main__':\n"
                "    run.cli.main(llm.pretrain, default_factory=large)\n",
            "nemo-2",
            {{Fact::gpus, "8"}}},
           {"a trainer among a function's names",
            "import settings\nimport lightning as L\n\ndef train():\n    data = Rows(batch_size=6)\n"
            "    trainer = L.Trainer(\n        devices=settings.GPUS, precision='bf16-mixed', num_nodes=1,\n"
            "        log_every_n_steps=5,\n    )\n    trainer.fit(Net(), data)\n\ntrain()\n",
            "lightning",
            {{Fact::precision, "bf16"}, {Fact::nodes, "1"}, {Fact::gpus, "-"}, {Fact::micro_batch, "6"}}},
           {"a recipe of Megatron-Bridge by its name, and options as defaults",
            "import argparse\nfrom bridge.recipes import acme_20b_peft_config\n\ndef parse_args():\n"
            "    parser = argparse.ArgumentParser()\n    parser.add_argument('--tp', type=int, default=2)\n"
            "    parser.add_argument('--sp', action='store_true', default=True)\n"
            "    return parser.parse_args()\n\ndef main():\n    args = parse_args()\n"
            "    config = acme_20b_peft_config(peft_scheme=other())\n"
            "    config.model.tensor_model_parallel_size = args.tp\n"
            "    config.model.sequence_parallel = args.sp\n    config.train.train_iters = 10\n"
            "    finetune(config=config)\n\nmain()\n",
            "megatron-bridge",
            {{Fact::model, "acme_20b"}, {Fact::tp, "2"}, {Fact::sequence_parallel, "true"}}}});
    CHECK_THROWS_WITH(
        said_in("import run\n\ndef first():\n    nodes = 1\n" + recipe +
                "    run.run(recipe)\n\ndef second():\n    nodes = 2\n" + recipe + "    run.run(recipe)\n"),
        "job: trains with several configurations: first, second; choose one with --select");
}

TEST_CASE(
    "Python: conditions that are known, members of classes, what stands in for a setting that is not given",
    "[launch][python]") {
    const auto job = [](const std::string& before, const std::string& rows, const std::string& more = "") {
        return said_in("from trl import SFTConfig\n" + before + "args = SFTConfig(\n    output_dir='o',\n" +
                       "    per_device_train_batch_size=" + rows + ",\n" + more + ")\n");
    };
    const auto rows = [&](const std::string& before, const std::string& value) {
        return said(job(before, value), Fact::micro_batch);
    };
    const std::string branches = "if BIG:\n    n = 2\nelif MODE == 'b':\n    n = 5\nelse:\n    n = 7\n";
    CHECK(rows("BIG = True\nMODE = 'b'\n" + branches, "n") == "2");
    CHECK(rows("BIG = False\nMODE = 'b'\n" + branches, "n") == "5");
    CHECK(rows("BIG = False\nMODE = 'c'\n" + branches, "n") == "7");
    CHECK(rows("BIG = found()\nMODE = 'b'\n" + branches, "n") == "-");
    CHECK(rows("BIG = False\n", "1 if BIG else 3") == "3");
    CHECK(rows("BIG = False\n", "1 if not BIG and 2 > 1 else 3") == "1");
    CHECK(rows("n = 3\nfor x in y:\n    if x:\n        n = 4\n", "n") == "-");
    CHECK(rows("n = 3\nif __name__ == '__main__':\n    if asked():\n        n = 4\n", "n") == "-");
    CHECK(rows("@dataclass\nclass Settings:\n    rows: int = 6\n    name: str = field(default='x')\n"
               "cfg = Settings()\n",
               "cfg.rows") == "6");
    CHECK(rows("class Settings:\n    ROWS = 4\n", "Settings.ROWS") == "4");
    CHECK(rows("class Settings:\n    def __init__(self, rows=9):\n        self.rows = rows\n"
               "cfg = Settings(rows=8)\n",
               "cfg.rows") == "8");
    CHECK(rows("cfg = load('a.yaml')\n", "int(cfg.get('rows', 3))") == "3");
    CHECK(job("cfg = load('a.yaml')\n", "int(cfg.get('rows', 3))").facts.at(Fact::micro_batch).how ==
          How::by_default);
    CHECK(rows("cfg = {'train': {'rows': 2}}\n", "cfg.get('train', {}).get('rows', 3)") == "2");
    CHECK(said(job("", "1", "    bf16=found(),\n    fp16=False,\n    torch_dtype='float32',\n"),
               Fact::precision) == "-");
    CHECK(said(said_in("from trl import SFTConfig\nargs: dict[str, Any] = dict(\n"
                       "    per_device_train_batch_size=3,\n    bf16=True,\n)\nc = SFTConfig(**args)\n"),
               Fact::micro_batch) == "3");
}

TEST_CASE("commands behind others, hosts in a file, one node where nobody counts them", "[launch]") {
    const std::string trainer = "own.py --model_name_or_path acme/m-1b --per_device_train_batch_size 2\n";
    check({{"a program that starts a command on every node",
            "python submit.py --cluster a b --num_nodes 3 --gpus 4 --urgent -- accelerate launch \\\n"
            "  --mixed_precision bf16 --num_processes 4 " +
                trainer,
            "hf-arguments",
            {{Fact::gpus, "12"}, {Fact::nodes, "3"}, {Fact::global_batch, "24"}, {Fact::dp, "12"}}},
           {"a framework's program in a container",
            "timeout 10 apptainer exec --nv --env A=b image.sif /opt/bin/torchrun --nnodes=1 \\\n"
            "  --nproc_per_node=4 /opt/bin/swift sft --model acme/m-1b --train_type full \\\n"
            "  --per_device_train_batch_size 2\n",
            "ms-swift",
            {{Fact::gpus, "4"}, {Fact::model, "acme/m-1b"}, {Fact::micro_batch, "2"}}},
           {"as many nodes as a file lists",
            "colossalai run --nproc_per_node 8 --hostfile hosts " + trainer.substr(0, trainer.size() - 1) +
                " --use_grad_checkpoint\n",
            "hf-arguments",
            {{Fact::gpus_per_node, "8"}, {Fact::gpus, "-"}, {Fact::recompute, "full"}}},
           {"a header without nodes",
            "#!/bin/bash\n#SBATCH --gpus-per-node=a100:1\npython " + trainer,
            "hf-arguments",
            {{Fact::gpus, "1"}, {Fact::nodes, "1"}}},
           {"a header of several tasks",
            "#!/bin/bash\n#SBATCH --gres=gpu:4\n#SBATCH --ntasks=8\nsrun python " + trainer,
            "hf-arguments",
            {{Fact::gpus, "-"}}},
           {"XTuner's model of several parts",
            "accumulative_counts = 2\nbatch_size = 1\nmodel = dict(\n    type=Net,\n"
            "    mllm=dict(type=Part, model_path='acme/m-7b', llm_lora=dict(type=LoraConfig, r=24)))\n"
            "optim_wrapper = dict(\n    type=Amp, accumulative_counts=2, dtype='bfloat16')\n",
            "xtuner",
            {{Fact::model, "acme/m-7b"}, {Fact::lora_rank, "24"}, {Fact::precision, "bf16"}}},
           {"MaxText's older name for heads",
            "python3 MaxText/train.py MaxText/configs/base.yml per_device_batch_size=2 base_emb_dim=512 \\\n"
            "  base_num_heads=8 base_num_decoder_layers=4\n",
            "maxtext",
            {{Fact::model, "layers 4, hidden 512, heads 8"}}},
           {"Levanter begins anew",
            "initialize_from_hf: false\nmodel_name_or_path: acme/m\nmodel: {type: gpt2, seq_len: 512,\n"
            "  num_layers: 4, hidden_dim: 256, num_heads: 4}\n"
            "trainer: {mp: 'p=f32,c=bfloat16', train_batch_size: 32, num_train_steps: 10}\n",
            "levanter",
            {{Fact::model, "layers 4, hidden 256, heads 4"}}}});
}

TEST_CASE("Python trainers: options of classes, trainers that only predict, rows that a loop reads",
          "[launch][python]") {
    const std::string classes =
        "import trl\n\n@dataclass\nclass ModelArguments:\n"
        "    model_id: str = field(default='acme/m-1b', metadata={'help': 'x'})\n"
        "    length: int = field(\n        default=640,\n    )\n\n"
        "@dataclass\nclass Own(transformers.TrainingArguments):\n"
        "    per_device_train_batch_size: int = field(default=3)\n"
        "    max_seq_length: int = field(default=320)\n\n";
    const std::string parse =
        "def main():\n    parser = HfArgumentParser((ModelArguments, Own))\n"
        "    model_args, args = parser.parse_args_into_dataclasses()\n"
        "    kind = (torch.float16 if args.fp16 else (torch.bfloat16 if args.bf16 else torch.float32))\n"
        "    model = AcmeForConditionalGeneration.from_pretrained(model_args.model_id, torch_dtype=kind,\n"
        "        attn_implementation='eager')\n";
    const std::string predicts =
        "import trl\n\ndef tune():\n    model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "    args = TrainingArguments(output_dir='a', per_device_train_batch_size=4, bf16=True)\n\n"
        "def judge():\n    model = AutoModelForCausalLM.from_pretrained('a/b')\n"
        "    args = TrainingArguments(output_dir='a', predict_with_generate=True, bf16=True)\n\n"
        "if __name__ == '__main__':\n    tune()\n    judge()\n";
    const std::string loop =
        "from accelerate import Accelerator\nROWS = 2\nwork = Accelerator()\n"
        "val_loader = get_dataloader(batch_size=9, max_length=9)\n"
        "train_loader = get_dataloader(tok, batch_size=ROWS, max_length=800)\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-7b', torch_dtype=torch.bfloat16)\n"
        "model = get_peft_model(model, LoraConfig(r=8))\n";
    check({{"its own classes alone",
            classes + parse + "    trainer = OwnTrainer(model=model, args=args)\n\nmain()\n",
            "hf-arguments",
            {{Fact::model, "acme/m-1b"},
             {Fact::micro_batch, "3"},
             {Fact::sequence, "320"},
             {Fact::attention, "eager"},
             {Fact::precision, "-"}}},
           {"handed on to a trainer's arguments",
            classes + parse +
                "    made = trl.SFTConfig(max_seq_length=model_args.length,\n"
                "        per_device_train_batch_size=args.per_device_train_batch_size)\n\n"
                "main()\n",
            "hf-arguments",
            {{Fact::model, "acme/m-1b"}, {Fact::micro_batch, "3"}, {Fact::sequence, "640"}}},
           {"one that only predicts is no job",
            predicts,
            "hf-arguments",
            {{Fact::model, "acme/m-1b"}, {Fact::micro_batch, "4"}, {Fact::precision, "bf16"}}},
           {"a loop of one's own",
            loop,
            "hf-arguments",
            {{Fact::model, "acme/m-7b"},
             {Fact::lora_rank, "8"},
             {Fact::micro_batch, "2"},
             {Fact::sequence, "800"}}}});
}

TEST_CASE("NeMo 2 without a recipe: the names of a function, with what the program is told",
          "[launch][python]") {
    check({{"options of the file's top",
            "import nemo\n\ndef main(args):\n    data = Data(seq_length=1024, global_batch_size=64,\n"
            "        micro_batch_size=2)\n"
            "    strategy = nl.MegatronStrategy(tensor_model_parallel_size=args.tp,\n"
            "        pipeline_model_parallel_size=1)\n"
            "    trainer = nl.Trainer(devices=args.devices, strategy=strategy,\n"
            "        plugins=nl.MegatronMixedPrecision(precision='bf16-mixed'))\n"
            "    opt = OptimizerConfig(optimizer='adam', use_distributed_optimizer=True)\n"
            "    trainer.fit(Net(), data)\n\n"
            "if __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--devices', type=int, default=4)\n"
            "    parser.add_argument('--tp', type=int, default=2)\n"
            "    args = parser.parse_args()\n    main(args)\n",
            "nemo-2",
            {{Fact::tp, "2"},
             {Fact::gpus_per_node, "4"},
             {Fact::sequence, "1024"},
             {Fact::global_batch, "64"},
             {Fact::micro_batch, "2"},
             {Fact::optimizer, "adam"},
             {Fact::zero, "1"},
             {Fact::precision, "bf16"}}},
           {"a part of another object is no second job",
            "import nemo_run as run\n\nif __name__ == '__main__':\n"
            "    data = run.Config(Data, seq_length=4096, micro_batch_size=1, global_batch_size=32)\n"
            "    recipe = llm.acme_7b.finetune_recipe(num_nodes=1, num_gpus_per_node=1)\n"
            "    recipe.trainer.strategy.context_parallel_size = 1\n    recipe.data = data\n"
            "    run.run(recipe)\n",
            "nemo-2",
            {{Fact::model, "acme_7b"}, {Fact::gpus, "1"}, {Fact::sequence, "4096"}, {Fact::cp, "1"}}}});
}

TEST_CASE("Colossal-AI's first configurations: a batch of a rank, cut by the pipeline", "[launch][python]") {
    check({{"pipeline and tensors",
            "import torch\nfrom torch.optim import Adam\nfrom colossalai.amp import AMP_TYPE\n"
            "BATCH_SIZE = 48\nNUM_EPOCHS = 2\nSEQ_LEN = 1024\nNUM_MICRO_BATCHES = 12\n"
            "fp16 = dict(\n    mode=AMP_TYPE.NAIVE\n)\n"
            "parallel = dict(\n    pipeline=4,\n    tensor=dict(mode='1d', size=2)\n)\n"
            "optimizer = dict(\n    type=Adam,\n    lr=0.1,\n)\nmodel = dict(\n    type=Net,\n    "
            "checkpoint=True,\n)\n",
            "colossalai",
            {{Fact::sequence, "1024"},
             {Fact::pp, "4"},
             {Fact::tp, "2"},
             {Fact::micro_batch, "4"},
             {Fact::accumulation, "12"},
             {Fact::precision, "fp16"},
             {Fact::optimizer, "Adam"},
             {Fact::recompute, "full"}}},
           {"ZeRO on the host",
            "from colossalai.amp import AMP_TYPE\nBATCH_SIZE = 8\nNUM_EPOCHS = 2\n"
            "parallel = dict(\n    pipeline=dict(size=1),\n    tensor=dict(size=2, mode='sequence')\n)\n"
            "zero = dict(\n    model_config=dict(\n        tensor_placement_policy='cpu'))\n",
            "colossalai",
            {{Fact::zero, "3"}, {Fact::offload, "cpu (parameters, optimizer)"}, {Fact::cp, "2"}}}});
}

TEST_CASE("scripts count what a list holds by many filters", "[launch]") {
    const auto gpus = [](const std::string& filters) {
        return said(
            said_in("export CUDA_VISIBLE_DEVICES=5,6,7\ntorchrun --nproc_per_node $(echo "
                    "$CUDA_VISIBLE_DEVICES | " +
                    filters + ") own.py --model_name_or_path acme/m --per_device_train_batch_size 2\n"),
            Fact::gpus_per_node);
    };
    CHECK(gpus("tr ',' '\\n' | wc -l") == "3");
    CHECK(gpus("tr -cd ',' | wc -c | awk '{print $1+1}'") == "3");
    CHECK(gpus("awk -F',' '{print NF}'") == "3");
    CHECK(gpus("awk -F , '{print NF - 1}'") == "2");
    CHECK(gpus("tr , ' ' | wc -w") == "3");
    CHECK(gpus("grep -o ',' | wc -l") == "2");
    CHECK(gpus("cut -d',' -f2") == "6");
    CHECK(gpus("cut -d , -f 3 | xargs") == "7");
    CHECK(gpus("sed 's/5/1/'") == "3");  // as many as the devices
}

TEST_CASE("what a launcher starts beside the job is no second one", "[launch]") {
    check({{"torchtune's quantization",
            "CUDA_VISIBLE_DEVICES=2,3,4,5 tune run --nnodes 1 --nproc_per_node 4 "
            "full_finetune_distributed --config own.yaml\n"
            "CUDA_VISIBLE_DEVICES=0 tune run quantize --config q.yaml\n",
            "torchtune",
            {{Fact::gpus, "4"}}},
           {"LLaMA-Factory's second schema",
            "model: acme/m\ntemplate: t\nmicro_batch_size: 1\nglobal_batch_size: 8\ncutoff_len: 512\n"
            "enable_activation_checkpointing: true\ndist_config: {name: fsdp2}\n",
            "llama-factory",
            {{Fact::recompute, "full"}}}});
}

TEST_CASE("Levanter: an experiment in Python holds its model, its trainer and its machine",
          "[launch][python]") {
    const std::string model =
        "from levanter.models.llama import LlamaConfig\n\n"
        "tiny = LlamaConfig(\n    seq_len=256,\n    hidden_dim=64,\n    num_heads=4,\n"
        "    num_layers=3,\n)\n";
    const std::vector<std::pair<Fact, const char*>> facts = {{Fact::model, "layers 3, hidden 64, heads 4"},
                                                             {Fact::sequence, "256"},
                                                             {Fact::global_batch, "24"},
                                                             {Fact::gpus, "2"}};
    check({{"side by side",
            model + "train = SimpleTrainConfig(\n    resources=GpuConfig(gpu_count=2),\n"
                    "    train_batch_size=24,\n    num_train_steps=5,\n)\n"
                    "step = default_train(name='a', model_config=tiny, train_config=train)\n",
            "levanter", facts},
           {"one in another",
            model + "run = SpeedrunConfig(\n    author=Author(name='a'),\n    model_config=tiny,\n"
                    "    train_config=SimpleTrainConfig(\n        ResourceConfig.with_gpu('X', count=2),\n"
                    "        train_batch_size=24,\n        num_train_steps=5,\n    ),\n)\n",
            "levanter", facts}});
}

TEST_CASE(
    "commands: arguments that a script sets itself, hosts in a list, programs that count for themselves",
    "[launch]") {
    check(
        {{"set -- and exec",
          "half=1\nfull=0\nset -- accelerate launch --num_processes 2 own.py --model_name_or_path acme/m \\\n"
          "  --per_device_train_batch_size 1\n[ \"$half\" = 1 ] && set -- \"$@\" --bf16\n"
          "[ \"$full\" = 1 ] && set -- \"$@\" --fp16\nexec \"$@\"\n",
          "hf-arguments",
          {{Fact::precision, "bf16"}, {Fact::gpus, "2"}, {Fact::model, "acme/m"}}},
         {"a list of hosts, and what judges afterwards",
          "colossalai run --nproc_per_node 4 --host a,b,c own.py --model_name_or_path acme/m \\\n"
          "  --per_device_train_batch_size 1\n"
          "colossalai run --nproc_per_node 1 eval.py --model_name_or_path acme/m\n",
          "hf-arguments",
          {{Fact::nodes, "3"}, {Fact::gpus, "12"}}},
         {"XTuner's own processes",
          "NPROC_PER_NODE=4 xtuner train own.py --deepspeed deepspeed_zero2\n",
          "xtuner",
          {{Fact::gpus, "4"}, {Fact::zero, "2"}}},
         {"ms-swift's conversion",
          "swift export --model acme/m --to_mcore true --output_dir a\n"
          "NPROC_PER_NODE=8 megatron sft --load a --tensor_model_parallel_size 2 --micro_batch_size 1 \\\n"
          "  --global_batch_size 8 --max_length 512\n",
          "ms-swift",
          {{Fact::tp, "2"}, {Fact::gpus_per_node, "8"}, {Fact::sequence, "512"}}},
         {"MaxText over a file that nobody gave",
          "python -m MaxText.train configs/own.yml per_device_batch_size=4\n",
          "maxtext",
          {{Fact::micro_batch, "4"}, {Fact::tp, "-"}}}});
}

TEST_CASE("what a Python function returns counts as made, Megatron-Bridge's None switches off",
          "[launch][python]") {
    check(
        {{"a tokenizer's rows",
          "import transformers\n\ndef rows(batch):\n    return tokenizer(\n        batch['text'],\n"
          "        truncation=True,\n        max_length=192,\n    )\n\n"
          "model = AcmeForSequenceClassification.from_pretrained('acme/m', num_labels=2)\n"
          "args = TrainingArguments(output_dir='o', per_device_train_batch_size=8)\n",
          "hf-arguments",
          {{Fact::sequence, "192"}, {Fact::model, "acme/m"}}},
         {"a recipe",
          "import torch\n\ndef made() -> ConfigContainer:\n    cfg = acme_9b_pretrain_config()\n"
          "    cfg.model.recompute_granularity = None\n    cfg.train.micro_batch_size = 1\n    return cfg\n",
          "megatron-bridge",
          {{Fact::model, "acme_9b"}, {Fact::recompute, "none"}}}});
}

TEST_CASE("what a command's own program decides is known without its configuration", "[launch]") {
    check({{"micro-steps that ranks cannot share",
            "torchrun --standalone --nproc_per_node=8 train.py config/small.py --batch_size=10 \\\n"
            "  --gradient_accumulation_steps=6\n",
            "nanogpt",
            {{Fact::accumulation, "6"}, {Fact::micro_batch, "10"}, {Fact::global_batch, "480"}}},
           {"micro-steps that they share",
            "torchrun --standalone --nproc_per_node=8 train.py config/small.py --batch_size=10 \\\n"
            "  --gradient_accumulation_steps=16\n",
            "nanogpt",
            {{Fact::accumulation, "2"}, {Fact::global_batch, "160"}}},
           {"a recipe of adapters",
            "tune run --nproc_per_node 8 lora_finetune_distributed --config ours.yaml batch_size=2 \\\n"
            "  gradient_accumulation_steps=4\n",
            "torchtune",
            {{Fact::dp, "8"}, {Fact::global_batch, "64"}}},
           {"another recipe may cut its tensors",
            "tune run --nproc_per_node 8 full_finetune_distributed --config ours.yaml batch_size=2 \\\n"
            "  gradient_accumulation_steps=4\n",
            "torchtune",
            {{Fact::dp, "-"}}},
           {"devices of one machine",
            "python train.py --devices=2 --strategy=fsdp --precision=bf16-mixed \\\n"
            "  --batch_size_per_device=2 --grad_accum_steps=8 --model_name_or_path=acme/m\n",
            "hf-arguments",
            {{Fact::gpus, "2"}, {Fact::nodes, "1"}, {Fact::global_batch, "32"}}},
           {"scripts of a checkout",
            "python ours/finetune/lora.py --checkpoint_dir checkpoints/acme/m-7b --precision bf16-true\n",
            "litgpt",
            {{Fact::model, "acme/m-7b"}, {Fact::precision, "bf16"}}},
           {"its settings of files in a group",
            "python finetune/lora.py --io.checkpoint_dir checkpoints/acme/m-7b \\\n"
            "  --train.micro_batch_size 2\n",
            "litgpt",
            {{Fact::model, "acme/m-7b"}, {Fact::micro_batch, "2"}}},
           {"srun's tasks by their other name",
            "srun -N 4 --tasks-per-node 8 --gpus-per-task 1 python deepy.py train.py -d configs a.yml\n",
            "gpt-neox",
            {{Fact::gpus, "32"}, {Fact::nodes, "4"}}},
           {"sbatch's too",
            "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --tasks-per-node=4\n#SBATCH --gpus-per-task=1\n"
            "srun python train.py --per_device_train_batch_size 2 --model_name_or_path acme/m\n",
            "hf-arguments",
            {{Fact::gpus, "8"}}},
           {"Colossal-AI's states on a disk",
            "BATCH_SIZE = 2\nNUM_EPOCHS = 3\nzero = dict(\n    level=2,\n"
            "    offload_optimizer_config=dict(device='nvme', pipeline=False),\n)\n"
            "model = dict(type=Net, checkpoint=True, dtype=torch.half)\n",
            "colossalai",
            {{Fact::zero, "2"},
             {Fact::offload, "nvme (optimizer)"},
             {Fact::precision, "fp16"},
             {Fact::recompute, "full"}}}});
}

TEST_CASE("variables that a script which nobody gave is started with", "[launch]") {
    check({{"short names",
            "TEE_OUTPUT=1 MBS=2 BS=64 TP=8 TE_FP8=1 SEQ_LENGTH=4096 bash examples/ours/train.sh\n",
            "megatron",
            {{Fact::micro_batch, "2"},
             {Fact::global_batch, "64"},
             {Fact::tp, "8"},
             {Fact::pp, "-"},
             {Fact::sequence, "4096"},
             {Fact::precision, "fp8"},
             {Fact::zero, "-"},
             {Fact::gpus, "-"}}},
           {"names with a prefix, and machines",
            "#!/bin/bash\nHL_DEVICES_PER_NODE=8 \\\nNNODES=2 \\\nHL_GBS=16 \\\nHL_MICRO_BATCH=2 \\\n"
            "HL_DP=2 \\\nHL_TP=4 \\\nHL_PP=2 \\\n./ours/pretrain.sh\n",
            "megatron",
            {{Fact::micro_batch, "2"},
             {Fact::global_batch, "16"},
             {Fact::dp, "2"},
             {Fact::tp, "4"},
             {Fact::pp, "2"},
             {Fact::gpus, "16"}}}});
    CHECK_THROWS(said_in("TP=2 bash examples/ours/train.sh\n"));  // too little to know what it is
    check({{"names of another trainer",
            "python -m ours.train --train_batch_size_per_device 2 --train_total_batch_size 32 \\\n"
            "  --model_name_or_path acme/m --max_length 512\n",
            "hf-arguments",
            {{Fact::micro_batch, "2"}, {Fact::global_batch, "32"}}}});
}

TEST_CASE("Lightning's programs: loops of one's own, loaders, models", "[launch]") {
    const std::string imports = "import lightning as L\nfrom torch.utils.data import DataLoader\n";
    check(
        {{"Fabric, beside constants",
          imports + "batch_size = 64\nmicro_batch_size = 4\nmax_iters = 100\neval_interval = 10\n"
                    "eval_iters = 5\nwarmup_iters = 2\nmin_lr = 0.1\n\n"
                    "def main(devices: int = 2):\n"
                    "    strategy = FSDPStrategy(activation_checkpointing=Block)\n"
                    "    fabric = L.Fabric(accelerator=\"cuda\", devices=devices, "
                    "precision=\"bf16-mixed\", strategy=strategy)\n"
                    "    train_dataloader, val_dataloader = create_dataloaders(batch_size=micro_batch_size)\n"
                    "    train_dataloader, val_dataloader = fabric.setup_dataloaders(train_dataloader, "
                    "val_dataloader)\n"
                    "    gradient_accumulation_iters = batch_size // devices // micro_batch_size\n\n"
                    "if __name__ == \"__main__\":\n    CLI(main)\n",
          "lightning",
          {{Fact::gpus, "2"},
           {Fact::micro_batch, "4"},
           {Fact::accumulation, "8"},
           {Fact::zero, "3"},
           {Fact::recompute, "full"},
           {Fact::precision, "bf16"}}},
         {"Fabric, told on the command line",
          imports + "def load(name, rows):\n    return DataLoader(name, batch_size=rows)\n\n"
                    "def main():\n    parser = argparse.ArgumentParser()\n"
                    "    parser.add_argument('--rows', type=int, default=6)\n"
                    "    parser.add_argument('--max_length', type=int, default=512)\n"
                    "    args = parser.parse_args()\n"
                    "    fabric = L.Fabric(devices=1, strategy=\"ddp\", precision=\"16-mixed\")\n"
                    "    model = AutoModelForCausalLM.from_pretrained(\"acme/m\")\n"
                    "    model, optimizer = fabric.setup(model, optimizer)\n"
                    "    dataloader = load(\"rows\", args.rows)\n"
                    "    dataloader = fabric.setup_dataloaders(dataloader)\n\nmain()\n",
          "lightning",
          {{Fact::model, "acme/m"},
           {Fact::micro_batch, "6"},
           {Fact::sequence, "512"},
           {Fact::precision, "fp16"},
           {Fact::zero, "0"}}},
         {"a Trainer's loader",
          imports + "def train():\n    val_loader = DataLoader(b, batch_size=1)\n"
                    "    train_loader = DataLoader(a, batch_size=12)\n"
                    "    trainer = L.Trainer(devices=4, accelerator=\"gpu\", precision=32,\n"
                    "        accumulate_grad_batches=2, max_epochs=1)\n"
                    "    trainer.fit(net, train_loader, val_loader)\n\ntrain()\n",
          "lightning",
          {{Fact::micro_batch, "12"}, {Fact::gpus, "4"}, {Fact::global_batch, "96"}}},
         {"a loader's rows on the command line",
          "python main.py loader.global_batch_size=256 loader.batch_size=64 model.length=1024 \\\n"
          "  trainer.devices=2 trainer.num_nodes=1 trainer.accumulate_grad_batches=2 "
          "trainer.precision=bf16\n",
          "lightning",
          {{Fact::micro_batch, "64"}, {Fact::global_batch, "256"}, {Fact::sequence, "1024"}}}});
}

TEST_CASE("OLMo-core's programs: what the call of their parts says, a parser that a function makes",
          "[launch]") {
    const std::string module =
        "    return TransformerTrainModuleConfig(\n"
        "        rank_microbatch_size=ROWS,\n"
        "        max_sequence_length=LENGTH,\n"
        "        optim=AdamWConfig(lr=0.1),\n"
        "        dp_config=TransformerDataParallelConfig(name=DataParallelType.fsdp))\n\n";
    const auto with = [&](std::string rows, std::string length) {
        std::string text = module;
        text.replace(text.find("LENGTH"), 6, length);
        text.replace(text.find("ROWS"), 4, rows);
        return text;
    };
    check({{"told to the parts",
            "SEQUENCE_LENGTH = 4 * 1024\n\ndef build_model_config(common):\n"
            "    config = TransformerConfig.olmo2_7B(vocab_size=8)\n"
            "    config.block.attention.use_flash = True\n    return config\n\n"
            "def build_train_module_config(common):\n" +
                with("2 * SEQUENCE_LENGTH", "common.dataset.effective_sequence_length") +
                "if __name__ == \"__main__\":\n    main(\n        global_batch_size=64 * SEQUENCE_LENGTH,\n"
                "        sequence_length=SEQUENCE_LENGTH,\n"
                "        model_config_builder=build_model_config,\n"
                "        train_module_config_builder=build_train_module_config,\n    )\n",
            "olmo-core",
            {{Fact::sequence, "4096"},
             {Fact::micro_batch, "2"},
             {Fact::global_batch, "64"},
             {Fact::attention, "flash"}}},
           {"a parser of a function's",
            "def build_module(args):\n" + with("args.rows * args.length", "args.length") +
                "def build_config(args, overrides):\n    return Experiment(\n"
                "        train_module=build_module(args),\n"
                "        data_loader=LoaderConfig(global_batch_size=args.batch * args.length),\n"
                "        trainer=TrainerConfig(),\n        seed=args.seed).merge(overrides)\n\n"
                "def build_parser():\n    parser = argparse.ArgumentParser()\n"
                "    parser.add_argument(\"--seed\", type=int, default=1)\n"
                "    parser.add_argument(\"--length\", type=int, default=1024)\n"
                "    parser.add_argument(\"--rows\", type=int, default=8)\n"
                "    parser.add_argument(\"--batch\", type=int, default=512)\n    return parser\n\n"
                "def main():\n    parser = build_parser()\n"
                "    args, overrides = parser.parse_known_args()\n"
                "    config = build_config(args, overrides)\n    train(config)\n\n"
                "if __name__ == \"__main__\":\n    main()\n",
            "olmo-core",
            {{Fact::sequence, "1024"}, {Fact::micro_batch, "8"}, {Fact::global_batch, "512"}}}});
}

TEST_CASE("programs of Python that start what trains by commands", "[launch]") {
    check({{"a text of several lines",
            "import os\n\nos.environ[\"A\"] = \"0\"\nos.system(\"torchrun --standalone --nproc_per_node 2 "
            "./train.py \\\n    --batch_size 8 \\\n    --total_batch_size 64 \\\n    --dtype bfloat16\")\n",
            "hf-arguments",
            {{Fact::gpus, "2"},
             {Fact::micro_batch, "8"},
             {Fact::global_batch, "64"},
             {Fact::precision, "bf16"}}},
           {"words of a list, not all of them known",
            "import subprocess\nsubprocess.run(['composer', '--version'])\nsubprocess.run([\n"
            "    'composer', 'train.py', 'a.yaml',  # ours\n    'max_seq_len=512', f'run_name={name}',\n"
            "    'global_train_batch_size=' + str(rows), 'device_train_microbatch_size=4'], check=True)\n",
            "llm-foundry",
            {{Fact::sequence, "512"}, {Fact::micro_batch, "4"}, {Fact::global_batch, "-"}}},
           {"a command that was put together before",
            "import subprocess\n\ndef main():\n    cmd = (\"accelerate launch --num_processes 4 train.py \"\n"
            "           \"--per_device_train_batch_size 2 --bf16 True \"\n"
            "           f\"--model_name_or_path {MODEL} --max_seq_length 256\")\n"
            "    subprocess.run(cmd, shell=True)\n\nmain()\n",
            "hf-arguments",
            {{Fact::gpus, "4"}, {Fact::micro_batch, "2"}, {Fact::sequence, "256"}, {Fact::model, "-"}}}});
    const LaunchReading job = said_in(
        "import os\n\n\nos.system('deepspeed --num_gpus 8 train.py --per_device_train_batch_size 2')\n"
        "os.system('ls')\n");
    CHECK(job.facts.at(Fact::micro_batch).where.find(":4 ") != std::string::npos);
    // A program that trains by itself is read itself.
    CHECK(said(said_in("import os\nfrom transformers import TrainingArguments\n"
                       "os.system('python train.py --per_device_train_batch_size 9')\n"
                       "args = TrainingArguments(output_dir='o', per_device_train_batch_size=3)\n"),
               Fact::micro_batch) == "3");
}

TEST_CASE("an adapter that a function returns is the program's where it makes no other", "[launch]") {
    const std::string adapter = "def adapter():\n    return LoraConfig(r=24, lora_alpha=2)\n\n";
    const std::string arguments =
        "def arguments(out):\n    return TrainingArguments(output_dir=out, per_device_train_batch_size=3)\n";
    CHECK(said(said_in("import peft\n\n" + adapter + arguments), Fact::lora_rank) == "24");
    CHECK(said(said_in("import peft\n\n" + adapter + "def other():\n    return LoraConfig(r=8)\n\n" +
                       arguments),
               Fact::lora_rank) == "-");
}
