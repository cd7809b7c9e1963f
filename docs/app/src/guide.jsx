import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf, searchOf } from './answers.js';
import { askAll } from './client.js';
import { seconds } from './numbers.js';
import { inWords } from './page_error.js';
import { PlanTable } from './plans.jsx';
import { filled } from './words.js';

const keep = 20;
const goals = { time: 'step_s', cost: 'usd', memory: 'device_bytes', energy: 'kwh' };
const searched = ['dp', 'vp', 'zero', 'micro-batch', 'recompute', 'schedule', 'sequence-parallel'];
const degrees = ['1', '2', '4', '8', '16', '32', '64'];

/** One search of the whole space, whose answer counts; its parts run beside it and show the best so far. */
export function Guide({ state, change, question, say, t }) {
    const [found, setFound] = useState([]);
    const [progress, setProgress] = useState(null);
    const goal = Object.hasOwn(goals, state.more.goal ?? '') ? state.more.goal : 'time';
    const setGoal = (value) => change((old) => ({ more: { ...old.more, goal: value } }));
    const [refusal, setRefusal] = useState('');
    const search = useRef(null);
    useEffect(() => () => search.current?.stop(), []);
    const better = (a, b) => (a[goals[goal]] ?? a.step_s) - (b[goals[goal]] ?? b.step_s);
    const start = () => {
        const free = { command: 'recommend', objective: goal, ...question };
        for (const name of searched) delete free[name];
        const parts = question.pp ? [] : degrees.map((pp) => ({ ...free, pp, top: 3 }));
        const questions = [{ ...free, top: keep }, ...parts];
        setFound([]);
        setRefusal('');
        const begin = performance.now();
        setProgress({ done: 0, all: questions.length });
        search.current?.stop();
        const running = askAll(questions, (answer, at) => {
            const { plans, none, evaluated } = searchOf(answer);
            if (at > 0) {
                setProgress((old) => (old.over ? old : { ...old, done: old.done + 1 }));
                setFound((old) => [...new Map([...old, ...plans].map((p) => [p.flags, p])).values()].sort(better).slice(0, keep));
                return;
            }
            if (answer.error) setRefusal(problemOf(t, answer));
            else if (!plans.length) setRefusal([t('noplan'), ...none.map((message) => inWords(t, { message }))].join(t('space')));
            if (!answer.error) setFound(plans);
            setProgress({ over: true, evaluated, ms: performance.now() - begin });
            running.stop();
        });
        search.current = running;
        running.finished.catch((error) => {
            setRefusal(inWords(t, error));
            setProgress((old) => ({ ...old, over: true }));
        });
    };
    const cancel = () => {
        search.current?.stop();
        setProgress((old) => ({ ...old, over: true, cancelled: true }));
    };
    const running = progress && !progress.over;
    return (
        <section aria-labelledby="guide-title" data-test="guide" data-over={progress?.over ? 'yes' : 'no'} data-ms={progress?.ms}>
            <h2 id="guide-title">{t('guide')}</h2>
            <p class="hint">{t('guidehelp')}</p>
            <div class="tools">
                <label>{t('goal')} <select value={goal} onChange={(e) => setGoal(e.target.value)}>{Object.keys(goals).map((g) => <option key={g} value={g}>{t(`goal_${g}`)}</option>)}</select></label>
                {running ? <button type="button" onClick={cancel}>{t('cancel')}</button> : <button type="button" class="primary" onClick={start}>{t('search')}</button>}
            </div>
            <div role="status">
                {running ? <><progress max={progress.all} value={progress.done} aria-label={t('searching')} /><p>{[filled(t('searchparts'), progress.done, progress.all - 1), found.length ? t('best') : ''].filter(Boolean).join(t('semicolon'))}</p></> : null}
                {progress?.cancelled ? <p>{[t('cancelled'), found.length ? t('best') : ''].filter(Boolean).join(t('semicolon'))}</p> : null}
                {progress?.over && progress.evaluated ? <p>{filled(t('evaluated'), progress.evaluated.toLocaleString('en'), seconds(progress.ms / 1000))}</p> : null}
            </div>
            {refusal ? <p class="problem" role="alert">{refusal}</p> : null}
            {found.length ? <PlanTable plans={found} say={say} t={t} /> : null}
        </section>
    );
}
