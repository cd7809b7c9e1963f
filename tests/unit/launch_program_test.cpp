// What a program of one's own does: devices, formats, batches that it divides, the trainers it makes.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

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
             "        self.loader = DataLoader(tokens, batch_size=cfg['batch_size'], shuffle=True)\n"
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

TEST_CASE("Rows are cut where a result is mapped by what a lambda returns", "[launch][python]") {
    const LaunchReading job = said_in(
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
        "data = load_dataset('x').map(lambda row, i=(1, 2): tok(row['text'], truncation=True, "
        "max_length=512))\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "Trainer(model=model, args=TrainingArguments(per_device_train_batch_size=2)).train()\n");
    CHECK(said(job, Fact::sequence) == "512");
}

TEST_CASE("A parser that is made where it parses", "[launch][python]") {
    const LaunchReading job = said_of(
        "from transformers import AutoModelForMaskedLM, HfArgumentParser, Trainer, TrainingArguments\n"
        "args, = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
        "model = AutoModelForMaskedLM.from_pretrained('acme/b-1b')\nTrainer(model, args).train()\n",
        "torchrun --nproc_per_node 2 train.py --output_dir o --per_device_train_batch_size 32");
    CHECK(said(job, Fact::model) == "acme/b-1b");
    CHECK(said(job, Fact::global_batch) == "64");
}

TEST_CASE("Megatron-Core in a program of one's own has the degrees it is given", "[launch][python]") {
    const LaunchReading job = said_of(
        "from megatron.core import parallel_state\n"
        "from megatron.core.transformer.transformer_config import TransformerConfig\ndef init():\n"
        "    parallel_state.initialize_model_parallel(tensor_model_parallel_size=2, "
        "pipeline_model_parallel_size=2)\n"
        "def provide():\n    cfg = TransformerConfig(num_layers=24, hidden_size=2048, "
        "num_attention_heads=16)\n"
        "    return GPTModel(config=cfg, vocab_size=50304)\ninit()\ngpt = provide()\n"
        "run = get_forward_backward_func()\nfor _ in range(5):\n"
        "    forward_backward_func(model=gpt, num_microbatches=4, seq_length=1024, micro_batch_size=8)\n",
        "torchrun --nproc-per-node 8 train.py");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::dp) == "2");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(job, Fact::sequence) == "1024");
}

TEST_CASE("Composer's trainer in a program trains the model it is given", "[launch][python]") {
    const LaunchReading job = said_in(
        "from composer import Trainer\nfrom transformers import AutoModelForCausalLM\n"
        "model = HuggingFaceModel(AutoModelForCausalLM.from_pretrained('acme/m-1b'))\n"
        "opt = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
        "trainer = Trainer(model=model, optimizers=opt, precision='amp_bf16', max_duration='1ep',\n"
        "    device_train_microbatch_size=8, fsdp_config={'sharding_strategy': "
        "'FULL_SHARD'})\ntrainer.fit()\n");
    CHECK(job.format == "llm-foundry");
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::zero) == "3");
}
