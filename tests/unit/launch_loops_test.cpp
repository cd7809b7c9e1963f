// Programs of Python that train in a loop of their own: what they call of PyTorch, and by what names they
// count.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

using LoopFacts = std::vector<std::pair<Fact, const char*>>;

void check_loop(const char* what, const std::string& text, const LoopFacts& facts) {
    INFO(what);
    const LaunchReading job = said_in(text);
    CHECK(job.contradictions.empty());
    for (const auto& [fact, value] : facts) {
        INFO(fact_name(fact));
        CHECK(said(job, fact) == value);
    }
}

}  // namespace

TEST_CASE("a loop that counts tokens: rows, length, the step's tokens, its model's class",
          "[launch][python]") {
    const std::string model =
        "import os, torch\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Shape:\n    block_size: int = 512\n    vocab_size: int = 1000\n    n_layer: int = "
        "6\n"
        "    n_head: int = 4\n    n_embed: int = 256\n"
        "class GPT(torch.nn.Module):\n    def __init__(self, config):\n        self.config = config\n"
        "    def configure_optimizer(self, rate):\n        made = torch.optim.AdamW(groups, lr=rate)\n"
        "        return made\n";
    const std::string steps =
        "world = int(os.environ.get('WORLD_SIZE', 1))\nmax_length = 30\nB = 8\nT = 512\n"
        "total_batch_size = 65536\naccumulate = total_batch_size // (B * T * world)\n"
        "model = GPT(Shape(vocab_size=1024))\n"
        "if torch.cuda.is_available():\n    model = torch.compile(model)\n"
        "optimizer = model.configure_optimizer(rate=1e-3)\n"
        "for step in range(50):\n    for part in range(accumulate):\n"
        "        with torch.autocast(device_type='cuda', dtype=torch.bfloat16):\n            loss = "
        "model(x)\n"
        "        loss.backward()\n";
    check_loop("as it is", model + steps,
               {{Fact::model, "layers 6, hidden 256, heads 4, vocab 1024"},
                {Fact::micro_batch, "8"},
                {Fact::sequence, "512"},
                {Fact::global_batch, "128"},
                {Fact::accumulation, "-"},
                {Fact::compile, "true"},
                {Fact::optimizer, "AdamW"},
                {Fact::precision, "bf16"},
                {Fact::gpus, "-"}});
}

TEST_CASE("a loop's sharding: by FSDP, by fully_shard, by DeepSpeed's dictionary, by a plug-in",
          "[launch][python]") {
    const std::string head =
        "import torch\nfrom transformers import AutoModelForCausalLM\ndef main():\n"
        "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b', torch_dtype=torch.bfloat16)\n";
    const std::string tail =
        "    optimizer = torch.optim.AdamW(model.parameters())\n"
        "    for step in range(9):\n        ids = torch.randint(0, 99, (2, 128))\n        loss.backward()\n"
        "if __name__ == '__main__':\n    main()\n";
    const auto loop = [&](const std::string& wraps) { return head + wraps + tail; };
    const auto stage = [&](const std::string& wraps) { return said(said_in(loop(wraps)), Fact::zero); };
    CHECK(stage("    model = FSDP(model, device_id=0)\n") == "3");
    CHECK(stage("    model = FSDP(model, sharding_strategy=ShardingStrategy.SHARD_GRAD_OP)\n") == "2");
    CHECK(stage("    for block in model.layers:\n        fully_shard(block)\n    fully_shard(model)\n") ==
          "3");
    CHECK(stage("    fully_shard(model, reshard_after_forward=False)\n") == "2");
    CHECK(stage("    model = DDP(model)\n") == "0");
    CHECK(stage("    if several():\n        model = FSDP(model)\n") == "-");
    check_loop("the whole loop", loop("    fully_shard(model)\n    model.gradient_checkpointing_enable()\n"),
               {{Fact::model, "acme/m-1b"},
                {Fact::micro_batch, "2"},
                {Fact::sequence, "128"},
                {Fact::precision, "bf16"},
                {Fact::recompute, "full"},
                {Fact::optimizer, "AdamW"},
                {Fact::accumulation, "-"}});
    check_loop(
        "DeepSpeed's dictionary",
        loop("    engine, _, _, _ = deepspeed.initialize(model=model, config={'bf16': {'enabled': True},\n"
             "        'train_micro_batch_size_per_gpu': 4, 'gradient_accumulation_steps': 8,\n"
             "        'zero_optimization': {'stage': 2}})\n"),
        {{Fact::zero, "2"}, {Fact::accumulation, "8"}, {Fact::precision, "bf16"}});
    check_loop(
        "Colossal-AI's plug-in, which an argument of the function names",
        "import colossalai\ndef train(kind: str):\n    if kind == 'hybrid':\n"
        "        plugin = HybridParallelPlugin(tp_size=2, pp_size=1, zero_stage=1, precision='fp16')\n"
        "    elif kind == 'gemini':\n        plugin = GeminiPlugin(precision='bf16')\n"
        "    optimizer = HybridAdam(model.parameters())\n    tokenizer = load()\n"
        "    booster.boost(model, optimizer)\nif __name__ == '__main__':\n    train('gemini')\n",
        {{Fact::zero, "3"}, {Fact::precision, "bf16"}, {Fact::optimizer, "HybridAdam"}, {Fact::tp, "1"}});
}

