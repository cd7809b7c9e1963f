// Questions that the engine refuses, as one meets them on the page: what each control may hold, and what does not go together.
const usual = { command: 'estimate', model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', seq: '8K', 'micro-batch': '1', 'global-batch': '64', tokens: '1T' };
const experts = { model: 'deepseek-v3', gpus: '256', 'global-batch': '1024' };

const wrong = {
    count: ['0', '-1', '1.5', 'x', '1e30'],
    fraction: ['0', '-1', '150%', '2', 'x'],
    quantity: ['0', '-1', '5kg', '1e30', '1e999'],
    name: ['x', 'h10', 'llama3', 'automotel'],
};
const values = {
    ...Object.fromEntries(['gpus', 'per-node', 'seq', 'micro-batch', 'global-batch', 'accumulation', 'tokens', 'tp', 'pp', 'vp', 'dp', 'cp', 'ep', 'etp', 'zero', 'lora-rank', 'hybrid-shard', 'mlp-tiles', 'packed-length', 'padded-length'].map((f) => [f, [...wrong.count, '3', '7', '1000000000']])),
    ...Object.fromEntries(['headroom', 'utilization', 'power-share', 'offload-activations', 'dropout'].map((f) => [f, wrong.fraction])),
    ...Object.fromEntries(['bus-bandwidth', 'network-bandwidth', 'bus-latency', 'network-latency', 'host-speed', 'expert-imbalance', 'gpu-hour-price', 'gpu-purchase-price', 'life', 'electricity-price', 'power-limit', 'pue', 'grid', 'mtbf', 'storage-bandwidth', 'restart'].map((f) => [f, wrong.quantity])),
    ...Object.fromEntries(['gpu', 'model', 'cluster', 'stack', 'precision', 'fp8-scaling', 'optimizer', 'recompute', 'attention', 'attention-generation', 'compile', 'loss', 'schedule', 'context', 'price', 'sequence-parallel', 'optimizer-kernel', 'offload-optimizer', 'offload-parameters', 'tuning', 'lora-targets', 'reshard', 'reduce', 'grid', 'mtbf', 'whole-nodes', 'expandable-segments', 'uneven-stages', 'optimizer-in-backward'].map((f) => [f, wrong.name])),
};

const together = [
    { tp: '3' }, { tp: '16' }, { tp: '64', gpus: '64' }, { tp: '6', gpus: '6' }, { pp: '5', gpus: '5' }, { pp: '3', gpus: '6' }, { pp: '64', gpus: '64' }, { pp: '2', vp: '3', schedule: 'interleaved' }, { pp: '2', vp: '2', schedule: '1f1b' },
    { pp: '4', vp: '2', schedule: 'interleaved', 'global-batch': '6', dp: '2' }, { pp: '4', vp: '2', accumulation: '3', 'global-batch': '' }, { pp: '3', gpus: '6', schedule: 'dualpipe' }, { pp: '2', schedule: 'dualpipe', 'global-batch': '8', dp: '4' }, { vp: '2' }, { pp: '2', schedule: 'zero_bubble', vp: '2' },
    { dp: '3' }, { dp: '16' }, { dp: '8', tp: '2' }, { cp: '3', gpus: '6' }, { cp: '16', gpus: '16', seq: '100' }, { ep: '2' }, { ...experts, ep: '3' }, { ...experts, ep: '512' }, { ...experts, etp: '3' }, { ...experts, ep: '256', etp: '4' },
    { 'global-batch': '7' }, { 'global-batch': '65' }, { 'micro-batch': '16' }, { 'micro-batch': '5' }, { accumulation: '4' }, { gpus: '7' }, { gpus: '12', 'per-node': '8' }, { 'per-node': '5' }, { gpus: '9' },
    { zero: '3', pp: '2' }, { zero: '2', pp: '2', stack: 'deepspeed' }, { 'hybrid-shard': '3' }, { 'hybrid-shard': '16' }, { 'hybrid-shard': '2', zero: '0' }, { 'sequence-parallel': 'on', tp: '2', seq: '8191' },
    { precision: 'fp8-mixed', gpu: 'a100' }, { precision: 'fp8' , gpu: 'v100' }, { precision: 'mxfp8-mixed' }, { precision: 'fp4-mixed' }, { 'fp8-scaling': 'blockwise' }, { precision: 'bf16', gpu: 'v100' }, { attention: 'math', 'attention-generation': '3' }, { 'attention-generation': '4' }, { 'attention-generation': '3', gpu: 'a100' },
    { tuning: 'lora', 'lora-rank': '0' }, { 'lora-rank': '8' }, { 'lora-targets': 'q' }, { tuning: 'qlora', precision: 'fp32' }, { tuning: 'qlora', precision: 'fp8-mixed' }, { precision: 'nf4-base' }, { tuning: 'lora', 'lora-targets': 'q,z' },
    { price: 'own' }, { price: 'own', 'gpu-purchase-price': '30000' }, { price: 'own', 'gpu-purchase-price': '30000', life: '1461d' }, { 'gpu-purchase-price': '30000' }, { life: '3d' }, { utilization: '50%' }, { price: 'spot', 'gpu-hour-price': '2' }, { 'gpu-hour-price': '2', tokens: '' }, { 'electricity-price': '0.1' }, { grid: 'france', tokens: '' }, { grid: 'atlantis' }, { mtbf: '50000h' }, { 'storage-bandwidth': '2GB/s' }, { restart: '5min' }, { pue: '1.2', tokens: '' }, { price: 'market' }, { price: 'spot', gpu: 'rtx-4090' }, { 'whole-nodes': 'true', 'gpu-hour-price': '1' }, { mtbf: '50000h', tokens: '' },
    { seq: '1M' }, { seq: '3', cp: '2' }, { seq: '100000000' }, { 'micro-batch': '1000000' }, { gpus: '100000000' }, { 'packed-length': '16K' }, { 'padded-length': '16K' }, { 'packed-length': '1K', 'padded-length': '1K' }, { headroom: '1' }, { 'power-limit': '50' }, { 'power-limit': '5000' },
    { model: '' }, { gpu: '' }, { gpu: '', cluster: '' }, { gpu: '', gpus: '' }, { cluster: 'dgx-h100', gpu: 'mi300x' }, { cluster: 'dgx-h100', gpu: 'a100' }, { stack: 'megatron-core@9.9' }, { gpus: '8xA100' }, { gpus: '8xFoo' }, { gpu: '8xH100' }, { gpu: '4xH100' }, { gpu: 'rtx-4090', gpus: '16' }, { gpu: 'tpu-v5p', stack: 'megatron-core' }, { gpu: 'mi300x', stack: 'maxtext' },
    { optimizer: 'muon', zero: '3' }, { 'offload-optimizer': 'nvme' }, { 'offload-parameters': 'cpu' }, { 'offload-parameters': 'cpu', zero: '3' }, { 'optimizer-in-backward': 'true' }, { 'mlp-tiles': '4' }, { recompute: 'full:2:1' }, { recompute: 'none:2' }, { recompute: 'selective:foo' }, { compile: 'foo' }, { loss: 'foo' }, { context: 'ulysses', cp: '3' }, { context: 'ulysses', cp: '16', gpus: '16' },
    ...['torchtitan', 'nanotron', 'deepspeed', 'hf', 'torchtune', 'litgpt', 'maxtext', 'llama-factory', 'axolotl', 'automodel'].flatMap((stack) => [{ stack, pp: '2' }, { stack, tp: '2' }, { stack, cp: '2' }, { ...experts, stack, ep: '8' }, { stack, zero: '3' }, { stack, pp: '2', vp: '2', schedule: 'interleaved' }, { stack, 'sequence-parallel': 'on', tp: '2' }]),
    { model: 't5-11b', cp: '2' }, { model: 'mamba2-2.7b', tp: '3', gpus: '3' }, { model: 'mamba2-2.7b', cp: '2' }, { colour: 'red' }, { bs: '4' },
];

const file = (name, text) => ({ command: 'read', files: [{ name, text }] });
const files = [
    file('a.json', ''), file('a.json', '{'), file('a.json', '{"a": 1} x'), file('a.json', '{"a": 1, "a": 2}'), file('a.json', '[]'), file('a.json', '{}'), file('a.json', '{"model_type": "unheard"}'), file('config.json', '{"model_type": "llama"}'), file('config.json', '{"model_type": "llama", "hidden_size": "x"}'), file('config.json', '{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": -1, "intermediate_size": 11008, "vocab_size": 32000}'),
    file('a.json', '"x"'), file('a.txt', 'hello'), file('a.sh', 'echo hello'), file('a.yaml', 'a: [1'), file('a.yaml', 'a: 1'), file('a.toml', 'a = '), file('a.py', 'print(1)'), file('a.log', 'nothing here'), file('a.csv', 'a,b\n1,2'), file('', ''), file('a.json', '['.repeat(100)), file('a.json', '1e999'),
];

const modes = [
    { command: 'sweep', vary: 'foo=1' }, { command: 'sweep', vary: 'tp=' }, { command: 'sweep' }, { command: 'method', calculator: 'foo' }, { command: 'scale' }, { command: 'scale', compute: 'x' }, { command: 'achieved', 'step-time': 'x' }, { command: 'achieved' }, { command: 'plan', goal: 'x' }, { command: 'export', format: 'foo' }, { command: 'explain', item: 'foo' }, { command: 'estimate', model: 'x' }, { command: 'foo' },
];

const searched = { command: 'recommend', objective: 'time', model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', seq: '8K' };
const searches = [{ tp: '3' }, { pp: '5' }, { cp: '3' }, { ep: '2' }, { etp: '2' }, { dp: '3' }, { vp: '3', pp: '2' }, { schedule: 'dualpipe', pp: '1' }, { 'micro-batch': '3' }, { 'hybrid-shard': '3' }, { model: 'deepseek-v3', gpus: '64', ep: '7' }, { 'global-batch': '7', tp: '1', pp: '1', cp: '1' }, { stack: 'litgpt', pp: '2' }, { precision: 'fp8-mixed', gpu: 'v100' }, { model: 'llama-3.1-70b', gpu: 'rtx-4090', gpus: '1' }];

const merged = (change) => Object.fromEntries(Object.entries({ ...usual, ...change }).filter(([, value]) => value !== ''));

/** All of them. */
export const situations = [
    ...Object.entries(values).flatMap(([field, all]) => all.map((value) => merged({ [field]: value }))),
    ...together.map(merged),
    ...files,
    ...searches.map((search) => ({ ...searched, ...search })),
    ...modes.flatMap((mode) => [mode, merged(mode)]),
];
