n=8
NNODES=2 NPROC_PER_NODE=$n ASCEND_RT_VISIBLE_DEVICES=0,1,2,3 \
megatron sft \
    --model acme/m-30b \
    --tuner_type lora \
    --lora_rank 8 \
    --tensor_model_parallel_size 2 \
    --expert_model_parallel_size 4 \
    --micro_batch_size 1 \
    --global_batch_size $(expr 256 / $n) \
    --max_length 4096 \
    --deepspeed zero3_offload
