// Programs and files that call a trainer's settings by words of their own, and Python around a trainer.

#include "support/launch_reading.hpp"

#include <utility>

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

using OwnFacts = std::vector<std::pair<Fact, const char*>>;

void check_own(const char* what, const std::string& text, const OwnFacts& facts) {
    INFO(what);
    const LaunchReading job = said_in(text);
    CHECK(job.contradictions.empty());
    for (const auto& [fact, value] : facts) {
        INFO(fact_name(fact));
        CHECK(said(job, fact) == value);
    }
}

}  // namespace

TEST_CASE("A program's own options are known by the parts of their names", "[launch]") {
    check_own("a loop's constants",
              "import torch\nfrom transformers import AutoModelForCausalLM\n"
              "PER_GPU_BATCH = 2\nGRAD_ACCUM_EVERY = 8\nEFFECTIVE_BATCH_SIZE = 64\nMAX_SEQ_LEN = 512\n"
              "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
              "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)\n"
              "for batch in loader:\n    loss = model(batch[:, :MAX_SEQ_LEN]).loss / GRAD_ACCUM_EVERY\n"
              "    loss.backward()\n    optimizer.step()\n",
              {{Fact::micro_batch, "2"},
               {Fact::accumulation, "8"},
               {Fact::global_batch, "64"},
               {Fact::model, "acme/m-1b"}});
    check_own(
        "a launched program",
        "torchrun --nproc_per_node 4 tune.py --micro_batch_per_gpu 2 --grad_accum 8 --bf16\n",
        {{Fact::micro_batch, "2"}, {Fact::accumulation, "8"}, {Fact::gpus, "4"}, {Fact::precision, "bf16"}});
    check_own(
        "GPUs by their numbers",
        "python tune.py --per_device_train_batch_size 2 --gradient_accumulation_steps 4 --devices 0 1 2\n",
        {{Fact::gpus_per_node, "3"}});
}

TEST_CASE("A file of one's own says a trainer's arguments in one table, or in several", "[launch]") {
    check_own("flat",
              "base_model: acme/m-1b\nbatch_size: 4\ngrad_accum: 8\nlr: 1.0e-4\nmax_seq_length: 512\n"
              "gpus_per_node: 2\nnum_nodes: 3\n",
              {{Fact::model, "acme/m-1b"},
               {Fact::micro_batch, "4"},
               {Fact::accumulation, "8"},
               {Fact::sequence, "512"},
               {Fact::gpus_per_node, "2"},
               {Fact::nodes, "3"}});
    check_own("the batch beside the data, the steps beside the rate",
              "model: {base_id: acme/m-1b, max_len: 512}\ndata: {batch_size: 2, num_workers: 4}\n"
              "evaluation: {batch_size: 9}\noptim: {lr: 1.0e-4, grad_accum_steps: 16}\n",
              {{Fact::model, "acme/m-1b"}, {Fact::micro_batch, "2"}, {Fact::accumulation, "16"}});
    check_own("how it is kept is no setting of it",
              "model: {name: acme/m-1b}\nwandb: {model: other}\ntags: {model_name: third}\n"
              "train: {batch_size: 2, gradient_accumulation: 4}\nuse_peft: false\npeft: {r: 8}\n",
              {{Fact::model, "acme/m-1b"},
               {Fact::micro_batch, "2"},
               {Fact::accumulation, "4"},
               {Fact::lora_rank, "-"}});
}

