// What launch files met last taught: arguments that a script asks for, settings that are changed copies,
// Lightning's names in settings of one's own.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("a script that leaves without its argument is followed as if it had one", "[launch]") {
    const std::string text =
        "SIZE=\"\"\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --size) SIZE=\"$2\"; shift 2;;\n  "
        "esac\ndone\n"
        "case \"$SIZE\" in\n  small) TP=1 ;;\n  large) TP=8 ;;\n  *) echo \"which size?\"; exit 1 ;;\nesac\n"
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size 2 --global-batch-size 64 --seq-length 64 \\\n"
        "  --tensor-model-parallel-size $TP\n";
    const LaunchReading job = said_in(text);
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::tp) == "-");  // one of two
    std::string given = text;
    given.replace(given.find("SIZE=\"\""), 7, "SIZE=\"large\"");
    CHECK(said(said_in(given), Fact::tp) == "8");
}

TEST_CASE("settings that a method of theirs changes stay those", "[launch]") {
    const LaunchReading job = said_in(
        "from acme import ExperimentConfig, main\n"
        "from transformers import Trainer, TrainingArguments\n"
        "args = TrainingArguments(output_dir='o', per_device_train_batch_size=4)\n"
        "args = args.merge(overrides)\n"
        "trainer = Trainer(model=model, args=args)\ntrainer.train()\n");
    CHECK(said(job, Fact::micro_batch) == "4");
}

TEST_CASE("arguments of the data alone are no trainer's", "[launch]") {
    const LaunchReading job = said_in(
        "from dataclasses import dataclass, field\nfrom trl import GRPOConfig, GRPOTrainer, TrlParser\n"
        "@dataclass\nclass DataTrainingArguments:\n    dataset: str = field(default='d')\n"
        "parser = TrlParser((DataTrainingArguments, GRPOConfig))\n"
        "data_args, training_args = parser.parse_args_and_config()\n"
        "data = DataTrainingArguments()\n"
        "args = GRPOConfig(per_device_train_batch_size=2, gradient_accumulation_steps=4)\n"
        "trainer = GRPOTrainer(model='acme/m-1b', args=args)\ntrainer.train()\n");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::accumulation) == "4");
}

TEST_CASE("settings alone: an optimizer that its table names", "[launch]") {
    for (const std::string key : {"name", "type"}) {
        const LaunchReading job =
            said_in("optim:\n  " + key +
                    ": adamw\n  lr: 5e-5\ntraining:\n  micro_batch_size: 8\n  gradient_accumulation: 4\n"
                    "  seq_len: 512\n");
        CHECK(said(job, Fact::optimizer) == "adamw");
        CHECK(said(job, Fact::model) == "-");
    }
}

TEST_CASE("settings alone: devices and strategy beside an accelerator are Lightning's", "[launch]") {
    const std::string rows =
        "training:\n  batch_size: 16\n  gradient_accumulation: 2\n  sequence_length: 2048\n"
        "  learning_rate: 6.0e-4\n";
    const LaunchReading job = said_in(
        rows + "hardware:\n  accelerator: gpu\n  devices: 4\n  precision: bf16-true\n  strategy: ddp\n");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::zero) == "0");
    CHECK(said(said_in(rows + "hardware:\n  devices: 4\n"), Fact::gpus) == "-");
}

TEST_CASE("settings alone: a model's base by its name of the hub", "[launch]") {
    const auto of_base = [](const std::string& base) {
        return said(said_in("model:\n  base: " + base +
                            "\ntraining:\n  batch_size: 1\n  gradient_accumulation_steps: 8\n"
                            "  max_seq_length: 512\n  lora_rank: 4\n"),
                    Fact::model);
    };
    CHECK(of_base("acme/m-1b") == "acme/m-1b");
    CHECK(of_base("./out/m-1b") == "-");
}

TEST_CASE("batches in tokens, by the parts of their names", "[launch]") {
    const LaunchReading job = said_of(
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--seq_len', type=int)\n"
        "parser.add_argument('--rank_microbatch_size_tokens', type=int)\n"
        "parser.add_argument('--global_batch_size_tokens', type=int)\nargs = parser.parse_args()\n" +
            loop_of,
        "torchrun --nproc_per_node 2 train.py --seq_len 1024 --rank_microbatch_size_tokens 2048 "
        "--global_batch_size_tokens 8192");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "8");
}

