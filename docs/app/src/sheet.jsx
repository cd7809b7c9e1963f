import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { planOf } from './answers.js';
import { TextBox } from './box.jsx';
import { answerOf } from './client.js';
import { Achieved } from './measure.jsx';
import { Cells, PlanTable } from './plans.jsx';

/** The pre-training sheet: what a plan of the job answers, as tables. */
export function Sheet({ state, change, question, engine, say, t }) {
    const measured = state.more.stepTime ?? '';
    const [answer, setAnswer] = useState(null);
    const [busy, setBusy] = useState(false);
    const text = JSON.stringify(question);
    useEffect(() => {
        let current = true;
        setBusy(true);
        answerOf(engine, { command: 'plan', top: 10, ...question }).then((a) => {
            if (!current) return;
            setAnswer(a);
            setBusy(false);
        });
        return () => {
            current = false;
        };
    }, [text]);
    return (
        <section aria-labelledby="sheet-title" data-test="sheet" aria-busy={busy}>
            <h2 id="sheet-title">{t('sheet')}</h2>
            <h3>{t('pretrain')}</h3>
            <p class="hint">{t('sheethelp')}</p>
            {busy ? <p role="status">{t('searching')} …</p> : null}
            <Problems answer={answer} t={t} />
            {answer && !answer.error ? (
                <>
                    <PlanTable plans={(answer.plans ?? []).map(planOf)} say={say} t={t} />
                    {Object.entries(answer).filter(([name, value]) => !['schema_version', 'plans', 'input'].includes(name) && value !== null && typeof value === 'object').map(([name, value]) => <Cells key={name} name={name} value={value} t={t} />)}
                </>
            ) : null}
            <h3>{t('aftertrain')}</h3>
            <div class="tools"><label>{t('steptime')} <TextBox id="step-time" value={measured} placeholder="6.8s" commit={(value) => change((old) => ({ more: { ...old.more, stepTime: value } }))} /></label></div>
            {measured ? <div data-test="after"><Achieved question={question} measured={{ 'step-time': measured }} engine={engine} t={t} /></div> : null}
        </section>
    );
}