TEST_CASE(
    "A base model beside tables of one's own is no axolotl's, and where a model is from is not its name",
    "[launch]") {
    check_own("tables",
              "base_model: acme/m-1b\noutput_dir: out\nlora: {r: 16, alpha: 32}\n"
              "training: {per_device_train_batch_size: 4, gradient_accumulation_steps: 2, bf16: true}\n",
              {{Fact::model, "acme/m-1b"},
               {Fact::lora_rank, "16"},
               {Fact::micro_batch, "4"},
               {Fact::precision, "bf16"}});
    check_own("batches",
              "method: lora\nbase_model: acme/m-1b\noutput_dir: out\n"
              "training: {batch_size: 2, grad_accum_steps: 4, learning_rate: 2e-4, max_seq_len: 512}\n",
              {{Fact::model, "acme/m-1b"},
               {Fact::accumulation, "4"},
               {Fact::micro_batch, "2"},
               {Fact::sequence, "512"}});
    const std::string run = "python tune.py --per_device_train_batch_size 2 --gradient_accumulation_steps 4 ";
    check_own("a hub", run + "--pretrain huggingface\n", {{Fact::model, "-"}});
    check_own("a name", run + "--pretrain acme/m\n", {{Fact::model, "acme/m"}});
    check_own("devices by a word of its own",
              "python run.py runtime.visible_devices=0,1,2 loader.per_device_batch_size=2 "
              "train.gradient_accumulation_steps=4\n",
              {{Fact::gpus_per_node, "3"}, {Fact::micro_batch, "2"}});
}

TEST_CASE("A module that only holds classes of settings is read by what they begin with",
          "[launch][python]") {
    check_own(
        "two classes",
        "from dataclasses import dataclass\n\n@dataclass\nclass ModelConfig:\n"
        "    name: str = 'acme/m-1b'\n    max_seq_length: int = 1024\n\n@dataclass\nclass TrainConfig:\n"
        "    per_device_train_batch_size: int = 2\n    gradient_accumulation_steps: int = 4\n"
        "    lora_rank: int = 8\n\nclass Reader:\n    batch_size = 7\n",
        {{Fact::model, "acme/m-1b"},
         {Fact::sequence, "1024"},
         {Fact::micro_batch, "2"},
         {Fact::accumulation, "4"},
         {Fact::lora_rank, "8"}});
}

TEST_CASE("A step's batch that a program divides among its processes is stated whole", "[launch][python]") {
    check_own("by rows",
              "import os\nimport transformers\n"
              "def train(base: str = '', batch_size: int = 128, micro_batch_size: int = 4):\n"
              "    gradient_accumulation_steps = batch_size // micro_batch_size\n"
              "    world_size = int(os.environ.get('WORLD_SIZE', 1))\n    ddp = world_size != 1\n"
              "    if ddp:\n        gradient_accumulation_steps = gradient_accumulation_steps // world_size\n"
              "    trainer = transformers.Trainer(args=transformers.TrainingArguments(\n"
              "        per_device_train_batch_size=micro_batch_size, fp16=True,\n"
              "        gradient_accumulation_steps=gradient_accumulation_steps))\n    trainer.train()\n"
              "fire.Fire(train)\n",
              {{Fact::micro_batch, "4"}, {Fact::global_batch, "128"}, {Fact::accumulation, "-"}});
    check_own("by tokens, however few",
              "import torch\nB = 4\nseq_len = 256\ntotal_batch_size = 8192\n"
              "grad_accum_steps = total_batch_size // (B * seq_len * world_size)\n"
              "optimizer = torch.optim.AdamW(model.parameters())\n"
              "for step in range(9):\n    loss.backward()\n    optimizer.step()\n",
              {{Fact::global_batch, "32"}});
}

