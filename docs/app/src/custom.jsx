import { useEffect, useRef, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { Flags } from './command.jsx';
import { isRecord, together, usedBy } from './own.js';
import { PageError, inWords } from './page_error.js';
import { drawnStep, recordedFile } from './recording.js';
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

export function Custom({ state, change, question, answer, valid, line, engine, t }) {
    const [text, setText] = useState('');
    const [problem, setProblem] = useState('');
    const [own, setOwn] = useState(null);
    const rows = state.more.rows ?? '';
    const setRows = (csv) => change(({ more: { rows: before, ...more } }) => ({ more: csv.trim() ? { ...more, rows: csv } : more }));
    const used = usedBy(state, state.records);
    const job = JSON.stringify({ traincost_page: 1, job: state.job, files: state.files, ...(used.length ? { records: used } : {}) }, null, 2);
    useEffect(() => setText(job), [job]);
    const load = () => {
        try {
            const read = JSON.parse(text);
            if (read?.job === null || typeof read?.job !== 'object') throw new PageError('nojob');
            change((old) => ({ job: Object.fromEntries(Object.entries(read.job).map(([k, v]) => [k, String(v)])), files: Array.isArray(read.files) ? read.files : [], records: together((Array.isArray(read.records) ? read.records : []).filter(isRecord), old.records) }));
            setProblem('');
        } catch (error) {
            setProblem(inWords(t, error));
        }
    };
    const asked = useRef(0);
    /** A timeline from elsewhere, drawn once the engine has read it; an older one that comes late is dropped. */
    const drawFrom = async (reading) => {
        const turn = ++asked.current;
        let step = null;
        let wrong = '';
        try {
            const from = await reading;
            const read = from ? (await engine.ask({ command: 'timeline', from })).answer : null;
            wrong = read?.error ? inWords(t, read.error.problems[0]) : '';
            step = read && !read.error ? drawnStep(read) : null;
        } catch (error) {
            wrong = inWords(t, error);
        }
        if (turn !== asked.current) return;
        setOwn(step);
        setProblem(wrong);
    };
    const draw = (csv) => {
        setRows(csv);
        drawFrom(csv.trim() ? { name: 'rows', text: csv } : null);
    };
    useEffect(() => {
        if (rows.trim()) drawFrom({ name: 'rows', text: rows });
    }, []);
    const open = async (file) => {
        if (!file) return;
        const reading = recordedFile(file);
        reading.then(({ text = '' }) => setRows(/^"?stage\b/.test(text) ? text : ''), () => {});
        await drawFrom(reading);
    };
    const saveWorkbook = async () => {
        try {
            const { answer: sheets } = await engine.ask({ command: 'sheet', ...question });
            setProblem(sheets.error ? inWords(t, sheets.error.problems[0]) : '');
            if (!sheets.error) save('traincost.xlsx', await workbookOf(sheets));
        } catch (error) {
            setProblem(inWords(t, error));
        }
    };
    const computed = () => `stage,task,micro_batch,begin_s,end_s\n${(line?.events ?? []).map((e) => [e.stage ?? '', e.task, e.micro_batch ?? '', e.begin_s, e.end_s].join(',')).join('\n')}\n`;
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
            <p><code data-test="workbook"><Flags text={commandLine(state, 'export sheet --output job.xlsx')} /></code></p>
            <h3><label for="custom-rows">{t('owntimeline')}</label></h3>
            <p class="hint">{t('owntimelinehelp')} <code>stage,task,micro_batch,begin_s,end_s</code></p>
            <textarea id="custom-rows" value={rows} spellcheck={false} onInput={(e) => draw(e.target.value)} />
            <div class="tools">
                <label class="button">{t('openrows')}<input type="file" accept=".csv,.xlsx,.json" class="hidden" data-test="timeline-file" onChange={(e) => {
                    open(e.target.files[0]);
                    e.target.value = '';
                }} /></label>
                <button type="button" disabled={!line} onClick={() => draw(computed())}>{t('frompredicted')}</button>
                <button type="button" onClick={() => save('timeline.csv', rows || computed(), 'text/csv')}>{t('download')} {t('csv')}</button>
            </div>
            {own ? <Timeline answer={own} id="timeline-own" title={t('own')} t={t} /> : null}
        </section>
    );
}
