from x import y
"""doc"""
BASE = 2 * 4096

def base() -> Trainer.Config:
    """Doc string."""
    def inner(s):
        return [1]
    return Trainer.Config(
        model_spec=model_registry("70B"),  # comment (
        model_converters=ModelConvertersContainer.Config(converters=[Float8LinearConverter.Config(a=True),],),
        training=TrainingConfig(local_batch_size=2, seq_len=BASE, steps=3_000,),
        parallelism=ParallelismConfig(tensor_parallel_degree=8,),
        activation_checkpoint=ActivationCheckpointConfig(mode="full"),
        compile=CompileConfig(enable=True),
    )

