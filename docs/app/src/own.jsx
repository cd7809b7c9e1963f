import { strToU8, zipSync } from 'fflate';
import { useEffect, useRef, useState } from 'preact/hooks';
import { TextBox } from './box.jsx';
import { folderOf, folders, idOf, kindOf, plain, priceOf, renamed } from './own.js';
import { inWords } from './page_error.js';
import { save } from './share.jsx';
import { usual } from './state.js';
import { filled } from './words.js';

const flagOf = { model: 'model', accelerator: 'gpu', cluster: 'cluster' };
const fixed = new Set(['schema', 'id']);

/** Every number, name and switch of a record, with its path. */
function leavesOf(value, path = []) {
    return Object.entries(value).flatMap(([key, v]) => {
        if (!path.length && fixed.has(key)) return [];
        if (v !== null && typeof v === 'object' && !Array.isArray(v)) return leavesOf(v, [...path, key]);
        return ['number', 'string', 'boolean'].includes(typeof v) ? [{ path: [...path, key], value: v }] : [];
    });
}

function changed(record, { path, value }, text) {
    const next = structuredClone(record);
    const last = path.slice(0, -1).reduce((at, key) => at[key], next);
    last[path.at(-1)] = typeof value === 'boolean' ? text === 'true' : typeof value === 'number' && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
    // What a driver reports is of the memory that was.
    if (path.at(-1) === 'capacity_GB') delete last.reported_MiB;
    return next;
}

/** The fields of a record, each with its complaint; the engine takes a change or says what is wrong with it. */
function Editor({ record, own, use, opened, t }) {
    const [refused, setRefused] = useState({});
    const place = useRef(null);
    useEffect(() => place.current.focus(), []);
    const [text, setText] = useState('');
    const written = JSON.stringify(record, null, 2);
    useEffect(() => setText(written), [written]);
    const kind = kindOf(record);
    const prices = own.list.find((r) => kindOf(r) === 'prices' && r.id === record.id);
    const price = prices?.prices?.length === 1 ? prices.prices[0].usd_per_hour ?? '' : '';
    // The record as the last change has left it, which may not be drawn yet; changes are put one after the other.
    const latest = useRef(record);
    latest.current = record;
    const turn = useRef(Promise.resolve());
    const complain = (at, problem) => setRefused(({ [at]: old, ...rest }) => (problem ? { ...rest, [at]: problem } : rest));
    const put = (at, change) => {
        turn.current = turn.current.then(async () => {
            try {
                const before = latest.current;
                const next = change(before);
                const { problem, message } = await own.put(next, before, () => next.id !== before.id && use.edit(next, opened));
                if (!problem) latest.current = next;
                // A field's complaint stands at the field, whose place it need not say.
                complain(at, problem === 'taken' ? filled(t('nametaken'), next.id) : at === 'json' ? problem : message);
            } catch (error) {
                complain(at, inWords(t, error));
            }
        });
    };
    const rename = (value) => {
        const id = idOf(value);
        if (id) put('id', (now) => ({ ...now, id }));
        else complain('id', t('noname'));
    };
    const apply = () => put('json', (now) => ({ ...JSON.parse(text), schema: now.schema, id: now.id }));
    const setPrice = async (value) => {
        if (value === '') own.remove(prices ? [prices] : []);
        const { message } = value === '' ? {} : await own.put(priceOf(record.id, Number.isNaN(Number(value)) ? value : Number(value)), prices);
        complain('price', message);
    };
    const problem = (at) => (refused[at] ? <span class="problem" id={`own-${kind}-problem-${at}`} role="alert" data-test="own-problem">{refused[at]}</span> : null);
    const wrong = (at) => (refused[at] ? { 'aria-invalid': 'true', 'aria-describedby': `own-${kind}-problem-${at}` } : {});
    const field = (at, name, box) => <label key={at}><span class="note">{name}</span>{box}{problem(at)}</label>;
    return (
        <div class="editor" data-test="own-editor" ref={place} tabIndex={-1} role="group" aria-label={`${t('edit')}: ${record.id}`}>
            <div class="grid">
                {field('id', t('name'), <TextBox id={`own-${kind}-id`} value={record.id} commit={rename} {...wrong('id')} />)}
                {kind === 'cluster' ? field('price', t('nodeprice'), <TextBox id="own-cluster-price" value={String(price)} placeholder={prices && price === '' ? t('listed') : t('unsaid')} commit={setPrice} {...wrong('price')} />) : null}
                {leavesOf(record).map((leaf) => {
                    const name = leaf.path.join('.');
                    const id = `own-${kind}-${name}`;
                    const commit = (value) => put(name, (now) => changed(now, leaf, value));
                    return field(name, name.replaceAll('.', ' ').replaceAll('_', ' '), typeof leaf.value === 'boolean'
                        ? <select id={id} value={String(leaf.value)} onChange={(e) => commit(e.target.value)} {...wrong(name)}><option>true</option><option>false</option></select>
                        : <TextBox id={id} value={String(leaf.value)} list={name === 'accelerator' ? 'accelerators' : undefined} commit={commit} {...wrong(name)} />);
                })}
            </div>
            <details>
                <summary>{t('asjson')}</summary>
                <textarea aria-label={`${record.id}, ${t('json')}`} value={text} spellcheck={false} onInput={(e) => setText(e.target.value)} {...wrong('json')} />
                {problem('json')}
                <div class="tools"><button type="button" onClick={apply}>{t('apply')}</button></div>
            </details>
        </div>
    );
}

