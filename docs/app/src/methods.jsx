import { useEffect, useState } from 'preact/hooks';
import { tablesOf } from './answers.js';
import { Problems } from './ask.jsx';
import { Cells } from './plans.jsx';

/** How published calculators count the work of the job, and their days beside ours. */
export function Methods({ question, engine, t }) {
    const [answer, setAnswer] = useState(null);
    const text = JSON.stringify(question);
    useEffect(() => {
        let current = true;
        engine.ask({ command: 'methods', ...question }).then((a) => current && setAnswer(a.answer));
        return () => {
            current = false;
        };
    }, [text]);
    return (
        <section aria-labelledby="methods-title" data-test="methods">
            <h2 id="methods-title">{t('methods')}</h2>
            <p class="hint">{t('methodshelp')}</p>
            <Problems answer={answer} t={t} />
            {answer && !answer.error ? tablesOf(answer).map(([name, value]) => <Cells key={name} name={name} value={value} />) : null}
        </section>
    );
}