TEST_CASE("ms-swift: FSDP by a file of its words and their details", "[launch]") {
    const LaunchReading job = read_launch_files(
        std::vector<LaunchFile>{
            {"run.sh",
             "NPROC_PER_NODE=8 swift sft --model acme/m-1b --max_length 512 \\\n"
             "  --per_device_train_batch_size 1 --fsdp fsdp.json\n"},
            {"fsdp.json",
             "{\"fsdp\": \"full_shard auto_wrap\", \"fsdp_config\": {\"fsdp_version\": 2, "
             "\"reshard_after_forward\": true}}\n"}},
        {});
    CHECK(job.format == "ms-swift");
    CHECK(said(job, Fact::zero) == "3");
}

TEST_CASE("NeMo 2: the function of a recipe's trainer takes its degrees", "[launch]") {
    const LaunchReading job = said_in(
        "from nemo.collections.llm.recipes import nemotron4_22b\n"
        "recipe = nemotron4_22b.pretrain_recipe(name='n', num_nodes=2, num_gpus_per_node=8)\n"
        "trainer = nemotron4_22b.trainer(tensor_parallelism=4, pipeline_parallelism=2,\n"
        "    virtual_pipeline_parallelism=5, context_parallelism=2, sequence_parallelism=True,\n"
        "    num_nodes=2, num_gpus_per_node=8)\nrecipe.trainer = trainer\n");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::vp) == "5");
    CHECK(said(job, Fact::cp) == "2");
}

TEST_CASE("torchtune: a configuration of its own by its path", "[launch]") {
    const LaunchReading job = said_in(
        "tune run lora_finetune_single_device \\\n"
        "  --config /opt/torchtune/recipes/configs/llama3_1/8B_lora_single_device.yaml batch_size=2\n");
    CHECK(said(job, Fact::model) == "llama3_1_8b");
    const LaunchReading other =
        said_in("tune run lora_finetune_single_device --config /my/8B_lora.yaml batch_size=2\n");
    CHECK(said(other, Fact::model) == "-");
}

namespace {

/// A script beside one that trains, which takes a degree as its argument and rows from outside.
LaunchReading beside_script(const std::string& script, const std::string& train_name = "train.sh",
                            const std::string& header = "") {
    const std::string train =
        "#!/bin/bash\n" + header +
        "TP=${1:-1}\nMBS=${MBS:-1}\n"
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size $MBS --global-batch-size 64 --seq-length 64 \\\n"
        "  --tensor-model-parallel-size $TP\n";
    return read_launch_files(std::vector<LaunchFile>{{"a.sh", script}, {train_name, train}}, {});
}

}  // namespace

TEST_CASE("a given script is followed with its arguments however another starts it", "[launch]") {
    for (const std::string line :
         {"./train.sh 4", "bash -x train.sh 4", "nohup bash train.sh 4 > log 2>&1 &", "exec bash train.sh 4",
          "time bash train.sh 4", "sbatch train.sh 4", "docker exec c bash /x/train.sh 4",
          "ssh host \"cd x; bash train.sh 4\"", "while true; do bash train.sh 4; sleep 1; done",
          "for ((i = 0; i < 3; i++)); do bash train.sh 4; done"}) {
        INFO(line);
        CHECK(said(beside_script("#!/bin/bash\n" + line + "\n"), Fact::tp) == "4");
    }
    for (const std::string line : {"MBS=2 bash train.sh", "env MBS=2 bash train.sh", "MBS=2 ./train.sh",
                                   "sbatch --export=ALL,MBS=2 train.sh"}) {
        INFO(line);
        CHECK(said(beside_script("#!/bin/bash\n" + line + "\n"), Fact::micro_batch) == "2");
    }
    // What is set for one command alone is not set for the next.
    CHECK(said(beside_script("#!/bin/bash\nMBS=4 echo a\nMBS=4 ./b.sh\nbash train.sh\n"),
               Fact::micro_batch) == "1");
    const std::string header = "#SBATCH --nodes=3\n";
    CHECK(said(beside_script("#!/bin/bash\nsbatch train.slurm\n", "train.slurm", header), Fact::nodes) ==
          "3");
    CHECK(said(beside_script("#!/bin/bash\nsbatch --nodes=5 train.slurm\n", "train.slurm", header),
               Fact::nodes) == "5");
}

