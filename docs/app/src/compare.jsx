import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { TextBox } from './box.jsx';
import { answerOf } from './client.js';
import { count, digits, bytes, dollars, percent, seconds } from './numbers.js';
import { partName } from './engine_words.js';
import { sent } from './own.js';
import { Bar, Legend } from './results.jsx';
import { jobOf } from './state.js';
import { Timeline } from './timeline.jsx';

const rows = [
    ['step', (j) => j.step.time_s, seconds],
    ['ratio', (j) => j.step_ratio, digits],
    ['memory', (j) => j.memory.device_bytes, bytes],
    ['chance', (j) => j.memory.probability_of_fitting, percent],
    ['mfu', (j) => j.throughput.mfu, percent],
    ['rate', (j) => j.throughput.tokens_per_s, count],
    ['days', (j) => j.training.days, digits],
    ['hours', (j) => j.training.gpu_hours, count],
    ['cost', (j) => j.cost.usd, dollars],
];

/** Kept jobs side by side: figures, the parts of a step on one scale, timelines on one scale. */
export function Compare({ state, change, engine, fields, own, t }) {
    const [answer, setAnswer] = useState(null);
    const [lines, setLines] = useState([]);
    const { saved } = state;
    const questions = saved.map(({ job, files = [] }) => jobOf({ job, files }, fields.switches));
    const records = sent(own.list);
    const text = JSON.stringify([saved.map((s) => s.name), questions, records]);
    useEffect(() => {
        setAnswer(null);
        setLines([]);
        if (!saved.length) return undefined;
        let current = true;
        // One alone is an estimate: the engine compares two or more.
        const asked = saved.length > 1 ? { command: 'compare', ...records, jobs: questions.map((q, i) => ({ ...q, name: `${i + 1} ${saved[i].name}` })) } : { command: 'estimate', ...questions[0], ...records };
        answerOf(engine, asked).then((a) => current && setAnswer(a.error || saved.length > 1 ? a : { jobs: [{ ...a, step_ratio: 1 }] }));
        Promise.all(questions.map((q) => answerOf(engine, { command: 'timeline', ...q, ...records }))).then((all) => current && setLines(all));
        return () => {
            current = false;
        };
    }, [text]);
    const differing = [...new Set(saved.flatMap(({ job }) => Object.keys(job)))].filter((key) => new Set(saved.map(({ job }) => job[key])).size > 1);
    const filesOf = ({ files = [] }) => files.map((f) => f.name).join(', ');
    const otherFiles = new Set(saved.map(({ files = [] }) => JSON.stringify(files))).size > 1;
    const jobs = answer?.jobs?.length === saved.length ? answer.jobs : [];
    const longest = Math.max(0, ...jobs.map((j) => j.step.time_s));
    const partsOf = (j) => j.step.breakdown.map((b, index) => ({ name: partName(t, b.name), amount: b.seconds, index })).filter((p) => p.amount > 0);
    const parts = [...new Map(jobs.flatMap(partsOf).map((p) => [p.name, p])).values()].sort((a, b) => a.index - b.index);
    const drawn = lines.filter((line) => line?.events);
    const remove = (i) => change((old) => ({ saved: old.saved.filter((_, k) => k !== i) }));
    return (
        <section aria-labelledby="compare-title" data-test="compare">
            <h2 id="compare-title">{t('compare')}</h2>
            <p class="hint">{t('comparehelp')}</p>
            {!saved.length ? <p>{t('nothing')}</p> : null}
            {saved.length === 1 ? <p>{t('lone')}</p> : null}
            <Problems answer={answer} t={t} />
            {saved.length ? (
                <>
                    <div class="scroll" tabIndex={0} role="group" aria-label={t('table')}>
                        <table>
                            <thead>
                                <tr><th scope="col">{t('name')}</th>{saved.map(({ name }, i) => (
                                    <th scope="col" key={i}>
                                        <TextBox value={name} aria-label={`${t('name')} ${i + 1}`} commit={(value) => change((old) => ({ saved: old.saved.map((s, k) => (k === i ? { ...s, name: value } : s)) }))} />{' '}
                                        <button type="button" class="quiet" aria-label={`${t('remove')}: ${name}`} onClick={() => remove(i)}>×</button>
                                    </th>
                                ))}</tr>
                            </thead>
                            <tbody>
                                {differing.map((key) => <tr class="marked" key={key}><th scope="row"><code>--{key}</code></th>{saved.map(({ job }, i) => <td key={i}>{job[key] ?? t('unsaid')}</td>)}</tr>)}
                                {otherFiles ? <tr class="marked"><th scope="row">{t('files')}</th>{saved.map((s, i) => <td key={i}>{filesOf(s) || '–'}</td>)}</tr> : null}
                                {jobs.length ? rows.map(([name, valueOf, text_]) => <tr key={name}><th scope="row">{t(name)}</th>{jobs.map((j, i) => <td key={i}>{valueOf(j) === null || valueOf(j) === undefined ? '–' : text_(valueOf(j))}</td>)}</tr>) : null}
                            </tbody>
                        </table>
                    </div>
                    {jobs.length ? <><h3>{t('breakdown')}</h3>
                    <div class="stages">
                        {jobs.map((j, i) => <div class="row" key={i}><span>{i + 1}</span><Bar parts={partsOf(j)} total={j.step.time_s} full={longest} text={seconds} title={`${i + 1}. ${saved[i].name}`} t={t} /><span class="amount">{seconds(j.step.time_s)}</span></div>)}
                    </div>
                    <Legend parts={parts} /></> : null}
                    {drawn.length > 1 ? <p class="hint">{t('than')}</p> : null}
                    {lines.map((line, i) => (line && !line.error && line.events ? <Timeline key={i} id={`timeline-${i + 1}`} title={`${i + 1}. ${saved[i]?.name ?? ''}`} answer={line} scale={Math.max(...drawn.map((l) => l.total_s))} against={drawn.length > 1 ? drawn[0] : undefined} t={t} /> : null))}
                </>
            ) : null}
        </section>
    );
}
