// What launch files that nobody here had seen taught: each rule in a small file of its own.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("a message that names a launcher starts nothing", "[launch]") {
    const LaunchReading job = said_in(
        "conf=$(mktemp)\necho our deepspeed settings stand in $conf\n"
        "torchrun --nproc_per_node 4 train.py --model_name_or_path acme/m-1b \\\n"
        "  --per_device_train_batch_size 2 --output_dir out --deepspeed $conf\n");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::global_batch) == "8");
}

TEST_CASE("LLaMA-Factory is told from the trainer below it, and its sequence parallelism counts as cp",
          "[launch]") {
    const LaunchReading job = said_in(
        "model_name_or_path: acme/m-8b\nfinetuning_type: full\ncutoff_len: 4096\n"
        "sequence_parallel_size: 2\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 4\n"
        "gradient_checkpointing: true\noutput_dir: out\nlearning_rate: 1.0e-5\nnum_train_epochs: 1\n"
        "lr_scheduler_type: cosine\nbf16: true\n");
    CHECK(job.format == "llama-factory");
    CHECK(said(job, Fact::cp) == "2");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::recompute) == "full");
}

TEST_CASE("Fast-LLM: the step's packed sequences may stand under training", "[launch]") {
    const LaunchReading job = said_in(
        "training: {global_batch_size: 96}\ndata: {micro_batch_size: 16384, maximum_document_length: 8192}\n"
        "model:\n  base_model: {head: {cross_entropy_splits: 4}}\n  multi_stage: {zero_stage: 2}\n"
        "  distributed: {tensor_parallel: 4, compute_dtype: bfloat16}\n");
    CHECK(job.format == "fast-llm");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "96");
}

TEST_CASE("Megatron-Bridge: its FSDP may be switched on under dist, and shards what its strategy names",
          "[launch]") {
    const std::string head =
        "model: {seq_length: 2048}\ntrain: {micro_batch_size: 1, global_batch_size: 16}\n";
    const LaunchReading all = said_in(head + "dist: {use_megatron_fsdp: true}\n");
    CHECK(all.format == "megatron-bridge");
    CHECK(said(all, Fact::zero) == "3");
    const LaunchReading some = said_in(
        head + "dist: {use_megatron_fsdp: true}\nddp: {data_parallel_sharding_strategy: optim_grads}\n");
    CHECK(said(some, Fact::zero) == "2");
    CHECK(said(said_in(head + "dist: {use_megatron_fsdp: false}\n"), Fact::zero) == "-");
}

TEST_CASE("Megatron-Bridge: the model's own switch says the precision where no mix of precisions does",
          "[launch]") {
    const std::string head = "train: {micro_batch_size: 1, global_batch_size: 16}\nmodel:\n  bf16: true\n";
    CHECK(said(said_in(head), Fact::precision) == "bf16");
    CHECK(said(said_in(head + "mixed_precision: bf16_with_fp8_current_scaling_mixed\n"), Fact::precision) ==
          "fp8");
}

TEST_CASE("Primus: adapters of its post-training, and recomputation that is switched off", "[launch]") {
    const auto job = [](const std::string& lora) {
        return said_in(
            "modules:\n  post_trainer:\n    framework: megatron_bridge\n    model: acme_8B.yaml\n"
            "    overrides:\n      micro_batch_size: 1\n      lora_rank: 32\n"
            "      recompute_activations: false\n      use_lora: " +
            lora + "\n");
    };
    CHECK(job("true").format == "primus");
    CHECK(said(job("true"), Fact::lora_rank) == "32");
    CHECK(said(job("true"), Fact::recompute) == "none");
    CHECK(said(job("false"), Fact::lora_rank) == "-");
}

