// What launch files of each framework say, in small files that show the traps of each.

#include <traincost/base/error.hpp>
#include <traincost/import/importers.hpp>

#include <catch2/catch.hpp>

#include <optional>

using namespace traincost;

namespace {

LaunchReading read(const std::string& text) {
    return read_launch_files(std::vector<LaunchFile>{{"job", text}});
}

LaunchReading read(const std::string& first, const std::string& second) {
    return read_launch_files(std::vector<LaunchFile>{{"first", first}, {"second", second}});
}

/// "4096"; "-" where the fact is absent.
std::string value(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : to_text(found->second.value);
}

std::string where(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : found->second.where;
}

std::string complaint(const std::string& text) {
    try {
        read(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("axolotl: the last of equal keys wins, and adapters count only where one is chosen", "[launch]") {
    const LaunchReading full = read(
        "base_model: acme/m-7b\nadapter:\nlora_r: 32\nsequence_len: 2048\nsequence_len: 500_000\n"
        "micro_batch_size: 2\ngradient_accumulation_steps: 4\ndatasets:\n  - path: x\n"
        "gradient_checkpointing: yes\nbf16: true\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: "
        "true\n");
    CHECK(full.format == "axolotl");
    CHECK(value(full, Fact::model) == "acme/m-7b");
    CHECK(value(full, Fact::sequence) == "500000");
    CHECK(where(full, Fact::sequence) == "job:5 sequence_len");
    CHECK(value(full, Fact::lora_rank) == "-");
    CHECK(value(full, Fact::recompute) == "full");
    CHECK(value(full, Fact::zero) == "3");
    CHECK(value(full, Fact::dp) == "-");
    CHECK(value(full, Fact::global_batch) == "-");
    REQUIRE_FALSE(full.unread.empty());
    CHECK(full.unread.front().why == "is given again in line 5, which overrides it");

    const LaunchReading adapted = read(
        "base_model: m\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nsequence_len: 4096\ndp_shard_size: "
        "4\n"
        "tensor_parallel_size: 2\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n");
    CHECK(value(adapted, Fact::lora_rank) == "16");
    CHECK(value(adapted, Fact::quantization) == "4-bit");
    CHECK(value(adapted, Fact::gpus) == "8");
    CHECK(value(adapted, Fact::global_batch) == "32");
    CHECK(adapted.facts.at(Fact::global_batch).how == How::derived);
}

TEST_CASE("DeepSpeed: auto is unknown, and the triangle of batch sizes closes", "[launch]") {
    const LaunchReading open = read(
        R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": "auto"},
            "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"},
            "offload_param": {"device": "nvme"}}})");
    CHECK(value(open, Fact::global_batch) == "-");
    CHECK(value(open, Fact::precision) == "-");
    CHECK(value(open, Fact::zero) == "3");
    CHECK(value(open, Fact::offload) == "nvme (parameters)");

    const LaunchReading wrong = read(
        R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 3,
            "zero_optimization": {"stage": 1}})");
    CHECK(wrong.contradictions.size() == 1);
}

TEST_CASE("a script's file and its DeepSpeed file are one job, and what they disagree in is named",
          "[launch]") {
    const LaunchReading both = read(
        R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})",
        "model_name_or_path: m\nper_device_train_batch_size: 2\nmax_seq_length: 1024\ndeepspeed: second\n");
    CHECK(both.format == "hf-arguments");
    CHECK(value(both, Fact::zero) == "2");
    CHECK(value(both, Fact::micro_batch) == "2");
    REQUIRE(both.contradictions.size() == 1);
    CHECK(both.contradictions.front() ==
          "micro_batch: 2 (second:2 per_device_train_batch_size) and 4 (first:1 "
          "train_micro_batch_size_per_gpu)");
}

