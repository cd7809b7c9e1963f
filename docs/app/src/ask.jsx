import { useEffect, useState } from 'preact/hooks';
import { Explanation } from './explanation.jsx';
import { inWords } from './page_error.js';
import { lanesOf } from './recording.js';
import { Assumptions, Figures, MemoryByStage, StepBreakdown, Verdict } from './results.jsx';
import { Share } from './share.jsx';
import { Timeline } from './timeline.jsx';

export function Problems({ answer, t }) {
    if (!answer?.error) return null;
    return (
        <div class="problem" role="alert" data-test="error">
            <p>{t('wrong')}</p>
            {answer.error.problems.map((p) => <p key={p.path + p.message}>{p.path ? `${p.path}: ` : ''}{inWords(t, p)}</p>)}
        </div>
    );
}

/** The step by stages, or by what each stage computes and sends at a time. */
function Step({ answer, question, engine, t }) {
    const [wanted, setWanted] = useState(false);
    const [lanes, setLanes] = useState(null);
    useEffect(() => {
        let current = true;
        setLanes(null);
        if (wanted) engine.ask({ command: 'timeline', lanes: true, ...question }).then(({ answer: a }) => current && !a.error && setLanes(a), () => {});
        return () => {
            current = false;
        };
    }, [wanted, answer]);
    const box = <label><input type="checkbox" checked={wanted} onChange={(e) => setWanted(e.target.checked)} /> {t('bylane')}</label>;
    return <Timeline answer={lanes ? lanesOf(lanes, t) : answer} tool={box} t={t} />;
}

export function Ask(props) {
    const { answer, valid, line, t, say, question, engine } = props;
    const [topic, setTopic] = useState(null);
    return (
        <>
            <h2 class="hidden">{t('result')}</h2>
            <Problems answer={answer} t={t} />
            {answer.error && valid ? <p class="hint">{t('stale')}</p> : null}
            {valid ? (
                <div class={answer.error ? 'stale' : ''}>
                    <div aria-live="polite"><Verdict answer={valid} say={say} t={t} /></div>
                    <Figures answer={valid} explain={setTopic} t={t} />
                    {topic ? <Explanation {...topic} of={valid} question={question} engine={engine} close={() => setTopic(null)} t={t} /> : null}
                    <MemoryByStage answer={valid} explain={setTopic} t={t} />
                    <StepBreakdown answer={valid} explain={setTopic} t={t} />
                    <Step answer={line} question={question} engine={engine} t={t} />
                    <Assumptions answer={valid} t={t} />
                    <Share {...props} />
                </div>
            ) : null}
        </>
    );
}
