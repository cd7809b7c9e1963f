import { useState } from 'preact/hooks';
import { Explanation } from './explanation.jsx';
import { Assumptions, Figures, MemoryByStage, StepBreakdown, Verdict } from './results.jsx';
import { Share } from './share.jsx';
import { Timeline } from './timeline.jsx';

export function Problems({ answer, known, t }) {
    const problems = answer?.error?.problems.filter((p) => !known?.has(p.path)) ?? [];
    if (!answer?.error) return null;
    return (
        <div class="problem" role="alert" data-test="error">
            <p>{t('wrong')}</p>
            {(problems.length ? problems : answer.error.problems).map((p) => <p key={p.path + p.message}>{p.path ? `${p.path}: ` : ''}{p.message}</p>)}
        </div>
    );
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
                    <Timeline answer={line} t={t} />
                    <Assumptions answer={valid} t={t} />
                    <Share {...props} />
                </div>
            ) : null}
        </>
    );
}
