import { useEffect, useState } from 'preact/hooks';
import { tablesOf } from './answers.js';
import { Problems } from './ask.jsx';
import { Cells } from './plans.jsx';

/** What the originals print of the job, ours beside the figures that both have. */
function Originals({ originals, t }) {
    return originals.map(({ name, command, text, figures }) => (
        <section key={name} data-test="original" aria-labelledby={`original-${name}`}>
            <h3 id={`original-${name}`}>{name}</h3>
            <div class="beside">
                <div>
                    <pre class="scroll" tabIndex={0} role="region" aria-label={`${name} ${t('theirprint')}`}>{text}</pre>
                    <p class="hint"><code>{command}</code></p>
                </div>
                <div>{figures.length ? <Cells name={t('besideours')} value={figures} /> : null}</div>
            </div>
        </section>
    ));
}

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
            {answer && !answer.error ? <><Originals originals={answer.originals ?? []} t={t} />{tablesOf(answer).filter(([name]) => name !== 'originals').map(([name, value]) => <Cells key={name} name={name} value={value} />)}</> : null}
        </section>
    );
}