TEST_CASE("LLaMA-Factory checkpoints unless it is told not to", "[launch]") {
    const std::string base = "model_name_or_path: m\nfinetuning_type: lora\ncutoff_len: 4096\nstage: sft\n";
    CHECK(value(read(base), Fact::recompute) == "full");
    CHECK(value(read(base), Fact::lora_rank) == "8");
    CHECK(value(read(base + "disable_gradient_checkpointing: true\n"), Fact::recompute) == "none");
}

TEST_CASE("Accelerate counts processes over all machines", "[launch]") {
    const LaunchReading fsdp = read(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\n"
        "mixed_precision: 'no'\nfsdp_config:\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n");
    CHECK(value(fsdp, Fact::gpus) == "16");
    CHECK(value(fsdp, Fact::gpus_per_node) == "8");
    CHECK(value(fsdp, Fact::zero) == "2");
    CHECK(value(fsdp, Fact::precision) == "fp32");
    CHECK(value(fsdp, Fact::dp) == "16");
}

TEST_CASE("a broken launch file is one line with file and line", "[launch]") {
    CHECK(complaint("{\"zero_optimization\": {\n  \"stage\": ,\n}}") ==
          "job:2: not valid JSON: unexpected ','");
    CHECK(complaint("a: b\n\tc: d\n").starts_with("job:2: not valid YAML"));
    CHECK(complaint("[))model]\nname = 1\n[a]\n") == "job: not valid TOML: a key is not complete");
    CHECK(complaint("[model\nname = 1\n[a]\n[b]\n").starts_with("job:1: not valid TOML"));
    CHECK(complaint("hello: world\n")
              .starts_with("job: not a launch file of a known format; known: megatron,"));
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i) {
        const std::string below = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below;
        for (int j = 1; j < 10; ++j) {
            bomb += ", " + below;
        }
        bomb += "]\n";
    }
    CHECK(complaint(bomb).find("more than 200000 values, aliases expanded") != std::string::npos);
    CHECK(complaint(std::string(std::size_t{17} << 20, 'x')) ==
          "job: has 17 MiB; a launch file may have at most 16 MiB");
}

TEST_CASE("a Megatron script is followed, and nothing in it is run", "[launch]") {
    const LaunchReading reading = read(R"(#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gres=gpu:a100:8
# SBATCH --nodes=99
TP=${1:-2}
: "${PP:=4}"
if [ -z "$MBS" ]; then MBS=2; fi
case $SIZE in
  7b) HID=4096;;
  *) HID=8192;;
esac
MODEL=(
    --num-layers 32   # a comment
    --hidden-size 4096 --num-attention-heads 32
    --num-query-groups 8
    --seq-length $((4 * 1024))
)
MODEL+=(--swiglu)
UNUSED=(--tensor-model-parallel-size 64)
TRAIN="--micro-batch-size $MBS \
   --global-batch-size $((MBS*64)) --bf16"
torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py \
    ${MODEL[@]} $TRAIN --tensor-model-parallel-size $TP --pipeline-model-parallel-size ${PP} \
    --num-layers-per-virtual-pipeline-stage 4 --use-distributed-optimizer --sequence-parallel \
    --data-path $(rm -rf /nothing) `touch /tmp/never` "$@" 2>&1 | tee log
)");
    CHECK(reading.format == "megatron");
    CHECK(value(reading, Fact::model) == "layers 32, hidden 4096, heads 32");
    CHECK(value(reading, Fact::sequence) == "4096");
    CHECK(where(reading, Fact::sequence) == "job:16 --seq-length");
    CHECK(value(reading, Fact::tp) == "2");
    CHECK(value(reading, Fact::pp) == "4");
    CHECK(value(reading, Fact::vp) == "2");
    CHECK(value(reading, Fact::gpus) == "32");
    CHECK(value(reading, Fact::dp) == "4");
    CHECK(value(reading, Fact::micro_batch) == "2");
    CHECK(value(reading, Fact::global_batch) == "128");
    CHECK(value(reading, Fact::accumulation) == "16");
    CHECK(value(reading, Fact::zero) == "1");
    CHECK(value(reading, Fact::sequence_parallel) == "true");
    CHECK(value(reading, Fact::precision) == "bf16");
    CHECK(reading.contradictions.empty());
}

