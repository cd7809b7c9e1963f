#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gres=gpu:a100:8
#SBATCH --ntasks-per-node=1
# SBATCH --nodes=99
set -e
TP=${1:-2}
: "${PP:=4}"
LAYERS=32
if [ -z "$MBS" ]; then MBS=2; fi
case $SIZE in
  7b) HID=4096;;
  *) HID=8192;;
esac
MODEL_ARGS=(
    --num-layers $LAYERS   # comment here
    --hidden-size 4096
    --num-attention-heads 32
    --group-query-attention --num-query-groups 8
    --seq-length $((4 * 1024))
)
MODEL_ARGS+=(--swiglu)
UNUSED=(--tensor-model-parallel-size 64)
TRAIN="--micro-batch-size $MBS \
   --global-batch-size $((MBS*64)) \
   --bf16"
torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py \
    ${MODEL_ARGS[@]} \
    $TRAIN --tensor-model-parallel-size $TP \
    --pipeline-model-parallel-size ${PP} \
    --num-layers-per-virtual-pipeline-stage 4 \
    --use-distributed-optimizer --sequence-parallel \
    --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 \
    --data-path $(rm -rf /nothing) "$@" 2>&1 | tee log
