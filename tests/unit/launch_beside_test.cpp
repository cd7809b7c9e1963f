// What stands beside a program of one's own: options of its command by any name, modules that it imports,
// Hydra's groups; and how it is written.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

/// A loop whose settings are a function's parameters, or an object of them.
std::string loop_in(const std::string& header, const std::string& at) {
    return "import torch\nfrom transformers import AutoModelForCausalLM\n" + header +
           "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
           "    ds = Dataset(max_length=" +
           at + "seq_len)\n    dl = DataLoader(ds, batch_size=" + at +
           "rows, shuffle=True)\n    opt = torch.optim.AdamW(model.parameters())\n"
           "    for b in dl:\n        loss = model(**b).loss\n        loss.backward()\n";
}

}  // namespace

TEST_CASE("What a command says of Fire's and draccus's parameters is what they are", "[launch][python]") {
    const std::string fire = "import fire\n" +
                             loop_in("def train(seq_len: int = 256, rows: int = 4):\n", "") +
                             "fire.Fire(train)\n";
    const std::string classes =
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    seq_len: int = 256\n    rows: int "
        "= 4\n";
    const std::string draccus = "import draccus\n" + classes +
                                loop_in("@draccus.wrap()\ndef train(cfg: Config):\n", "cfg.") + "train()\n";
    const std::string tyro = "import tyro\n" + classes + loop_in("def train(cfg: Config):\n", "cfg.") +
                             "train(tyro.cli(Config))\n";
    for (const std::string& program : {fire, draccus, tyro}) {
        INFO(program);
        const LaunchReading job = said_of(program, "python train.py --seq_len 512");
        CHECK(said(job, Fact::sequence) == "512");
        CHECK(said(job, Fact::micro_batch) == "4");
    }
}

TEST_CASE("An option is said by any of its flags, and has the name it is given", "[launch][python]") {
    const std::string argparse =
        "import argparse, torch\nfrom transformers import AutoModelForCausalLM\n"
        "def get_parser():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('-b', '--batch-size', type=int, default=32)\n"
        "    p.add_argument('-s', '--sequence-length', dest='seq', type=int, default=512)\n    return p\n"
        "args = get_parser().parse_args()\nds = Dataset(max_length=args.seq)\n"
        "dl = DataLoader(ds, batch_size=args.batch_size)\n" +
        loop_of;
    const LaunchReading job = said_of(argparse, "torchrun --nproc_per_node 2 train.py -b 16 -s 128");
    CHECK(said(job, Fact::micro_batch) == "16");
    CHECK(said(job, Fact::sequence) == "128");
    const std::string click =
        "import click\nfrom transformers import AutoModelForCausalLM\n@click.command()\n"
        "@click.option('--model', 'model_name', default='acme/m-1b')\n@click.option('--rows', default=2)\n"
        "def main(model_name, rows):\n"
        "    args = SFTConfig(per_device_train_batch_size=rows)\n"
        "    SFTTrainer(AutoModelForCausalLM.from_pretrained(model_name), args=args).train()\nmain()\n";
    CHECK(said(said_in(click), Fact::model) == "acme/m-1b");
    CHECK(said(said_of(click, "python train.py --model acme/m-2b"), Fact::model) == "acme/m-2b");
}

