// Frameworks whose settings are Python or a command of their own, in small files that show the traps of each.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("ms-swift: a preset's name is a stage, and model_name is what the model calls itself", "[launch]") {
    const LaunchReading job = said_in(
        "n=4\nNNODES=2 NPROC_PER_NODE=$n \\\nswift sft --model acme/m-7b --tuner_type lora --lora_rank 16 "
        "\\\n"
        " --torch_dtype bfloat16 --per_device_train_batch_size 2 --per_device_eval_batch_size 1 \\\n"
        " --gradient_accumulation_steps $(expr 64 / $n / 2) --max_length 4096 --deepspeed zero3_offload \\\n"
        " --model_name my-robot --attn_impl flash_attn\n");
    CHECK(job.format == "ms-swift");
    CHECK(said(job, Fact::model) == "acme/m-7b");
    CHECK(said(job, Fact::lora_rank) == "16");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::offload) == "cpu (optimizer, parameters)");
    CHECK(said(job, Fact::gpus) == "8");
    CHECK(said(job, Fact::accumulation) == "8");
    CHECK(said(job, Fact::global_batch) == "128");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::attention) == "flash_attn");

    const LaunchReading full = said_in(
        "swift pt --model acme/m-7b --train_type full --lora_rank 8 --per_device_train_batch_size 1\n");
    CHECK(said(full, Fact::lora_rank) == "-");
    CHECK(said(full, Fact::sequence) == "-");
    CHECK(said(full, Fact::gpus) == "-");
}

TEST_CASE("ms-swift: megatron sft has Megatron's degrees and defaults of its own", "[launch]") {
    const LaunchReading job = said_in(
        "NPROC_PER_NODE=8 ASCEND_RT_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 megatron sft --model acme/m-30b \\\n"
        " --tuner_type lora --lora_rank 8 --tensor_model_parallel_size 2 --sequence_parallel true \\\n"
        " --micro_batch_size 2 --global_batch_size 32 --max_length 2048\n");
    CHECK(job.format == "ms-swift");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::dp) == "4");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::sequence_parallel) == "true");
    CHECK(job.facts.at(Fact::recompute).how == How::by_default);

    const LaunchReading yaml = said_in(
        "model: acme/m-7b\ntuner_type: full\nmicro_batch_size: 1\nglobal_batch_size: 16\n"
        "max_length: 8192\ntensor_model_parallel_size: 4\ndataset: x\n");
    CHECK(yaml.format == "ms-swift");
    CHECK(said(yaml, Fact::tp) == "4");
    CHECK(said(yaml, Fact::model) == "acme/m-7b");
}

TEST_CASE("XTuner: settings at the top, changed in place, and adapters where the model has them",
          "[launch]") {
    const LaunchReading job = said_in(
        "from torch.optim import AdamW\npretrained_model_name_or_path = 'acme/m-7b'\nmax_length = 2048\n"
        "sequence_parallel_size = 2\nbatch_size = 1  # per_device\naccumulative_counts = 8\n"
        "accumulative_counts *= sequence_parallel_size\noptim_type = AdamW\n"
        "model = dict(type=SupervisedFinetune, llm=dict(torch_dtype=torch.float16,\n"
        "    quantization_config=dict(load_in_4bit=True)), lora=dict(type=LoraConfig, r=64))\n"
        "optim_wrapper = dict(type=AmpOptimWrapper, dtype='bfloat16', "
        "accumulative_counts=accumulative_counts)\n");
    CHECK(job.format == "xtuner");
    CHECK(said(job, Fact::model) == "acme/m-7b");
    CHECK(said(job, Fact::accumulation) == "16");
    CHECK(said(job, Fact::cp) == "2");
    CHECK(said(job, Fact::lora_rank) == "64");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::quantization) == "4-bit");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::gpus) == "-");
}

