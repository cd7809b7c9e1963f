// Programs of Python with classes of their own, pairs of names and packages that may be missing.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

const std::string model_of_objects =
    "model = AutoModelForCausalLM.from_pretrained('acme/m-1b', torch_dtype=torch.bfloat16)\n";

}  // namespace

TEST_CASE("an object of the program's own class: what its maker is given, in order or by name",
          "[launch][python]") {
    const std::string rows =
        "import torch\n"
        "class RowsDataset(torch.utils.data.Dataset):\n    def __init__(self, table, max_length=64, "
        "scale=1):\n"
        "        self.table = table\n        self.max_length = max_length\n"
        "class Run:\n    def __init__(self, batch, steps=4):\n        self.batch = batch\n"
        "        self.steps = steps\n"
        "    def fit(self):\n        loader = torch.utils.data.DataLoader(rows, batch_size=self.batch, "
        "shuffle=True)\n"
        "        optimizer = torch.optim.AdamW(model.parameters())\n"
        "        for batch in loader:\n            loss = model(**batch).loss\n            loss.backward()\n";
    const auto with = [&](const std::string& made) { return said_in(rows + model_of_objects + made); };
    const LaunchReading one = with("rows = RowsDataset(table, 256)\nrun = Run(8)\nrun.fit()\n");
    CHECK(said(one, Fact::model) == "acme/m-1b");
    CHECK(said(one, Fact::sequence) == "256");
    CHECK(said(one, Fact::micro_batch) == "8");
    CHECK(said(one, Fact::optimizer) == "AdamW");
    CHECK(said(with("rows = RowsDataset(table, max_length=128)\nrun = Run(batch=2)\n"), Fact::sequence) ==
          "128");
    // Two objects that differ are no answer.
    CHECK(said(with("rows = RowsDataset(table, 256)\na = Run(8)\nb = Run(4)\n"), Fact::micro_batch) == "-");
}

TEST_CASE("several names at once, and the defaults of a function inside another", "[launch][python]") {
    const LaunchReading job = said_in(
        "import torch\ndef train():\n    n_layer, d_model, seq_len = 12, 768, 128\n    rows = 16\n"
        "    def take(data, B=rows, L=seq_len):\n        starts = torch.randint(0, len(data), (B,))\n"
        "        return starts\n"
        "    optimizer = torch.optim.AdamW(model.parameters())\n"
        "    with torch.autocast('cuda', dtype=torch.float16, enabled='cuda' in device):\n"
        "        loss = transformer(take(data))\n    loss.backward()\n\ntrain()\n");
    CHECK(said(job, Fact::sequence) == "128");
    CHECK(said(job, Fact::micro_batch) == "16");
    CHECK(said(job, Fact::precision) == "fp16");
}

TEST_CASE("a package that a program asks for is there", "[launch][python]") {
    const std::string program =
        "try:\n    from peft import LoraConfig\nexcept ImportError:\n    LoraConfig = None\n" +
        model_of_objects +
        "adapter = None\nif LoraConfig is not None:\n    adapter = LoraConfig(r=16)\n"
        "args = TrainingArguments(per_device_train_batch_size=2, bf16=True)\n"
        "trainer = Trainer(model=model, args=args, peft_config=adapter)\n";
    CHECK(said(said_in(program), Fact::lora_rank) == "16");
}

TEST_CASE("options with one dash, and lines indented by tabs within brackets", "[launch][python]") {
    const LaunchReading job = said_in(
        "parser = argparse.ArgumentParser()\nparser.add_argument('-base-model', default='acme/m-1b')\n"
        "parser.add_argument('-batch-size', '-b', type=int, default=8)\nargs = parser.parse_args()\n"
        "model = AutoModelForCausalLM.from_pretrained(\n\targs.base_model, use_cache=False,\n)\n"
        "trainer = Trainer(model=model, args=TrainingArguments(\n\tper_device_train_batch_size=args.batch_"
        "size,\n\tgradient_accumulation_steps=2,\n))\n");
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::accumulation) == "2");
}