TEST_CASE("A module that is given beside the program is what it imports", "[launch][python]") {
    const std::string constants = "ROWS = 6\nSTEPS = 8\n";
    const std::string objects = "class Config:\n    rows = 6\n    accum_steps = 8\n";
    const std::string use = "dl = DataLoader(ds, batch_size={}rows)\naccum_steps = {}accum_steps\n" + loop_of;
    const auto with = [](std::string text, const std::string& prefix) {
        for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}")) {
            text.replace(at, 2, prefix);
        }
        return text;
    };
    const std::string head = "from transformers import AutoModelForCausalLM\n";
    struct Import {
        std::string program;
        std::string module;
    };
    for (const auto& [program, module] :
         {Import{head +
                     "import settings\ndl = DataLoader(ds, batch_size=settings.ROWS)\n"
                     "accum_steps = settings.STEPS\n" +
                     loop_of,
                 constants},
          Import{head +
                     "from settings import *\ndl = DataLoader(ds, batch_size=ROWS)\naccum_steps = STEPS\n" +
                     loop_of,
                 constants},
          Import{head + "from app.settings import Config as C\n" + with(use, "C."), objects},
          Import{head + "from settings import Config\ncfg = Config()\n" + with(use, "cfg."), objects}}) {
        INFO(program);
        const LaunchReading job = read_launch_files(
            std::vector<LaunchFile>{{"train.py", program}, {"app/settings.py", module}}, {});
        CHECK(said(job, Fact::micro_batch) == "6");
        CHECK(said(job, Fact::accumulation) == "8");
    }
}

TEST_CASE("Modules that import each other are read once", "[launch][python]") {
    const std::string use = "dl = DataLoader(ds, batch_size=4)\n" + loop_of;
    const LaunchReading job = read_launch_files(
        std::vector<LaunchFile>{
            {"train.py", "from transformers import AutoModelForCausalLM\nimport a\n" + use},
            {"a.py", "import b\nimport train\n"},
            {"b.py", "import a\n"}},
        {});
    CHECK(said(job, Fact::micro_batch) == "4");
}

TEST_CASE("Hydra's groups are in the settings that a program is handed", "[launch][python]") {
    const std::string program =
        "import hydra, torch\nfrom transformers import AutoModelForCausalLM\n"
        "@hydra.main(version_base=None, config_path='conf', config_name='config')\ndef main(cfg):\n"
        "    model = AutoModelForCausalLM.from_pretrained(cfg.model.name)\n"
        "    ds = Dataset(max_length=cfg.data.length)\n"
        "    dl = DataLoader(ds, batch_size=cfg.train.rows)\n"
        "    for b in dl:\n        loss = model(**b).loss\n        loss.backward()\nmain()\n";
    const std::vector<LaunchFile> files = {
        {"train.py", program},
        {"conf/config.yaml",
         "defaults:\n  - model: small\n  - _self_\ndata: {length: '${model.context}'}\ntrain: {rows: 24}\n"},
        {"conf/model/small.yaml", "name: acme/m-1b\ncontext: 1024\n"},
        {"conf/model/large.yaml", "name: acme/m-9b\ncontext: 4096\n"}};
    const LaunchReading job = read_launch_files(files, {});
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::micro_batch) == "24");
    std::vector<LaunchFile> told = files;
    told.push_back({"run.sh", "python train.py train.rows=8\n"});
    CHECK(said(read_launch_files(told, {}), Fact::micro_batch) == "8");
    told.back().text = "python train.py model=large\n";
    CHECK(said(read_launch_files(told, {}), Fact::model) == "-");  // another group than the one chosen there
}

TEST_CASE("OmegaConf's command line lies over the file it loads", "[launch][python]") {
    const std::string program =
        "from omegaconf import OmegaConf\nfrom transformers import AutoModelForCausalLM\n"
        "cfg = OmegaConf.merge(OmegaConf.load('base.yaml'), OmegaConf.from_cli())\n"
        "ds = Dataset(max_length=cfg.data.length)\ndl = DataLoader(ds, batch_size=cfg.train.rows)\n" +
        loop_of;
    const LaunchReading job =
        read_launch_files(std::vector<LaunchFile>{{"train.py", program},
                                                  {"base.yaml", "data: {length: 512}\ntrain: {rows: 4}\n"},
                                                  {"run.sh", "python train.py train.rows=2\n"}},
                          {});
    CHECK(said(job, Fact::sequence) == "512");
    CHECK(said(job, Fact::micro_batch) == "2");
}

