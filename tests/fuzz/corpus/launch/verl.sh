torchrun --nproc_per_node=${N:-8} -m verl.trainer.sft_trainer data.train_batch_size=32 \
  data.micro_batch_size_per_gpu=2 data.max_length=4096 model.path=acme/m-8b engine=megatron \
  engine.tensor_model_parallel_size=2 "$@"