TEST_CASE("a loop is told by its command line: argparse, click, a dataclass of tyro's", "[launch][python]") {
    const std::string body =
        "    optimizer = Lion(params)\n    loader = DataLoader(rows, batch_size=args.batch, shuffle=True)\n"
        "    for tokens in loader:\n        loss.backward()\n";
    check_loop(
        "argparse in another function, handed on",
        "import argparse\ndef parse():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--batch', type=int, default=6)\n    p.add_argument('--seq-len', default=1024)\n"
        "    p.add_argument('--grad-accum', type=int, default=3)\n    return p.parse_args()\n"
        "def train(args):\n" +
            body + "def main():\n    args = parse()\n    train(args)\nmain()\n",
        {{Fact::micro_batch, "6"},
         {Fact::sequence, "1024"},
         {Fact::accumulation, "3"},
         {Fact::optimizer, "Lion"}});
    check_loop("tyro",
               "import tyro\n@dataclass\nclass Args:\n    batch: int = 5\n    seq_len: int = 256\n"
               "def main(args):\n" +
                   body + "if __name__ == '__main__':\n    main(tyro.cli(Args))\n",
               {{Fact::micro_batch, "5"}, {Fact::sequence, "256"}, {Fact::accumulation, "-"}});
    check_loop(
        "click, which hands all of it on",
        "import click\n@click.command()\n@click.option('--batch-size', default=2, type=int)\n"
        "@click.option('--grad-accum', default=8, type=int)\n@click.option('--lora-rank', default=16)\n"
        "def main(batch_size, grad_accum, lora_rank):\n    finetune(batch_size, grad_accum)\n"
        "if __name__ == '__main__':\n    main()\n",
        {{Fact::micro_batch, "2"}, {Fact::accumulation, "8"}, {Fact::lora_rank, "16"}});
    check_loop("constants that a program imports",
               "BASE_MODEL = \"acme/m-7b\"\nLORA_R = 16\nBATCH_SIZE = 1\nGRAD_ACCUM = 16\n"
               "MAX_SEQ_LEN = 1536\nLEARNING_RATE = 2e-4\n",
               {{Fact::model, "acme/m-7b"},
                {Fact::lora_rank, "16"},
                {Fact::micro_batch, "1"},
                {Fact::accumulation, "16"},
                {Fact::sequence, "1536"}});
}

TEST_CASE("what several callers tell a function differently is unknown in it", "[launch][python]") {
    const auto loop = [](const std::string& calls) {
        return "import torch\ndef train(rows=4, length=64):\n    optimizer = AdamW(params)\n"
               "    loader = DataLoader(tokens, batch_size=rows)\n    seq_len = length\n    loss.backward()\n"
               "def main():\n" +
               calls + "main()\n";
    };
    CHECK(said(said_in(loop("    train(2, 128)\n")), Fact::micro_batch) == "2");
    const LaunchReading twice = said_in(loop("    train(2, 128)\n    train(8, 128)\n"));
    CHECK(said(twice, Fact::micro_batch) == "-");
    CHECK(said(twice, Fact::sequence) == "128");
    CHECK(said(said_in(loop("    train(rows_of(), 128)\n")), Fact::micro_batch) == "-");
}