TEST_CASE("steps of accumulation that the program divides among its processes are not a rank's",
          "[launch][python]") {
    const auto with = [](const std::string& steps) {
        return said_in(
            "parser = argparse.ArgumentParser()\n"
            "parser.add_argument('--grad_accum', type=int, default=64)\n"
            "parser.add_argument('--max_length', type=int, default=512)\n"
            "args = parser.parse_args()\n" +
            model_of_objects + "steps = " + steps +
            "\noptimizer = torch.optim.AdamW(model.parameters())\nloss.backward()\n");
    };
    CHECK(said(with("args.grad_accum"), Fact::accumulation) == "64");
    CHECK(said(with("max(1, args.grad_accum // world_size)"), Fact::accumulation) == "-");
    CHECK(said(with("args.grad_accum // dist.get_world_size()"), Fact::accumulation) == "-");
}

TEST_CASE("a step's tokens beside B and T are no sequences, however few", "[launch][python]") {
    const LaunchReading job = said_in(
        "total_batch_size = 16384\nB = 64\nT = 256\nsteps = total_batch_size // (B * T * world)\n"
        "model = GPT(GPTConfig(block_size=T, n_layer=6, n_head=6, n_embd=384))\n"
        "optimizer = torch.optim.AdamW(model.parameters())\nloss.backward()\n");
    CHECK(said(job, Fact::micro_batch) == "64");
    CHECK(said(job, Fact::sequence) == "256");
    CHECK(said(job, Fact::global_batch) == "-");
}

TEST_CASE("DeepSpeed's switches without a value stand before the program", "[launch]") {
    const LaunchReading job = said_in(
        "LAUNCHER=\"deepspeed --hostfile=hosts --no_ssh_check\"\n"
        "CMD=\"$LAUNCHER pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 "
        "--seq-length 128 --micro-batch-size 2 --tensor-model-parallel-size 2\"\n$CMD\n");
    CHECK(said(job, Fact::tp) == "2");
}

TEST_CASE("options that are None where nobody gives them, and settings of a file that nobody gave",
          "[launch][python]") {
    const std::string options =
        "parser = argparse.ArgumentParser()\nparser.add_argument('--resume', default=None)\n"
        "args = parser.parse_args()\n";
    const std::string trainer =
        "trainer = Trainer(model=model, args=TrainingArguments(per_device_train_batch_size=2))\n";
    const std::string choice =
        ":\n    model = AutoModelForCausalLM.from_pretrained(args.resume)\nelse:\n"
        "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n";
    CHECK(said(said_in(options + "if args.resume" + choice + trainer), Fact::model) == "acme/m-1b");
    CHECK(said(said_in(options + "if args.resume is not None" + choice + trainer), Fact::model) ==
          "acme/m-1b");
    const std::string file = "config = yaml.safe_load(open('x.yaml'))\nlora = config.get('lora', None)\n";
    CHECK(said(said_in(options + file + "if lora" + choice + trainer), Fact::model) == "-");
}

TEST_CASE("settings that a program keeps in a dictionary and adds to", "[launch][python]") {
    const LaunchReading job = said_in(
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--mixed-precision', action='store_true', default=True)\n"
        "args = parser.parse_args()\nkwargs = {}\nif args.mixed_precision:\n"
        "    kwargs['mp_policy'] = MixedPrecisionPolicy(param_dtype=torch.bfloat16)\n"
        "for layer in model.layers:\n    fully_shard(layer, **kwargs)\nfully_shard(model, **kwargs)\n"
        "optimizer = torch.optim.AdamW(model.parameters())\ntokens = load()\nloss.backward()\n");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::zero) == "3");
}