TEST_CASE("OLMo-core: batches in tokens, and what nobody gave falls back to the file's own", "[launch]") {
    const LaunchReading job = said_in(
        "LENGTH = 4096\nBATCH = 2 * 1024 * 1024\ndef build_config(opts: Namespace) -> ExperimentConfig:\n"
        "    length = opts.sequence_length or LENGTH\n"
        "    train = TransformerTrainModuleConfig(rank_microbatch_size=2 * length,\n"
        "        max_sequence_length=length, optim=AdamWConfig(lr=1e-4), compile_model=True,\n"
        "        dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp,\n"
        "            param_dtype=DType.bfloat16), float8_config=Float8Config(enabled=False),\n"
        "        ac_config=TransformerActivationCheckpointingConfig(\n"
        "            mode=TransformerActivationCheckpointingMode.full))\n"
        "    return ExperimentConfig(model=TransformerConfig.olmo2_7B(vocab_size=100352),\n"
        "        data_loader=NumpyDataLoaderConfig(global_batch_size=BATCH), train_module=train,\n"
        "        trainer=TrainerConfig(save_folder=opts.save_folder)).merge(overrides)\n");
    CHECK(job.format == "olmo-core");
    CHECK(said(job, Fact::model) == "olmo2_7B");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::micro_batch) == "2");
    CHECK(said(job, Fact::global_batch) == "512");
    CHECK(said(job, Fact::zero) == "3");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::compile) == "true");
}

TEST_CASE("NeMo 2: parameters keep their defaults, calls say others, and a recipe names its model",
          "[launch]") {
    const std::string text =
        "def trainer(devices: int = 8, num_nodes: int = 2) -> run.Config:\n"
        "    strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=4,\n"
        "        pipeline_model_parallel_size=1, context_parallel_size=1, sequence_parallel=True)\n"
        "    return run.Config(nl.Trainer, devices=devices, num_nodes=num_nodes, strategy=strategy,\n"
        "        plugins=bf16_mixed())\n"
        "def pretrain() -> run.Partial:\n"
        "    return run.Partial(llm.pretrain, model=run.Config(llm.LlamaModel,\n"
        "        config=run.Config(llm.Llama3Config8B)), trainer=trainer(devices=4),\n"
        "        data=run.Config(MockDataModule, seq_length=8192, global_batch_size=64, "
        "micro_batch_size=1))\n";
    const LaunchReading job = said_in(text);
    CHECK(job.format == "nemo-2");
    CHECK(said(job, Fact::model) == "Llama3Config8B");
    CHECK(said(job, Fact::gpus) == "8");
    CHECK(said(job, Fact::dp) == "2");
    CHECK(said(job, Fact::accumulation) == "32");
    CHECK(said(job, Fact::precision) == "bf16");

    const LaunchReading recipe = said_in(
        "def configure(nodes: int = 1):\n"
        "    recipe = llm.llama3_70b.pretrain_recipe(dir='/x', num_nodes=nodes, num_gpus_per_node=8)\n"
        "    recipe.trainer.strategy.tensor_model_parallel_size = 8\n    return recipe\n");
    CHECK(recipe.format == "nemo-2");
    CHECK(said(recipe, Fact::model) == "llama3_70b");
    CHECK(said(recipe, Fact::tp) == "8");
    CHECK(said(recipe, Fact::gpus) == "8");
    CHECK(said(recipe, Fact::pp) == "-");  // the recipe decides
}

TEST_CASE("NeMo 1: the launcher's command says a training file's settings below training", "[launch]") {
    const LaunchReading job = said_in(
        "python3 main.py training=gpt3/5b stages=[training] training.run.name=\"a_8node\" \\\n"
        " training.trainer.num_nodes=2 training.model.global_batch_size=128 \\\n"
        " training.model.tensor_model_parallel_size=4\n");
    CHECK(job.format == "nemo");
    CHECK(said(job, Fact::nodes) == "2");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::global_batch) == "128");
    CHECK(said(job, Fact::pp) == "-");
}

TEST_CASE("Megatron-Bridge: a recipe in Python states what it changes, its model and its precision",
          "[launch]") {
    const std::string text =
        "def _base() -> ConfigContainer:\n    cfg = _common()\n"
        "    cfg.model = "
        "AutoBridge.from_hf_pretrained(\"acme/m-14B\").to_megatron_provider(load_weights=False)\n"
        "    cfg.model.tensor_model_parallel_size = 4\n    cfg.model.seq_length = 2048\n    return cfg\n"
        "def sft() -> ConfigContainer:\n    cfg = _base()\n    cfg.train.global_batch_size = 32\n"
        "    cfg.train.micro_batch_size = 1\n    cfg.mixed_precision = bf16_mixed()\n    return cfg\n";
    const LaunchReading job = said_in(text);  // the one that no other calls
    CHECK(job.format == "megatron-bridge");
    CHECK(said(job, Fact::model) == "acme/m-14B");
    CHECK(said(job, Fact::tp) == "4");
    CHECK(said(job, Fact::global_batch) == "32");
    CHECK(said(job, Fact::precision) == "bf16");
    CHECK(said(job, Fact::pp) == "-");
    CHECK(said(said_in(text, "_base"), Fact::tp) == "4");
}

