import { useEffect, useState } from 'preact/hooks';
import { scaleOf } from './answers.js';
import { Problems } from './ask.jsx';
import { TextBox } from './box.jsx';
import { answerOf } from './client.js';
import { count, digits } from './numbers.js';
import { Cells } from './plans.jsx';
import { useWidth } from './width.js';

/** The loss of sizes around the optimum of a budget, and what each law calls optimal. */
function Curve({ scale: answer, t }) {
    const names = Object.keys(answer.curve[0]).filter((k) => k !== 'parameters' && k !== 'tokens');
    const all = answer.curve.flatMap((p) => names.map((n) => p[n]));
    const [low, high] = [Math.min(...all), Math.min(Math.max(...all), Math.min(...all) * 1.6)];
    const [first, last] = [Math.log10(answer.curve[0].parameters), Math.log10(answer.curve.at(-1).parameters)];
    const [width, place] = useWidth();
    const [height, left, below] = [320, 50, 290];
    const x = (n) => left + ((Math.log10(n) - first) / (last - first)) * (width - left - 10);
    const y = (l) => below - ((Math.min(l, high) - low) / (high - low)) * (below - 12);
    const ticks = [];
    for (let e = Math.ceil(first); e <= last; ++e) ticks.push(10 ** e);
    return (
        <>
            <div class="drawing" ref={place}>
                <svg class="timeline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${t('optimal')}: ${answer.laws.map((l) => `${l.name} ${count(l.parameters)}`).join(', ')}`}>
                    {ticks.map((n) => <g key={n}><line x1={x(n)} x2={x(n)} y1={below} y2={below + 5} class="tick" /><text x={Math.min(width, x(n) + 14)} y={below + 20} class="axis end">{count(n).replace(/\.0+(?=[A-Z])/, '')}</text></g>)}
                    <text x={width - 10} y={below - 6} class="axis end">{t('modelsize')}</text>
                    <text x={left + 4} y="12" class="axis">{t('loss')}</text>
                    {[low, (low + high) / 2, high].map((l) => <text key={l} x="4" y={y(l) + 4} class="axis">{digits(l)}</text>)}
                    {names.map((n, i) => <path key={n} fill="none" stroke={`var(--shade-${3 * i})`} stroke-width="2" d={answer.curve.map((p, k) => `${k ? 'L' : 'M'}${x(p.parameters).toFixed(1)} ${y(p[n]).toFixed(1)}`).join('')} />)}
                    {answer.laws.filter((l) => Math.log10(l.parameters) >= first && Math.log10(l.parameters) <= last).map((l) => (
                        <circle key={l.name} cx={x(l.parameters)} cy={y(l.loss)} r="5" fill="var(--strong)" stroke="var(--ground)" stroke-width="1.5"><title>{`${l.name}: ${count(l.parameters)}, ${count(l.tokens)} ${t('tokens')}, ${digits(l.loss, 4)}`}</title></circle>
                    ))}
                </svg>
            </div>
            <ul class="legend">{names.map((n, i) => <li key={n}><span class="swatch" style={{ background: `var(--shade-${3 * i})` }} aria-hidden="true" />{n.replaceAll('_', ' ')}</li>)}</ul>
        </>
    );
}

export function Optimal({ state, change, engine, t }) {
    const [answer, setAnswer] = useState(null);
    const flops = state.more.flops ?? '6e23';
    useEffect(() => {
        let current = true;
        answerOf(engine, { command: 'scale', flops }).then((a) => current && setAnswer(a));
        return () => {
            current = false;
        };
    }, [flops]);
    return (
        <section aria-labelledby="optimal-title" data-test="optimal">
            <h2 id="optimal-title">{t('optimal')}</h2>
            <p class="hint">{t('optimalhelp')}</p>
            <div class="tools">
                <label>{t('budget')} <TextBox id="flops" value={flops} commit={(value) => change((old) => ({ more: { ...old.more, flops: value } }))} /></label>
                <input type="range" min="18" max="28" step="0.25" value={Math.log10(Number(flops)) || 23} aria-label={`${t('budget')}, ${t('slider')}`} aria-valuetext={flops}
                    onInput={(e) => change((old) => ({ more: { ...old.more, flops: (10 ** Number(e.target.value)).toExponential(2) } }))} />
            </div>
            <Problems answer={answer} t={t} />
            {answer && !answer.error ? <>{scaleOf(answer).curve.length ? <Curve scale={scaleOf(answer)} t={t} /> : null}<Cells name="laws" value={scaleOf(answer).laws} t={t} /></> : null}
        </section>
    );
}
