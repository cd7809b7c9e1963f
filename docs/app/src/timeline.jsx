// One step as the engine simulated it: a row a pipeline stage, what comes after, and the memory below.
import { useRef, useState } from 'preact/hooks';
import { partName } from './engine_words.js';
import { between, bytes, percent, seconds } from './numbers.js';
import { useWidth } from './width.js';
import { filled } from './words.js';

const colours = { forward: 'var(--shade-0)', backward: 'var(--shade-3)', input_gradient: 'var(--shade-3)', weight_gradient: 'var(--shade-5)' };
const named = 16;  // tasks in the legend: those that take longest
const most = 6000;  // rectangles: more cannot be told apart

function ticksOf(from, to, number) {
    const span = to - from;
    const rough = span / number;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * unit).find((x) => x >= rough);
    const ticks = [];
    for (let x = Math.ceil(from / step) * step; x <= to; x += step) ticks.push(x);
    return ticks;
}

/** Seconds by task: a stage's on average, or those of all where there is no stage; and the rest, when nothing is done. */
function meansOf(answer) {
    const means = new Map();
    for (const e of answer.events) means.set(e.task, (means.get(e.task) ?? 0) + (e.end_s - e.begin_s) / (e.stage === undefined ? 1 : answer.stages.length));
    means.set('idle', Math.max(0, answer.total_s - [...means.values()].reduce((a, b) => a + b, 0)));
    return means;
}

const signed = (x) => `${x < 0 ? '−' : '+'}${seconds(Math.abs(x))}`;

