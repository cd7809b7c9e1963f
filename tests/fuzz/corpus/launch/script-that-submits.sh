#!/bin/bash
TP=${TP:-1}
PRETRAIN_ARGS=(
    --tensor-model-parallel-size ${TP}
    --sequence-parallel
    --micro-batch-size ${MBS:-4}
    --global-batch-size 2048
    --recompute-granularity selective
    --recompute-modules mlp moe mla_up_proj layernorm
    --seq-length 4096
    --num-layers 61
    --hidden-size 7168
    --num-attention-heads 128
    --moe-layer-freq [0]*3+[1]*58
    --bf16
)
if [ "${USE_MEGATRON_FSDP:-1}" = 1 ]; then
    PRETRAIN_ARGS=(
        "${PRETRAIN_ARGS[@]}"
        --use-megatron-fsdp
        --data-parallel-sharding-strategy ${SHARDING_STRATEGY:-"optim_grads_params"}
        --use-distributed-optimizer
    )
fi
TRAINING_CMD="
cd ${MEGATRON_PATH};
export PYTHONPATH=${MEGATRON_PATH}:${PYTHONPATH};
${PROFILE_CMD} python ${MEGATRON_PATH}/examples/classes/pretrain_gpt.py ${PRETRAIN_ARGS[@]}"
mkdir -p ${SLURM_LOGS} || {
    echo "Error"
    exit 1
}
set +e
sbatch <<EOF2
#!/bin/bash
#SBATCH --nodes=your_own_num_nodes
#SBATCH --gres=gpu:your_own_gpu_per_node
srun \
    --mpi=pmix -l \
    bash -x -c "${TRAINING_CMD}" 2>&1 | tee ${SLURM_LOGS}/\${SLURM_JOB_ID}.log

EOF2
set -e
