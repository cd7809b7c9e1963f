// Files given together: settings that a program beside them loads, scripts that start each other, launchers
// around them.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

LaunchReading said_together(const std::vector<LaunchFile>& files) {
    return read_launch_files(files, {});
}

}  // namespace

TEST_CASE("A program's settings are those of the file beside it that it loads", "[launch][python]") {
    const std::string settings =
        "model: {name: acme/m-1b, max_length: 512}\nlora: {rank: 16}\ntraining: {rows: 2, steps: 8}\n";
    const std::string use =
        "model = AutoModelForCausalLM.from_pretrained(cfg['model']['name'])\n"
        "peft = LoraConfig(r=cfg['lora']['rank'])\n"
        "args = SFTConfig(per_device_train_batch_size=cfg['training']['rows'],\n"
        "    gradient_accumulation_steps=cfg['training']['steps'], max_length=cfg['model']['max_length'])\n"
        "trainer = SFTTrainer(model=model, args=args, peft_config=peft)\ntrainer.train()\n";
    const std::string imports = "import yaml\nfrom trl import SFTConfig, SFTTrainer\n";
    for (const std::string& loads :
         {std::string("cfg = yaml.safe_load(open('configs/a.yaml'))\n"),
          std::string("with open('a.yaml') as f:\n    cfg = yaml.safe_load(f)\n"),
          std::string("cfg = load_config(path)\n"),
          std::string("PATH = Path(__file__).parent / 'a.yaml'\ndef load():\n"
                      "    with open(PATH) as f:\n        return yaml.safe_load(f)\n"
                      "cfg = load()\n")}) {
        INFO(loads);
        const LaunchReading job =
            said_together({{"train.py", imports + loads + use}, {"configs/a.yaml", settings}});
        CHECK(said(job, Fact::model) == "acme/m-1b");
        CHECK(said(job, Fact::lora_rank) == "16");
        CHECK(said(job, Fact::micro_batch) == "2");
        CHECK(said(job, Fact::accumulation) == "8");
        CHECK(said(job, Fact::sequence) == "512");
    }
}

TEST_CASE("A launcher around a script that is given starts what the script starts", "[launch]") {
    const LaunchReading job =
        said_together({{"job.sbatch",
                        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=4\nsrun --ntasks-per-node=1 "
                        "bash run.sh 8\n"},
                       {"run.sh",
                        "torchrun --nnodes 2 --nproc_per_node 4 pretrain_gpt.py --micro-batch-size $1 "
                        "--seq-length 1024 --num-layers 2 --hidden-size 64 --num-attention-heads 4\n"}});
    CHECK(said(job, Fact::nodes) == "2");
    CHECK(said(job, Fact::gpus) == "8");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(job.contradictions.empty());
}

TEST_CASE("Tasks of srun with GPUs of their own are counted", "[launch]") {
    const LaunchReading job = said_in(
        "#!/bin/bash\n#SBATCH -N 4\nTASKS=$((SLURM_NNODES * 8))\n"
        "srun -N ${SLURM_NNODES} -n ${TASKS} --gpus-per-task=1 python train.py --batch_size 4\n");
    CHECK(said(job, Fact::gpus) == "32");
    CHECK(said(job, Fact::gpus_per_node) == "8");
}

TEST_CASE("A program that no launcher starts has as many processes as its environment says", "[launch]") {
    const std::string run =
        "python pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 "
        "--seq-length 128 --micro-batch-size 1\n";
    CHECK(said(said_in("export WORLD_SIZE=1\n" + run), Fact::gpus) == "1");
    CHECK(said(said_in("export WORLD_SIZE=8\n" + run), Fact::gpus) == "8");
    CHECK(said(said_in("export CUDA_VISIBLE_DEVICES=0,1\nexport WORLD_SIZE=8\n" + run),
               Fact::gpus_per_node) == "2");
}

TEST_CASE("A script that asks whether a program is there is written for it", "[launch]") {
    for (const char* asks : {"command -v deepspeed &>/dev/null", "which deepspeed > /dev/null 2>&1"}) {
        INFO(asks);
        const LaunchReading job = said_in(
            "if " + std::string(asks) +
            "; then\n  RUN=\"deepspeed --num_gpus=4\"\nelse\n  RUN=\"torchrun --nproc_per_node=1\"\nfi\n"
            "$RUN train.py --per_device_train_batch_size 2 --gradient_accumulation_steps 4\n");
        CHECK(said(job, Fact::gpus) == "4");
    }
}