/** `against`: the first of several, from which this one's differences are marked. */
export function Timeline({ answer, t, id = 'timeline', title, scale, against, tool }) {
    const [view, setView] = useState([0, 1]);
    const readout = useRef(null);
    const [width, place] = useWidth();
    if (!answer) return null;
    const total = scale ?? answer.total_s;
    const [from, to] = [view[0] * total, view[1] * total];
    const stages = answer.stages.length;
    const row = stages > 16 ? 14 : 26;
    const left = 34;
    const x = (s) => left + ((s - from) / (to - from)) * (width - left);
    const inside = answer.events.filter((e) => e.end_s > from && e.begin_s < to && ((e.end_s - e.begin_s) / (to - from)) * (width - left) > 0.4).slice(0, most);
    const height = stages * row + 24;
    /** `share`: the place in the view that stays where it is. */
    const zoom = (factor, share = 0.5) => {
        const span = Math.min(1, (view[1] - view[0]) * factor);
        const begin = Math.max(0, Math.min(1 - span, view[0] + share * (view[1] - view[0] - span)));
        setView([begin, begin + span]);
    };
    const move = (part) => {
        const by = Math.max(-view[0], Math.min(1 - view[1], part * (view[1] - view[0])));
        setView([view[0] + by, view[1] + by]);
    };
    const spent = new Map();
    for (const e of answer.events) spent.set(e.task, (spent.get(e.task) ?? 0) + e.end_s - e.begin_s);
    const tasks = [...spent.keys()];
    const legend = tasks.length > named ? [...tasks].sort((a, b) => spent.get(b) - spent.get(a)).slice(0, named) : tasks;
    const lanes = answer.stages.map((s) => s.name).filter(Boolean);
    const [means, theirs] = against ? [meansOf(answer), meansOf(against)] : [];
    /** A task's seconds and how many more or fewer they are than the first's, from a thousandth of its step on; marked from a hundredth. */
    const item = (task, swatch, text) => {
        const more = means ? means.get(task) - (theirs.get(task) ?? 0) : 0;
        return <li key={task} class={means && Math.abs(more) > 0.01 * against.total_s ? 'differs' : undefined}>{swatch}{text}{means ? ` ${seconds(means.get(task))}${Math.abs(more) > 0.001 * against.total_s ? ` (${signed(more)})` : ''}` : ''}</li>;
    };
    const afters = tasks.filter((task) => !(task in colours));
    const colourOf = (task) => colours[task] ?? `var(--shade-${7 + (afters.indexOf(task) % 5)})`;
    const word = (task) => (task in colours ? t(task) : partName(t, task));
    /** What is pointed at, in words below the drawing; written past the tree, which may hold thousands of tasks. */
    const point = (e) => {
        readout.current.textContent = e.target.querySelector?.(':scope > title')?.textContent ?? t('pointat');
    };
    const keys = (e) => {
        const act = { '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25), 0: () => setView([0, 1]) }[e.key];
        if (act) {
            e.preventDefault();
            act();
        }
    };
    return (
        <section aria-labelledby={`${id}-title`} data-test={id}>
            <h3 id={`${id}-title`}>{t('timeline')}{title ? `${t('colon')}${title}` : ''}{against ? `, ${seconds(answer.total_s)}${against === answer ? '' : ` (${signed(answer.total_s - against.total_s)})`}` : ''}</h3>
            <div class="tools">
                <button type="button" aria-label={t('zoomin')} onClick={() => zoom(0.5)}>+</button>
                <button type="button" aria-label={t('zoomout')} onClick={() => zoom(2)}>−</button>
                <button type="button" aria-label={t('left')} onClick={() => move(-0.5)}>←</button>
                <button type="button" aria-label={t('right')} onClick={() => move(0.5)}>→</button>
                <button type="button" onClick={() => setView([0, 1])}>{t('whole')}</button>
                {tool}
            </div>
            <div class="drawing" ref={place} tabIndex={0} role="group" aria-label={`${id} ${t('timelinehelp')}`} onKeyDown={keys}
                onWheel={(e) => {
                    if (!e.ctrlKey) return;
                    e.preventDefault();
                    const box = e.currentTarget.getBoundingClientRect();
                    zoom(e.deltaY > 0 ? 1.3 : 0.77, Math.max(0, Math.min(1, (e.clientX - box.left - left) / (width - left))));
                }}>
                <svg class="timeline" viewBox={`0 0 ${width} ${height}`} onPointerOver={point} onPointerLeave={point} role="img" aria-label={`${t('timeline')}: ${seconds(answer.total_s)}`}>
                    <defs><clipPath id={`${id}-clip`}><rect x={left} y="0" width={width - left} height={height} /></clipPath></defs>
                    {answer.stages.map((s, i) => (
                        <g key={i}>
                            <text x="2" y={i * row + row * 0.7} class="axis">{i}</text>
                            <rect x={left} y={i * row + 1} width={width - left} height={row - 2} class="empty" />
                        </g>
                    ))}
                    <g clip-path={`url(#${id}-clip)`}>
                        {inside.map((e, i) => {
                            const [a, b] = [x(Math.max(from, e.begin_s)), x(Math.min(to, e.end_s))];
                            const whole = e.stage === undefined;
                            const tip = `${word(e.task)}${e.micro_batch !== undefined ? ` ${e.micro_batch}` : ''}: ${seconds(e.begin_s)} – ${seconds(e.end_s)} (${seconds(e.end_s - e.begin_s)})`;
                            return (
                                <g key={i}>
                                    <rect x={a} y={whole ? 1 : e.stage * row + 1} width={Math.max(0.4, b - a - 0.4)} height={whole ? stages * row - 2 : row - 2} fill={colourOf(e.task)}><title>{tip}</title></rect>
                                    {!whole && row > 20 && b - a > 16 ? <text x={(a + b) / 2} y={e.stage * row + row * 0.68} class="batch">{e.micro_batch}</text> : null}
                                </g>
                            );
                        })}
                    </g>
                    {against && against !== answer && against.total_s <= to && against.total_s > from ? <line x1={x(against.total_s)} x2={x(against.total_s)} y1="0" y2={stages * row + 5} class="limit" data-test={`${id}-mark`}><title>{`${t('later')}: ${seconds(against.total_s)}`}</title></line> : null}
                    {ticksOf(from, to, Math.min(8, width / 110)).map((s) => (
                        <g key={s}>
                            <line x1={x(s)} x2={x(s)} y1={stages * row} y2={stages * row + 5} class="tick" />
                            <text x={Math.min(width - 46, x(s))} y={stages * row + 18} class="axis">{seconds(Number(s.toPrecision(6)))}</text>
                        </g>
                    ))}
                </svg>
            </div>
            <p class="hint" ref={readout} data-test={`${id}-readout`}>{t('pointat')}</p>
            <ul class="legend">
                {legend.map((task) => item(task, <span class="swatch" style={{ background: colourOf(task) }} aria-hidden="true" />, word(task)))}
                {item('idle', <span class="swatch empty" aria-hidden="true" />, t('idle'))}
                {against && against !== answer ? <li><span class="swatch dashes" aria-hidden="true" />{t('later')}</li> : null}
            </ul>
            {lanes.length > 1 ? <ol class="assumed" start={0}>{lanes.map((lane) => <li key={lane}>{lane}</li>)}</ol> : null}
            <StepMemory answer={answer} from={from} to={to} width={width} id={id} t={t} />
            {Object.keys(answer.stages[0]?.use ?? {}).length ? (
            <details>
                <summary>{t('usage')}</summary>
                <div class="scroll" tabIndex={0} role="group" aria-label={`${id} ${t('usage')}`}>
                    <table>
                        <caption>{t('usage')}</caption>
                        <thead><tr><th scope="col">{t('stage')}</th>{Object.keys(answer.stages[0].use).map((lane) => <th scope="col" key={lane}>{t(lane)}</th>)}</tr></thead>
                        <tbody>{answer.stages.slice(0, 64).map((s, i) => <tr key={i}><th scope="row">{i}</th>{Object.entries(s.use).map(([lane, x]) => <td key={lane}>{percent(x)}</td>)}</tr>)}</tbody>
                    </table>
                </div>
            </details>
            ) : null}
        </section>
    );
}

/** The memory of a stage at a moment: that of the last change before it. */
function bytesAt(memory, moment) {
    let [low, high] = [0, memory.length - 1];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (memory[middle].at_s <= moment) low = middle;
        else high = middle - 1;
    }
    return memory[low].device_bytes;
}

