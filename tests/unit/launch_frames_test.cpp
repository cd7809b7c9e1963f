// Launch files of kinds nobody here had read: frames around scripts, trainers of their own, Python that
// builds its parts. Small files of our own words, each with what the real one taught.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

const std::string openrlhf =
    "openrlhf.cli.train_sft --pretrain acme/m-7b --train_batch_size 64 --micro_train_batch_size 2 "
    "--max_len 4096 --zero_stage 2 --bf16";

}  // namespace

TEST_CASE("SkyPilot: a task's resources count the GPUs of the script it frames", "[launch][frame]") {
    const LaunchReading job = said_in(
        "resources:\n  accelerators: H100:8\nnum_nodes: 2\nenvs:\n  MODEL: acme/m-8b\nsetup: |\n  pip "
        "install x\n"
        "run: |\n  N=$(($SKYPILOT_NUM_GPUS_PER_NODE * $SKYPILOT_NUM_NODES))\n"
        "  accelerate launch --num_machines $SKYPILOT_NUM_NODES --num_processes $N \\\n"
        "    train.py --model_name_or_path $MODEL --per_device_train_batch_size 3 --output_dir out\n");
    CHECK(job.format == "hf-arguments");
    CHECK(said(job, Fact::gpus) == "16");
    CHECK(said(job, Fact::nodes) == "2");
    CHECK(said(job, Fact::gpus_per_node) == "8");
    CHECK(said(job, Fact::model) == "acme/m-8b");
    CHECK(said(job, Fact::global_batch) == "48");
    CHECK(where_said(job, Fact::micro_batch).starts_with("job:11 "));
    CHECK(where_said(job, Fact::gpus_per_node).starts_with("job:2 resources.accelerators"));
}

TEST_CASE("SkyPilot: a choice of accelerators says how many only where all agree", "[launch][frame]") {
    const auto count = [](const std::string& accelerators) {
        return said(said_in("resources:\n  accelerators: " + accelerators +
                            "\nrun: |\n  torchrun train.py --model_name_or_path a/b "
                            "--per_device_train_batch_size 1\n"),
                    Fact::gpus_per_node);
    };
    CHECK(count("{A100: 4, H100: 4}") == "4");
    CHECK(count("[A100-80GB:2, H100:2]") == "2");
    CHECK(count("{A100: 4, H100: 8}") == "-");
    CHECK(count("H200") == "1");
}

TEST_CASE("MosaicML: a run's parameters are Composer's file, and its references stay inside it",
          "[launch][frame]") {
    const std::string run =
        "image: registry/train:1\ncommand: |\n  python convert.py --splits train \\\n    --concat_tokens "
        "512\n"
        "  composer train.py /mnt/config/parameters.yaml\n"
        "parameters:\n  max_seq_len: 4096\n  model:\n    name: mpt_causal_lm\n    d_model: 1024\n    "
        "n_layers: 12\n"
        "    n_heads: 8\n    max_seq_len: ${max_seq_len}\n  global_train_batch_size: 256\n"
        "  device_train_microbatch_size: 4\n  precision: amp_bf16\n  fsdp_config: {sharding_strategy: "
        "FULL_SHARD}\n";
    const LaunchReading job = said_in(run + "compute:\n  gpus: 16\n");
    CHECK(job.format == "llm-foundry");
    CHECK(said(job, Fact::sequence) == "4096");
    CHECK(said(job, Fact::global_batch) == "256");
    CHECK(said(job, Fact::gpus) == "16");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(where_said(job, Fact::sequence) == "job:7 parameters.max_seq_len");
    CHECK(said(said_in(run + "gpu_num: 8\n"), Fact::gpus) == "8");
    CHECK(said(said_in(run + "compute:\n  gpus: <INPUT>\n"), Fact::gpus) == "-");
}

TEST_CASE("Kubernetes: limits and replicas count the GPUs of the command a container starts",
          "[launch][frame]") {
    const std::string head =
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: run}\nspec:\n  "
        "pytorchReplicaSpecs:\n"
        "    Master:\n      replicas: 1\n      template:\n        spec:\n          containers:\n"
        "            - name: pytorch\n              env: [{name: LENGTH, value: \"2048\"}]\n"
        "              resources:\n                limits: {nvidia.com/gpu: 8}\n";
    const std::string tail = "    Worker:\n      replicas: 3\n";
    const LaunchReading script =
        said_in(head +
                "              command: [bash, -c]\n              args:\n                - |\n"
                "                  torchrun --nproc_per_node 8 --nnodes 4 train.py \\\n"
                "                    --model_name_or_path acme/m-8b --per_device_train_batch_size 1 \\\n"
                "                    --max_seq_length $LENGTH\n" +
                tail);
    CHECK(said(script, Fact::gpus) == "32");
    CHECK(said(script, Fact::sequence) == "2048");
    CHECK(where_said(script, Fact::micro_batch).starts_with("job:19 "));
    const LaunchReading words =
        said_in(head +
                "              command:\n                - torchrun\n                - train.py\n"
                "                - --model_name_or_path=acme/m-8b\n"
                "                - --per_device_train_batch_size\n                - \"2\"\n" +
                tail);
    CHECK(said(words, Fact::micro_batch) == "2");
    CHECK(said(words, Fact::nodes) == "4");
    CHECK(said(words, Fact::gpus) == "32");
}