TEST_CASE("Statements side by side, and a block behind its colon", "[launch][python]") {
    const LaunchReading job = said_in(
        "from transformers import AutoModelForCausalLM\nB = 16; T = 1024\n"
        "def rows(x): return tok(x['text'], truncation=True, max_length=T)\n"
        "if True: accum_steps = 4\nelse: accum_steps = 8\n"
        "dl = DataLoader(ds, batch_size=B)\n" +
        loop_of);
    CHECK(said(job, Fact::micro_batch) == "16");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::accumulation) == "4");
}

TEST_CASE("A file of settings in an object whose attributes are its keys", "[launch][python]") {
    for (const std::string& wrap :
         {std::string("EasyDict"), std::string("OmegaConf.create"), std::string("Box")}) {
        const LaunchReading job = read_launch_files(
            std::vector<LaunchFile>{
                {"train.py",
                 "import yaml\nfrom transformers import AutoModelForCausalLM\ncfg = " + wrap +
                     "(yaml.safe_load(open(args.config)))\ndl = DataLoader(ds, batch_size=cfg.data.rows)\n" +
                     loop_of},
                {"big.yaml", "data: {rows: 2}\n"}},
            {});
        INFO(wrap);
        CHECK(said(job, Fact::micro_batch) == "2");
    }
}

TEST_CASE("TRL's program is told of Accelerate's configuration by name", "[launch]") {
    const LaunchReading job = read_launch_files(
        std::vector<LaunchFile>{
            {"trl.yaml",
             "model_name_or_path: acme/m-8b\nmax_length: 4096\nper_device_train_batch_size: 2\n"
             "gradient_accumulation_steps: 8\nbf16: true\n"},
            {"go.sh",
             "trl sft --config trl.yaml --accelerate_config zero3 --num_processes 4 "
             "--per_device_train_batch_size 1\n"}},
        {});
    CHECK(said(job, Fact::micro_batch) == "1");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::global_batch) == "32");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("TRL's own arguments recompute unless they say otherwise, those of Transformers do not",
          "[launch]") {
    const auto recomputes = [](const std::string& made) {
        return said(said_in("from trl import SFTConfig, DPOConfig, SFTTrainer\n"
                            "from transformers import TrainingArguments\nargs = " +
                            made + "\ntrainer = SFTTrainer(model='acme/m-1b', args=args)\ntrainer.train()\n"),
                    Fact::recompute);
    };
    CHECK(recomputes("SFTConfig(output_dir='o', per_device_train_batch_size=2)") == "full");
    CHECK(recomputes("trl.DPOConfig(output_dir='o', per_device_train_batch_size=2)") == "full");
    CHECK(recomputes("SFTConfig('o', per_device_train_batch_size=2, gradient_checkpointing=False)") ==
          "none");
    CHECK(recomputes("TrainingArguments(output_dir='o', per_device_train_batch_size=2)") == "none");
}

TEST_CASE("Fast-LLM's first flags are not Megatron's", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc-per-node=8 --nnodes=2 pretrain_fast_llm.py --micro_batch_size=2 "
        "--sequence_length=4096 --batch_size=512 --num_layers=24 --hidden_size=2048 "
        "--num_attention_heads=16 --zero_stage=2 --training_dtype=bf16 --tensor_parallel=2\n");
    CHECK(job.format == "fast-llm");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::dp) == "8");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::model).find("layers 24") != std::string::npos);
}

TEST_CASE("GPT-NeoX: experts lie on several GPUs", "[launch]") {
    const LaunchReading job = said_in(
        "{\"pipe_parallel_size\": 1, \"model_parallel_size\": 1, \"moe_expert_parallel_size\": 4,\n"
        " \"num_layers\": 2, \"hidden_size\": 64, \"moe_num_experts\": 8, "
        "\"train_micro_batch_size_per_gpu\": 4}\n");
    CHECK(said(job, Fact::ep) == "4");
}