TEST_CASE("A shell that srun starts runs its command once for each task", "[launch]") {
    const LaunchReading job = said_in(
        "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=8\n"
        "run_cmd=\"python -u pretrain_gpt.py --tensor-model-parallel-size 8 "
        "--pipeline-model-parallel-size 2 --num-layers 32 --hidden-size 4096 --micro-batch-size 1 "
        "--global-batch-size 64\"\n"
        "srun -l --container-image x sh -c \"${run_cmd}\"\n");
    CHECK(said(job, Fact::gpus) == "32");
    CHECK(said(job, Fact::dp) == "2");
    // One task that starts the others is no GPU each.
    const LaunchReading launched = said_in(
        "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=8\n"
        "srun bash -c \"torchrun --nproc_per_node 4 pretrain_gpt.py --tensor-model-parallel-size 2 "
        "--num-layers 32 --hidden-size 4096 --micro-batch-size 1\"\n");
    CHECK(said(launched, Fact::gpus) == "16");
}

TEST_CASE("llamafactory-cli trains on one node unless NNODES says otherwise", "[launch]") {
    const std::string command =
        "llamafactory-cli train --stage sft --finetuning_type full --model_name_or_path acme/m --cutoff_len "
        "512 "
        "--per_device_train_batch_size 4 --gradient_accumulation_steps 16\n";
    const LaunchReading one = said_in("CUDA_VISIBLE_DEVICES=2,3 " + command);
    CHECK(said(one, Fact::gpus) == "2");
    CHECK(said(one, Fact::global_batch) == "128");
    CHECK(said(said_in("FORCE_TORCHRUN=1 NNODES=2 CUDA_VISIBLE_DEVICES=2,3 " + command), Fact::gpus) == "4");
}

TEST_CASE("A count of nodes that nobody can read is not one node", "[launch]") {
    const std::string nodes = "NNODES=$WORLD_SIZE NPROC_PER_NODE=2 ";
    const std::string batch = " --per_device_train_batch_size 4\n";
    for (const std::string program :
         {"llamafactory-cli train --stage sft --finetuning_type full --model_name_or_path acme/m",
          "swift sft --train_type full --model acme/m"}) {
        const LaunchReading job = said_in(nodes + program + batch);
        CHECK(said(job, Fact::nodes) == "-");
        CHECK(said(job, Fact::gpus) == "-");
    }
}

TEST_CASE("A launcher's program may stand in a variable that nobody knows", "[launch]") {
    const LaunchReading job = said_in(
        "deepspeed --num_nodes=1 --num_gpus=8 $PROGRAM --deepspeed ds.json --model_name_or_path acme/m "
        "\\\n --per_device_train_batch_size 2 --gradient_accumulation_steps 1 --fp16\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::gpus) == "8");
    CHECK(said(job, Fact::global_batch) == "16");
}

TEST_CASE("MaxText: the sequence axis shares a sequence, and a compilation is no second job", "[launch]") {
    const LaunchReading job = said_in(
        "python3 MaxText/train.py MaxText/configs/base.yml ici_sequence_parallelism=4 "
        "ici_fsdp_parallelism=8 ici_tensor_parallelism=2 per_device_batch_size=1 "
        "max_target_length=8192 model_name=m-7b\n"
        "python3 MaxText/train_compile.py MaxText/configs/other.yml compile_topology=v5p-256\n");
    CHECK(said(job, Fact::cp) == "4");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::sequence) == "8192");
    CHECK(said(job, Fact::model) == "m-7b");
}

TEST_CASE("axolotl: the mesh has an axis for experts beside the shards", "[launch]") {
    const LaunchReading job = said_in(
        "base_model: acme/m-30b\nsequence_len: 2048\nmicro_batch_size: 1\ndatasets:\n  - path: x\n"
        "gradient_accumulation_steps: 1\nexpert_parallel_size: 2\ndp_shard_size: 4\n");
    CHECK(said(job, Fact::ep) == "2");
    CHECK(said(job, Fact::dp) == "8");
    CHECK(said(job, Fact::gpus) == "8");
}