TEST_CASE("torchtitan in Python: what a value is computed from unknown ones is unknown, no default",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "from torchtitan.trainer import Trainer\n"
        "def small(rows: int, long: bool) -> Trainer.Config:\n"
        "    shape = build_shape('1B')\n"
        "    return Trainer.Config(model_spec=model_registry('1B'),\n"
        "        training=TrainingConfig(seq_len=2 * shape.length, local_batch_size=rows),\n"
        "        parallelism=ParallelismConfig(tensor_parallel_degree=4 if long else 2,\n"
        "            data_parallel_shard_degree=int(os.environ.get('SHARDS', '8'))))\n");
    CHECK(job.format == "torchtitan");
    CHECK(said(job, Fact::sequence) == "-");
    CHECK(said(job, Fact::micro_batch) == "-");
    CHECK(said(job, Fact::tp) == "-");
    CHECK(said(job, Fact::dp) == "8");
    CHECK(is_unread(job, "training.seq_len"));
    CHECK(is_unread(job, "training.local_batch_size"));
    CHECK(is_unread(job, "parallelism.tensor_parallel_degree"));
}

TEST_CASE("a Python configuration that is set below an if is unknown, unless it is the same",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "def big() -> Trainer.Config:\n"
        "    config = Trainer.Config(model_spec=model_registry('70B'), "
        "training=TrainingConfig(seq_len=8192),\n"
        "        parallelism=ParallelismConfig(tensor_parallel_degree=8))\n"
        "    if is_small():\n"
        "        config.training.seq_len = 2048\n"
        "        config.parallelism.tensor_parallel_degree = 8\n"
        "    with quiet():\n"
        "        config.parallelism.pipeline_parallel_degree = 4\n"
        "    def other():\n"
        "        config.parallelism.context_parallel_degree = 2\n"
        "    return config\n");
    CHECK(said(job, Fact::sequence) == "-");
    CHECK(said(job, Fact::tp) == "8");
    CHECK(said(job, Fact::pp) == "4");
    CHECK(said(job, Fact::cp) == "1");
}

TEST_CASE(
    "Python: positions are parameters, copies keep what they copy, and what a stranger makes is unknown",
    "[launch][python]") {
    const std::string text =
        "def base(length: int = 1024, tp: int = 1) -> Trainer.Config:\n"
        "    return Trainer.Config(model_spec=model_registry('8B'), "
        "training=TrainingConfig(seq_len=length),\n"
        "        parallelism=ParallelismConfig(tensor_parallel_degree=tp),\n"
        "        optimizer=OptimizersContainer.Config(param_groups=[\n"
        "            ParamGroupConfig(optimizer_name='Muon'), ParamGroupConfig(optimizer_name='AdamW')]))\n"
        "def longer() -> Trainer.Config:\n"
        "    config = copy.deepcopy(base(4096, 2))\n"
        "    config.parallelism.pipeline_parallel_degree = 2\n"
        "    return config\n"
        "def changed() -> Trainer.Config:\n"
        "    config = tuned(base(4096))\n"
        "    config.parallelism.tensor_parallel_degree = 4\n"
        "    return config\n";
    const LaunchReading longer = said_in(text, "longer");
    CHECK(said(longer, Fact::sequence) == "4096");
    CHECK(said(longer, Fact::tp) == "2");
    CHECK(said(longer, Fact::pp) == "2");
    CHECK(said(longer, Fact::optimizer) == "-");
    const LaunchReading changed = said_in(text, "changed");
    CHECK(said(changed, Fact::tp) == "4");
    CHECK(said(changed, Fact::sequence) == "-");
    CHECK(said(changed, Fact::pp) == "-");
    CHECK(is_unread(changed, "$class"));
}

TEST_CASE("a Python program that makes its trainer's arguments is read, names without a value are not",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "from transformers import TrainingArguments\nNAME = 'acme/m-7b'\n"
        "def tokenize(row):\n    return tokenizer(row['text'], max_length=512)\n"
        "def main():\n"
        "    quant = BitsAndBytesConfig(load_in_4bit=True)\n"
        "    model = AutoModelForCausalLM.from_pretrained(NAME, quantization_config=quant,\n"
        "        attn_implementation='sdpa')\n"
        "    lora = LoraConfig(r=32, target_modules=['q_proj'])\n"
        "    trainer = SFTTrainer(model, peft_config=lora, max_seq_length=2048, args=TrainingArguments(\n"
        "        output_dir='out', per_device_train_batch_size=2, "
        "gradient_accumulation_steps=settings.steps,\n"
        "        bf16=True, optim=settings.optim, gradient_checkpointing=True,\n"
        "        deepspeed={'zero_optimization': {'stage': 2}}))\n"
        "    trainer.train()\n"
        "if __name__ == '__main__':\n    main()\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::model) == "acme/m-7b");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::accumulation) == "-");
    CHECK(said(job, Fact::optimizer) == "-");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::lora_rank) == "32");
    CHECK(said(job, Fact::quantization) == "4-bit");
    CHECK(said(job, Fact::attention) == "sdpa");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::gpus) == "-");
    CHECK(is_unread(job, "gradient_accumulation_steps"));
}

