from torch.optim import AdamW

pretrained_model_name_or_path = 'acme/m-7b'
max_length = 2048
sequence_parallel_size = 2
batch_size = 1
accumulative_counts = 16
accumulative_counts *= sequence_parallel_size
optim_type = AdamW
model = dict(
    llm=dict(quantization_config=dict(load_in_4bit=True)),
    lora=dict(type=LoraConfig, r=64))
optim_wrapper = dict(dtype='bfloat16', accumulative_counts=accumulative_counts)