TEST_CASE("loops over arguments that another script gives are followed", "[launch]") {
    const std::string job =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size $MBS --global-batch-size 64 --seq-length 64 \\\n"
        "  --tensor-model-parallel-size $TP\n";
    for (const std::string loop :
         {"while [[ $# -gt 0 ]]; do\n  case $1 in\n    --tp) TP=\"$2\"; echo $TP; shift 2;;\n"
          "    --mbs=*) MBS=\"${1#*=}\"; shift;;\n    *) echo what is $1; exit 1;;\n  esac\ndone\n",
          "until [ $# -eq 0 ]; do\n  case $1 in\n    --tp) TP=$2; shift; shift;;\n"
          "    --mbs=*) MBS=\"${1#*=}\"; shift;;\n  esac\ndone\n",
          "while true; do\n  case \"$1\" in\n    --tp) TP=$2; shift 2;;\n    --mbs=*) MBS=${1#*=}; "
          "shift;;\n    *) break;;\n  esac\ndone\n"}) {
        INFO(loop);
        const std::string train = "#!/bin/bash\nTP=1\nMBS=1\n" + loop + job;
        const LaunchReading told = read_launch_files(
            std::vector<LaunchFile>{{"a.sh", "#!/bin/bash\nbash b.sh --tp 4 --mbs=2\n"}, {"b.sh", train}},
            {});
        CHECK(said(told, Fact::tp) == "4");
        CHECK(said(told, Fact::micro_batch) == "2");
        CHECK(said(said_in(train), Fact::tp) == "1");  // alone: its own values
    }
    const LaunchReading named = read_launch_files(
        std::vector<LaunchFile>{
            {"a.sh", "#!/bin/bash\nbash b.sh TP=4 MBS=2\n"},
            {"b.sh",
             "#!/bin/bash\nfor ARGUMENT in \"$@\"; do\n  KEY=$(echo $ARGUMENT | cut -f1 -d=)\n"
             "  LENGTH=${#KEY}\n  VALUE=\"${ARGUMENT:$LENGTH+1}\"\n  export \"$KEY\"=\"$VALUE\"\ndone\n"
             "if [[ -z $MBS ]]; then MBS=8; fi\n" +
                 job}},
        {});
    CHECK(said(named, Fact::tp) == "4");
    CHECK(said(named, Fact::micro_batch) == "2");
    const LaunchReading letters = read_launch_files(
        std::vector<LaunchFile>{
            {"a.sh", "#!/bin/bash\nbash b.sh -v -t 4 -m2\n"},
            {"b.sh",
             "#!/bin/bash\nTP=1\nMBS=1\nwhile getopts \"t:m:v\" opt; do\n  case $opt in\n    t) "
             "TP=$OPTARG;;\n"
             "    m) MBS=$OPTARG;;\n    v) set -x;;\n  esac\ndone\nshift $((OPTIND - 1))\n" +
                 job}},
        {});
    CHECK(said(letters, Fact::tp) == "4");
    CHECK(said(letters, Fact::micro_batch) == "2");
}

TEST_CASE("what a loop starts whose rounds nobody knows is found, and its changes are not taken",
          "[launch]") {
    const std::string job =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size $MBS --global-batch-size 64 --seq-length 64\n";
    CHECK(said(said_in("#!/bin/bash\nMBS=2\nwhile true; do\n" + job + "sleep 60\ndone\n"),
               Fact::micro_batch) == "2");
    CHECK(said(said_in("#!/bin/bash\nMBS=2\nwhile read -r line; do MBS=$line; done < rows.txt\n" + job),
               Fact::micro_batch) == "2");
    CHECK(said(said_in("#!/bin/bash\nwhile read -r MBS; do\n" + job + "done < rows.txt\n"),
               Fact::global_batch) == "64");
}

TEST_CASE("a script that submits itself is followed once", "[launch]") {
    const std::string text =
        "#!/bin/bash\n#SBATCH --nodes=2\nif [ -z \"$IN_JOB\" ]; then\n  IN_JOB=1 sbatch a.sh\n  exit 0\nfi\n"
        "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 \\\n"
        "  --model_name_or_path acme/m-1b --output_dir o\n";
    const LaunchReading job = read_launch_files(std::vector<LaunchFile>{{"a.sh", text}}, {});
    CHECK(said(job, Fact::micro_batch) == "2");
}

