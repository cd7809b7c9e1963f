// What stands beside a program of one's own: options of its command by any name, modules that it imports,
// Hydra's groups; and how it is written.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

LaunchReading said_of(const std::string& program, const std::string& command) {
    return read_launch_files(std::vector<LaunchFile>{{"train.py", program}, {"run.sh", command + "\n"}}, {});
}

const std::string loop_of =
    "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
    "loss = model(**batch).loss\nloss.backward()\n";

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

TEST_CASE("A device that nobody knows is a GPU", "[launch][python]") {
    const LaunchReading job = said_in(
        "import torch\nfrom transformers import AutoModelForCausalLM\ndevice, device_type = "
        "util.get_device()\n"
        "total_batch_size, micro_batch_size, seq_len = (\n"
        "    (2**9, 2, 32) if device_type != 'cuda' else (2**19, 64, 1024)\n)\n"
        "grad_accum_steps = total_batch_size // (micro_batch_size * seq_len * world_size)\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "if device != 'mps':\n    model = torch.compile(model)\nloss = model(x).loss\nloss.backward()\n");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::micro_batch) == "64");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::compile) == "true");
}

TEST_CASE("Autocast without a format is fp16, Transformer Engine's is fp8", "[launch][python]") {
    const auto precision = [](const std::string& with) {
        return said(
            said_in("import torch\nfrom transformers import AutoModelForCausalLM\n"
                    "dl = DataLoader(ds, batch_size=4, shuffle=True)\n"
                    "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\nfor b in dl:\n    with " +
                    with + ":\n        loss = model(**b).loss\n    loss.backward()\n"),
            Fact::precision);
    };
    CHECK(precision("torch.cuda.amp.autocast()") == "fp16");
    CHECK(precision("torch.amp.autocast(device_type='cuda', enabled=True)") == "fp16");
    CHECK(precision("torch.autocast('cuda', dtype=torch.bfloat16)") == "bf16");
    CHECK(precision("torch.autocast('cpu')") == "-");
    CHECK(precision("accelerator.autocast()") == "-");
    CHECK(precision("te.fp8_autocast(enabled=True)") == "fp8");
}

TEST_CASE("A step's tokens that a program divides are its batch", "[launch][python]") {
    const std::string program =
        "import argparse\nfrom transformers import AutoModelForCausalLM\nap = argparse.ArgumentParser()\n"
        "ap.add_argument('--ctx', type=int, default=2048)\n"
        "ap.add_argument('--device-batch', type=int, default=16)\n"
        "ap.add_argument('--tokens-per-step', type=int, default=524288)\nargs = ap.parse_args()\n";
    const LaunchReading job = said_of(
        program + "accum = args.tokens_per_step // (args.device_batch * args.ctx * world)\n" + loop_of,
        "torchrun --nproc_per_node=4 train.py");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::global_batch) == "256");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(said_of(program + loop_of, "torchrun --nproc_per_node=4 train.py"), Fact::global_batch) ==
          "-");
}

TEST_CASE("A batch divided among processes beside a device's is the step's", "[launch][python]") {
    const LaunchReading job = said_of(
        "from dataclasses import dataclass\nfrom transformers import AutoModelForCausalLM\n@dataclass\n"
        "class Hyperparameters:\n    input_bin: str = 'd'\n    batch_size: int = 8*64\n"
        "    device_batch_size: int = 32\n    sequence_length: int = 1024\n    num_iterations: int = 9\n"
        "args = Hyperparameters()\nB, T = args.device_batch_size, args.sequence_length\n"
        "steps = args.batch_size // (B * ddp_world_size)\n" +
            loop_of,
        "torchrun --standalone --nproc_per_node=8 train.py");
    CHECK(said(job, Fact::micro_batch) == "32");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::accumulation) == "2");
}

