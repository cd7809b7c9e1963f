import { useMemo } from 'preact/hooks';
import { TextBox } from './box.jsx';

const own = 'own-cluster.json';
const replaced = ['gpu', 'gpus', 'cluster', 'per-node'];
const skipped = new Set(['aliases', 'notes', 'sources', 'confidence']);

/** Every number and name of a cluster, with its path. */
function leavesOf(value, path = []) {
    return Object.entries(value).flatMap(([key, v]) => {
        if (skipped.has(key)) return [];
        if (v !== null && typeof v === 'object' && !Array.isArray(v)) return leavesOf(v, [...path, key]);
        return typeof v === 'number' || typeof v === 'string' ? [{ path: [...path, key], value: v }] : [];
    });
}

/** The cluster of the job as a table to edit; what is changed becomes a job file of the page's own. */
export function OwnCluster({ state, change, valid, t }) {
    const cluster = valid?.input?.cluster;
    const leaves = useMemo(() => (cluster ? leavesOf(cluster) : []), [cluster]);
    if (!cluster) return null;
    const edited = state.files.some((f) => f.name === own);
    const set = ({ path, value }, text) => {
        const next = structuredClone(cluster);
        const last = path.slice(0, -1).reduce((at, key) => at[key], next);
        last[path.at(-1)] = typeof value === 'number' ? (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)) : text;
        change((old) => ({
            files: [...old.files.filter((f) => f.name !== own), { name: own, text: JSON.stringify({ schema: 'job/1', cluster: next }) }],
            job: Object.fromEntries(Object.entries(old.job).filter(([name]) => !replaced.includes(name))),
        }));
    };
    const reset = () => change((old) => ({
        files: old.files.filter((f) => f.name !== own),
        job: { gpu: cluster.accelerator.id, gpus: String(cluster.accelerators), ...old.job },
    }));
    return (
        <details class="group" data-test="own-cluster">
            <summary><strong>{t('owncluster')}</strong></summary>
            <p class="hint">{t('ownclusterhelp')}</p>
            <div class="grid">
                {leaves.map((leaf) => {
                    const name = leaf.path.join('.');
                    return <label key={name}><span class="note">{name.replaceAll('_', ' ')}</span><TextBox id={`own-${name}`} value={String(leaf.value)} commit={(value) => set(leaf, value)} /></label>;
                })}
            </div>
            {edited ? <div class="tools"><button type="button" onClick={reset}>{t('reset')}</button></div> : null}
        </details>
    );
}