/** A record that has no id gets one; what is no JSON is the engine's to refuse. */
function withId(text, id) {
    try {
        const value = JSON.parse(text);
        return value?.schema && value.id === undefined ? JSON.stringify({ ...value, id }) : text;
    } catch {
        return text;
    }
}

/** A record of a text: our JSON or a config.json of Hugging Face. */
function FromJson({ kinds, own, done, t }) {
    const [name, setName] = useState('');
    const [text, setText] = useState('');
    const [problem, setProblem] = useState('');
    const id = `own-new-${kinds[0]}`;
    const add = async () => {
        const read = await own.read(withId(text, idOf(name) || `my-${kinds[0]}`), idOf(name) || 'json');
        if (read.problem) return setProblem(read.problem === 'norecord' ? t('norecord') : read.problem);
        if (!kinds.includes(kindOf(read.record))) return setProblem(filled(t('otherkind'), kindOf(read.record)));
        const added = await own.add(read.record, name);
        setProblem(added.problem ?? '');
        if (!added.record) return undefined;
        setText('');
        setName('');
        return done(added.record);
    };
    return (
        <details data-test="own-new">
            <summary>{t('fromjson')}</summary>
            <label class="stacked"><span class="note">{t('name')}</span><TextBox id={`${id}-name`} value={name} commit={setName} /></label>
            <label class="stacked"><span class="note">{t(kinds[0] === 'model' ? 'modeljson' : 'clusterjson')}</span>
                <textarea id={id} value={text} spellcheck={false} onInput={(e) => setText(e.target.value)} {...(problem ? { 'aria-invalid': 'true', 'aria-describedby': `${id}-problem` } : {})} /></label>
            {problem ? <p class="problem" role="alert" id={`${id}-problem`} data-test="own-problem">{problem}</p> : null}
            <div class="tools"><button type="button" class="primary" disabled={!text.trim()} onClick={add}>{t('add')}</button></div>
        </details>
    );
}

/** The records as a folder that the program takes with --data. */
function saveFolder(records) {
    const files = Object.fromEntries(records.map((r) => [`own/${folderOf(r)}/${r.id}.json`, strToU8(`${JSON.stringify(r, null, 2)}\n`)]));
    save('own.zip', new Blob([zipSync(files)], { type: 'application/zip' }));
}

function Row({ record, own, state, use, editing, t }) {
    const { id } = record;
    const name = (word) => `${t(word)}: ${id}`;
    return (
        <li>
            <button type="button" class="take" aria-pressed={state.job[flagOf[kindOf(record)]] === id} title={t('useit')} onClick={() => use.take(record)}>{id}</button>
            <span class="acts">
                <button type="button" class="quiet" aria-expanded={editing} aria-label={name('edit')} onClick={() => use.edit(editing ? null : record)}>{t('edit')}</button>
                <button type="button" class="quiet" aria-label={name('duplicate')} onClick={() => use.duplicate(record)}>{t('duplicate')}</button>
                <button type="button" class="quiet" aria-label={name('delete')} onClick={() => use.remove(record)}>{t('delete')}</button>
            </span>
            {own.lasting && own.foreign(record) ? <p class="hint">{t('oflink')} <button type="button" onClick={() => use.keep(record)} aria-label={name('keepit')}>{t('keepit')}</button></p> : null}
        </li>
    );
}

/** What of the job as it is can be copied to edit: the record as the catalogue has it. */
async function original(kind, id, engine, records) {
    const { answer } = await engine.ask({ command: 'show', name: id, kind: folders[kind], ...records });
    return answer.record;
}