TEST_CASE("of several trainers in one Python program a function is chosen by name", "[launch][python]") {
    const std::string text =
        "import trl\n"
        "def first():\n    a = trl.SFTConfig(output_dir='a', per_device_train_batch_size=1)\n"
        "def second():\n    b = trl.DPOConfig(output_dir='b', per_device_train_batch_size=4, **more)\n";
    CHECK_THROWS_WITH(
        said_in(text),
        "job: makes the arguments of several trainers: first, second; choose one with --select");
    CHECK(said(said_in(text, "first"), Fact::micro_batch) == "1");
    CHECK(said(said_in(text, "first"), Fact::accumulation) == "1");
    CHECK(said(said_in(text, "second"), Fact::micro_batch) == "4");
    CHECK(said(said_in(text, "second"), Fact::accumulation) == "-");
}

TEST_CASE("llm-foundry: DeepSpeed's settings in place say the stage", "[launch]") {
    const LaunchReading job = said_in(
        "max_seq_len: 1024\nglobal_train_batch_size: 64\ndevice_train_microbatch_size: 4\n"
        "device_eval_batch_size: 4\nprecision: amp_bf16\nmodel: {n_layers: 2, d_model: 64}\n"
        "deepspeed_config:\n  zero_optimization: {stage: 2, offload_optimizer: {device: cpu}}\n");
    CHECK(job.format == "llm-foundry");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::offload) == "cpu (optimizer)");
    CHECK(said(job, Fact::global_batch) == "64");
}

TEST_CASE("OLMo's first schema shares Composer's keys, and its model tells it", "[launch]") {
    const LaunchReading job = said_in(
        "model: {d_model: 512, n_heads: 8, n_layers: 4, mlp_ratio: 4, max_sequence_length: 1024}\n"
        "global_train_batch_size: 256\ndevice_train_microbatch_size: 2\ndevice_eval_batch_size: 2\n"
        "max_duration: 10ba\nalgorithms: {}\nprecision: amp_bf16\n"
        "fsdp_config: {sharding_strategy: SHARD_GRAD_OP, activation_checkpointing: true}\n");
    CHECK(job.format == "olmo");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::zero) == "2");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::model) == "layers 4, hidden 512, heads 8");
    CHECK(is_unread(job, "model.mlp_ratio"));
}

TEST_CASE("a training program beside its launch file is no obstacle, and is listed as not understood",
          "[launch][python]") {
    const LaunchFile script{"run.sh",
                            "torchrun --nproc_per_node 4 train.py --model_name_or_path acme/m-1b \\\n"
                            "  --per_device_train_batch_size 2 --output_dir out\n"};
    const std::string functions =
        "import torch\ndef data(p):\n    return load(p)\ndef net(n):\n    return make(n)\n";
    const std::string begins = "if __name__ == '__main__':\n    run(net(1), data(2))\n";
    const LaunchReading job =
        read_launch_files(std::vector<LaunchFile>{script, {"train.py", functions + begins}});
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(is_unread(job, ""));
    CHECK(job.unread.front().where == "train.py:1");
    // A registry of configurations asks for one.
    CHECK_THROWS_AS(read_launch_files(std::vector<LaunchFile>{script, {"train.py", functions}}), Error);
    CHECK_THROWS_AS(said_in(functions + begins), Error);
}

