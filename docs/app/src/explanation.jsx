import { useEffect, useRef, useState } from 'preact/hooks';
import { runsText } from './engine_words.js';
import { between, bytes, percent, seconds } from './numbers.js';
import { inWords } from './page_error.js';
import { Cells } from './plans.jsx';
import { filled } from './words.js';

// Figures that are explained by what they are made of in the answer itself.
const tables = {
    params: (answer) => ({ name: 'params: breakdown', value: answer.params.breakdown }),
    cost: (answer) => ({ name: 'usd', value: answer.cost }),
    goodput: (answer) => ({ name: 'goodput', value: answer.reliability }),
};

// Figures that stand in the note of another.
const beside = { 'throughput.mfu': ['throughput.hfu'], 'throughput.tokens_per_s': ['throughput.tokens_per_s_per_gpu'], 'training.time': ['training.steps'] };

/** What the range of a figure and its chance of fitting come from. */
function Range({ topic, of, t }) {
    const [part, text] = { step: [of.step, seconds], memory: [of.memory, bytes] }[topic] ?? [];
    if (!part?.interval_80 || !part.comparable) return null;
    const chance = part.probability_of_fitting;
    return <p data-test="range">{filled(t('rangefrom'), between(part.interval_80, text), runsText(t, part.comparable))}{chance === undefined || chance === null ? '' : `${t('space')}${filled(t('chancefrom'), percent(chance))}`}</p>;
}

/** Where a number comes from: the engine's equation, symbols, values and sources, as it words them. */
export function Explanation({ topic, name, of, question, engine, close, t }) {
    const [said, setSaid] = useState(null);
    const place = useRef(null);
    useEffect(() => {
        let current = true;
        engine.ask({ command: 'explain', ...question }).then(({ answer }) => current && setSaid(answer), () => {});
        return () => {
            current = false;
        };
    }, [JSON.stringify(question)]);
    // What was asked for further down is shown up here.
    useEffect(() => place.current.focus(), [topic]);
    const topics = [topic, ...(beside[topic] ?? [])];
    const items = said?.items?.filter((x) => topics.includes(x.item) || x.item.startsWith(`${topic}.`)) ?? [];
    return (
        <section class="explanation" aria-labelledby="explain-title" data-test="explanation">
            <h3 id="explain-title" tabIndex={-1} ref={place}>{t('explain')}{t('colon')}{name}</h3>
            <button type="button" onClick={close}>{t('close')}</button>
            {tables[topic] ? <Cells {...tables[topic](of)} t={t} /> : null}
            <Range topic={topic} of={of} t={t} />
            {said?.error ? <p class="problem">{inWords(t, said.error.problems[0])}</p> : null}
            {items.map((x) => (
                <details key={x.item} open={items.length === 1 || x.item === topic}>
                    <summary><code>{x.item}</code>: {x.result.text}</summary>
                    <p>{x.what}</p>
                    <p><code>{x.equation}</code></p>
                    <p><code>= {x.numbers}</code></p>
                    <div class="scroll" tabIndex={0} role="group" aria-label={x.item}>
                        <table>
                            <tbody>{x.symbols.map((s) => <tr key={s.symbol}><th scope="row"><code>{s.symbol}</code></th><td>{`${s.value} ${s.unit}`}</td><td class="text">{s.meaning}</td></tr>)}</tbody>
                        </table>
                    </div>
                    {x.sources.length ? <p class="hint">{x.sources.join('; ')}</p> : null}
                </details>
            ))}
        </section>
    );
}