function deedsOf({ own, state, change, valid, engine, question, setOpen, setGone, t }) {
    const { records } = question;
    const take = (record) => change((old) => {
        const { [flagOf[kindOf(record)]]: before, ...job } = old.job;
        if (kindOf(record) === 'cluster' && record.accelerator) delete job.gpu;
        return { job: { ...job, [flagOf[kindOf(record)]]: record.id } };
    });
    const added = ({ record, problem }) => {
        setGone(problem ? { problem } : null);
        if (!record) return;
        take(record);
        setOpen(record);
    };
    const pricesOf = async (from, to) => {
        const prices = await original('prices', from, engine, records ? { records } : {});
        if (prices) change(own.store([{ ...plain(prices), prices: prices.prices, id: to }]));
    };
    const copied = async (record, wish, prices) => {
        const made = await own.add(record, wish);
        if (made.record && prices) await pricesOf(prices, made.record.id);
        added(made);
    };
    return {
        take, added, edit: setOpen,
        duplicate: (record) => copied(record, record.id, kindOf(record) === 'cluster' && record.id),
        copy: async (kind) => {
            const { model, cluster } = valid.input;
            const id = { model: model.id, accelerator: cluster.accelerator.id, cluster: cluster.id }[kind];
            const record = kind === 'model' ? { ...model, schema: 'model/1' } : await original(kind, id, engine, records ? { records } : {});
            // The copy holds the accelerators of the job; what a node costs is known of its own alone.
            const { accelerator } = record ?? {};
            if (kind === 'cluster' && record) record.accelerator = cluster.accelerator.id;
            if (record) await copied(record, `my-${id}`.replace(/^my-my-/, 'my-'), kind === 'cluster' && accelerator === record.accelerator && id);
        },
        keep: (record) => change(own.store([record, ...own.list.filter((r) => kindOf(r) === 'prices' && r.id === record.id)])),
        remove: (record) => {
            const all = own.list.filter((r) => r === record || (kindOf(record) === 'cluster' && kindOf(r) === 'prices' && r.id === record.id));
            const { job } = state;
            setGone({ id: record.id, undo: () => change((old) => ({ ...own.store(all)(old), job })) });
            setOpen(null);
            own.remove(all);
            const flag = flagOf[kindOf(record)];
            if (job[flag] === record.id) change((old) => ({ job: Object.fromEntries(Object.entries({ ...old.job, [flag]: usual.job[flag] ?? '', ...(flag === 'cluster' ? { gpu: old.job.gpu ?? record.accelerator } : {}) }).filter(([, v]) => v)) }));
        },
    };
}

let editors = 0;

/** One's own models, or accelerators and clusters: what there is, an editor, and how to add. */
export function OwnItems({ title, kinds, ...props }) {
    const { own, state, valid, t } = props;
    const [open, setOpenItem] = useState(null);
    // An editor stays the one it is when its item gets another name.
    const setOpen = (record, opened = ++editors) => setOpenItem(record && { schema: record.schema, id: record.id, opened });
    const [gone, setGone] = useState(null);
    const undo = useRef(null);
    useEffect(() => {
        if (gone?.undo) undo.current?.focus();
    }, [gone]);
    const use = deedsOf({ ...props, setOpen, setGone });
    const mine = own.list.filter((r) => kinds.includes(kindOf(r))).sort((a, b) => a.id.localeCompare(b.id));
    const now = valid && { model: valid.input.model.id, accelerator: valid.input.cluster.accelerator.id, cluster: valid.input.cluster.id };
    return (
        <details class="group" data-test={`own-${kinds[0]}s`}>
            <summary><strong>{t(title)}</strong> <span class="said-values">{mine.length || ''}</span></summary>
            <p class="hint">{t('ownhelp')}</p>
            {own.lasting ? null : <p class="problem" data-test="own-unkept">{t('unkept')}</p>}
            {mine.length ? (
                <ul class="own" aria-label={t(title)}>
                    {mine.flatMap((r) => [
                        <Row key={`${r.schema} ${r.id}`} record={r} editing={open?.id === r.id && open.schema === r.schema} {...{ own, state, use, t }} />,
                        open?.id === r.id && open.schema === r.schema ? <li key={`editor ${open.opened}`}><Editor record={r} own={own} use={use} opened={open.opened} t={t} /></li> : null,
                    ])}
                </ul>
            ) : null}
            <div role="status">{gone?.undo ? <p>{filled(t('gone'), gone.id)} <button type="button" ref={undo} onClick={() => {
                gone.undo();
                setGone(null);
            }}>{t('undo')}</button></p> : null}</div>
            {gone?.problem ? <p class="problem" role="alert">{gone.problem}</p> : null}
            <div class="tools">
                {kinds.filter((kind) => now?.[kind]).map((kind) => <button type="button" key={kind} data-test={`copy-${kind}`} onClick={() => use.copy(kind)}>{filled(t('copyof'), now[kind])}</button>)}
            </div>
            <FromJson kinds={kinds} own={own} done={(record) => use.added({ record })} t={t} />
            {mine.length ? <div class="tools"><button type="button" onClick={() => saveFolder(own.list)}>{t('folder')}</button></div> : null}
        </details>
    );
}
