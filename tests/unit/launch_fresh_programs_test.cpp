// What a batch of programs that nobody had read before taught.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("what is done to the model goes before a trainer's own switch", "[launch]") {
    const LaunchReading job = said_in(
        "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\nmodel.gradient_checkpointing_enable()\n"
        "args = TrainingArguments(output_dir='o', per_device_train_batch_size=2, "
        "gradient_checkpointing=False)\n"
        "trainer = Trainer(model=model, args=args)\ntrainer.train()\n");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("Lightning's trainer around adapters is what trains", "[launch]") {
    const LaunchReading job = said_in(
        "from lightning import Trainer\nfrom lightning.pytorch.strategies import DeepSpeedStrategy\n"
        "from peft import LoraConfig, get_peft_model\nfrom transformers import AutoModelForCausalLM\n"
        "settings = {'optimizer': {'type': 'Adam'}, 'zero_optimization': {'stage': 2,\n"
        "            'offload_optimizer': {'device': 'cpu'}}}\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "model = get_peft_model(model, LoraConfig(r=4))\n"
        "conf = {'max_epochs': 2, 'accumulate_grad_batches': 1, 'precision': '16-mixed'}\n"
        "trainer = Trainer(**conf, accelerator='auto', devices=[0],\n"
        "                  strategy=DeepSpeedStrategy(config=settings))\ntrainer.fit(model)\n");
    CHECK(job.format == "lightning");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::optimizer) == "Adam");
    CHECK(said(job, Fact::precision) == "fp16");
    CHECK(said(job, Fact::gpus) == "1");
    CHECK(said(job, Fact::lora_rank) == "4");
}

TEST_CASE("Lightning: a trainer that is told no format computes in fp32", "[launch]") {
    const std::string program =
        "import lightning as L\nmodel = OwnModel()\n"
        "trainer = L.Trainer(accelerator='gpu', devices=2, max_epochs=1";
    CHECK(said(said_in(program + ")\ntrainer.fit(model)\n"), Fact::precision) == "fp32");
    CHECK(said(said_in(program + ", **more)\ntrainer.fit(model)\n"), Fact::precision) == "-");
}

TEST_CASE("a model by TransformerLens, and one that a class of its own makes", "[launch]") {
    const std::string arguments =
        "args = TrainingArguments(output_dir='o', per_device_train_batch_size=2)\n"
        "trainer = Trainer(model=model, args=args)\ntrainer.train()\n";
    CHECK(said(said_in("from transformers import Trainer, TrainingArguments\n"
                       "from transformer_lens import HookedTransformer\n"
                       "model = HookedTransformer.from_pretrained_no_processing('acme/m-8b')\n" +
                       arguments),
               Fact::model) == "acme/m-8b");
    const std::string own =
        "from transformers import Trainer, TrainingArguments\nfrom own import OwnConfig, OwnModel\n"
        "model = OwnModel(config=OwnConfig(layer_num=40, hidden_size=3072, attention_heads=24))\n";
    CHECK(said(said_in(own + arguments), Fact::model) == "layers 40, hidden 3072, heads 24");
    std::string reward = own;
    reward.replace(reward.find("= OwnModel("), 11, "= RewardModel(");
    CHECK(said(said_in(reward + arguments), Fact::model) == "-");
}

TEST_CASE("DeepSpeed's settings that a function returns", "[launch]") {
    const LaunchReading job = said_in(
        "import deepspeed\nfrom transformers import AutoModelForCausalLM\n\n"
        "def settings():\n    return {'train_micro_batch_size_per_gpu': 4, 'bf16': {'enabled': True},\n"
        "            'zero_optimization': {'stage': 2}}\n\n"
        "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
        "engine, optimizer, _, _ = deepspeed.initialize(model=model, config=settings())\n"
        "loss = engine(**batch).loss\nengine.backward(loss)\nengine.step()\n");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::micro_batch) == "4");
}

TEST_CASE("rows by B and T in an object of settings, and by a module of data", "[launch]") {
    const LaunchReading job = said_in(
        "from own import Settings, Model\nimport torch\n"
        "settings = Settings(B=8, T=256)\nmodel = Model(vocab_size=100)\n"
        "optimizer = torch.optim.AdamW(model.parameters())\n"
        "loss.backward()\n");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::sequence) == "256");
    CHECK(said(said_in("from own import OwnDataModule, Model\nimport torch\nmodel = Model(vocab_size=100)\n"
                       "optimizer = torch.optim.AdamW(model.parameters())\nseq_len = 64\n"
                       "data = OwnDataModule(batch_size=4)\nloss.backward()\n"),
               Fact::micro_batch) == "4");
}