TEST_CASE("RWKV's trainer, by its own words and Lightning's", "[launch]") {
    const LaunchReading job = said_in(
        "n_layer=12\nn_embd=768\npython train.py --load_model '' --proj_dir out --vocab_size 65536 \\\n"
        "  --n_layer $n_layer --n_embd $n_embd --ctx_len 512 --micro_bsz 4 --lr_init 3e-4 \\\n"
        "  --accelerator gpu --devices 2 --precision bf16 --strategy deepspeed_stage_1 --grad_cp 1\n");
    CHECK(said(job, Fact::sequence) == "512");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::gpus) == "2");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::zero) == "1");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("nanotron: recomputation by its older word, not that of evaluation", "[launch]") {
    const auto with = [](const std::string& word) {
        return said(said_in("parallelism:\n  dp: 4\n  tp: 1\n  pp: 1\n  pp_engine: 1f1b\n" + word +
                            "tokens:\n  sequence_length: 64\n  micro_batch_size: 2\n"
                            "lighteval:\n  parallelism:\n    dp: 1\n    recompute_granularity: FULL\n"),
                    Fact::recompute);
    };
    CHECK(with("  recompute_granularity: SELECTIVE\n") == "selective");
    CHECK(with("  recompute_granularity: null\n") == "none");
    CHECK(with("") == "none");
}

TEST_CASE("a rank beside its alpha is an adapter's, a rank alone may be GaLore's", "[launch]") {
    const std::string line =
        "torchrun --nproc_per_node 8 -m tune --model_name_or_path acme/m-1b "
        "--per_device_train_batch_size 1 --output_dir o --rank 256";
    CHECK(said(said_in(line + " --alpha 512\n"), Fact::lora_rank) == "256");
    CHECK(said(said_in(line + "\n"), Fact::lora_rank) == "-");
}

TEST_CASE("OLMo-core: a job made of parts beside the function that trains it", "[launch]") {
    const LaunchReading job = said_in(
        "import argparse\nfrom olmo_core.nn.transformer import TransformerConfig\n\n"
        "def build_config(opts):\n    return ExperimentConfig(\n"
        "        model=TransformerConfig.olmo2_370M(vocab_size=8),\n"
        "        data_loader=LoaderConfig(global_batch_size=opts.global_batch_size),\n"
        "        train_module=TransformerTrainModuleConfig(\n"
        "            rank_microbatch_size=opts.rank_microbatch_size, max_sequence_length=1024,\n"
        "            optim=AdamWConfig(lr=0.1), compile_model=True,\n"
        "            dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp)),\n"
        "        trainer=TrainerConfig(save_folder='o'))\n\n"
        "def train(config):\n    trainer = config.trainer.build()\n    trainer.fit()\n\n"
        "def main():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--global-batch-size', type=int, default=8192)\n"
        "    parser.add_argument('--rank-microbatch-size', type=int, default=2048)\n"
        "    opts = parser.parse_args()\n    config = build_config(opts)\n    train(config)\n\n"
        "if __name__ == '__main__':\n    main()\n");
    CHECK(job.format == "olmo-core");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "8");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::compile) == "true");
}

TEST_CASE("scripts that start each other are read from the first", "[launch]") {
    const std::string job =
        "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 2 \\\n"
        "  --model_name_or_path acme/m-1b --output_dir o\n";
    const LaunchReading two =
        read_launch_files(std::vector<LaunchFile>{{"a.sh", "#!/bin/bash\nbash b.sh $1$1\n" + job},
                                                  {"b.sh", "#!/bin/bash\nsource a.sh\n./b.sh\n"}},
                          {});
    CHECK(said(two, Fact::micro_batch) == "2");
    const LaunchReading circle =
        read_launch_files(std::vector<LaunchFile>{{"a.sh", "#!/bin/bash\nbash b.sh\n" + job},
                                                  {"b.sh", "#!/bin/bash\nbash c.sh\n"},
                                                  {"c.sh", "#!/bin/bash\nbash a.sh\n"}},
                          {});
    CHECK(said(circle, Fact::micro_batch) == "2");
}