TEST_CASE("a program that a launcher starts and nobody knows is listed, not dropped", "[launch]") {
    const LaunchReading job = said_in("torchrun --nproc_per_node 4 tools/own.py --width 512 --depth 8\n");
    CHECK(job.format == "launcher");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(is_unread(job, "tools/own.py"));
    const LaunchReading trainer = said_in(
        "torchrun --nproc_per_node 4 tools/own.py --output_dir out --num_train_epochs 2 --bf16 True \\\n"
        "  --block_size 512 --fsdp \"full_shard auto_wrap\" --fsdp_config own.json\n");
    CHECK(trainer.format == "hf-arguments");
    CHECK(said(trainer, Fact::zero) == "3");
    CHECK(said(trainer, Fact::precision) == "bf16");
    CHECK(said(trainer, Fact::sequence) == "512");
    CHECK(!is_unread(trainer, "tools/own.py"));
}

TEST_CASE("torchtune: a mode of checkpointing counts while the older switch is off", "[launch]") {
    const auto recompute = [](const std::string& lines) {
        return said(said_in("model: {_component_: torchtune.models.llama3.llama3_8b}\nbatch_size: 2\n"
                            "optimizer: {_component_: torch.optim.AdamW}\ndtype: bf16\n"
                            "metric_logger: {_component_: x}\n" +
                            lines),
                    Fact::recompute);
    };
    CHECK(recompute("enable_activation_checkpointing: False\nac_mode: selective\nac_option: 2\n") ==
          "selective");
    CHECK(recompute("enable_activation_checkpointing: True\nac_mode: selective\nac_option: 2\n") == "full");
    CHECK(recompute("enable_activation_checkpointing: False\nac_mode: null\n") == "none");
}

TEST_CASE("OLMo: layers of another kind have no feed-forward width", "[launch]") {
    const LaunchReading job = said_in(
        "model: {model_name: mamba, d_model: 512, n_layers: 4, mlp_ratio: 2, max_sequence_length: 1024}\n"
        "global_train_batch_size: 256\ndevice_train_microbatch_size: 2\nfsdp: {precision: mixed}\n");
    CHECK(job.format == "olmo");
    CHECK(said(job, Fact::model) == "layers 4, hidden 512");
    CHECK(is_unread(job, "model.model_name"));
}

TEST_CASE("Megatron: a stated dropout is read, an unstated one is not guessed", "[launch]") {
    const std::string head = "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 64 --micro-batch-size 1";
    const LaunchReading stated = said_in(head + " --hidden-dropout 0.0 --attention-dropout 0.1\n");
    CHECK(said(stated, Fact::dropout) == "0");
    CHECK(is_unread(stated, "--attention-dropout"));
    CHECK(said(said_in(head + "\n"), Fact::dropout) == "-");
    const LaunchReading wrong = said_in(head + " --hidden-dropout 1.5\n");
    CHECK(said(wrong, Fact::dropout) == "-");
    CHECK(is_unread(wrong, "--hidden-dropout"));
}

TEST_CASE("DeepSpeed: a device that is none states that nothing is offloaded", "[launch]") {
    const auto offload = [](const std::string& device) {
        return said(
            said_in(R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "offload_optimizer": )"
                    R"({"device": )" +
                    device + "}}}\n"),
            Fact::offload);
    };
    CHECK(offload(R"("none")") == "none");
    CHECK(offload(R"("cpu")") == "cpu (optimizer)");
    CHECK(offload("null") == "-");
}

TEST_CASE("Accelerate: a device that is none states that nothing is offloaded", "[launch]") {
    const auto offload = [](const std::string& device) {
        return said(said_in("distributed_type: DEEPSPEED\nnum_processes: 8\nnum_machines: 1\n"
                            "mixed_precision: bf16\ndeepspeed_config:\n  zero_stage: 2\n"
                            "  offload_optimizer_device: " +
                            device + "\n"),
                    Fact::offload);
    };
    CHECK(offload("none") == "none");
    CHECK(offload("cpu") == "cpu (optimizer)");
    CHECK(offload("null") == "-");
}