TEST_CASE("branches nobody can decide leave what differs unknown, and a name selects one", "[launch]") {
    const std::string script = R"(case $SIZE in
  small) L=12; TP=1;;
  large) L=48; TP=1;;
esac
torchrun pretrain_gpt.py --num-layers $L --hidden-size 1024 --micro-batch-size 1 --seq-length 512 \
  --tensor-model-parallel-size $TP
)";
    const LaunchReading open = read(script);
    CHECK(value(open, Fact::tp) == "1");
    CHECK(value(open, Fact::model) == "hidden 1024");
    const LaunchReading chosen = read_launch_files(std::vector<LaunchFile>{{"job", script}}, "large");
    CHECK(value(chosen, Fact::model) == "layers 48, hidden 1024");
}

TEST_CASE("a script that starts several jobs states only what they agree in", "[launch]") {
    const LaunchReading reading = read(R"(for cfg in "1,2" "4,2"; do
IFS=',' read -r TP PP <<< "$cfg"
torchrun pretrain_gpt.py --num-layers 8 --hidden-size 64 --micro-batch-size 1 --global-batch-size 8 \
  --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP
done
)");
    CHECK(value(reading, Fact::pp) == "2");
    CHECK(value(reading, Fact::tp) == "-");
    REQUIRE_FALSE(reading.contradictions.empty());
    CHECK(reading.contradictions.front() ==
          "several jobs are started: tp 1 (job:4 --tensor-model-parallel-size) and 4 (job:4 "
          "--tensor-model-parallel-size)");
}

TEST_CASE("a DeepSpeed file that the script writes itself counts, and decides the stage", "[launch]") {
    const LaunchReading reading = read(R"(DIR=`pwd`
STAGE=2
cat <<EOT > $DIR/ds.json
{
  "train_batch_size": $UNKNOWN,
  "zero_optimization": { "stage": $STAGE },
  "fp16": {"enabled": true}
}
EOT
args="--num-layers 24 --hidden-size 64 --seq-length 2048 --micro-batch-size 4 --deepspeed --zero-stage 0"
deepspeed --num_gpus 8 --num_nodes 2 $DIR/pretrain_gpt.py $args --deepspeed_config $DIR/ds.json --checkpoint-activations
)");
    CHECK(reading.format == "megatron-deepspeed");
    CHECK(value(reading, Fact::zero) == "2");
    CHECK(where(reading, Fact::zero) == "job:6 zero_optimization.stage");
    CHECK(value(reading, Fact::global_batch) == "-");
    CHECK(value(reading, Fact::accumulation) == "-");
    CHECK(value(reading, Fact::precision) == "fp16");
    CHECK(value(reading, Fact::recompute) == "full");
    CHECK(value(reading, Fact::gpus) == "16");
    CHECK(reading.contradictions.size() == 1);
}

TEST_CASE("a sourced file that is not given is named with its line, one that is given is followed",
          "[launch]") {
    const std::string script =
        "source conf/args.sh\ntorchrun pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1 "
        "$MORE\n";
    const LaunchReading alone = read(script);
    REQUIRE_FALSE(alone.unread.empty());
    CHECK(alone.unread.front().where == "job:1");
    CHECK(alone.unread.front().key == "source conf/args.sh");
    const LaunchReading both = read_launch_files(std::vector<LaunchFile>{
        {"args.sh", "#!/bin/sh\nMORE=\"--tensor-model-parallel-size 4 --fp16\"\n"}, {"job.sh", script}});
    CHECK(value(both, Fact::tp) == "4");
    CHECK(where(both, Fact::tp) == "args.sh:2 --tensor-model-parallel-size");
    CHECK(complaint("#!/bin/sh\nif true; then\n  echo 'x\n") == "job:3: the quote ' is not closed");
    CHECK(complaint("#!/bin/sh\nif true; then\n  echo x\n") ==
          "job:2: the block that begins here has no 'fi'");
}

