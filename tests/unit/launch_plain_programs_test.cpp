// What programs of one's own taught: what they ask the machine, what they try, how they cast and call.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/import/formats/formats.hpp>
#include <traincost/import/settings/setting_files.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

/// A loop around `made`, in which a model is made.
std::string loop_around(const std::string& made) {
    return "import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
           "from transformers import AutoModelForCausalLM\n" +
           made +
           "loader = DataLoader(rows, batch_size=4, shuffle=True)\nseq_len = 512\n"
           "for batch in loader:\n    loss = model(**batch).loss\n    loss.backward()\n";
}

std::string precision_of(const std::string& made) {
    return said(said_in(loop_around(made)), Fact::precision);
}

const std::string loaded = "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n";

}  // namespace

TEST_CASE("Programs: what depends on the formats of a GPU is not stated", "[launch]") {
    const auto asked = [](const std::string& question) {
        return precision_of("kind = torch.bfloat16 if " + question + " else torch.float16\n" +
                            "model = AutoModelForCausalLM.from_pretrained('acme/m-1b', torch_dtype=kind)\n");
    };
    CHECK(asked("torch.cuda.is_available()") == "bf16");
    for (const char* question : {"torch.cuda.is_bf16_supported()", "is_torch_bf16_gpu_available()",
                                 "torch.cuda.get_device_capability()[0] >= 8", "args.narrow"}) {
        INFO(question);
        CHECK(asked(question) == "-");
    }
    const LaunchReading job = said_in(
        "from trl import SFTConfig, SFTTrainer\nfrom unsloth import is_bfloat16_supported\n"
        "args = SFTConfig(per_device_train_batch_size=2, max_steps=60, fp16=not is_bfloat16_supported(),\n"
        "                 bf16=is_bfloat16_supported())\n"
        "trainer = SFTTrainer(model='acme/m-1b', args=args)\ntrainer.train()\n");
    CHECK(said(job, Fact::precision) == "-");
}

TEST_CASE("Programs: models that are cast where they are made, or later", "[launch]") {
    CHECK(precision_of("model = GPT(config).to(torch.bfloat16)\n") == "bf16");
    CHECK(precision_of("model = GPT(config).half().cuda()\n") == "fp16");
    CHECK(precision_of("model = GPT(config).to(device, torch.bfloat16)\n") == "bf16");
    CHECK(precision_of("model = GPT(config)\nmodel.to(dtype=torch.bfloat16, device=device)\n") == "bf16");
    CHECK(precision_of("model = GPT(config)\nmodel.bfloat16()\n") == "bf16");
    CHECK(precision_of("model = GPT(config).to(device)\n") == "-");
    CHECK(precision_of("model = GPT(config)\nif args.narrow:\n    model.half()\n") == "-");
    CHECK(precision_of("model = GPT(config)\nnoise = torch.randn(4, 4).to(torch.bfloat16)\n") == "-");
}

TEST_CASE("Programs: what is tried works", "[launch]") {
    const LaunchReading job = said_in(loop_around(
        "try:\n"
        "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b', dtype=torch.bfloat16,\n"
        "                                                 attn_implementation='flash_attention_2')\n"
        "except Exception as e:\n"
        "    model = AutoModelForCausalLM.from_pretrained('acme/m-1b', attn_implementation='sdpa')\n"
        "else:\n    accum_steps = 2\n"));
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::attention) == "flash_attention_2");
    CHECK(said(job, Fact::accumulation) == "2");
}

TEST_CASE("Programs: an empty text is false", "[launch]") {
    const auto chosen = [](const std::string& source) {
        return said(said_of("import argparse\nparser = argparse.ArgumentParser()\n"
                            "parser.add_argument('--base', default='acme/m-1b')\n"
                            "parser.add_argument('--resume_from', default='')\n"
                            "parser.add_argument('--batch_size', type=int, default=2)\n"
                            "args = parser.parse_args()\n" +
                                source +
                                "model = AutoModelForCausalLM.from_pretrained(source)\n"
                                "args = TrainingArguments(per_device_train_batch_size=args.batch_size)\n",
                            "python train.py"),
                    Fact::model);
    };
    CHECK(chosen("source = args.resume_from if args.resume_from else args.base\n") == "acme/m-1b");
    CHECK(chosen("source = args.resume_from or args.base\n") == "acme/m-1b");
}