TEST_CASE("JAX's batch is that of all devices", "[launch][python]") {
    const LaunchReading job = said_in(
        "import jax, optax\nfrom dataclasses import dataclass\n@dataclass\nclass Config:\n"
        "    n_layers: int = 12\n    d_model: int = 768\n    seq_len: int = 1024\n    batch_size: int = 256\n"
        "    dtype: str = 'bfloat16'\n    remat: bool = True\ncfg = Config()\nmodel = Transformer(cfg)\n"
        "tx = optax.adamw(3e-4)\nstate = train_step(state, next(it))\n");
    CHECK(said(job, Fact::global_batch) == "256");
    CHECK(said(job, Fact::micro_batch) == "-");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("A loader in an object is what the object is made with", "[launch][python]") {
    const LaunchReading job = read_launch_files(
        std::vector<LaunchFile>{
            {"train.py",
             "import json, torch\nclass Trainer:\n    def __init__(self, cfg):\n        self.cfg = cfg\n"
             "        self.model = Decoder(d_model=cfg['d_model'], n_layers=cfg['n_layers'])\n"
             "        self.loader = DataLoader(ds, batch_size=cfg['batch_size'], shuffle=True)\n"
             "    def train(self):\n        for x, y in self.loader:\n            loss = self.model(x, y)\n"
             "            loss.backward()\nTrainer(json.load(open('config.json'))).train()\n"},
            {"config.json", "{\"d_model\": 512, \"n_layers\": 8, \"seq_len\": 256, \"batch_size\": 64}\n"}},
        {});
    CHECK(said(job, Fact::micro_batch) == "64");
    CHECK(said(job, Fact::sequence) == "256");
}

TEST_CASE("Processes that a program starts itself are counted", "[launch][python]") {
    const std::string begin =
        "import torch.multiprocessing as mp\nfrom transformers import AutoModelForCausalLM\n"
        "def train(rank, world):\n    dl = DataLoader(ds, batch_size=8, shuffle=True)\n"
        "    model = DDP(AutoModelForCausalLM.from_pretrained('acme/m-1b'))\n    loss = model(x).loss\n"
        "    loss.backward()\n";
    CHECK(said(said_in(begin + "mp.spawn(train, args=(4,), nprocs=4)\n"), Fact::gpus) == "4");
    CHECK(said(said_in(begin + "mp.spawn(train, args=(n,), nprocs=torch.cuda.device_count())\n"),
               Fact::gpus) == "-");
}

TEST_CASE("Lightning's trainer is one by any name", "[launch][python]") {
    for (const std::string& made : {std::string("t = pl.Trainer("), std::string("lightning.Trainer(")}) {
        const std::string end = made.starts_with("t =") ? ")\nt.fit(m)\n" : ").fit(m)\n";
        const LaunchReading job = said_in("import torch\nimport lightning.pytorch as pl\n" + made +
                                          "devices=4, num_nodes=2, precision='bf16-mixed', "
                                          "accumulate_grad_batches=8" +
                                          end);
        INFO(made);
        CHECK(job.format == "lightning");
        CHECK(said(job, Fact::gpus) == "8");
        CHECK(said(job, Fact::accumulation) == "8");
    }
}

TEST_CASE("InternEvo: blocks of settings", "[launch]") {
    const std::string text =
        "SEQ_LEN = 4096\ndata = dict(seq_len=SEQ_LEN, micro_num=4, micro_bsz=2)\n"
        "model = dict(checkpoint=True, num_attention_heads=32, num_kv_attention_heads=8, hidden_size=4096,\n"
        "    num_layers=32, mlp_ratio=3.5, vocab_size=92544, dtype='torch.bfloat16', use_flash_attn=True)\n"
        "hybrid_zero_optimizer = dict(overlap_sync_grad=True)\n"
        "parallel = dict(zero1=dict(size=8), tensor=dict(size=2, mode='msp'), pipeline=dict(size=2))\n";
    const LaunchReading job = read_launch_files(
        std::vector<LaunchFile>{
            {"7b.py", text}, {"run.sh", "torchrun --nnodes=2 --nproc_per_node=8 train.py --config 7b.py\n"}},
        {});
    CHECK(job.format == "internevo");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::dp) == "4");
    CHECK(said(job, Fact::global_batch) == "32");
    CHECK(said(job, Fact::zero) == "1");
    CHECK(said(job, Fact::sequence_parallel) == "true");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::attention) == "flash");
    CHECK(said(job, Fact::model).find("ffn 14336") != std::string::npos);
    std::string isp = text;
    isp.replace(isp.find("msp"), 3, "isp");
    CHECK(said(said_in(isp), Fact::cp) == "2");
    CHECK(said(said_in(isp), Fact::tp) == "1");
}

TEST_CASE("Words of a command lie over the file of settings that it names", "[launch]") {
    const std::string olmo =
        "model: {d_model: 64, n_heads: 4, n_layers: 2, mlp_ratio: 8, max_sequence_length: 128, weight_tying: "
        "false}\n"
        "global_train_batch_size: 64\ndevice_train_microbatch_size: 2\nprecision: amp_bf16\n"
        "fsdp: {sharding_strategy: FULL_SHARD}\n";
    const auto with = [&](const std::string& command) {
        return read_launch_files(std::vector<LaunchFile>{{"olmo.yaml", olmo}, {"run.sh", command + "\n"}},
                                 {});
    };
    const LaunchReading job = with(
        "torchrun --nproc_per_node=4 scripts/train.py configs/olmo.yaml --device_train_microbatch_size=4");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(with("python prepare.py other.yaml --device_train_microbatch_size=4"), Fact::micro_batch) ==
          "2");
}

TEST_CASE("Composer's processes are one node's unless it is told of more", "[launch]") {
    const std::string mpt =
        "max_seq_len: 128\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: 2\nprecision: "
        "amp_bf16\n"
        "model: {name: mpt_causal_lm, d_model: 64, n_heads: 4, n_layers: 2}\nfsdp_config: {}\n";
    const auto gpus = [&](const std::string& flags) {
        return said(read_launch_files(
                        std::vector<LaunchFile>{{"mpt.yaml", mpt},
                                                {"run.sh", "composer " + flags + " train.py mpt.yaml\n"}},
                        {}),
                    Fact::gpus);
    };
    CHECK(gpus("-n 8") == "8");
    CHECK(gpus("-n 8 --world_size 16 --node_rank 0") == "16");
}