TEST_CASE("DeepSpeed's engine takes its rows and steps from its own settings", "[launch][python]") {
    const LaunchReading job = said_in(
        "parser = argparse.ArgumentParser()\n"
        "parser.add_argument('--batch_size', type=int, default=32)\nargs = parser.parse_args()\n"
        "GRADIENT_ACCUMULATE_EVERY = 4\nSEQ_LEN = 2048\n"
        "model = Transformer(dim=768, depth=12, heads=8, num_tokens=7700)\n"
        "engine, _, _, _ = deepspeed.initialize(args=args, model=model)\nengine.backward(loss)\n");
    CHECK(said(job, Fact::model) == "layers 12, hidden 768, heads 8");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::micro_batch) == "-");
    CHECK(said(job, Fact::accumulation) == "-");
}

TEST_CASE("what Fabric sets up is what it was given, with a model of the program's own dimensions",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "def main():\n    fabric = L.Fabric(accelerator='cuda', devices=4, precision='bf16-mixed')\n"
        "    shape = fabric.to_device(ModelArgs(dim=2048, n_layers=4, n_heads=4))\n"
        "    model = fabric.setup_module(Transformer(shape))\n"
        "    optimizer = torch.optim.AdamW(model.parameters())\n"
        "    optimizer = fabric.setup_optimizers(optimizer)\n    fabric.backward(loss)\n\nmain()\n");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::model) == "layers 4, hidden 2048, heads 4");
    CHECK(said(job, Fact::gpus) == "4");
}

TEST_CASE("a model's settings and a trainer's, made side by side, are one program's", "[launch][python]") {
    const auto with = [](const std::string& second) {
        return said_in(
            "def main():\n    shape = ModelConfig(block_size=1024, n_layer=12, n_head=12, "
            "n_embd=768)\n" +
            second +
            "    loader = make_dataloader(batch_size=config.batch_size)\n"
            "    trainer = Trainer(model=create(shape), config=config, train_loader=loader)\n"
            "    trainer.train()\n\nmain()\n");
    };
    const LaunchReading job = with(
        "    config = TrainingConfig(batch_size=8, block_size=1024, learning_rate=6e-4, "
        "max_iters=10, out_dir='x', device='cuda')\n");
    CHECK(said(job, Fact::model) == "layers 12, hidden 768, heads 12");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::sequence) == "1024");
}

TEST_CASE("a loop around a model's settings, which are not all of it", "[launch][python]") {
    const std::string settings =
        "@dataclass\nclass TrainConfig:\n    batch_size: int = 16\n    block_size: int = 64\n"
        "    learning_rate: float = 1e-3\n    max_iters: int = 10\n    n_embed: int = 64\n    n_head: int = "
        "4\n    n_layer: int = 2\n"
        "cfg = TrainConfig()\n"
        "model_cfg = GPTConfig(block_size=cfg.block_size, n_embed=cfg.n_embed, n_head=cfg.n_head, "
        "n_layer=cfg.n_layer)\n";
    const LaunchReading job =
        said_in(settings +
                "def get_batch():\n    ix = torch.randint(len(data) - cfg.block_size, (cfg.batch_size,))\n"
                "    return ix\n"
                "model = GPT(model_cfg).to(device)\nmodel = model.to(dtype=torch.bfloat16)\n"
                "optimizer = torch.optim.AdamW(model.parameters())\nloss.backward()\n");
    CHECK(said(job, Fact::model) == "layers 2, hidden 64, heads 4");
    CHECK(said(job, Fact::micro_batch) == "16");
    CHECK(said(job, Fact::sequence) == "64");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::precision) == "bf16");
}

TEST_CASE("values that hold each other without end are refused in one line", "[launch][python]") {
    std::string program = "import torch\na = wrap(x=1)\n";
    for (int i = 0; i < 60; ++i) {
        program += "a = wrap(a, a)\n";
    }
    program += "tokens = 1\noptimizer = torch.optim.AdamW(a)\nseq_len = 128\nloss.backward()\n";
    CHECK_THROWS_WITH(said_in(program), Catch::Contains("hold each other"));
}