TEST_CASE("Programs: a model wrapped where there are several processes", "[launch]") {
    const auto wrapped = [](const std::string& condition, const std::string& wrapper) {
        return said(said_in(loop_around(loaded + "if " + condition + ":\n    model = " + wrapper + "\n")),
                    Fact::zero);
    };
    CHECK(wrapped("ddp", "DDP(model, device_ids=[local_rank])") == "0");
    CHECK(wrapped("env['ddp']", "DDP(model)") == "0");
    CHECK(wrapped("world_size > 1", "FSDP(model)") == "3");
    CHECK(wrapped("world_size == 1", "FSDP(model)") == "-");
    CHECK(wrapped("rank == 0", "DDP(model)") == "-");
    CHECK(wrapped("args.wrap", "FSDP(model)") == "-");
    CHECK(said(said_in(loop_around(loaded + "if sharded:\n    model = FSDP(model)\n"
                                            "elif world_size > 1:\n    model = DDP(model)\n")),
               Fact::zero) == "-");  // nobody knows which
}

TEST_CASE("Programs: numbers that each round of a loop gives anew", "[launch]") {
    const auto rows_of = [](const std::string& body) {
        const LaunchReading job =
            said_in("import torch\nmodel = GPT(config)\nfor step in range(10):\n" + body +
                    "    x = torch.randint(0, 128, (bs, seq_len))\n"
                    "    loss = model(x)\n    loss.backward()\n"
                    "optimizer = torch.optim.AdamW(model.parameters())\n# tokens\n");
        return said(job, Fact::micro_batch) + " x " + said(job, Fact::sequence);
    };
    CHECK(rows_of("    bs, seq_len = 2, 16\n") == "2 x 16");
    CHECK(rows_of("    bs = 2\n    seq_len = 16\n") == "2 x 16");
    CHECK(rows_of("    bs = 2\n    seq_len = 16\n    if step > 5:\n        bs = 4\n") == "- x 16");
}

TEST_CASE("Programs: calls that are never reached bind nothing", "[launch]") {
    const LaunchReading job = said_of(
        "import argparse\nimport torch\nfrom torch.optim import AdamW\n"
        "def probe(name, rows, seq_len, fast=True):\n"
        "    kernel = 'flash_attention_2' if fast else 'sdpa'\n"
        "    model = AutoModelForCausalLM.from_pretrained(name, attn_implementation=kernel)\n"
        "    x = torch.randint(0, 99, (rows, seq_len))\n    loss = model(x)\n    loss.backward()\n"
        "def sweep():\n    for rows in [1, 2]:\n        probe('acme/m-70b', rows, 4096, fast=False)\n"
        "def main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--model')\n"
        "    p.add_argument('--rows', type=int, default=8)\n    p.add_argument('--sweep', "
        "action='store_true')\n"
        "    p.add_argument('--slow', action='store_true')\n    args = p.parse_args()\n"
        "    if args.sweep:\n        sweep()\n    else:\n"
        "        probe(args.model, args.rows, 512, fast=not args.slow)\n"
        "if __name__ == '__main__':\n    main()\n",
        "python train.py --model acme/m-1b");
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::attention) == "flash_attention_2");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::sequence) == "512");
}

TEST_CASE("Programs: parts given to settings that another module makes", "[launch]") {
    const LaunchReading job = said_in(loop_around(
        "from config import SMALL\nconfig = SMALL\nconfig['grad_accum'] = 8\nmodel = GPT(config)\n"));
    CHECK(said(job, Fact::accumulation) == "8");
}