TEST_CASE("torchtitan: TOML, and Python functions that build on each other", "[launch]") {
    const LaunchReading toml = read(R"([model]
name = "llama3"
flavor = "70B"
[training]
local_batch_size = 8
seq_len = 8192
[parallelism]
data_parallel_shard_degree = -1
tensor_parallel_degree = 8
[activation_checkpoint]
mode = "full"
[compile]
enable = true
components = ["loss"]
[float8]
enable_fsdp_float8_all_gather = true
)");
    CHECK(toml.format == "torchtitan");
    CHECK(value(toml, Fact::model) == "llama3 70B");
    CHECK(value(toml, Fact::tp) == "8");
    CHECK(value(toml, Fact::dp) == "-");
    CHECK(value(toml, Fact::precision) == "bf16");
    CHECK(value(toml, Fact::compile) == "false");
    const std::string python = R"(from x import y

def base() -> Trainer.Config:
    """A docstring with a ( bracket."""
    def inner(s):
        return [1]
    return Trainer.Config(
        model_spec=model_registry("8B"),
        training=TrainingConfig(local_batch_size=2, seq_len=2 * 4096),
        parallelism=ParallelismConfig(tensor_parallel_degree=8),
        activation_checkpoint=ActivationCheckpointConfig(mode="full"),
    )

def child() -> Trainer.Config:
    config = base()
    config.training.seq_len = 1_024
    config.parallelism.pipeline_parallel_degree = 4
    return config
)";
    const LaunchReading child = read_launch_files(std::vector<LaunchFile>{{"job", python}}, "child");
    CHECK(value(child, Fact::model) == "8B");
    CHECK(value(child, Fact::sequence) == "1024");
    CHECK(where(child, Fact::sequence) == "job:16 training.seq_len");
    CHECK(value(child, Fact::tp) == "8");
    CHECK(value(child, Fact::pp) == "4");
    CHECK(value(child, Fact::recompute) == "full");
    CHECK(complaint(python) == "job: has several configurations; choose one with --select: base, child");
}

