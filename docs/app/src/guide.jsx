import { useEffect, useRef, useState } from 'preact/hooks';
import { askAll } from './client.js';
import { PlanTable } from './plans.jsx';

const keep = 20;

/** Layouts searched in workers: one question a pipeline and tensor degree, the best so far shown as answers come. */
export function Guide({ question, say, t }) {
    const [found, setFound] = useState([]);
    const [progress, setProgress] = useState(null);
    const [goal, setGoal] = useState('fastest');
    const [refusal, setRefusal] = useState('');
    const search = useRef(null);
    useEffect(() => () => search.current?.stop(), []);
    const order = { fastest: (a, b) => a.step_time_s - b.step_time_s, cheapest: (a, b) => (a.usd ?? a.usd_per_million_tokens ?? a.step_time_s) - (b.usd ?? b.usd_per_million_tokens ?? b.step_time_s) };
    const start = () => {
        const free = { ...question };
        for (const name of ['dp', 'vp', 'zero', 'micro-batch', 'recompute', 'schedule', 'sequence-parallel']) delete free[name];
        const degrees = (name, all) => (question[name] ? [question[name]] : all);
        const questions = [];
        for (const pp of degrees('pp', ['1', '2', '4', '8', '16', '32', '64']))
            for (const tp of degrees('tp', ['1', '2', '4', '8'])) questions.push({ command: 'plan', top: 5, ...free, tp, pp });
        setFound([]);
        setRefusal('');
        setProgress({ done: 0, all: questions.length });
        const refusals = [];
        search.current?.stop();
        search.current = askAll(questions, (answer) => {
            setProgress((old) => ({ ...old, done: old.done + 1 }));
            if (answer.error) refusals.push(answer.error.problems[0]);
            else setFound((old) => [...new Map([...old, ...(answer.plans ?? [])].map((p) => [p.flags, p])).values()]);
        });
        search.current.finished.then(() => {
            setProgress((old) => (old ? { ...old, over: true } : old));
            if (refusals.length === questions.length) setRefusal(`${refusals[0].path ? `${refusals[0].path}: ` : ''}${refusals[0].message}`);
        });
    };
    const cancel = () => {
        search.current?.stop();
        setProgress((old) => ({ ...old, over: true, cancelled: true }));
    };
    const plans = [...found].filter((p) => p.fits).sort(order[goal]).slice(0, keep);
    const running = progress && !progress.over;
    return (
        <section aria-labelledby="guide-title" data-test="guide" data-over={progress?.over ? 'yes' : 'no'}>
            <h2 id="guide-title">{t('guide')}</h2>
            <p class="hint">{t('guidehelp')}</p>
            <div class="tools">
                <label>{t('goal')} <select value={goal} onChange={(e) => setGoal(e.target.value)}>{['fastest', 'cheapest'].map((g) => <option key={g} value={g}>{t(g)}</option>)}</select></label>
                {running ? <button type="button" onClick={cancel}>{t('cancel')}</button> : <button type="button" class="primary" onClick={start}>{t('search')}</button>}
            </div>
            {progress ? (
                <div role="status">
                    <progress max={progress.all} value={progress.done} aria-label={t('searching')} />
                    <p>{running ? t('searching') : t('done')}: {progress.done} / {progress.all} {t('askeda')}</p>
                </div>
            ) : null}
            {refusal ? <p class="problem" role="alert">{refusal}</p> : null}
            {plans.length ? <PlanTable plans={plans} say={say} t={t} /> : progress?.over && !refusal ? <p>{t('noplan')}</p> : null}
        </section>
    );
}
