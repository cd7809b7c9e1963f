def trainer(devices: int = 8, num_nodes: int = 2) -> run.Config:
    strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=4, pipeline_model_parallel_size=1)
    return run.Config(nl.Trainer, devices=devices, num_nodes=num_nodes, strategy=strategy)


def pretrain() -> run.Partial:
    return run.Partial(
        llm.pretrain,
        trainer=trainer(devices=4),
        data=run.Config(Data, seq_length=8192, global_batch_size=64, micro_batch_size=1),
    )
