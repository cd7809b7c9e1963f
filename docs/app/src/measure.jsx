import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { answerOf } from './client.js';
import { verdictText } from './engine_words.js';
import { seconds } from './numbers.js';
import { Cells } from './plans.jsx';
import { drawnStep } from './recording.js';
import { Timeline } from './timeline.jsx';
import { filled } from './words.js';

/** What the engine concludes: the sentences of its answer. */
const verdictsOf = (answer) => (answer && !answer.error ? Object.entries(answer).filter(([name, v]) => /verdict$/.test(name) && typeof v === 'string').map(([, v]) => v) : []);

/** What the engine makes of a measured run beside its prediction. */
export function Achieved({ question, measured, engine, without, t }) {
    const [answer, setAnswer] = useState(null);
    const text = JSON.stringify([question, measured]);
    useEffect(() => {
        let current = true;
        answerOf(engine, { command: 'achieved', ...question, ...measured }).then((a) => current && setAnswer(a));
        return () => {
            current = false;
        };
    }, [text]);
    const said = verdictsOf(answer);
    return answer ? <><Problems answer={answer} t={t} />{said.length ? <div class="said-of" data-test="achieved-verdict">{said.map((line) => <p key={line}><strong>{verdictText(t, line)}</strong></p>)}</div> : null}{!answer.error ? Object.entries(answer).filter(([k, v]) => k !== 'input' && k !== without && v !== null && typeof v === 'object').map(([k, v]) => <Cells key={k} name={k} value={v} t={t} />) : null}</> : null;
}

/** A recorded step, chosen of its iterations, over the predicted one on the same scale. */
function Recording({ recording, change, line, t, ...rest }) {
    const { file, which = 'median' } = recording;
    const [step, setStep] = useState(null);
    useEffect(() => {
        let current = true;
        answerOf(rest.engine, { command: 'timeline', from: file, iteration: which }).then((a) => current && setStep({ ...a, which }));
        return () => {
            current = false;
        };
    }, [file, which]);
    if (!step || step.error) return <Problems answer={step} t={t} />;
    const scale = Math.max(step.total_s, line?.total_s ?? 0);
    const pick = (value) => change((old) => ({ more: { ...old.more, recording: { ...old.more.recording, which: value } } }));
    return (
        <>
            <div class="tools">
                <label>{t('iteration')} <select value={which} onChange={(e) => pick(e.target.value)}>
                    {['median', 'slowest'].map((w) => <option key={w} value={w}>{t(w)}</option>)}
                    {step.totals_s.slice(0, 1000).map((total, i) => <option key={i} value={String(i + 1)}>{i + 1}: {seconds(total)}</option>)}
                </select></label>
            </div>
            <p data-test="picked" data-which={step.which}>{filled(t('picked'), step.iteration, step.iterations, seconds(step.total_s))}{line ? filled(t('beside'), seconds(line.total_s)) : ''}</p>
            <Timeline answer={drawnStep(step)} scale={scale} id="timeline-measured" title={t('measured')} t={t} />
            {line ? <Timeline answer={line} scale={scale} id="timeline-predicted" title={t('predicted')} t={t} /> : null}
            <Achieved {...rest} measured={{ 'step-time': `${step.total_s}s` }} t={t} />
        </>
    );
}

function Log({ log, question, engine, t }) {
    const [read, setRead] = useState(null);
    useEffect(() => {
        answerOf(engine, { command: 'read', files: [log] }).then(setRead);
    }, [log.name, log.text]);
    return (
        <>
            {read ? <><Problems answer={read} t={t} />{!read.error ? <Cells name="log" value={read} t={t} /> : null}</> : null}
            <Achieved question={question} measured={{ log }} without="log" engine={engine} t={t} />
        </>
    );
}

/** A training log, a benchmark.csv or a Chrome trace that was dropped, beside the prediction. */
export function Measure({ state, change, question, engine, line, t }) {
    const { log, recording } = state.more;
    const name = recording?.file.name ?? log?.name;
    return (
        <section aria-labelledby="measure-title" data-test="measure">
            <h2 id="measure-title">{t('measure')}</h2>
            <p class="hint">{t('measurehelp')}</p>
            {name ? <p>{name} <button type="button" class="quiet" aria-label={`${t('remove')}: ${name}`} onClick={() => change(({ more: { log: gone, recording: too, ...more } }) => ({ more }))}>×</button></p> : <p>{t('nofile')}</p>}
            {recording ? <Recording recording={recording} change={change} line={line} question={question} engine={engine} t={t} /> : log ? <Log log={log} question={question} engine={engine} t={t} /> : null}
        </section>
    );
}
