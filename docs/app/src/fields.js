// How the page lays out the job's fields. What can be said, its help and its choices come from the engine's own list.

const powers = (first, last) => {
    const values = [];
    for (let x = first; x <= last; x *= 2) values.push(String(x));
    return values;
};

// name, the values of its slider or list
export const groups = [
    { title: 'cluster', fields: [
        { name: 'gpu', list: 'accelerators' },
        { name: 'gpus', slider: powers(1, 65536) },
        { name: 'cluster', list: 'clusters' },
        { name: 'per-node', slider: powers(1, 64) },
        { name: 'bus-bandwidth' },
        { name: 'network-bandwidth' },
        { name: 'price', choices: true },
        { name: 'gpu-hour-price' },
    ] },
    { title: 'run', fields: [
        { name: 'seq', slider: ['512', '1K', '2K', '4K', '8K', '16K', '32K', '64K', '128K', '256K', '512K', '1M'] },
        { name: 'micro-batch', slider: powers(1, 64) },
        { name: 'global-batch', slider: powers(1, 16384) },
        { name: 'tokens', slider: ['10B', '30B', '100B', '300B', '1T', '2T', '5T', '10T', '15T', '30T'] },
        { name: 'stack', list: 'stacks' },
        { name: 'precision', options: ['bf16', 'fp16', 'fp8', 'bf16-mixed', 'bf16-amp', 'bf16-pure', 'fp8-mixed', 'fp32'] },
        { name: 'optimizer', choices: true },
        { name: 'recompute', options: ['none', 'selective', 'full'] },
    ] },
    { title: 'parallel', fields: [
        { name: 'tp', slider: powers(1, 64) },
        { name: 'pp', slider: powers(1, 128) },
        { name: 'vp', slider: powers(1, 16) },
        { name: 'dp', slider: powers(1, 8192) },
        { name: 'cp', slider: powers(1, 64) },
        { name: 'ep', slider: powers(1, 256) },
        { name: 'zero', slider: ['0', '1', '2', '3'] },
        { name: 'sequence-parallel', options: ['on', 'off'] },
        { name: 'tp-overlap', options: ['on', 'off'] },
        { name: 'schedule', choices: true },
    ] },
];

// Switches and choices before the engine has named its own.
const known = {
    optimizer: ['adamw', 'adam', 'sgd', 'lion', 'adafactor', 'muon'],
    price: ['on-demand', 'reserved', 'spot', 'market', 'own'],
    schedule: ['1f1b', 'interleaved', 'gpipe', 'zero_bubble', 'dualpipe'],
};

/** The fields of the page in the engine's words; `listed` is its answer to "fields", or nothing yet. */
export function fieldsOf(listed) {
    const byName = new Map((listed ?? []).filter((f) => f.flag).map((f) => [f.flag.replace(/^--/, ''), f]));
    const laid = new Set(['model']);
    const shown = groups.map((group) => ({
        title: group.title,
        fields: group.fields.map((field) => {
            laid.add(field.name);
            const own = byName.get(field.name);
            const options = field.choices ? own?.choices ?? known[field.name] ?? [] : field.options;
            return { ...field, options, help: own?.help ?? '', unit: own?.unit ?? '' };
        }),
    }));
    const rest = [...byName.values()]
        .map((f) => ({ ...f, name: f.flag.replace(/^--/, '') }))
        .filter((f) => !laid.has(f.name));
    const isSwitch = (f) => f.kind === 'toggle' && !f.type;
    const more = rest.map((f) => ({
        name: f.name,
        help: f.help,
        group: f.group,
        options: isSwitch(f) ? ['true'] : f.choices?.length ? f.choices : undefined,
        unit: f.unit,
        isSwitch: isSwitch(f),
    }));
    return { shown, more, switches: new Set(more.filter((f) => f.isSwitch).map((f) => f.name)) };
}