TEST_CASE("each framework's own traps", "[launch]") {
    const LaunchReading neox = read(R"(# a comment
{
   "pipe-parallel-size": 0, "model-parallel-size": 2, "num-layers": 80, "hidden-size": 8192,
   "num-attention-heads": 64, "activation": "swiglu", "intermediate_size": 86016,
   "seq-length": 4096, "max-position-embeddings": 131072,
   "attention_config": [[["flash"], 80]],
   "zero_optimization": {"stage": 1, "reduce_scatter": True,},
   "train_micro_batch_size_per_gpu": 1, "checkpoint-activations": true, "fp16": {"enabled": true},
})");
    CHECK(neox.format == "gpt-neox");
    CHECK(value(neox, Fact::model) == "layers 80, hidden 8192, heads 64, ffn 28672");
    CHECK(value(neox, Fact::sequence) == "4096");
    CHECK(value(neox, Fact::pp) == "1");
    CHECK(value(neox, Fact::attention) == "flash");

    const LaunchReading nano = read(
        "general: {project: x}\nlighteval:\n  parallelism: {dp: 8, tp: 1}\n  batch_size: 16\n"
        "parallelism: {dp: 2, tp: 2, pp: 2, expert_parallel_size: 2, tp_mode: REDUCE_SCATTER}\n"
        "model: {dtype: bfloat16, model_config: {num_hidden_layers: 2, hidden_size: 16, pretraining_tp: 4}}\n"
        "optimizer: {zero_stage: 0}\n"
        "tokens: {micro_batch_size: 2, sequence_length: 256, batch_accumulation_per_replica: 4}\n");
    CHECK(nano.format == "nanotron");
    CHECK(value(nano, Fact::gpus) == "16");
    CHECK(value(nano, Fact::dp) == "2");
    CHECK(value(nano, Fact::tp) == "2");
    CHECK(value(nano, Fact::global_batch) == "16");

    const LaunchReading nemo = read(
        "trainer: {num_nodes: 2, devices: 8, precision: bf16, accumulate_grad_batches: 1}\nexp_manager: "
        "{name: x}\n"
        "model:\n  micro_batch_size: 1\n  global_batch_size: 64\n  tensor_model_parallel_size: 4\n"
        "  virtual_pipeline_model_parallel_size: null\n  encoder_seq_length: 4096\n  num_layers: 8\n"
        "  hidden_size: 64\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n"
        "  activations_checkpoint_granularity: null\n  activations_checkpoint_method: block\n"
        "  fp8: false\n  fp8_hybrid: true\n  optim: {name: distributed_fused_adam}\n");
    CHECK(nemo.format == "nemo");
    CHECK(value(nemo, Fact::model) == "layers 8, hidden 64, ffn 256");
    CHECK(value(nemo, Fact::recompute) == "none");
    CHECK(value(nemo, Fact::precision) == "bf16");
    CHECK(value(nemo, Fact::dp) == "4");
    CHECK(value(nemo, Fact::accumulation) == "16");
    CHECK(value(nemo, Fact::zero) == "1");

    const LaunchReading olmo = read(
        "model: {d_model: 4096, n_heads: 32, n_layers: 32, mlp_hidden_size: 22016, activation_type: swiglu,\n"
        "  max_sequence_length: 2048}\ncompile:\n  fullgraph: false\nfsdp: {precision: mixed}\n"
        "global_train_batch_size: 2048\ndevice_train_microbatch_size: 2\nprecision: amp_bf16\n");
    CHECK(olmo.format == "olmo");
    CHECK(value(olmo, Fact::model) == "layers 32, hidden 4096, heads 32, ffn 11008");
    CHECK(value(olmo, Fact::compile) == "true");

    const LaunchReading flagscale = read(
        "system:\n  tensor_model_parallel_size: 2\n  precision:\n    bf16: true\nmodel:\n  num_layers: 4\n"
        "  hidden_size: 64\n  group_query_attention: False\n  num_query_groups: 8\n  micro_batch_size: 2\n"
        "data:\n  data_path: ${data_path:??}\n",
        "defaults:\n  - train: 7b\nexperiment:\n  task: {type: train}\n  exp_name: x\n  runner:\n    nnodes: "
        "1\n    nproc_per_node: 8\n");
    CHECK(flagscale.format == "flagscale");
    CHECK(value(flagscale, Fact::model) == "layers 4, hidden 64");
    CHECK(value(flagscale, Fact::dp) == "4");

    const LaunchReading primus = read(
        "work_group: ${TEAM:amd}\nmodules:\n  pre_trainer:\n    framework: maxtext\n    model: "
        "llama3_8B.yaml\n"
        "    overrides:\n      per_device_batch_size: ${PDB:4}\n      max_target_length: 8192\n"
        "      ici_tensor_parallelism: 1\n      ici_pipeline_parallelism: 1\n");
    CHECK(primus.format == "primus");
    CHECK(value(primus, Fact::model) == "llama3_8B");
    CHECK(value(primus, Fact::sequence) == "8192");
    CHECK(value(primus, Fact::micro_batch) == "4");
}