TEST_CASE("Python: texts that hold others, an argument that is not given, the lesser of two lengths",
          "[launch][python]") {
    const std::string begin =
        "import sys\nfrom transformers import AutoModelForCausalLM, TrainingArguments\n";
    const std::string end =
        "args = TrainingArguments(per_device_train_batch_size=2, gradient_accumulation_steps=4, bf16=False,\n"
        "    fp16=False)\ntrainer = Trainer(model=model, args=args)\ntrainer.train()\n";
    check_own(
        "a name put together",
        begin + "WHO = 'acme'\nSIZE = 7\nmodel = AutoModelForCausalLM.from_pretrained(f'{WHO}/m-{SIZE}b')\n" +
            end,
        {{Fact::model, "acme/m-7b"}});
    check_own("a name put together of what nobody knows",
              begin + "model = AutoModelForCausalLM.from_pretrained(f'{who()}/m')\n" + end,
              {{Fact::model, "-"}});
    check_own("none given",
              begin +
                  "name = sys.argv[1] if len(sys.argv) > 1 else 'acme/m-1b'\n"
                  "model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16)\n" +
                  end,
              {{Fact::model, "acme/m-1b"}, {Fact::precision, "bf16"}});
    check_own("a class among several, and what the tokenizer takes",
              begin +
                  "length = min(1024, tokenizer.model_max_length)\nmodel_class = choose(kind)\n"
                  "model = model_class.from_pretrained('acme/m-1b', attn_implementation='sdpa')\n"
                  "rows = rows.map(lambda r: tokenizer(r['text'], truncation=True, max_length=length))\n" +
                  end,
              {{Fact::model, "acme/m-1b"}, {Fact::attention, "sdpa"}, {Fact::sequence, "1024"}});
}

TEST_CASE("Lightning's sharded strategies keep optimizer and gradients apart", "[launch][python]") {
    const std::string begin = "import lightning as L\ntrainer = L.Trainer(devices=4, num_nodes=2, strategy='";
    const std::string end = "')\ntrainer.fit(model)\n";
    check_own("sharded", begin + "ddp_sharded" + end, {{Fact::zero, "2"}, {Fact::gpus, "8"}});
    check_own("fully", begin + "ddp_fully_sharded" + end, {{Fact::zero, "3"}});
    check_own("not", begin + "ddp" + end, {{Fact::zero, "0"}});
}

TEST_CASE("MaxText cuts a pipeline's batch into its microbatches", "[launch]") {
    const std::string run =
        "python -m MaxText.train MaxText/configs/base.yml model_name=gpt3-52k "
        "per_device_batch_size=4 ici_tensor_parallelism=2 ici_pipeline_parallelism=2";
    check_own("said", run + " num_pipeline_microbatches=8\n",
              {{Fact::micro_batch, "2"}, {Fact::accumulation, "8"}, {Fact::pp, "2"}});
    check_own("unsaid", run + "\n", {{Fact::micro_batch, "16"}, {Fact::accumulation, "1"}});
}

TEST_CASE("Python: what else says the length, and that its layers are recomputed", "[launch][python]") {
    const std::string args =
        "args = TrainingArguments(per_device_train_batch_size=2, bf16=True)\n"
        "trainer = Trainer(model=model, args=args)\ntrainer.train()\n";
    check_own(
        "a dataset of rows of one length",
        "from trl import ConstantLengthDataset\nmodel = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "rows = ConstantLengthDataset(tokenizer, texts, seq_length=1024)\n" +
            args,
        {{Fact::sequence, "1024"}});
    check_own("an encoder's rows, and what its decoder is to say",
              "model = AutoModelForSeq2SeqLM.from_pretrained('acme/m-1b')\n"
              "def cut(rows):\n    seen = tokenizer(rows['text'], max_length=256, truncation=True)\n"
              "    labels = tokenizer(rows['said'], max_length=64, truncation=True)\n    return seen\n" +
                  args,
              {{Fact::sequence, "256"}});
    check_own(
        "Unsloth's own word",
        "model, t = FastVisionModel.from_pretrained('acme/m-1b', use_gradient_checkpointing='unsloth')\n"
        "model = FastVisionModel.get_peft_model(model, r=8)\n" +
            args,
        {{Fact::recompute, "full"}, {Fact::lora_rank, "8"}});
    check_own("Unsloth unless it is told not to",
              "model, t = FastLanguageModel.from_pretrained('acme/m-1b')\n"
              "model = FastLanguageModel.get_peft_model(model, r=8)\n" +
                  args,
              {{Fact::recompute, "full"}});
}

