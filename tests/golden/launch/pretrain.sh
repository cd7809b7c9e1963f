#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gres=gpu:8
TP=${TP:-2}
MODEL=(
    --num-layers 32 --hidden-size 4096 --num-attention-heads 32  # 7B
    --seq-length $((4 * 1024))
)
cat <<EOF > ds.json
{
  "train_micro_batch_size_per_gpu": 2,
  "zero_optimization": {"stage": 1}
}
EOF
torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES pretrain_gpt.py ${MODEL[@]} \
    --tensor-model-parallel-size $TP --pipeline-model-parallel-size 2 --bf16 \
    --micro-batch-size 2 --global-batch-size 256 --zero-stage 2 \
    --deepspeed --deepspeed_config ds.json --moe-token-capacity 4 $(rm -rf /nothing)
