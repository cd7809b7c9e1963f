// Files of settings that nobody starts, in the words of their own program: YAML, and classes of Python.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

LaunchReading said_in_class(const std::string& members) {
    return said_in("from dataclasses import dataclass\n\n@dataclass\nclass TrainConfig:\n" + members);
}

}  // namespace

TEST_CASE("settings alone: tables of a shape, rows and a rate, without a trainer's defaults", "[launch]") {
    const LaunchReading job = said_in(
        "model:\n  model_name: OwnLM\n  n_layers: 4\n  n_heads: 4\n  n_embd: 256\n  max_length: 128\n"
        "training:\n  per_gpu_batch: 8\n  grad_accum: 2\n  lr: 1e-3\n  compile: true\n"
        "inference:\n  model_path: ../m/last.pth\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::model) == "layers 4, hidden 256, heads 4");
    CHECK(said(job, Fact::sequence) == "128");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::accumulation) == "2");
    CHECK(said(job, Fact::compile) == "true");
    CHECK(said(job, Fact::recompute) == "-");
}

TEST_CASE("settings alone: the rows of a device beside those of all need no rate", "[launch]") {
    const LaunchReading job = said_in(
        "data:\n  batch_per_device: 4\n  global_batch: 64\n  path: /data\nmodel:\n  name: acme/m-1b\n");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::global_batch) == "64");
    CHECK(said(job, Fact::model) == "acme/m-1b");
}

TEST_CASE("settings alone: DeepSpeed's table in them stays DeepSpeed's", "[launch]") {
    const LaunchReading job = said_in(
        "epochs: 1\ndeepspeed:\n  train_batch_size: 256\n  train_micro_batch_size_per_gpu: 64\n"
        "  gradient_accumulation_steps: 1\n  zero_optimization: {stage: 1}\n");
    CHECK(job.format == "deepspeed");
    CHECK(said(job, Fact::global_batch) == "256");
}

TEST_CASE("settings alone: two models leave the shape open", "[launch]") {
    const LaunchReading job = said_in(
        "encoder: {n_layers: 4, d_model: 64}\ndecoder: {n_layers: 2, d_model: 64}\n"
        "train: {batch_size: 8, grad_accum: 2, lr: 0.1, seq_len: 32}\n");
    CHECK(said(job, Fact::model) == "-");
    CHECK(said(job, Fact::micro_batch) == "8");
}

TEST_CASE("settings alone: a class behind its module's text", "[launch]") {
    const LaunchReading job = said_in(
        "\"\"\"What a run is told.\"\"\"\nimport dataclasses\n\n@dataclasses.dataclass\nclass RunConfig:\n"
        "    model_name: str = 'acme/m-3b'\n    lora_r: int = 8\n    max_seq_len: int = 512\n"
        "    batch_size: int = 4\n    grad_accum_steps: int = 4\n    learning_rate: float = 2e-4\n");
    CHECK(said(job, Fact::model) == "acme/m-3b");
    CHECK(said(job, Fact::lora_rank) == "8");
    CHECK(said(job, Fact::sequence) == "512");
    CHECK(said(job, Fact::micro_batch) == "4");
}

TEST_CASE("settings alone: functions and objects beside a class are not what trains", "[launch]") {
    const LaunchReading job = said_in(
        "from dataclasses import dataclass, field\n\ndef required(**kw):\n    return {'required': True}\n\n"
        "@dataclass\nclass TrainConfig:\n    batch_per_device: int = field(default=4)\n"
        "    grad_accum_steps: int = field(default=2, metadata=required(help='steps'))\n\n"
        "cs = ConfigStore.instance()\ncs.store(name='train_config', node=TrainConfig)\n");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::accumulation) == "2");
}

TEST_CASE("settings alone: B, T and what a class computes of its own members", "[launch]") {
    const LaunchReading job = said_in(
        "from dataclasses import dataclass\n\n@dataclass\nclass GPTConfig:\n    n_layers: int = 12\n"
        "    n_embed: int = 768\n\n@dataclass\nclass TrainConf:\n    max_lr: float = 6e-4\n"
        "    total_batch_size: int = 524288\n    B: int = 16\n    T: int = 1024\n"
        "    grad_accum_steps: int = total_batch_size // (B*T)\n");
    CHECK(said(job, Fact::micro_batch) == "16");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::accumulation) == "32");
    CHECK(said(job, Fact::model) == "layers 12, hidden 768");
}

TEST_CASE("settings alone: two of a shape, a length and a rate show what is trained", "[launch]") {
    CHECK(said(said_in_class("    num_layers = 3\n    hidden_size = 128\n    context_length = 64\n"
                             "    batch_size = 32\n"),
               Fact::sequence) == "64");
    CHECK(said(said_in_class("    total_batch_size: int = 2**19\n    batch_size: int = 4\n"
                             "    context_size: int = 1024\n    max_steps: int = 19073\n"),
               Fact::micro_batch) == "4");
    CHECK_THROWS_AS(said_in_class("    batch_size: int = 4\n    lr: float = 0.1\n"), Error);
}

TEST_CASE("settings alone: names of nanoGPT beside another accumulation are not nanoGPT's", "[launch]") {
    const LaunchReading job = said_in_class(
        "    block_size: int = 192\n    n_layer: int = 4\n    n_head: int = 4\n    n_embd: int = 256\n"
        "    batch_size: int = 16\n    lr: float = 3e-4\n    grad_accum = 1\n\ncfg = TrainConfig()\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::accumulation) == "1");
    CHECK(said(job, Fact::micro_batch) == "16");
}

TEST_CASE("settings alone: an optimizer that is made", "[launch]") {
    const LaunchReading job = said_in(
        "from own.config import AdamW, Config, Model, Train\n\nconfig = Config.create(\n"
        "    model=Model(num_layers=12),\n    train=Train(local_batch_size=16, global_batch_size=256),\n"
        "    optim=AdamW(lr=3e-4),\n)\n");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::global_batch) == "256");
}

TEST_CASE("settings alone: constants of a batch to train with, and no parallelism", "[launch]") {
    const LaunchReading job = said_in(
        "MODE = 'train'\nGRADIENT_ACCUM = 2\nTRAIN_BATCH_SIZE = 1\nLEARNING_RATE = 1e-2\nMAX_LEN = 512\n"
        "MODEL_NAME = 'flan-t5-base'\nVALID_BATCH_SIZE = 4\n");
    CHECK(said(job, Fact::micro_batch) == "1");
    CHECK(said(job, Fact::accumulation) == "2");
    CHECK(said(job, Fact::global_batch) == "-");
    const std::string rows = "    batch_size: int = 4\n    grad_accum: int = 2\n    lr: float = 0.1\n";
    CHECK(said(said_in_class(rows), Fact::pp) == "1");
    CHECK(said(said_in_class(rows + "    pipeline_parallel: bool = True\n"), Fact::pp) == "-");
}

TEST_CASE("settings alone: a job of this program's own, and a model's configuration, are no launch files",
          "[launch]") {
    CHECK_THROWS_AS(said_in("{\"schema\": \"job/1\", \"run\": {\"micro_batch\": 1, \"global_batch\": 64}}\n"),
                    Error);
    CHECK_THROWS_AS(
        said_in("{\"architectures\": [\"OwnModel\"], \"model_type\": \"own\", \"num_layers\": 28, "
                "\"hidden_size\": 64,\n \"num_attention_heads\": 4, \"vocab_size\": 100, "
                "\"max_sequence_length\": 64}\n"),
        Error);
}
