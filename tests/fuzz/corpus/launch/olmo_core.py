LENGTH = 4096


def build_config(opts: Namespace, big: bool = False) -> ExperimentConfig:
    length = opts.length or LENGTH
    batch = 8 * length if big else 4 * length
    return ExperimentConfig(
        model=TransformerConfig.olmo2_7B(vocab_size=100352),
        data_loader=Loader(global_batch_size=256 * length),
        train_module=TransformerTrainModuleConfig(
            rank_microbatch_size=2 * length,
            max_sequence_length=length,
            tp_config=TP(degree=2),
            float8_config=Float8Config(enabled=False),
        ),
    ).merge(opts)