TEST_CASE("Programs: a loader of its own is told the attention", "[launch]") {
    const LaunchReading job = said_in(
        "model = load_pretrained_model('acme/m-1b', attn_implementation='sdpa')\n"
        "args = TrainingArguments(per_device_train_batch_size=2, num_train_epochs=1)\n");
    CHECK(said(job, Fact::attention) == "sdpa");
}

TEST_CASE("Programs: a map of dimensions says all of them", "[launch]") {
    const LaunchReading job = said_in(
        loop_around("LARGE = dict(vocab_size=50257, n_layers=36, d_model=1280, n_heads=20, d_ff=5120)\n"
                    "model = GPT(**{k: v for k, v in LARGE.items()})\n"));
    CHECK(said(job, Fact::model) == "layers 36, hidden 1280, heads 20, ffn 5120, vocab 50257");
}

TEST_CASE("Programs: nanoGPT's names at the file's top around a loop of its own", "[launch]") {
    const LaunchReading job = said_in(
        "from model import GPT, GPTConfig\nbatch_size = 32\nblock_size = 1024\nn_embd = 768\nn_head = 6\n"
        "n_layer = 6\neval_interval = 500\nmax_iters = 10\n"
        "def main():\n"
        "    loader = get_dataloader(rows, batch_size=batch_size, shuffle=True)\n"
        "    settings = GPTConfig(block_size=block_size, n_layer=n_layer, n_head=n_head, n_embd=n_embd)\n"
        "    model = GPT(settings)\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    train_loop(model, optimizer, loader)\nmain()\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::model) == "layers 6, hidden 768, heads 6");
    CHECK(said(job, Fact::micro_batch) == "32");
    CHECK(said(job, Fact::optimizer) == "SGD");
    CHECK(said(job, Fact::compile) == "-");
}

TEST_CASE("nanoGPT: a model alone says nothing of its trainer", "[launch]") {
    const LaunchReading job = said_in("n_layer: 12\nn_head: 12\nn_embd: 768\nblock_size: 1024\n");
    CHECK(said(job, Fact::model) == "layers 12, hidden 768, heads 12");
    CHECK(said(job, Fact::optimizer) == "-");
    CHECK(said(job, Fact::compile) == "-");
}

TEST_CASE("Commands: switches and kernels by names that mean them", "[launch]") {
    const LaunchReading job = said_in(
        "torchrun --nproc_per_node=2 train_fsdp.py --model_name_or_path acme/m-1b --seq_len 512 \\\n"
        "  --lr 1e-5 --bf16 --use_activation_checkpointing --attn_impl eager --micro_batch_size 16 \\\n"
        "  --grad_accum_steps 2\n");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::attention) == "eager");
    const LaunchReading files = said_in(
        "python train.py --model_name_or_path acme/m-1b --batch_size 4 --acc_steps 2 --checkpoint_path "
        "out\n");
    CHECK(said(files, Fact::recompute) == "-");
    CHECK(said(files, Fact::accumulation) == "2");
}

TEST_CASE("Programs: the attention of a model that is made of its configuration", "[launch]") {
    const LaunchReading job = said_in(
        "import os\nFLEX = os.environ.get('FLEX', '0') == '1'\n"
        "config = LlamaConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,\n"
        "                     attn_implementation='flex_attention' if FLEX else 'sdpa')\n"
        "model = LlamaForCausalLM(config)\n"
        "args = TrainingArguments(per_device_train_batch_size=2, num_train_epochs=1)\n");
    CHECK(said(job, Fact::attention) == "sdpa");
}