TEST_CASE("deepspeed --module starts a module as -m does, also one a script reads into a variable",
          "[launch]") {
    CHECK(said(said_in("deepspeed --num_gpus 8 --module " + openrlhf + "\n"), Fact::global_batch) == "64");
    const LaunchReading read =
        said_in("read -r -d '' job <<EOF\n" + openrlhf +
                "\nEOF\nif [[ ${1} != \"slurm\" ]]; then\n  deepspeed --module $job\nfi\n");
    CHECK(said(read, Fact::zero) == "2");
    CHECK(said(read, Fact::micro_batch) == "2");
}

TEST_CASE("where a program lies is asked and not looked at: its name starts what it starts", "[launch]") {
    const LaunchReading job = said_in(
        "RUN=\"${RUN:-$(command -v deepspeed)}\"\nif [[ -z \"$RUN\" ]]; then\n  exit 1\nfi\n"
        "all=(\"$RUN\" --num_gpus 4\n  --module " +
        openrlhf + ")\n\"${all[@]}\"\n");
    CHECK(said(job, Fact::gpus) == "4");
    CHECK(said(job, Fact::accumulation) == "8");
}

TEST_CASE("verl: a batch is the whole step's, Ulysses counts as cp, and torchrun counts GPUs",
          "[launch][verl]") {
    const LaunchReading job = said_in(
        "python3 -m verl.trainer.main_filter --files x\n"
        "torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.fsdp_sft_trainer \\\n"
        "  data.train_batch_size=32 data.micro_batch_size_per_gpu=2 data.max_length=8192 \\\n"
        "  model.partial_pretrain=acme/m-4b model.lora_rank=16 model.fsdp_config.cpu_offload=false \\\n"
        "  trainer.n_gpus_per_node=1 ulysses_sequence_parallel_size=2 \"$@\"\n");
    CHECK(job.format == "verl");
    CHECK(job.contradictions.empty());
    CHECK(said(job, Fact::model) == "acme/m-4b");
    CHECK(said(job, Fact::cp) == "2");
    CHECK(said(job, Fact::dp) == "4");
    CHECK(said(job, Fact::accumulation) == "4");
    CHECK(said(job, Fact::lora_rank) == "16");
    CHECK(said(job, Fact::offload) == "none");
    CHECK(said(job, Fact::zero) == "3");
}

TEST_CASE("verl: Megatron's degrees, and a micro batch of as many samples as fill its tokens",
          "[launch][verl]") {
    const LaunchReading job = said_in(
        "E=\"engine=megatron optim=megatron engine.tensor_model_parallel_size=${TP:-2} \\\n"
        "  engine.pipeline_model_parallel_size=2 engine.virtual_pipeline_model_parallel_size=null\"\n"
        "torchrun --standalone --nproc_per_node=8 -m verl.trainer.sft_trainer data.train_batch_size=32 \\\n"
        "  data.use_dynamic_bsz=True data.max_token_len_per_gpu=8192 model.path=acme/m-8b $E\n");
    CHECK(said(job, Fact::tp) == "2");
    CHECK(said(job, Fact::pp) == "2");
    CHECK(said(job, Fact::dp) == "2");
    CHECK(said(job, Fact::micro_batch) == "-");
    CHECK(is_unread(job, "data.use_dynamic_bsz"));
}

TEST_CASE("verl: of reinforcement learning the actor's step is read", "[launch][verl]") {
    const LaunchReading job = said_in(
        "python3 -m verl.trainer.main_ppo data.train_batch_size=1024 data.max_prompt_length=512 \\\n"
        "  data.max_response_length=1536 actor_rollout_ref.model.path=acme/m-7b \\\n"
        "  actor_rollout_ref.actor.ppo_mini_batch_size=256 actor_rollout_ref.rollout.n=4 \\\n"
        "  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 actor_rollout_ref.actor.strategy=fsdp2 \\\n"
        "  actor_rollout_ref.actor.fsdp_config.optimizer_offload=True \\\n"
        "  actor_rollout_ref.model.enable_gradient_checkpointing=False \\\n"
        "  trainer.n_gpus_per_node=8 trainer.nnodes=2\n");
    CHECK(said(job, Fact::sequence) == "2048");
    CHECK(said(job, Fact::global_batch) == "1024");
    CHECK(said(job, Fact::micro_batch) == "8");
    CHECK(said(job, Fact::gpus) == "16");
    CHECK(said(job, Fact::recompute) == "none");
    CHECK(said(job, Fact::offload) == "cpu (optimizer)");
}

