import { useEffect, useState } from 'preact/hooks';

/** Where a number comes from: the engine's equation, symbols, values and sources, as it words them. */
export function Explanation({ topic, question, engine, close, t }) {
    const [said, setSaid] = useState(null);
    useEffect(() => {
        let current = true;
        engine.ask({ command: 'explain', topic, ...question }).then(({ answer }) => current && setSaid(answer));
        return () => {
            current = false;
        };
    }, [topic, JSON.stringify(question)]);
    return (
        <section class="explanation" aria-labelledby="explain-title" data-test="explanation">
            <h3 id="explain-title">{t('explain')}: {topic}</h3>
            <button type="button" onClick={close}>{t('close')}</button>
            {said?.error ? <p class="problem">{said.error.problems[0].message}</p> : null}
            {said && !said.error ? <pre>{JSON.stringify(said, null, 1)}</pre> : null}
        </section>
    );
}
