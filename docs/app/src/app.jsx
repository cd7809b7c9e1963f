import { render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Latest, newEngine, served } from './client.js';
import { Control, helpOf, nearestValid } from './controls.jsx';
import { fieldsOf } from './fields.js';
import { OwnItems } from './own.jsx';
import { useOwn } from './own_list.js';
import { folderOf, kindOf, sent } from './own.js';
import { Flags } from './command.jsx';
import { assumptionBody } from './engine_words.js';
import { modes } from './modes.jsx';
import { inWords } from './page_error.js';
import { commandLine, fromHash, jobOf, toHash, usual } from './state.js';
import { label, languageOf, languages, words } from './words.js';
import { assumptionOf } from './results.jsx';
import { readFile } from './files.js';
import { placed } from './problems.js';

const lists = JSON.parse(document.getElementById('lists').textContent);
const main = newEngine();
main.start();  // beside the first layout
const drawing = newEngine();

const between = 350;  // ms: browsers refuse an address that changes more than a hundred times in half a minute

/** Writes the address: at once, but no sooner than `between` after the last time, and never over one that was gone to meanwhile. */
function addressWriter() {
    let [wanted, known, last, timer] = ['', location.hash, -Infinity, 0];
    const stop = () => {
        clearTimeout(timer);
        timer = 0;
    };
    const forget = () => {
        stop();
        known = location.hash;
    };
    const left = () => location.hash !== known;
    const write = () => {
        stop();
        if (left()) return;  // its event is on the way
        last = performance.now();
        history.replaceState(null, '', wanted);
        known = location.hash;
    };
    addEventListener('pagehide', () => timer && write());
    return {
        forget,
        left,
        say: (hash) => {
            wanted = hash;
            const wait = last + between - performance.now();
            if (wait <= 0) write();
            else timer ||= setTimeout(write, wait);
        },
    };
}

function useHash() {
    const address = useMemo(addressWriter, []);
    const [state, setState] = useState(() => fromHash(location.hash) ?? usual);
    useEffect(() => {
        const heard = () => {
            address.forget();
            setState(fromHash(location.hash) ?? usual);
        };
        addEventListener('hashchange', heard);
        if (address.left()) heard();
        return () => removeEventListener('hashchange', heard);
    }, []);
    const change = useCallback((by) => {
        setState((old) => {
            const next = { ...old, ...(typeof by === 'function' ? by(old) : by) };
            address.say(toHash(next));
            return next;
        });
    }, []);
    return [state, change];
}

/** The newest answer to the job, and the last one that was not an error. */
function useAnswers(question) {
    const [now, setNow] = useState({ answer: null, valid: null, ms: 0 });
    const [line, setLine] = useState(null);
    const estimates = useMemo(() => new Latest(main), []);
    const timelines = useMemo(() => new Latest(drawing), []);
    const text = JSON.stringify(question);
    useEffect(() => {
        estimates.ask({ command: 'estimate', ...question }, ({ answer, ms }) => {
            setNow((old) => ({ answer, valid: answer.error ? old.valid : answer, ms, question: text }));
            // The figures first: a second engine starts once they are there.
            timelines.ask({ command: 'timeline', ...question }, ({ answer: drawn }) => setLine((old) => (drawn.error ? old : drawn)));
        });
    }, [text]);
    return { ...now, line };
}

/** The engine's list of fields, asked behind the first estimate, unless that needs it to know which flags are switches. */
function useFields(job) {
    const [listed, setListed] = useState(null);
    useEffect(() => {
        const ask = () => main.ask({ command: 'fields' }).then(({ answer }) => {
            if (Array.isArray(answer.fields)) setListed(answer.fields);
        }, () => {});
        if (Object.values(job).includes('true')) ask();
        else setTimeout(ask, 0);
    }, []);
    return useMemo(() => fieldsOf(listed), [listed]);
}