TEST_CASE("a command names the file it overrules", "[launch]") {
    const LaunchReading tuned = read(
        "model:\n  _component_: torchtune.models.llama3.qlora_llama3_8b\n  lora_rank: 16\n"
        "tokenizer:\n  _component_: a.b\n  max_seq_len: null\nbatch_size: 2\ndtype: bf16\n"
        "optimizer:\n  _component_: torch.optim.AdamW\nenable_activation_checkpointing: True\n",
        "tune run --nproc_per_node 8 lora_finetune_distributed --config llama3/8B_qlora batch_size=4\n");
    CHECK(tuned.format == "torchtune");
    CHECK(value(tuned, Fact::model) == "llama3_8b");
    CHECK(value(tuned, Fact::micro_batch) == "4");
    CHECK(where(tuned, Fact::micro_batch) == "second:1 batch_size");
    CHECK(value(tuned, Fact::sequence) == "-");
    CHECK(value(tuned, Fact::quantization) == "4-bit");
    CHECK(value(tuned, Fact::dp) == "8");
    CHECK(tuned.contradictions.empty());

    const LaunchReading unseen = read(
        "python MaxText/train.py configs/llama2_7b.yml dcn_data_parallelism=16 ici_fsdp_parallelism=8\n");
    CHECK(unseen.format == "maxtext");
    CHECK(value(unseen, Fact::zero) == "3");
    CHECK(value(unseen, Fact::sequence) == "-");
}

TEST_CASE("a script that submits a script is followed into it", "[launch]") {
    const LaunchReading reading =
        read(R"(ARGS=(--num-layers 61 --hidden-size 7168 --micro-batch-size ${MBS:-4})
if [ "${FSDP:-1}" = 1 ]; then
    ARGS=("${ARGS[@]}" --use-megatron-fsdp --data-parallel-sharding-strategy ${S:-optim_grads_params})
fi
CMD="
cd ${SOMEWHERE};
python ${SOMEWHERE}/pretrain_gpt.py ${ARGS[@]}"
mkdir -p $LOGS || {
    echo "Error"
    exit 1
}
sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=your_own_number
srun -l bash -x -c "${CMD}" 2>&1 | tee log
EOF
)");
    CHECK(reading.format == "megatron");
    CHECK(value(reading, Fact::micro_batch) == "4");
    CHECK(value(reading, Fact::zero) == "3");
    CHECK(value(reading, Fact::nodes) == "-");
}

TEST_CASE("srun's own flags and arguments that are not given count", "[launch]") {
    const LaunchReading chat = read(R"(OUTPUT=$1
ZERO_STAGE=$2
if [ "$ZERO_STAGE" == "" ]; then
    ZERO_STAGE=2
fi
srun -p part -N 8 --ntasks-per-node=1 --gpus-per-task=4 deepspeed --num_gpus 4 main.py --model_name_or_path acme/m \
   --per_device_train_batch_size 8 --max_seq_len 512 --gradient_checkpointing --zero_stage $ZERO_STAGE --deepspeed \
   --lora_dim 128 --output_dir $OUTPUT &> $OUTPUT/training.log
)");
    CHECK(chat.format == "hf-arguments");
    CHECK(value(chat, Fact::zero) == "2");
    CHECK(value(chat, Fact::lora_rank) == "128");
    CHECK(value(chat, Fact::nodes) == "8");
    CHECK(value(chat, Fact::gpus) == "32");
    CHECK(value(chat, Fact::global_batch) == "256");
}

TEST_CASE("a command whose configuration is not given says what it says, and assumes nothing", "[launch]") {
    const LaunchReading titan = read(
        "NGPU=4 torchrun --nproc_per_node 8 torchtitan/train.py --job.config_file conf/llama3.toml "
        "--training.seq_len 4096\n");
    CHECK(titan.format == "torchtitan");
    CHECK(value(titan, Fact::sequence) == "4096");
    CHECK(value(titan, Fact::micro_batch) == "-");
    CHECK(value(titan, Fact::tp) == "-");
    REQUIRE_FALSE(titan.unread.empty());
    CHECK(titan.unread.front().why == "give llama3.toml too; its content is unknown");
    const LaunchReading both =
        read("axolotl train config.yml --micro-batch-size 4\n",
             "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ndatasets: [x]\n");
    CHECK(both.format == "axolotl");
    CHECK(value(both, Fact::micro_batch) == "4");
    CHECK(value(both, Fact::sequence) == "2048");
    CHECK(both.contradictions.empty());
}