TEST_CASE("Python: a function of what is tried, an object's own options, a length that nobody hands on",
          "[launch][python]") {
    check_own(
        "a function inside a try",
        "import torch\nLONG = 1024\ntry:\n    model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "    def take():\n        return tok(texts, truncation=True, max_length=LONG)\n"
        "    optimizer = torch.optim.AdamW(model.parameters())\n    for step in range(9):\n"
        "        loss = model(**take()).loss\n        loss.backward()\nexcept Exception:\n    raise\n",
        {{Fact::model, "acme/m-1b"}, {Fact::sequence, "1024"}, {Fact::optimizer, "AdamW"}});
    check_own("options of an object",
              "import lightning as L\nclass Own(L.LightningModule):\n    def __init__(self, net, args):\n"
              "        self.args = args\n    def train_dataloader(self):\n"
              "        return DataLoader(rows, batch_size=self.args.batch_size)\n"
              "def main(args):\n    trainer = L.Trainer(max_epochs=args.epochs, gradient_clip_val=1.0,\n"
              "        val_check_interval=9)\n    trainer.fit(Own(net, args))\n"
              "if __name__ == '__main__':\n    parser = ArgumentParser()\n"
              "    parser.add_argument('--batch_size', default=64, type=int)\n"
              "    parser.add_argument('--epochs', default=2, type=int)\n    args = parser.parse_args()\n    "
              "main(args)\n",
              {{Fact::micro_batch, "64"}});
    check_own("a length of a function that conditions call",
              "def train(name, longest):\n    args = ORPOConfig(per_device_train_batch_size=1, "
              "max_length=longest)\n"
              "    trainer = ORPOTrainer(model=name, args=args)\n    trainer.train()\n"
              "def main():\n    parser = argparse.ArgumentParser()\n"
              "    parser.add_argument('--max-len', type=int, default=1024)\n    args = parser.parse_args()\n"
              "    if args.train:\n        train('acme/m-1b', args.max_len)\nmain()\n",
              {{Fact::sequence, "1024"}});
}

TEST_CASE("DeepSpeed's engine in a function: its optimizer by its class, and no rows of a row's tokens",
          "[launch][python]") {
    check_own("a class",
              "import deepspeed\nfrom deepspeed.ops.adam import DeepSpeedCPUAdam\ndef main():\n"
              "    settings = {'train_batch_size': 16, 'optimizer': {'type': DeepSpeedCPUAdam},\n"
              "        'fp16': {'enabled': True}, 'zero_optimization': {'stage': 1}}\n"
              "    engine, _, _, _ = deepspeed.initialize(model=Own(), config=settings)\n"
              "    for step in range(9):\n        engine.backward(loss)\n        engine.step()\nmain()\n",
              {{Fact::global_batch, "16"},
               {Fact::zero, "1"},
               {Fact::precision, "fp16"},
               {Fact::optimizer, "DeepSpeedCPUAdam"}});
    check_own("rows of random tokens",
              "from lightning.fabric import Fabric\nclass Rows(Dataset):\n    def __getitem__(self, i):\n"
              "        return torch.randint(0, 1000, (128,))\n"
              "fabric = Fabric(accelerator='gpu', devices=4, strategy='ddp')\n",
              {{Fact::micro_batch, "-"}, {Fact::gpus, "4"}});
}

TEST_CASE("A class of settings in alpaca-lora's words: its batch is a whole step's", "[launch][python]") {
    const LaunchReading job = read_launch_files(
        {{{"config.py",
           "from dagster import Config\nclass FinetuneConfig(Config):\n"
           "    batch_size: int = 96\n    micro_batch_size: int = 6\n"
           "    learning_rate: float = 3e-4\n    cutoff_len: int = 384\n    lora_r: int = 8\n"}}},
        {});
    CHECK(said(job, Fact::global_batch) == "96");
    CHECK_FALSE(job.facts.contains(Fact::accumulation));
    CHECK(said(job, Fact::micro_batch) == "6");
    CHECK(said(job, Fact::sequence) == "384");
    CHECK(said(job, Fact::lora_rank) == "8");
}