TEST_CASE("ms-swift: recomputation that is stated as none is none, not the default", "[launch]") {
    const std::string head =
        "NPROC_PER_NODE=8 megatron sft --model acme/m-7b --tensor_model_parallel_size 2 ";
    CHECK(said(said_in(head + "--recompute_granularity none\n"), Fact::recompute) == "none");
    CHECK(said(said_in(head + "\n"), Fact::recompute) == "selective");
}

TEST_CASE("Primus: Turbo's products in 8 bits count where Turbo is on", "[launch]") {
    const auto job = [](const std::string& on) {
        return said_in(
            "modules:\n  pre_trainer:\n    framework: torchtitan\n    model: m_16b.yaml\n    overrides:\n"
            "      training: {local_batch_size: 2, seq_len: 4096}\n"
            "      primus_turbo: {enable_primus_turbo: " +
            on + ", use_turbo_float8_linear: true}\n");
    };
    CHECK(said(job("true"), Fact::precision) == "fp8");
    CHECK(said(job("false"), Fact::precision) == "-");
}

TEST_CASE("torchtitan in Python: converters that the model's registry is given convert", "[launch][python]") {
    const LaunchReading job = said_in(
        "def big() -> Trainer.Config:\n"
        "    return Trainer.Config(model_spec=model_registry('9B', converters=[\n"
        "        Float8LinearConverter.Config(filter_fqns=['output'])]),\n"
        "        training=TrainingConfig(local_batch_size=4, seq_len=4096),\n"
        "        parallelism=ParallelismConfig(expert_parallel_degree=2))\n");
    CHECK(said(job, Fact::precision) == "fp8");
}

TEST_CASE("Megatron-Bridge: what makes an optimizer and its schedule names the optimizer",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "def config() -> ConfigContainer:\n    cfg = _pretrain_common()\n"
        "    cfg.model = Provider(num_layers=8, hidden_size=512, tensor_model_parallel_size=2, bf16=True)\n"
        "    cfg.train.global_batch_size = 64\n    cfg.train.micro_batch_size = 1\n"
        "    one, two = distributed_muon_with_cosine_annealing(max_lr=3e-4)\n    cfg.optimizer = one\n"
        "    return cfg\n");
    CHECK(job.format == "megatron-bridge");
    CHECK(said(job, Fact::optimizer) == "muon");
}

TEST_CASE("Hugging Face: overrides of a model that is made anew say its shape and what is recomputed",
          "[launch]") {
    const std::string head = "torchrun --nproc_per_node 4 run_clm.py --per_device_train_batch_size 4 --fp16 ";
    const LaunchReading job = said_in(
        head + "--config_overrides \"n_embd=2048,n_head=16,n_layer=24,gradient_checkpointing=true\"\n");
    CHECK(said(job, Fact::recompute) == "full");
    CHECK(said(job, Fact::model).find("24") != std::string::npos);
    CHECK(said(said_in(head + "--config_overrides \"n_embd=2048,n_layer=24\"\n"), Fact::recompute) == "none");
}

TEST_CASE("OLMo-core: a script that names its builders is one configuration", "[launch][python]") {
    const std::string body =
        "from olmo_core.internal.experiment import build_config, main\nLENGTH = 8 * 1024\n"
        "def build_model(common) -> TransformerConfig:\n    return TransformerConfig.olmo3_2B(vocab_size=1)\n"
        "def build_module(common) -> TransformerTrainModuleConfig:\n    rows = LENGTH\n"
        "    if common.launch is not None:\n        rows *= 2\n"
        "    return TransformerTrainModuleConfig(rank_microbatch_size=rows,\n"
        "        max_sequence_length=common.max_sequence_length, compile_model=True,\n"
        "        dp_config=TransformerDataParallelConfig(name=DataParallelType.hsdp))\n"
        "def build_data(common) -> DataComponents:\n"
        "    loader = NumpyDataLoaderConfig(global_batch_size=common.global_batch_size)\n"
        "    return DataComponents(dataset=FSL(sequence_length=common.max_sequence_length), "
        "data_loader=loader)\n"
        "if __name__ == '__main__':\n    ";
    const std::string call =
        "global_batch_size=4 * 1024 * 1024, max_sequence_length=LENGTH, data_config_builder=build_data,\n"
        "        model_config_builder=build_model, train_module_config_builder=build_module)\n";
    for (const std::string& start :
         {"builder = partial(build_config, " + call + "    main(config_builder=builder)\n", "main(" + call}) {
        const LaunchReading job = said_in(body + start);
        CHECK(job.format == "olmo-core");
        CHECK(said(job, Fact::model) == "olmo3_2B");
        CHECK(said(job, Fact::sequence) == "8192");
        CHECK(said(job, Fact::global_batch) == "512");
        CHECK(said(job, Fact::micro_batch) == "-");
        CHECK(said(job, Fact::zero) == "3");
    }
}

