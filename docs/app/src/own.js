// A user's own records of the catalogue: what this browser keeps, what a link brings, what a question is sent with.

const place = 'traincost.records';
const kinds = { 'accelerator/1': 'accelerator', 'cluster/1': 'cluster', 'model/1': 'model', 'prices/1': 'prices' };
export const folders = { accelerator: 'accelerators', cluster: 'clusters', model: 'models', prices: 'prices' };

export const kindOf = (record) => kinds[record.schema];
export const folderOf = (record) => folders[kindOf(record)];
export const isRecord = (r) => r !== null && typeof r === 'object' && Object.hasOwn(kinds, r.schema) && typeof r.id === 'string' && r.id !== '';
export const same = (a, b) => a.schema === b.schema && a.id === b.id;
const without = (records, gone) => records.filter((r) => !gone.some((g) => same(r, g)));

/** A name as the catalogue has it. */
export const idOf = (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, '-').replace(/^[-.]+|-+$/g, '');

// Where the browser keeps nothing, the page does until it is closed.
let memory = [];

/** The records that are kept, and whether they outlive the page. */
export function kept() {
    let text;
    try {
        text = localStorage.getItem(place);
    } catch {
        return { records: memory, lasting: false };
    }
    try {
        return { records: JSON.parse(text ?? '[]').filter(isRecord), lasting: true };
    } catch {
        return { records: memory, lasting: true };
    }
}

/** Keeps `records` in the place of those that are `gone`, and of their own names. */
export function keep(records, gone = []) {
    memory = [...without(kept().records, [...gone, ...records]), ...records];
    try {
        localStorage.setItem(place, JSON.stringify(memory));
        return kept();
    } catch {
        return { records: memory, lasting: false };
    }
}

export const onKept = (heard) => {
    const changed = (event) => (event.key === place || event.key === null) && heard();
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
};

/** Those of the link in front: they are what the link was made with. */
export const together = (stored, linked) => [...linked, ...without(stored, linked)];

/** The records that the state's jobs name, and those which these name. */
export function usedBy(state, records) {
    const jobs = [state.job, ...state.saved.map((s) => s.job)];
    const names = new Set([...jobs.flatMap((job) => [job.model, job.gpu, job.cluster]), ...[state.more.vary ?? []].flat().flatMap((axis) => String(axis).split(/[=,]/))]);
    const reached = (record) => {
        if (!names.has(record.id)) return;
        if (record.accelerator) names.add(record.accelerator);
        if (record.default_cluster) names.add(record.default_cluster);
    };
    for (let i = 0; i < 3; ++i) records.forEach(reached);
    return records.filter((r) => names.has(r.id));
}

/** The members of a question that bring records along. */
export const sent = (records) => (records.length ? { records: records.map((r) => ({ name: `${r.id}.json`, text: JSON.stringify(r) })) } : {});

/** A job with one name for another. */
export const renamed = (job, kind, from, to) => {
    const flag = { model: 'model', accelerator: 'gpu', cluster: 'cluster' }[kind];
    return from !== to && job[flag] === from ? { ...job, [flag]: to } : job;
};

// What the engine does not read, or what belongs to the original alone.
const dropped = new Set(['aliases', 'year', 'form_factor', 'measured', 'unverified', 'confidence', 'notes', 'sources', 'reported_basis', 'total_Gbitps', 'total_bidirectional_GBps', 'per_link_per_direction_GBps', 'nominal_bidirectional_GBps', 'nccl_hop_us', 'basis', 'host_GBps', 'pcie_gen', 'vcpus', 'fp64', 'fp64_tensor', 'fp16_acc16', 'fp8_acc16', 'note', 'verified', 'typical', 'measured_training', 'rack_max', 'rack_typical', 'rack_planning']);

/** A record to edit: its numbers and names, each of which counts. */
export function plain(value) {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(plain);
    return Object.fromEntries(Object.entries(value).filter(([key, v]) => !dropped.has(key) && v !== null && !(key === 'nic_Gbitps' && 'per_accelerator_GBps' in value)).map(([key, v]) => [key, plain(v)]));
}

/** The price of a node-hour, as a record of prices. */
export const priceOf = (id, usd) => ({ schema: 'prices/1', id, prices: [{ provider: 'own', kind: 'on-demand', usd_per_hour: usd, as_of: new Date().toISOString().slice(0, 10), source: 'own' }] });
