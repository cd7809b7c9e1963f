// What launch files of each framework say, in small files that show the traps of each.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/error.hpp>

#include <optional>

using namespace traincost;
using namespace traincost::test;

namespace {

/// What two files of one job say.
LaunchReading said_in_both(const std::string& first, const std::string& second) {
    return read_launch_files(std::vector<LaunchFile>{{"first", first}, {"second", second}});
}

std::string complaint(const std::string& text) {
    try {
        said_in(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("axolotl: the last of equal keys wins, and adapters count only where one is chosen", "[launch]") {
    const LaunchReading full = said_in(
        "base_model: acme/m-7b\nadapter:\nlora_r: 32\nsequence_len: 2048\nsequence_len: 500_000\n"
        "micro_batch_size: 2\ngradient_accumulation_steps: 4\ndatasets:\n  - path: x\n"
        "gradient_checkpointing: yes\nbf16: true\nfsdp_version: 2\nfsdp_config:\n  reshard_after_forward: "
        "true\n");
    CHECK(full.format == "axolotl");
    CHECK(said(full, Fact::model) == "acme/m-7b");
    CHECK(said(full, Fact::sequence) == "500000");
    CHECK(where_said(full, Fact::sequence) == "job:5 sequence_len");
    CHECK(said(full, Fact::lora_rank) == "-");
    CHECK(said(full, Fact::recompute) == "full");
    CHECK(said(full, Fact::zero) == "3");
    CHECK(said(full, Fact::dp) == "-");
    CHECK(said(full, Fact::global_batch) == "-");
    REQUIRE_FALSE(full.unread.empty());
    CHECK(full.unread.front().why == "is given again in line 5, which overrides it");

    const LaunchReading adapted = said_in(
        "base_model: m\nadapter: qlora\nload_in_4bit: true\nlora_r: 16\nsequence_len: 4096\ndp_shard_size: "
        "4\n"
        "tensor_parallel_size: 2\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n");
    CHECK(said(adapted, Fact::lora_rank) == "16");
    CHECK(said(adapted, Fact::quantization) == "4-bit");
    CHECK(said(adapted, Fact::gpus) == "8");
    CHECK(said(adapted, Fact::global_batch) == "32");
    CHECK(adapted.facts.at(Fact::global_batch).how == How::derived);
}

TEST_CASE("DeepSpeed: auto is unknown, and the triangle of batch sizes closes", "[launch]") {
    const LaunchReading open = said_in(
        R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": "auto"},
            "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"},
            "offload_param": {"device": "nvme"}}})");
    CHECK(said(open, Fact::global_batch) == "-");
    CHECK(said(open, Fact::precision) == "-");
    CHECK(said(open, Fact::zero) == "3");
    CHECK(said(open, Fact::offload) == "nvme (parameters)");

    const LaunchReading wrong = said_in(
        R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 3,
            "zero_optimization": {"stage": 1}})");
    CHECK(wrong.contradictions.size() == 1);
}

TEST_CASE("a script's file and its DeepSpeed file are one job, and what they disagree in is named",
          "[launch]") {
    const LaunchReading both = said_in_both(
        R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})",
        "model_name_or_path: m\nper_device_train_batch_size: 2\nmax_seq_length: 1024\ndeepspeed: second\n");
    CHECK(both.format == "hf-arguments");
    CHECK(said(both, Fact::zero) == "2");
    CHECK(said(both, Fact::micro_batch) == "2");
    REQUIRE(both.contradictions.size() == 1);
    CHECK(both.contradictions.front() ==
          "micro_batch: 2 (second:2 per_device_train_batch_size) and 4 (first:1 "
          "train_micro_batch_size_per_gpu)");
}

TEST_CASE("LLaMA-Factory checkpoints unless it is told not to", "[launch]") {
    const std::string base = "model_name_or_path: m\nfinetuning_type: lora\ncutoff_len: 4096\nstage: sft\n";
    CHECK(said(said_in(base), Fact::recompute) == "full");
    CHECK(said(said_in(base), Fact::lora_rank) == "8");
    CHECK(said(said_in(base + "disable_gradient_checkpointing: true\n"), Fact::recompute) == "none");
}