TEST_CASE("Programs: nanoGPT's names on one GPU accumulate all their steps", "[launch]") {
    const std::string loop =
        "from model import GPT, GPTConfig\ngradient_accumulation_steps = 5 * 8\nbatch_size = 64\n"
        "block_size = 256\nn_layer = 6\nn_head = 6\nn_embed = 384\nmax_iters = 5000\neval_interval = 250\n"
        "model = GPT(GPTConfig(n_layer=n_layer, n_head=n_head, n_embed=n_embed, block_size=block_size))\n"
        "optimizer = torch.optim.AdamW(model.parameters())\n";
    const LaunchReading alone = said_in(loop + "loss.backward()\n");
    CHECK(alone.format == "hf-arguments");
    CHECK(said(alone, Fact::accumulation) == "40");
    CHECK(said(alone, Fact::micro_batch) == "64");
    CHECK(said(alone, Fact::model) == "layers 6, hidden 384, heads 6");
    CHECK(said_in(loop + "gradient_accumulation_steps //= ddp_world_size\nloss.backward()\n").format ==
          "nanogpt");
}

TEST_CASE("Programs: a step's tokens divided over several lines", "[launch]") {
    const LaunchReading job = said_in(
        loop_around(loaded + "tokens_per_batch = 65536\n"
                             "steps = tokens_per_batch // (\n    seq_len * micro_rows * WORLD_SIZE\n)\n"));
    CHECK(said(job, Fact::global_batch) == "128");
}

TEST_CASE("Programs: a run begins without checkpoints of its own", "[launch]") {
    const auto rank_behind = [](const std::string& question) {
        return said(
            said_in(loop_around("import os\nfrom peft import LoraConfig, PeftModel, get_peft_model\n" +
                                loaded + "if " + question +
                                ":\n    model = PeftModel.from_pretrained(model, where)\n"
                                "else:\n    model = get_peft_model(model, LoraConfig(r=8))\n")),
            Fact::lora_rank);
    };
    CHECK(rank_behind("os.path.exists(checkpoint_dir)") == "8");
    CHECK(rank_behind("os.path.isdir('out/latest') and args.more") == "8");
    CHECK(rank_behind("os.path.exists(data_dir)") == "-");
}

TEST_CASE("Programs: a model of a map of dimensions", "[launch]") {
    const LaunchReading job =
        said_in(loop_around("shape = {'num_layers': 4, 'd_model': 512, 'num_heads': 16, 'd_ff': 1344}\n"
                            "model = TransformerLM(shape)\n"));
    CHECK(said(job, Fact::model) == "layers 4, hidden 512, heads 16, ffn 1344");
}

TEST_CASE("Programs: a model stays what it is where it is wrapped by name", "[launch]") {
    const LaunchReading job =
        said_in(loop_around("model = GPT(GPTConfig(n_layer=2, n_head=4, n_embd=64, vocab_size=100))\nmodel = "
                            "torch.compile(model)\n"
                            "if ddp: model = DDP(module=model, device_ids=[0])\n"));
    CHECK(said(job, Fact::model) == "layers 2, hidden 64, heads 4, vocab 100");
    CHECK(said(job, Fact::compile) == "true");
    CHECK(said(job, Fact::zero) == "0");
}

TEST_CASE("Programs: a class imported under another name is that class", "[launch]") {
    const LaunchReading job = said_in(
        "import torch\ntry:\n    from transformers import AutoModelForCausalLM as _Net\n"
        "except ImportError:\n    raise\n"
        "from transformers import Trainer, TrainingArguments\n"
        "model = _Net.from_pretrained('Qwen/Qwen3-4B')\n"
        "args = TrainingArguments(output_dir='o', per_device_train_batch_size=2)\n"
        "Trainer(model=model, args=args).train()\n");
    CHECK(said(job, Fact::model) == "Qwen/Qwen3-4B");
}

TEST_CASE("Programs: a trainer's settings alone are no XTuner configuration", "[launch]") {
    const auto points_of = [](const std::string& part) {
        return recognise_xtuner(read_yaml("trainer:\n  $class: TrainerConfig\n  " + part + "\n", "own.yaml"));
    };
    CHECK(points_of("batch_size: 32") == 0);
    CHECK(points_of("fsdp_cfg: 1\n  model_cfg: 2") > 30);
}