TEST_CASE("of equal flags the last counts, and the others are named", "[launch]") {
    const LaunchReading twice = read(
        "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1 "
        "--tensor-model-parallel-size 2 \\\n"
        "  --tensor-model-parallel-size 4\n");
    CHECK(value(twice, Fact::tp) == "4");
    REQUIRE_FALSE(twice.unread.empty());
    CHECK(twice.unread.front().why == "is given again in line 2, which overrides it");
}

TEST_CASE("braces with trailing commas in a YAML file are YAML, without comments too", "[launch]") {
    const std::string text =
        "{\n  \"pipe-parallel-size\": 4,\n  \"model-parallel-size\": 2,\n  \"num-layers\": 8,\n"
        "  \"hidden-size\": 64,\n  \"num-attention-heads\": 4,\n  \"seq-length\": 2048,\n"
        "  \"train_micro_batch_size_per_gpu\": 4,\n"
        "  \"zero_optimization\": { \"stage\": 1, \"cpu_offload\": False, },\n}\n";
    const LaunchReading neox = read_launch_files(std::vector<LaunchFile>{{"job.yml", text}});
    CHECK(neox.format == "gpt-neox");
    CHECK(value(neox, Fact::pp) == "4");
    CHECK(value(neox, Fact::zero) == "1");
    CHECK_THROWS_WITH(read_launch_files(std::vector<LaunchFile>{{"job.json", text}}),
                      Catch::Contains("not valid JSON"));
}

TEST_CASE("a trainer's own names of models and stages are read", "[launch]") {
    const LaunchReading swift = read(
        "NPROC_PER_NODE=8 swift sft --model acme/m-7b --train_type lora --torch_dtype bfloat16 "
        "--per_device_train_batch_size 1 --lora_rank 8 --max_length 2048 --deepspeed zero2\n");
    CHECK(value(swift, Fact::model) == "acme/m-7b");
    CHECK(value(swift, Fact::precision) == "bf16");
    CHECK(value(swift, Fact::zero) == "2");
    CHECK(value(swift, Fact::offload) == "-");
    CHECK(value(swift, Fact::recompute) == "full");
    const LaunchReading offloaded = read(
        "deepspeed train.py --model_name_or_path m --per_device_train_batch_size 1 "
        "--learning_rate 1e-4 --deepspeed zero3_offload\n");
    CHECK(value(offloaded, Fact::zero) == "3");
    CHECK(value(offloaded, Fact::offload) == "cpu (optimizer, parameters)");
    const LaunchReading file = read(
        "deepspeed train.py --model_name_or_path m --per_device_train_batch_size 1 "
        "--learning_rate 1e-4 --deepspeed zero3.json\n");
    CHECK(value(file, Fact::zero) == "-");
}

TEST_CASE("composer counts its processes and names a configuration", "[launch]") {
    const LaunchReading run = read(
        "composer -n 8 train/train.py conf/mpt.yaml global_train_batch_size=256 max_seq_len=2048 "
        "fsdp_config.sharding_strategy=SHARD_GRAD_OP\n");
    CHECK(run.format == "llm-foundry");
    CHECK(value(run, Fact::gpus_per_node) == "8");
    CHECK(value(run, Fact::zero) == "2");
    CHECK(value(run, Fact::recompute) == "-");
    REQUIRE_FALSE(run.unread.empty());
    CHECK(run.unread.front().why == "give mpt.yaml too; its content is unknown");
    CHECK(read("composer train/train.py conf/mpt.yaml\n").format == "llm-foundry");
}