TEST_CASE("Accelerate counts processes over all machines", "[launch]") {
    const LaunchReading fsdp = said_in(
        "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_machines: 2\nnum_processes: 16\n"
        "mixed_precision: 'no'\nfsdp_config:\n  fsdp_sharding_strategy: SHARD_GRAD_OP\n");
    CHECK(said(fsdp, Fact::gpus) == "16");
    CHECK(said(fsdp, Fact::gpus_per_node) == "8");
    CHECK(said(fsdp, Fact::zero) == "2");
    CHECK(said(fsdp, Fact::precision) == "fp32");
    CHECK(said(fsdp, Fact::dp) == "16");
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
    const LaunchReading reading = said_in(R"(#!/bin/bash
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
    CHECK(said(reading, Fact::model) == "layers 32, hidden 4096, heads 32");
    CHECK(said(reading, Fact::sequence) == "4096");
    CHECK(where_said(reading, Fact::sequence) == "job:16 --seq-length");
    CHECK(said(reading, Fact::tp) == "2");
    CHECK(said(reading, Fact::pp) == "4");
    CHECK(said(reading, Fact::vp) == "2");
    CHECK(said(reading, Fact::gpus) == "32");
    CHECK(said(reading, Fact::dp) == "4");
    CHECK(said(reading, Fact::micro_batch) == "2");
    CHECK(said(reading, Fact::global_batch) == "128");
    CHECK(said(reading, Fact::accumulation) == "16");
    CHECK(said(reading, Fact::zero) == "1");
    CHECK(said(reading, Fact::sequence_parallel) == "true");
    CHECK(said(reading, Fact::precision) == "bf16");
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
    const LaunchReading open = said_in(script);
    CHECK(said(open, Fact::tp) == "1");
    CHECK(said(open, Fact::model) == "hidden 1024");
    const LaunchReading chosen = read_launch_files(std::vector<LaunchFile>{{"job", script}}, "large");
    CHECK(said(chosen, Fact::model) == "layers 48, hidden 1024");
}

TEST_CASE("a script that starts several jobs states only what they agree in", "[launch]") {
    const LaunchReading reading = said_in(R"(for cfg in "1,2" "4,2"; do
IFS=',' read -r TP PP <<< "$cfg"
torchrun pretrain_gpt.py --num-layers 8 --hidden-size 64 --micro-batch-size 1 --global-batch-size 8 \
  --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP
done
)");
    CHECK(said(reading, Fact::pp) == "2");
    CHECK(said(reading, Fact::tp) == "-");
    REQUIRE_FALSE(reading.contradictions.empty());
    CHECK(reading.contradictions.front() ==
          "several jobs are started: tp 1 (job:4 --tensor-model-parallel-size) and 4 (job:4 "
          "--tensor-model-parallel-size)");
}

TEST_CASE("a DeepSpeed file that the script writes itself counts, and decides the stage", "[launch]") {
    const LaunchReading reading = said_in(R"(DIR=`pwd`
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
    CHECK(said(reading, Fact::zero) == "2");
    CHECK(where_said(reading, Fact::zero) == "job:6 zero_optimization.stage");
    CHECK(said(reading, Fact::global_batch) == "-");
    CHECK(said(reading, Fact::accumulation) == "-");
    CHECK(said(reading, Fact::precision) == "fp16");
    CHECK(said(reading, Fact::recompute) == "full");
    CHECK(said(reading, Fact::gpus) == "16");
    CHECK(reading.contradictions.size() == 1);
}

TEST_CASE("a sourced file that is not given is named with its line, one that is given is followed",
          "[launch]") {
    const std::string script =
        "source conf/args.sh\ntorchrun pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1 "
        "$MORE\n";
    const LaunchReading alone = said_in(script);
    REQUIRE_FALSE(alone.unread.empty());
    CHECK(alone.unread.front().where == "job:1");
    CHECK(alone.unread.front().key == "source conf/args.sh");
    const LaunchReading both = read_launch_files(std::vector<LaunchFile>{
        {"args.sh", "#!/bin/sh\nMORE=\"--tensor-model-parallel-size 4 --fp16\"\n"}, {"job.sh", script}});
    CHECK(said(both, Fact::tp) == "4");
    CHECK(where_said(both, Fact::tp) == "args.sh:2 --tensor-model-parallel-size");
    CHECK(complaint("#!/bin/sh\nif true; then\n  echo 'x\n") == "job:3: the quote ' is not closed");
    CHECK(complaint("#!/bin/sh\nif true; then\n  echo x\n") ==
          "job:2: the block that begins here has no 'fi'");
}

TEST_CASE("torchtitan: TOML, and Python functions that build on each other", "[launch]") {
    const LaunchReading toml = said_in(R"([model]
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
    CHECK(said(toml, Fact::model) == "llama3 70B");
    CHECK(said(toml, Fact::tp) == "8");
    CHECK(said(toml, Fact::dp) == "-");
    CHECK(said(toml, Fact::precision) == "bf16");
    CHECK(said(toml, Fact::compile) == "false");
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
    CHECK(said(child, Fact::model) == "8B");
    CHECK(said(child, Fact::sequence) == "1024");
    CHECK(where_said(child, Fact::sequence) == "job:16 training.seq_len");
    CHECK(said(child, Fact::tp) == "8");
    CHECK(said(child, Fact::pp) == "4");
    CHECK(said(child, Fact::recompute) == "full");
    CHECK(complaint(python) == "job: has several configurations; choose one with --select: base, child");
}

TEST_CASE("each framework's own traps", "[launch]") {
    const LaunchReading neox = said_in(R"(# a comment
{
   "pipe-parallel-size": 0, "model-parallel-size": 2, "num-layers": 80, "hidden-size": 8192,
   "num-attention-heads": 64, "activation": "swiglu", "intermediate_size": 86016,
   "seq-length": 4096, "max-position-embeddings": 131072,
   "attention_config": [[["flash"], 80]],
   "zero_optimization": {"stage": 1, "reduce_scatter": True,},
   "train_micro_batch_size_per_gpu": 1, "checkpoint-activations": true, "fp16": {"enabled": true},
})");
    CHECK(neox.format == "gpt-neox");
    CHECK(said(neox, Fact::model) == "layers 80, hidden 8192, heads 64, ffn 28672");
    CHECK(said(neox, Fact::sequence) == "4096");
    CHECK(said(neox, Fact::pp) == "1");
    CHECK(said(neox, Fact::attention) == "flash");

    const LaunchReading nano = said_in(
        "general: {project: x}\nlighteval:\n  parallelism: {dp: 8, tp: 1}\n  batch_size: 16\n"
        "parallelism: {dp: 2, tp: 2, pp: 2, expert_parallel_size: 2, tp_mode: REDUCE_SCATTER}\n"
        "model: {dtype: bfloat16, model_config: {num_hidden_layers: 2, hidden_size: 16, pretraining_tp: 4}}\n"
        "optimizer: {zero_stage: 0}\n"
        "tokens: {micro_batch_size: 2, sequence_length: 256, batch_accumulation_per_replica: 4}\n");
    CHECK(nano.format == "nanotron");
    CHECK(said(nano, Fact::gpus) == "16");
    CHECK(said(nano, Fact::dp) == "2");
    CHECK(said(nano, Fact::tp) == "2");
    CHECK(said(nano, Fact::global_batch) == "16");

    const LaunchReading nemo = said_in(
        "trainer: {num_nodes: 2, devices: 8, precision: bf16, accumulate_grad_batches: 1}\nexp_manager: "
        "{name: x}\n"
        "model:\n  micro_batch_size: 1\n  global_batch_size: 64\n  tensor_model_parallel_size: 4\n"
        "  virtual_pipeline_model_parallel_size: null\n  encoder_seq_length: 4096\n  num_layers: 8\n"
        "  hidden_size: 64\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n"
        "  activations_checkpoint_granularity: null\n  activations_checkpoint_method: block\n"
        "  fp8: false\n  fp8_hybrid: true\n  optim: {name: distributed_fused_adam}\n");
    CHECK(nemo.format == "nemo");
    CHECK(said(nemo, Fact::model) == "layers 8, hidden 64, ffn 256");
    CHECK(said(nemo, Fact::recompute) == "none");
    CHECK(said(nemo, Fact::precision) == "bf16");
    CHECK(said(nemo, Fact::dp) == "4");
    CHECK(said(nemo, Fact::accumulation) == "16");
    CHECK(said(nemo, Fact::zero) == "1");

    const LaunchReading olmo = said_in(
        "model: {d_model: 4096, n_heads: 32, n_layers: 32, mlp_hidden_size: 22016, activation_type: swiglu,\n"
        "  max_sequence_length: 2048}\ncompile:\n  fullgraph: false\nfsdp: {precision: mixed}\n"
        "global_train_batch_size: 2048\ndevice_train_microbatch_size: 2\nprecision: amp_bf16\n");
    CHECK(olmo.format == "olmo");
    CHECK(said(olmo, Fact::model) == "layers 32, hidden 4096, heads 32, ffn 11008");
    CHECK(said(olmo, Fact::compile) == "true");

    const LaunchReading flagscale = said_in_both(
        "system:\n  tensor_model_parallel_size: 2\n  precision:\n    bf16: true\nmodel:\n  num_layers: 4\n"
        "  hidden_size: 64\n  group_query_attention: False\n  num_query_groups: 8\n  micro_batch_size: 2\n"
        "data:\n  data_path: ${data_path:??}\n",
        "defaults:\n  - train: 7b\nexperiment:\n  task: {type: train}\n  exp_name: x\n  runner:\n    nnodes: "
        "1\n    nproc_per_node: 8\n");
    CHECK(flagscale.format == "flagscale");
    CHECK(said(flagscale, Fact::model) == "layers 4, hidden 64");
    CHECK(said(flagscale, Fact::dp) == "4");

    const LaunchReading primus = said_in(
        "work_group: ${TEAM:amd}\nmodules:\n  pre_trainer:\n    framework: maxtext\n    model: "
        "llama3_8B.yaml\n"
        "    overrides:\n      per_device_batch_size: ${PDB:4}\n      max_target_length: 8192\n"
        "      ici_tensor_parallelism: 1\n      ici_pipeline_parallelism: 1\n");
    CHECK(primus.format == "primus");
    CHECK(said(primus, Fact::model) == "llama3_8B");
    CHECK(said(primus, Fact::sequence) == "8192");
    CHECK(said(primus, Fact::micro_batch) == "4");
}

TEST_CASE("a command names the file it overrules", "[launch]") {
    const LaunchReading tuned = said_in_both(
        "model:\n  _component_: torchtune.models.llama3.qlora_llama3_8b\n  lora_rank: 16\n"
        "tokenizer:\n  _component_: a.b\n  max_seq_len: null\nbatch_size: 2\ndtype: bf16\n"
        "optimizer:\n  _component_: torch.optim.AdamW\nenable_activation_checkpointing: True\n",
        "tune run --nproc_per_node 8 lora_finetune_distributed --config llama3/8B_qlora batch_size=4\n");
    CHECK(tuned.format == "torchtune");
    CHECK(said(tuned, Fact::model) == "llama3_8b");
    CHECK(said(tuned, Fact::micro_batch) == "4");
    CHECK(where_said(tuned, Fact::micro_batch) == "second:1 batch_size");
    CHECK(said(tuned, Fact::sequence) == "-");
    CHECK(said(tuned, Fact::quantization) == "4-bit");
    CHECK(said(tuned, Fact::dp) == "8");
    CHECK(tuned.contradictions.empty());

    const LaunchReading unseen = said_in(
        "python MaxText/train.py configs/llama2_7b.yml dcn_data_parallelism=16 ici_fsdp_parallelism=8\n");
    CHECK(unseen.format == "maxtext");
    CHECK(said(unseen, Fact::zero) == "3");
    CHECK(said(unseen, Fact::sequence) == "-");
}

TEST_CASE("a script that submits a script is followed into it", "[launch]") {
    const LaunchReading reading =
        said_in(R"(ARGS=(--num-layers 61 --hidden-size 7168 --micro-batch-size ${MBS:-4})
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
    CHECK(said(reading, Fact::micro_batch) == "4");
    CHECK(said(reading, Fact::zero) == "3");
    CHECK(said(reading, Fact::nodes) == "-");
}

TEST_CASE("srun's own flags and arguments that are not given count", "[launch]") {
    const LaunchReading chat = said_in(R"(OUTPUT=$1
ZERO_STAGE=$2
if [ "$ZERO_STAGE" == "" ]; then
    ZERO_STAGE=2
fi
srun -p part -N 8 --ntasks-per-node=1 --gpus-per-task=4 deepspeed --num_gpus 4 main.py --model_name_or_path acme/m \
   --per_device_train_batch_size 8 --max_seq_len 512 --gradient_checkpointing --zero_stage $ZERO_STAGE --deepspeed \
   --lora_dim 128 --output_dir $OUTPUT &> $OUTPUT/training.log
)");
    CHECK(chat.format == "hf-arguments");
    CHECK(said(chat, Fact::zero) == "2");
    CHECK(said(chat, Fact::lora_rank) == "128");
    CHECK(said(chat, Fact::nodes) == "8");
    CHECK(said(chat, Fact::gpus) == "32");
    CHECK(said(chat, Fact::global_batch) == "256");
}

TEST_CASE("a command whose configuration is not given says what it says, and assumes nothing", "[launch]") {
    const LaunchReading titan = said_in(
        "NGPU=4 torchrun --nproc_per_node 8 torchtitan/train.py --job.config_file conf/llama3.toml "
        "--training.seq_len 4096\n");
    CHECK(titan.format == "torchtitan");
    CHECK(said(titan, Fact::sequence) == "4096");
    CHECK(said(titan, Fact::micro_batch) == "-");
    CHECK(said(titan, Fact::tp) == "-");
    REQUIRE_FALSE(titan.unread.empty());
    CHECK(titan.unread.front().why == "give llama3.toml too; its content is unknown");
    const LaunchReading both =
        said_in_both("axolotl train config.yml --micro-batch-size 4\n",
                     "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ndatasets: [x]\n");
    CHECK(both.format == "axolotl");
    CHECK(said(both, Fact::micro_batch) == "4");
    CHECK(said(both, Fact::sequence) == "2048");
    CHECK(both.contradictions.empty());
}

TEST_CASE("of equal flags the last counts, and the others are named", "[launch]") {
    const LaunchReading twice = said_in(
        "torchrun pretrain_gpt.py --num-layers 2 --hidden-size 8 --micro-batch-size 1 "
        "--tensor-model-parallel-size 2 \\\n"
        "  --tensor-model-parallel-size 4\n");
    CHECK(said(twice, Fact::tp) == "4");
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
    CHECK(said(neox, Fact::pp) == "4");
    CHECK(said(neox, Fact::zero) == "1");
    CHECK_THROWS_WITH(read_launch_files(std::vector<LaunchFile>{{"job.json", text}}),
                      Catch::Contains("not valid JSON"));
}

TEST_CASE("a trainer's own names of models and stages are read", "[launch]") {
    const LaunchReading swift = said_in(
        "NPROC_PER_NODE=8 swift sft --model acme/m-7b --train_type lora --torch_dtype bfloat16 "
        "--per_device_train_batch_size 1 --lora_rank 8 --max_length 2048 --deepspeed zero2\n");
    CHECK(said(swift, Fact::model) == "acme/m-7b");
    CHECK(said(swift, Fact::precision) == "bf16");
    CHECK(said(swift, Fact::zero) == "2");
    CHECK(said(swift, Fact::offload) == "-");
    CHECK(said(swift, Fact::recompute) == "full");
    const LaunchReading offloaded = said_in(
        "deepspeed train.py --model_name_or_path m --per_device_train_batch_size 1 "
        "--learning_rate 1e-4 --deepspeed zero3_offload\n");
    CHECK(said(offloaded, Fact::zero) == "3");
    CHECK(said(offloaded, Fact::offload) == "cpu (optimizer, parameters)");
    const LaunchReading file = said_in(
        "deepspeed train.py --model_name_or_path m --per_device_train_batch_size 1 "
        "--learning_rate 1e-4 --deepspeed zero3.json\n");
    CHECK(said(file, Fact::zero) == "-");
}

TEST_CASE("composer counts its processes and names a configuration", "[launch]") {
    const LaunchReading run = said_in(
        "composer -n 8 train/train.py conf/mpt.yaml global_train_batch_size=256 max_seq_len=2048 "
        "fsdp_config.sharding_strategy=SHARD_GRAD_OP\n");
    CHECK(run.format == "llm-foundry");
    CHECK(said(run, Fact::gpus_per_node) == "8");
    CHECK(said(run, Fact::zero) == "2");
    CHECK(said(run, Fact::recompute) == "-");
    REQUIRE_FALSE(run.unread.empty());
    CHECK(run.unread.front().why == "give mpt.yaml too; its content is unknown");
    CHECK(said_in("composer train/train.py conf/mpt.yaml\n").format == "llm-foundry");
}