TEST_CASE("activations are offloaded beside parameters and optimizer, which is no contradiction",
          "[launch]") {
    const std::string axolotl =
        "base_model: acme/m-9b\nmicro_batch_size: 1\nsequence_len: 4096\nadapter:\nfsdp_version: 2\n"
        "activation_offloading: true\nfsdp_config: {offload_params: ";
    const LaunchReading both = said_in(axolotl + "true}\n");
    CHECK(said(both, Fact::offload) == "cpu (parameters, optimizer, activations)");
    CHECK(both.contradictions.empty());
    CHECK(said(said_in(axolotl + "false}\n"), Fact::offload) == "cpu (activations)");
    const std::string tune =
        "model: {_component_: torchtune.models.m.m_8b}\ntokenizer: {_component_: torchtune.m}\nbatch_size: "
        "2\n"
        "checkpointer: {_component_: torchtune.c}\ndtype: bf16\n"
        "fsdp_cpu_offload: true\nenable_activation_offloading: ";
    CHECK(said(said_in(tune + "true\n"), Fact::offload) == "cpu (parameters, optimizer, activations)");
    CHECK(said(said_in(tune + "false\n"), Fact::offload) == "cpu (parameters, optimizer)");
}

TEST_CASE("a selected branch decides the tests of its own chain, not others that nobody can decide",
          "[launch]") {
    const std::string script =
        "SIZE=$1\nPR=$2\nif [ $SIZE = 7B ]; then L=32\nelif [ $SIZE = A3B ]; then L=48\nfi\n"
        "if [ $PR = bf16 ]; then O=\"--bf16\"\nelif [ $PR = fp16 ]; then O=\"--fp16\"\nfi\n"
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers $L --hidden-size 512 --micro-batch-size 1 "
        "$O\n";
    const LaunchReading job = said_in(script, "A3B");
    CHECK(said(job, Fact::model).find("48") != std::string::npos);
    CHECK(said(job, Fact::precision) == "-");
}

TEST_CASE("one GPU that is seen by a program no launcher starts is one GPU", "[launch]") {
    const std::string program = "python train.py --model_name_or_path a/b --per_device_train_batch_size 1\n";
    CHECK(said(said_in("CUDA_VISIBLE_DEVICES=0 " + program), Fact::gpus) == "1");
    CHECK(said(said_in(program), Fact::gpus) == "-");
}

TEST_CASE("torchtitan in Python: a copy of another function's configuration keeps its class",
          "[launch][python]") {
    const LaunchReading job = said_in(
        "def plain() -> Trainer.Config:\n"
        "    return Trainer.Config(model_spec=model_registry('8B'), optimizer=default_adamw(lr=1),\n"
        "        training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=4096, "
        "max_context_length=2048))\n"
        "def narrow() -> Trainer.Config:\n    config = plain()\n"
        "    config.model_spec = model_registry('8B', "
        "converters=[NVFP4LinearConverter.Config(fqns=['layers'])])\n"
        "    return config\n",
        "narrow");
    CHECK(said(job, Fact::precision) == "fp4");
    CHECK(said(job, Fact::optimizer) == "AdamW");
    CHECK(said(job, Fact::micro_batch) == "2");
}

TEST_CASE("Fast-LLM: kinds of block that agree say what is recomputed", "[launch]") {
    const auto job = [](const std::string& other) {
        return said_in(
            "data: {micro_batch_size: 4096, maximum_document_length: 4096}\nmodel:\n  base_model:\n"
            "    decoder:\n      type: pattern\n      blocks:\n"
            "        a: {mlp: {dense: {recompute_level: full}, routed: {recompute_level: full}}}\n"
            "        b: {mlp: {recompute_level: " +
            other + "}}\n  multi_stage: {zero_stage: 3}\n  distributed: {tensor_parallel: 2}\n");
    };
    CHECK(said(job("full"), Fact::recompute) == "full");
    CHECK(said(job("none"), Fact::recompute) == "-");
}