function StepMemory({ answer, from, to, width, id, t }) {
    const said = useRef(null);
    const all = answer.stages.flatMap((s) => s.memory.map((p) => p.device_bytes));
    if (!all.length) return null;
    const peak = Math.max(...all);
    const low = Math.min(...all) * 0.9;
    const [height, left] = [90, 34];
    const x = (s) => left + ((s - from) / (to - from)) * (width - left);
    const y = (b) => 80 - ((b - low) / (peak - low || 1)) * 74;
    const shown = answer.stages.map((s, i) => ({ ...s, i })).filter((s, i) => s.memory.length && i % Math.ceil(answer.stages.length / 8) === 0);
    const range = between([Math.min(...all), peak], bytes);
    /** The memory of each stage under the pointer, written past the tree as the timeline's is. */
    const point = (e) => {
        const box = e.currentTarget.getBoundingClientRect();
        const moment = from + ((((e.clientX - box.left) / box.width) * width - left) / (width - left)) * (to - from);
        const inside = e.type === 'pointermove' && moment >= from && moment <= to;
        said.current.textContent = inside ? filled(t('atmoment'), seconds(moment), shown.map((s) => `${t('stage')} ${s.i} ${bytes(bytesAt(s.memory, moment))}`).join(', ')) : range;
    };
    return (
        <div class="drawing">
            <p class="hint">{t('overstep')}{t('colon')}<span ref={said} data-test={`${id}-memory`}>{range}</span></p>
            <svg class="timeline" viewBox={`0 0 ${width} ${height}`} onPointerMove={point} onPointerLeave={point} role="img" aria-label={`${t('overstep')}: ${range}`}>
                <defs><clipPath id={`${id}-memory`}><rect x={left} y="0" width={width - left} height={height} /></clipPath></defs>
                <rect x={left} y="0" width={width - left} height={height} fill="transparent" />
                <g clip-path={`url(#${id}-memory)`}>
                    {shown.map((s) => (
                        <path key={s.i} fill="none" stroke={`var(--shade-${s.i % 8})`} stroke-width="1.6"
                            d={s.memory.filter((p, k) => k % Math.ceil(s.memory.length / 1500) === 0).map((p, k) => `${k ? 'L' : 'M'}${x(p.at_s).toFixed(1)} ${y(p.device_bytes).toFixed(1)}`).join('')}>
                            <title>{`${t('stage')} ${s.i}`}</title>
                        </path>
                    ))}
                </g>
            </svg>
            {shown.length > 1 ? <ul class="legend">{shown.map((s) => <li key={s.i}><span class="swatch" style={{ background: `var(--shade-${s.i % 8})` }} aria-hidden="true" />{t('stage')} {s.i}</li>)}</ul> : null}
        </div>
    );
}
