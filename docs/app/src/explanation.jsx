import { useEffect, useState } from 'preact/hooks';

/** Where a number comes from: the engine's equation, symbols, values and sources, as it words them. */
export function Explanation({ topic, question, engine, close, t }) {
    const [said, setSaid] = useState(null);
    useEffect(() => {
        let current = true;
        engine.ask({ command: 'explain', ...question }).then(({ answer }) => current && setSaid(answer));
        return () => {
            current = false;
        };
    }, [topic, JSON.stringify(question)]);
    return (
        <section class="explanation" aria-labelledby="explain-title" data-test="explanation">
            <h3 id="explain-title">{t('explain')}: {topic}</h3>
            <button type="button" onClick={close}>{t('close')}</button>
            {said?.error ? <p class="problem">{said.error.problems[0].message}</p> : null}
            {said && !said.error ? said.items.filter((x) => x.item === topic || x.item.startsWith(`${topic}.`)).map((x) => (
                <details key={x.item} open={x.item === topic}>
                    <summary><code>{x.item}</code>: {x.result.text}</summary>
                    <p>{x.what}</p>
                    <p><code>{x.equation}</code></p>
                    <p><code>= {x.numbers}</code></p>
                    <div class="scroll" tabIndex={0} role="region" aria-label={x.item}>
                        <table>
                            <tbody>{x.symbols.map((s) => <tr key={s.symbol}><th scope="row"><code>{s.symbol}</code></th><td>{`${s.value} ${s.unit}`}</td><td class="text">{s.meaning}</td></tr>)}</tbody>
                        </table>
                    </div>
                    {x.sources.length ? <p class="hint">{x.sources.join('; ')}</p> : null}
                </details>
            )) : null}
        </section>
    );
}