TEST_CASE("Accelerate's mixed precision off leaves the trainer's own", "[launch]") {
    const LaunchReading job = said_in(
        "accelerate launch --num_processes 2 --mixed_precision no run.py --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps 2 --bf16 True\n");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(job.contradictions.empty());
}

TEST_CASE("What serves samples beside a trainer is no job of its own", "[launch]") {
    const LaunchReading job = said_in(
        "CUDA_VISIBLE_DEVICES=1 swift rollout --model acme/m-1b &\n"
        "CUDA_VISIBLE_DEVICES=0 NPROC_PER_NODE=1 swift rlhf --rlhf_type grpo --model acme/m-1b "
        "--per_device_train_batch_size 2 --gradient_accumulation_steps 4\n");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::gpus) == "1");
    CHECK(job.contradictions.empty());
}

TEST_CASE("Flags that a condition nobody knows adds to a command leave the others known", "[launch]") {
    const std::string begin =
        "CMD=\"torchrun --nproc_per_node 2 pretrain_gpt.py --num-layers 2 --hidden-size 64 "
        "--num-attention-heads 4 --seq-length 128 --micro-batch-size ${6:-4}\"\n";
    const LaunchReading job = said_in(
        begin +
        "if [[ $WITHOUT_DROPOUT = \"true\" ]]; then\n  CMD+=\" \\\n  --recompute-activations\"\nfi\n$CMD\n");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::sequence) == "128");
    CHECK(said(job, Fact::gpus) == "2");
    CHECK(said(job, Fact::recompute) == "-");
    // Two values of one flag: that one is unknown.
    const LaunchReading two =
        said_in(begin + "if [ $KIND = big ]; then\n  CMD=\"$CMD --seq-length 512\"\nfi\n$CMD\n");
    CHECK(said(two, Fact::micro_batch) == "4");
    CHECK(said(two, Fact::sequence) != "512");
}

TEST_CASE("What a script says of a program's options, the program beside it has", "[launch][python]") {
    const std::string program =
        "import argparse\nfrom accelerate import Accelerator\n"
        "def run(args):\n"
        "    model = AutoModelForCausalLM.from_pretrained(args.base)\n"
        "    def rows(element):\n"
        "        return tokenizer(element['text'], truncation=True, max_length=640)\n"
        "    loader = build_dataloader(data.map(rows), batch_size=args.train_batch_size)\n"
        "    for batch in loader:\n        loss = model(**batch).loss\n        loss.backward()\n"
        "    if args.do_test:\n"
        "        inputs = tokenizer(prompt, truncation=True, max_length=64)\n"
        "if __name__ == '__main__':\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--base', type=str, required=True)\n"
        "    parser.add_argument('--train_batch_size', type=int, default=8)\n"
        "    parser.add_argument('--do_test', action='store_true')\n"
        "    run(parser.parse_args())\n";
    const std::string starts = "python src/train.py --base acme/m-1b --do_test --train_batch_size ";
    for (const bool script_first : {false, true}) {
        std::vector<LaunchFile> files = {{"train.py", program}, {"run.sh", starts + "3\n"}};
        if (script_first) {
            std::swap(files[0], files[1]);
        }
        const LaunchReading job = said_together(files);
        CHECK(said(job, Fact::model) == "acme/m-1b");
        CHECK(said(job, Fact::micro_batch) == "3");
        CHECK(said(job, Fact::sequence) == "640");
        CHECK_FALSE(job.facts.contains(Fact::global_batch));
    }
    const LaunchReading two =
        said_together({{"train.py", program}, {"run.sh", starts + "3\n" + starts + "4\n"}});
    CHECK_FALSE(two.facts.contains(Fact::micro_batch));
    CHECK(said(two, Fact::model) == "acme/m-1b");
    const LaunchReading alone = said_together({{"train.py", program}});
    CHECK(said(alone, Fact::micro_batch) == "8");
    CHECK_FALSE(alone.facts.contains(Fact::global_batch));
}
