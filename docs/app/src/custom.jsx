import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { OwnCluster } from './cluster.jsx';
import { save } from './share.jsx';
import { commandLine } from './state.js';
import { Timeline } from './timeline.jsx';
import { workbookOf } from './workbook.js';

const quoted = (x) => (/[",\n]/.test(String(x)) ? `"${String(x).replaceAll('"', '""')}"` : String(x));

/** Every number of an answer as path and value: the sheet other programs read. */
export function sheetOf(answer) {
    const lines = ['path,value'];
    const walk = (value, path) => {
        if (value !== null && typeof value === 'object') Object.entries(value).forEach(([k, v]) => walk(v, path ? `${path}.${k}` : k));
        else lines.push(`${quoted(path)},${value === null ? '' : quoted(value)}`);
    };
    walk(answer, '');
    return `${lines.join('\n')}\n`;
}

const csvCells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] !== undefined ? m[1].replaceAll('""', '"') : m[2].trim()));

/** Own rows as a timeline: stage, task, micro_batch, begin_s, end_s. */
export function ownTimeline(text) {
    const [head, ...lines] = text.trim().split(/\r?\n/).map(csvCells);
    const at = Object.fromEntries(['stage', 'task', 'micro_batch', 'begin_s', 'end_s'].map((name) => [name, head.indexOf(name)]));
    for (const name of ['stage', 'task', 'begin_s', 'end_s']) if (at[name] < 0) throw new Error(`the first line has no column ${name}: stage,task,micro_batch,begin_s,end_s`);
    const events = lines.map((cells, i) => {
        const event = { stage: Number(cells[at.stage]), task: cells[at.task], begin_s: Number(cells[at.begin_s]), end_s: Number(cells[at.end_s]) };
        if (at.micro_batch >= 0 && cells[at.micro_batch]) event.micro_batch = Number(cells[at.micro_batch]);
        if (!Number.isInteger(event.stage) || event.stage < 0 || event.stage > 1023) throw new Error(`line ${i + 2}: stage is '${cells[at.stage] ?? ''}', must be 0 to 1023`);
        if (!(event.begin_s >= 0 && event.end_s > event.begin_s && Number.isFinite(event.end_s))) throw new Error(`line ${i + 2}: begin_s and end_s must be seconds, the end later`);
        return event;
    });
    if (!events.length) throw new Error('there are no rows below the first line');
    const stages = Math.max(...events.map((e) => e.stage)) + 1;
    return { total_s: Math.max(...events.map((e) => e.end_s)), stages: Array.from({ length: stages }, () => ({ use: {}, memory: [] })), events };
}

export function Custom({ state, change, question, answer, valid, line, engine, t }) {
    const [text, setText] = useState('');
    const [problem, setProblem] = useState('');
    const [own, setOwn] = useState(null);
    const [rows, setRows] = useState('');
    const job = JSON.stringify({ traincost_page: 1, job: state.job, files: state.files }, null, 2);
    useEffect(() => setText(job), [job]);
    const load = () => {
        try {
            const read = JSON.parse(text);
            if (read === null || typeof read !== 'object' || typeof read.job !== 'object') throw new Error('"job" is missing');
            change({ job: Object.fromEntries(Object.entries(read.job).map(([k, v]) => [k, String(v)])), files: Array.isArray(read.files) ? read.files : [] });
            setProblem('');
        } catch (error) {
            setProblem(error.message);
        }
    };
    const draw = (csv) => {
        setRows(csv);
        try {
            setOwn(csv.trim() ? ownTimeline(csv) : null);
            setProblem('');
        } catch (error) {
            setOwn(null);
            setProblem(error.message);
        }
    };
    const saveWorkbook = async () => {
        try {
            const { answer: sheets } = await engine.ask({ command: 'sheet', ...question });
            setProblem(sheets.error ? sheets.error.problems[0].message : '');
            if (!sheets.error) save('traincost.xlsx', await workbookOf(sheets));
        } catch (error) {
            setProblem(error.message);
        }
    };
    const computed = () => `stage,task,micro_batch,begin_s,end_s\n${(line?.events ?? []).map((e) => [e.stage ?? 0, e.task, e.micro_batch ?? '', e.begin_s, e.end_s].join(',')).join('\n')}\n`;
    return (
        <section aria-labelledby="custom-title" data-test="custom">
            <h2 id="custom-title">{t('custom')}</h2>
            <p class="hint">{t('customhelp')}</p>
            <Problems answer={answer} t={t} />
            {problem ? <p class="problem" role="alert" data-test="custom-problem">{problem}</p> : null}
            <label for="custom-job">{t('input')}</label>
            <textarea id="custom-job" value={text} spellcheck={false} onInput={(e) => setText(e.target.value)} />
            <div class="tools">
                <button type="button" class="primary" onClick={load}>{t('load')}</button>
                <button type="button" onClick={() => save('traincost-job.json', job, 'application/json')}>{t('download')} {t('json')}</button>
                <button type="button" disabled={!valid} onClick={() => save('traincost.csv', sheetOf(valid), 'text/csv')}>{t('answeras')} {t('csv')}</button>
                <button type="button" disabled={!valid} onClick={() => save('traincost.json', JSON.stringify(valid, null, 2), 'application/json')}>{t('answeras')} {t('json')}</button>
                <button type="button" disabled={!valid} onClick={saveWorkbook}>{t('workbook')}</button>
            </div>
            <p class="hint">{t('workbookhelp')}</p>
            <p><code data-test="workbook">{commandLine(state, 'export sheet --output job.xlsx')}</code></p>
            <OwnCluster state={state} change={change} valid={valid} t={t} />
            <h3><label for="custom-rows">{t('timeline')}: stage,task,micro_batch,begin_s,end_s</label></h3>
            <textarea id="custom-rows" value={rows} spellcheck={false} onInput={(e) => draw(e.target.value)} />
            <div class="tools">
                <button type="button" disabled={!line} onClick={() => draw(computed())}>{t('predicted')}</button>
                <button type="button" onClick={() => save('timeline.csv', rows || computed(), 'text/csv')}>{t('download')} {t('csv')}</button>
            </div>
            {own ? <Timeline answer={own} id="timeline-own" title={t('own')} t={t} /> : null}
        </section>
    );
}