/** Files that are dropped or pasted anywhere; text that is pasted outside of an area for text is a file when it has lines or is an object. */
function Drop({ take }) {
    const [over, setOver] = useState(false);
    useEffect(() => {
        const paste = (e) => {
            const text = e.clipboardData.getData('text/plain').trim();
            const files = [...e.clipboardData.files];
            if (!files.length && e.target.tagName !== 'TEXTAREA' && /^\{|\n/.test(text)) files.push(new File([text], text.startsWith('{') ? 'pasted.json' : 'pasted.txt'));
            if (!files.length) return;
            e.preventDefault();
            take(files);
        };
        const hover = (e) => {
            e.preventDefault();
            setOver(true);
        };
        const leave = (e) => {
            if (!e.relatedTarget) setOver(false);
        };
        const drop = (e) => {
            e.preventDefault();
            setOver(false);
            take([...e.dataTransfer.files]);
        };
        addEventListener('dragover', hover);
        addEventListener('dragleave', leave);
        addEventListener('drop', drop);
        addEventListener('paste', paste);
        return () => {
            removeEventListener('dragover', hover);
            removeEventListener('dragleave', leave);
            removeEventListener('drop', drop);
            removeEventListener('paste', paste);
        };
    }, [take]);
    return over ? <div class="dropping" aria-hidden="true" /> : null;
}

function Header({ state, change, t, lang }) {
    return (
        <header>
            <div class="brand"><h1>{t('title')}</h1><p>{t('tagline')}</p></div>
            <nav aria-label={t('modes')}>
                <ul>
                    {Object.keys(modes).map((mode) => (
                        <li key={mode}><button type="button" aria-current={state.mode === mode ? 'page' : undefined} onClick={() => change({ mode })}>{t(mode)}</button></li>
                    ))}
                </ul>
            </nav>
            <div class="settings">
                <label>{t('language')} <select value={lang} onChange={(e) => change({ lang: e.target.value })}>{Object.entries(languages).map(([id, name]) => <option key={id} value={id}>{name}</option>)}</select></label>
                <label>{t('theme')} <select value={state.theme ?? 'auto'} onChange={(e) => change({ theme: e.target.value === 'auto' ? undefined : e.target.value })}>{['auto', 'light', 'dark'].map((x) => <option key={x} value={x}>{t(x)}</option>)}</select></label>
            </div>
        </header>
    );
}

/** Settings that belong together: closed on a phone, where their values stand in the title, until something is wrong. */
function Group({ title, said, bad, children }) {
    const [open, setOpen] = useState(() => matchMedia('(min-width: 761px)').matches);
    useEffect(() => {
        if (bad) setOpen(true);
    }, [bad]);
    return (
        <details class="group" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
            <summary><strong>{title}</strong>{!open && said ? <span class="said-values"> {said}</span> : null}</summary>
            {children}
        </details>
    );
}

/** What the engine assumed where a control acts: by the flag it names, else by the field it speaks of; several as one. */
function assumedAt(assumptions, name, t) {
    const [first, ...rest] = assumptions.filter((a) => a.flag === name || (!a.flag && a.field === name));
    if (!first) return undefined;
    return { ...first, value: first.flag ? first.value : '', note: [first, ...rest].map((a) => (a.flag && !a.why && !a.value.includes(' ') ? '' : assumptionBody(t, a.body))).filter(Boolean).join(t('semicolon')) };
}

/** Whether a file is a model alone, which can be kept as one's own. */
const isModel = (text) => /^\s*\{/.test(text) && /"(model_type|architectures)"|"model\/1"/.test(text);

/** What a setting that nobody said comes to in the job as computed. */
function takenOf(input) {
    const { vp, cp, ep, dp, zero } = input?.run?.parallel ?? {};
    const { id, per_node: node, accelerator } = input?.cluster ?? {};
    return Object.fromEntries(Object.entries({ gpu: accelerator?.id, vp, cp, ep, dp, zero, cluster: id, 'per-node': node }).filter(([, v]) => v !== undefined).map(([k, v]) => [k, String(v)]));
}

function Controls(props) {
    const { state, say, fields, answer, valid, suggestions, take, removeFile, keepFile, refusals, t } = props;
    const [find, setFind] = useState('');
    const mine = Object.fromEntries(['own', 'state', 'change', 'valid', 'engine', 'question', 't'].map((name) => [name, props[name]]));
    const problems = placed(answer, state.job);
    const assumptions = (valid?.assumptions ?? []).map(assumptionOf);
    const byFiles = (valid?.files?.said ?? []).map((s) => ({ flag: s.field, value: s.value, why: s.where }));
    const taken = takenOf(valid?.input);
    const common = (field) => ({
        field, say, t,
        taken: taken[field.name],
        value: state.job[field.name] ?? '',
        assumption: byFiles.find((a) => a.flag === field.name) ?? assumedAt(assumptions, field.name, t),
        problems: problems.filter((p) => p.field === field.name).map((p) => inWords(t, p)),
        suggestion: suggestions[field.name],
    });
    const found = fields.more.filter((f) => state.job[f.name] || (find ? `${f.name} ${f.help} ${helpOf(t, f)}`.toLowerCase().includes(find.toLowerCase()) : true));
    const control = (field, explained) => <Control key={field.name} explained={explained} {...common(field)} />;
    return (
        <form class="controls" aria-label={t('run')} onSubmit={(e) => e.preventDefault()}>
            <fieldset>
                <legend>{t('model')}</legend>
                {control({ name: 'model', list: 'models', help: '' })}
                <p class="hint">
                    {t('drop')}{' '}
                    <label class="button">{t('choose')}<input type="file" multiple class="hidden" data-test="file" onChange={(e) => {
                        take([...e.target.files]);
                        e.target.value = '';
                    }} /></label>
                </p>
                {state.files.length ? (
                    <ul class="files" aria-label={t('files')}>{state.files.map((f) => <li key={f.name}>{f.name} {isModel(f.text) ? <button type="button" onClick={() => keepFile(f)}>{t('keepown')}</button> : null} <button type="button" class="quiet" aria-label={`${t('remove')}: ${f.name}`} onClick={() => removeFile(f.name)}>×</button></li>)}</ul>
                ) : null}
                {refusals.map((r) => <p class="problem" role="alert" data-test="refusal" key={r}>{r}</p>)}
                <OwnItems title="ownmodels" kinds={['model']} {...mine} />
            </fieldset>
            {fields.shown.map((group) => (
                <Group key={group.title} title={t(group.title)} said={group.fields.filter((f) => state.job[f.name]).map((f) => `${f.name} ${state.job[f.name]}`).join(', ')} bad={group.fields.some((f) => problems.some((p) => p.field === f.name))}>
                    {group.fields.map((field) => control(field))}
                    {group.title === 'cluster' ? <OwnItems title="ownclusters" kinds={['accelerator', 'cluster']} {...mine} /> : null}
                </Group>
            ))}
            {fields.more.length ? (
                <details class="more">
                    <summary><strong>{t('more')}</strong></summary>
                    <div class="control"><div class="name"><label for="find">{t('find')}</label></div><input id="find" type="search" value={find} onInput={(e) => setFind(e.target.value)} /></div>
                    {found.map((field) => control(field, true))}
                </details>
            ) : null}
        </form>
    );
}

function App() {
    const [state, change] = useHash();
    const lang = languageOf(state);
    const t = useMemo(() => words(lang), [lang]);
    const fields = useFields(state.job);
    const own = useOwn(state, change, main, t);
    const question = useMemo(() => ({ ...jobOf(state, fields.switches), ...sent(own.list) }), [state.job, state.files, fields, own.list]);
    const { answer, valid, ms, line, question: answered } = useAnswers(question);
    const [suggestions, setSuggestions] = useState({});
    const [refusals, setRefusals] = useState([]);

    useEffect(() => {
        document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
        document.documentElement.dataset.theme = state.theme ?? '';
        document.title = `traincost: ${t(state.mode)}`;
    }, [lang, state.theme, state.mode]);

    // What is wrong at a control gets the nearest value the engine accepts.
    useEffect(() => {
        setSuggestions({});
        let current = true;
        const laid = [...fields.shown.flatMap((g) => g.fields), ...fields.more];
        for (const { field: name, message } of placed(answer, state.job)) {
            // The nearest name is the engine's own.
            const meant = /did you mean '([^']+)'/.exec(message)?.[1];
            if (meant) setSuggestions((old) => ({ ...old, [name]: meant }));
            const field = laid.find((f) => f.name === name);
            if (meant || !field || !state.job[field.name]) continue;
            nearestValid((q) => main.ask({ command: 'estimate', ...q }), question, field, state.job[field.name]).then((value) => {
                if (current && value !== undefined) setSuggestions((old) => ({ ...old, [field.name]: value }));
            }, () => {});
        }
        return () => {
            current = false;
        };
    }, [answer]);

    const say = useCallback((name, value) => {
        const said = typeof name === 'string' ? { [name]: value } : name;
        change((old) => {
            const job = { ...old.job, ...said };
            for (const key of Object.keys(job)) if (job[key] === '') delete job[key];
            return { job };
        });
    }, [change]);
    const take = useCallback(async (files) => {
        const read = await Promise.all(files.map((file) => readFile(file, main, t)));
        setRefusals(read.filter((r) => r.refusal).map((r) => r.refusal));
        const good = read.filter((r) => !r.refusal);
        for (const { record } of good.filter((r) => r.record)) {
            const added = await own.add(record, record.id);
            if (added.record) say(kindOf(record) === 'cluster' ? { cluster: added.record.id, ...(record.accelerator ? { gpu: '' } : {}) } : { gpu: added.record.id });
        }
        if (!good.some((r) => r.accept)) return;
        change((old) => {
            let next = { ...old };
            for (const { accept } of good.filter((r) => r.accept)) next = { ...next, ...accept(next) };
            return next;
        });
    }, [change, own, t]);
    const keepFile = async (file) => {
        const { record } = await own.read(file.text, file.name);
        const added = await own.add(record, /^config\./.test(file.name) ? record.id : file.name.replace(/\.json$/, ''));
        if (added.problem) return setRefusals([added.problem]);
        removeFile(file.name);
        return say('model', added.record.id);
    };
    const removeFile = useCallback((name) => change((old) => ({ files: old.files.filter((f) => f.name !== name) })), [change]);

    // tests/speed.mjs reads when the first result is painted.
    const first = Boolean(answer);
    useEffect(() => {
        if (first) requestAnimationFrame(() => setTimeout(() => performance.mark('first result'), 0));
    }, [first]);

    const Mode = modes[state.mode] ?? modes.ask;
    const shared = { state, change, say, question, answer, valid, line, ms, fields, own, engine: main, t, lang, lists, answered, take, refusals };
    return (
        <>
            <a class="skip" href="#result" onClick={(e) => {
                e.preventDefault();
                document.getElementById('result').focus();
            }}>{t('skip')}</a>
            <Header state={state} change={change} t={t} lang={lang} />
            <Drop take={take} />
            {Object.entries(lists).map(([id, options]) => [id, [...own.list.filter((r) => folderOf(r) === id).map((r) => [r.id, t('own_')]), ...options]]).map(([id, options]) => <datalist id={id} key={id}>{options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</datalist>)}
            <div class="columns">
                <Controls {...shared} suggestions={suggestions} removeFile={removeFile} keepFile={keepFile} />
                <main id="result" tabIndex={-1} aria-label={t('result')} data-mode={state.mode} data-ms={ms} data-answered={answered} data-asked={JSON.stringify(question)}>
                    {answer ? <Mode {...shared} /> : <p role="status">{t('starting')}</p>}
                </main>
            </div>
            <footer><p>traincost {main.version}{served ? `${t('comma')}${t('native')}` : ''}{t('period')}<code><Flags text={commandLine(state)} /></code></p></footer>
        </>
    );
}

render(<App />, document.getElementById('app'));

// Other scripts on the page, and its tests, ask the same engine.
window.traincost = { ask: async (question) => (await main.ask(question)).answer };