TEST_CASE(
    "a trainer's arguments: dictionaries that functions return, choices within blocks, DeepSpeed's file",
    "[launch][python]") {
    check_loop(
        "a function that returns a dictionary",
        "import transformers\ndef values(*, rows: int, steps: int):\n"
        "    return {'per_device_train_batch_size': rows, 'gradient_accumulation_steps': steps}\n"
        "def train(batch_size: int = 8, micro_batch_size: int = 2, cutoff_len: int = 96):\n"
        "    steps = batch_size // micro_batch_size\n    found = values(rows=micro_batch_size, steps=steps)\n"
        "    args = transformers.TrainingArguments(**found)\nfire.Fire(train)\n",
        {{Fact::micro_batch, "2"}, {Fact::accumulation, "4"}, {Fact::sequence, "96"}});
    check_loop(
        "a choice that the command line's default makes",
        "import argparse\ndef build(mode):\n    common = dict(optim='adamw_8bit')\n    if mode == 'trial':\n"
        "        return SFTConfig(**common, per_device_train_batch_size=1)\n    else:\n"
        "        return SFTConfig(**common, per_device_train_batch_size=4)\n"
        "def main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--mode', default='trial')\n"
        "    args = p.parse_args()\n    config = build(args.mode)\n    SFTTrainer(args=config).train()\n"
        "main()\n",
        {{Fact::micro_batch, "1"}, {Fact::optimizer, "adamw_8bit"}});
    check_loop("a file that the program writes first",
               "import json\nsettings = {'zero_optimization': {'stage': 2}, 'optimizer': {'type': 'AdamW'}}\n"
               "path = '/tmp/ds.json'\njson.dump(settings, open(path, 'w'))\n"
               "args = TrainingArguments(per_device_train_batch_size=4, deepspeed=path)\n",
               {{Fact::micro_batch, "4"}, {Fact::zero, "2"}, {Fact::optimizer, "AdamW"}});
    check_loop("what a process of many divides is unknown",
               "import os\nworld = int(os.environ.get('WORLD_SIZE', 1))\nsteps = 64\nif world != 1:\n"
               "    steps = steps // world\n"
               "args = TrainingArguments(per_device_train_batch_size=4, gradient_accumulation_steps=steps)\n",
               {{Fact::micro_batch, "4"}, {Fact::accumulation, "-"}});
}

TEST_CASE("Python's expressions: chained choices, comparisons that hold at equality, None, prefixed texts",
          "[launch][python]") {
    check_loop("all at once",
               "import transformers\ndef setup(kind=None, n: int = 1):\n"
               "    if kind is None:\n        kind = 'small' if n <= 1 else 'middle' if n < 8 else 'large'\n"
               "    rows = 2 if kind == 'small' else 16\n    name = f'acme/m-1b'\n"
               "    other = f'{kind!r}/m'\n"
               "    model = AutoModelForCausalLM.from_pretrained(name)\n"
               "    args = TrainingArguments(per_device_train_batch_size=rows, optim=other)\nsetup()\n",
               {{Fact::micro_batch, "2"}, {Fact::model, "acme/m-1b"}, {Fact::optimizer, "-"}});
}

TEST_CASE("Lightning's programs say optimizer, adapter and length around their trainer", "[launch][python]") {
    check_loop(
        "a module of one's own",
        "import lightning as L\nclass OwnDataset(Dataset):\n    def __init__(self, rows, max_length=64):\n"
        "        self.max_length = max_length\n"
        "class Own(L.LightningModule):\n    def __init__(self):\n"
        "        self.model = GPT.from_name(name='acme-1b', lora_r=2)\n"
        "    def configure_optimizers(self):\n        return torch.optim.AdamW(self.parameters())\n"
        "rows = OwnDataset(texts, max_length=512)\nmodule = Own()\n"
        "trainer = L.Trainer(devices=1, accelerator='gpu', precision='bf16-true', strategy='ddp',\n"
        "    accumulate_grad_batches=4)\ntrainer.fit(module)\n",
        {{Fact::gpus, "1"},
         {Fact::lora_rank, "2"},
         {Fact::sequence, "512"},
         {Fact::optimizer, "AdamW"},
         {Fact::accumulation, "4"}});
}