TEST_CASE("Python: what a condition chooses is nobody's to guess", "[launch]") {
    const LaunchReading job = said_in(
        "def build_config(opts) -> X:\n    length = 4096\n"
        "    batch = 8 * length if opts.big else 4 * length\n"
        "    return X(train_module=T(rank_microbatch_size=length, max_sequence_length=length),\n"
        "        data_loader=D(global_batch_size=batch))\n");
    CHECK(said(job, Fact::micro_batch) == "1");
    CHECK(said(job, Fact::global_batch) == "-");
}

TEST_CASE("deepspeed's list of one host's devices is one node", "[launch]") {
    const LaunchReading job = said_in(
        "deepspeed --include localhost:0,1,2,3 train.py --model_name_or_path acme/m --use_lora true "
        "--deepspeed z2.json --output_dir out\n");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::model) == "acme/m");
    CHECK(said(job, Fact::micro_batch) == "-");
}

TEST_CASE("llm-foundry: a Hugging Face model's switch for FlashAttention is its kernel, where it is on",
          "[launch]") {
    const auto attention = [](const std::string& flag) {
        return said(said_in("max_seq_len: 512\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\n"
                            "device_eval_batch_size: 1\nfsdp_config: {sharding_strategy: FULL_SHARD}\n"
                            "model: {name: hf_causal_lm, pretrained_model_name_or_path: acme/m, "
                            "use_flash_attention_2: " +
                            flag + "}\n"),
                    Fact::attention);
    };
    CHECK(attention("true") == "flash");
    CHECK(attention("false") == "-");
}

TEST_CASE("llm-foundry: the experts' world is the degree of expert parallelism", "[launch]") {
    const LaunchReading job = said_in(
        "max_seq_len: 512\nglobal_train_batch_size: 8\ndevice_train_microbatch_size: 1\n"
        "device_eval_batch_size: 1\nfsdp_config: {sharding_strategy: FULL_SHARD}\n"
        "model: {n_layers: 2, d_model: 64, ffn_config: {moe_num_experts: 8, moe_world_size: 4}}\n");
    CHECK(said(job, Fact::ep) == "4");
    CHECK(job.facts.at(Fact::ep).how == How::stated);
}

TEST_CASE("alpaca-lora: batch_size is the step's, and its script is not axolotl's", "[launch]") {
    const LaunchReading job = said_in(
        "python finetune.py --base_model acme/llama-7b --data_path d --batch_size 128 --micro_batch_size 4 "
        "--cutoff_len 512 --lora_r 8\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::model) == "acme/llama-7b");
    CHECK(said(job, Fact::micro_batch) == "4");
    CHECK(said(job, Fact::global_batch) == "128");
    CHECK(said(job, Fact::sequence) == "512");
    CHECK(said(job, Fact::lora_rank) == "8");
    CHECK(said(job, Fact::recompute) == "-");
}

TEST_CASE("sbatch --wrap: the command in quotes is the job, sbatch's flags count its nodes", "[launch]") {
    const std::string command =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads "
        "8 "
        "--seq-length $SEQ --micro-batch-size 1 --global-batch-size 32 --tensor-model-parallel-size 2";
    for (const std::string& wrap : {"--wrap=\"" + command + "\"", "--wrap \"" + command + "\" -p gpu"}) {
        CAPTURE(wrap);
        const LaunchReading job =
            said_in("#!/bin/bash\nSEQ=1024\nsbatch -N 2 --gpus-per-node=8 " + wrap + "\n");
        CHECK(job.format == "megatron");
        CHECK(said(job, Fact::sequence) == "1024");
        CHECK(said(job, Fact::tp) == "2");
        CHECK(said(job, Fact::nodes) == "2");
        CHECK(said(job, Fact::gpus) == "16");
        CHECK(job.facts.at(Fact::nodes).where.find("sbatch --nodes") != std::string::npos);
    }
    // A script that is submitted stays that script's job.
    CHECK_THROWS_AS(said_in("#!/bin/bash\nsbatch -N 2 --wrap=\"\"\n"), Error);
}