TEST_CASE("A guard for what is yet to be filled in does not end the job that the script starts", "[launch]") {
    const std::string guard = "IMAGE=\"\"\nif [ -z \"$IMAGE\" ]; then\n  echo set it\n  exit 1\nfi\n";
    const std::string job =
        "torchrun --nproc_per_node 4 train.py --per_device_train_batch_size 2 --output_dir o\n";
    CHECK(said(said_in(guard + job), Fact::micro_batch) == "2");
    // A script that has done its work is at its end.
    const LaunchReading one =
        said_in("MODE=a\nif [ $MODE = a ]; then\n" + job + "exit 0\nfi\n" +
                "torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 1 --output_dir o\n");
    CHECK(said(one, Fact::micro_batch) == "2");
    CHECK(said(one, Fact::gpus) == "4");
}

TEST_CASE("Unsloth: the model and its tokenizer are made at once, and its adapter says what is recomputed",
          "[launch]") {
    const std::string arguments =
        "trainer = SFTTrainer(model=model, args=TrainingArguments(per_device_train_batch_size=2, "
        "fp16=True))\n";
    const std::string model =
        "model, tokenizer = FastLanguageModel.from_pretrained(model_name=\"acme/m-8b\")\n";
    const auto with = [&](const std::string& checkpoints) {
        return said_in(model + "model = FastLanguageModel.get_peft_model(model, r=16, max_seq_length=1024, " +
                       "use_gradient_checkpointing=" + checkpoints + ")\n" + arguments);
    };
    const LaunchReading job = with("\"unsloth\"");
    CHECK(said(job, Fact::model) == "acme/m-8b");
    CHECK(said(job, Fact::sequence) == "1024");
    CHECK(said(job, Fact::lora_rank) == "16");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::offload) == "cpu (activations)");
    CHECK(said(with("False"), Fact::recompute) == "none");
    CHECK(said(with("True"), Fact::recompute) == "full");
    CHECK(said(with("True"), Fact::offload) == "-");
    const LaunchReading silent =
        said_in(model + "model = FastLanguageModel.get_peft_model(model, r=16)\n" + arguments);
    CHECK(said(silent, Fact::offload) == "cpu (activations)");
    // Which part of what a call returns is whose, nobody follows.
    const auto pair = [&](const std::string& values) {
        return said_in("batch, steps = " + values + "\n" + model +
                       "args = TrainingArguments(per_device_train_batch_size=batch)\n");
    };
    CHECK(said(pair("sizes()"), Fact::micro_batch) == "-");
    CHECK(said(pair("4, 8"), Fact::micro_batch) == "4");
}

TEST_CASE("ms-swift without a count of processes is one process, however many GPUs it sees", "[launch]") {
    const std::string job =
        "swift sft --model acme/m-7b --train_type full --per_device_train_batch_size 1 "
        "--gradient_accumulation_steps 16\n";
    const LaunchReading one = said_in("CUDA_VISIBLE_DEVICES=0,1,2 " + job);
    CHECK(said(one, Fact::gpus) == "3");
    CHECK(said(one, Fact::dp) == "1");
    CHECK(said(one, Fact::global_batch) == "16");
    CHECK(said(one, Fact::pp) == "-");
    CHECK(one.contradictions.empty());
    CHECK(said(said_in("NPROC_PER_NODE=3 CUDA_VISIBLE_DEVICES=0,1,2 " + job), Fact::global_batch) == "48");
}

TEST_CASE("Megatron's switches that a condition nobody knows decides have no default", "[launch]") {
    const LaunchReading job = said_in(
        "PR=$9\nif [ $PR = fp16 ]; then pr=\" --fp16\"; elif [ $PR = bf16 ]; then pr=\" --bf16\"; fi\n"
        "if [ $SP = true ]; then sp=\" --sequence-parallel\"; fi\n"
        "if [ $DO = true ]; then zero=\" --use-distributed-optimizer\"; else zero=\" \"; fi\n"
        "if [ $AC = full ]; then ac=\" --recompute-granularity full\"; else ac=\" --recompute-activations\"; "
        "fi\n"
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads "
        "8 "
        "--seq-length 512 --micro-batch-size 2 $sp $pr $zero $ac --optimizer adam\n");
    CHECK(said(job, Fact::sequence_parallel) == "-");
    CHECK(said(job, Fact::precision) == "-");
    CHECK(said(job, Fact::zero) == "-");
    CHECK(said(job, Fact::recompute) == "-");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::dp) == "8");
}
