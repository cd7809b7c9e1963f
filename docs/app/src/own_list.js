import { useEffect, useMemo, useState } from 'preact/hooks';
import { problemOf } from './answers.js';
import { inWords } from './page_error.js';
import { folders, idOf, keep, kept, kindOf, onKept, plain, renamed, same, sent, together, usedBy } from './own.js';

/** The list of one's own records and what can be done with it. What a record says is the engine's to judge. */
export function useOwn(state, change, engine, t) {
    const [{ records: stored, lasting }, setKept] = useState(kept);
    useEffect(() => onKept(() => setKept(kept())), []);
    const linked = state.records;
    const list = useMemo(() => together(stored, linked), [stored, linked]);
    const foreign = (r) => !stored.some((s) => same(s, r) && JSON.stringify(s) === JSON.stringify(r));
    // The address has what its jobs name, and what is nowhere else.
    const carried = useMemo(() => {
        const used = usedBy(state, list);
        return list.filter((r) => used.includes(r) || foreign(r));
    }, [state, list]);
    useEffect(() => {
        if (JSON.stringify(carried) !== JSON.stringify(linked)) change({ records: carried });
    }, [carried, linked]);

    const taken = async (kind, id) => list.some((r) => kindOf(r) === kind && r.id === id) || !(await engine.ask({ command: 'show', name: id, kind: folders[kind] })).answer.error;
    /** A name that is free, made of another. */
    const free = async (kind, wish) => {
        for (let n = 1; ; ++n) {
            const id = n === 1 ? wish : `${wish}-${n}`;
            if (!(await taken(kind, id))) return id;
        }
    };
    /** What is wrong with a record, or the record as the engine has read it. */
    const read = async (text, name) => {
        const { answer } = await engine.ask({ command: 'read', files: [{ name, text }], ...sent(list) });
        if (answer.error) return { problem: problemOf(t, answer), message: inWords(t, answer.error.problems[0]) };
        return answer.record ? { record: { schema: `${answer.kind}/1`, ...answer.record } } : { problem: 'norecord' };
    };
    const store = (records, gone = []) => {
        setKept(keep(records, gone));
        const lies = (r) => [...records, ...gone].some((x) => same(x, r));
        return (old) => ({ records: [...old.records.filter((r) => !lies(r)), ...records] });
    };
    /** Puts a record in the list, in the place of `before`, where the engine takes it, `beside` drawn with it; else what is wrong. */
    const put = async (record, before, beside) => {
        const { problem, message } = await read(JSON.stringify(record), `${record.id}.json`);
        if (problem) return { problem, message };
        const kind = kindOf(record);
        if (record.id !== before?.id && (await taken(kind, record.id))) return { problem: 'taken' };
        const more = before && before.id !== record.id ? follow(list, before, record) : { records: [], gone: [] };
        beside?.();
        const next = store([record, ...more.records], before ? [before, ...more.gone] : []);
        change((old) => ({
            ...next(old),
            job: renamed(old.job, kind, before?.id, record.id),
            saved: old.saved.map((s) => ({ ...s, job: renamed(s.job, kind, before?.id, record.id) })),
        }));
        return {};
    };
    /** Adds a record under a name like the one it has. */
    const add = async (record, wish) => {
        const id = await free(kindOf(record), idOf(wish || record.id || '') || `my-${kindOf(record)}`);
        const next = { ...plain(record), id };
        const { problem } = await put(next);
        return problem ? { problem } : { record: next };
    };
    return { list, lasting, foreign, free, read, put, add, store, remove: (records) => change(store([], records)) };
}

/** What else changes with a name: the prices of a cluster, the clusters of an accelerator. */
function follow(list, before, record) {
    const prices = list.filter((r) => kindOf(r) === 'prices' && kindOf(record) === 'cluster' && r.id === before.id);
    const clusters = list.filter((r) => kindOf(r) === 'cluster' && kindOf(record) === 'accelerator' && r.accelerator === before.id);
    return { records: [...prices.map((r) => ({ ...r, id: record.id })), ...clusters.map((r) => ({ ...r, accelerator: record.id }))], gone: prices };
}
