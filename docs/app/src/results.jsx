// What the engine answers to an estimate, as figures and bars. Every number on the page is one of the answer.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Flags } from './command.jsx';
import { assumptionBody, assumptionLine, partName } from './engine_words.js';
import { between, bytes, count, digits, dollars, energy, percent, seconds } from './numbers.js';
import { filled } from './words.js';

const shades = 18;
export const shade = (i) => `var(--shade-${i % shades})`;

/** The seconds of a step in which the allocator gives memory back to the driver and asks for it again. */
const thrashing = (answer) => answer.step.breakdown.find((b) => b.name === 'allocator')?.seconds ?? 0;

export function verdictOf(answer) {
    const p = answer.memory.probability_of_fitting;
    if (!answer.fits) return p !== null && p > 0.2 ? 'unsure' : 'misfit';
    if (thrashing(answer) > 0) return 'thrashes';
    return p !== null && p < 0.9 ? 'risky' : 'fits';
}

/** The engine writes a remedy as flags; those are said of the job. */
export function flagsOf(change) {
    const flags = {};
    const words = change.split(/\s+/);
    for (let i = 0; i < words.length; ++i) {
        const match = /^--([a-z-]+)(?:=(.*))?$/.exec(words[i]);
        if (!match) continue;
        if (match[2] !== undefined) flags[match[1]] = match[2];
        else if (i + 1 < words.length && !words[i + 1].startsWith('--')) flags[match[1]] = words[++i].replace(/[,;]$/, '');
        else flags[match[1]] = 'true';
    }
    return flags;
}

export function Verdict({ answer, say, t }) {
    const verdict = verdictOf(answer);
    const { memory } = answer;
    const remedies = answer.remedies ?? [];
    const enough = remedies.some((r) => r.fits);
    return (
        <div class={`verdict ${verdict}`}>
            <p class="word" data-test="verdict">
                <strong>{t(verdict)}</strong>
                {memory.shortfall_bytes > 0 ? filled(t('short'), bytes(memory.shortfall_bytes)) : ''}
                {verdict === 'thrashes' ? `${t('space')}${filled(t('thrashing'), seconds(thrashing(answer)))}` : ''}
            </p>
            <p>
                {filled(t('used'), bytes(memory.device_bytes), bytes(memory.capacity_bytes))}
                {memory.probability_of_fitting !== null ? filled(t('chanceof'), percent(memory.probability_of_fitting)) : ''}
            </p>
            {remedies.length ? (
                <div class="remedies">
                    <p>{t(enough ? 'remedies' : 'nearest')}</p>
                    <ul>
                        {remedies.map((r) => (
                            <li key={r.change}>
                                <button type="button" onClick={() => say(flagsOf(r.change))}>{r.change}</button>{' '}
                                {bytes(r.device_bytes)}, {seconds(r.step_time_s)}
                            </li>
                        ))}
                    </ul>
                </div>
            ) : null}
        </div>
    );
}

function Figure({ name, value, note, explain, t, topic }) {
    const last = useRef(value);
    const [changed, setChanged] = useState(false);
    useEffect(() => {
        if (last.current === value) return undefined;
        last.current = value;
        setChanged(true);
        const timer = setTimeout(() => setChanged(false), 1500);
        return () => clearTimeout(timer);
    }, [value]);
    return (
        <div class={`figure${changed ? ' changed' : ''}`}>
            <dt>
                {name}{' '}
                <button type="button" class="quiet" aria-label={`${t('explain')}: ${name}`} onClick={() => explain({ topic, name })}>?</button>
            </dt>
            <dd>
                <span class="value">{value}</span>
                {note ? <span class="note">{note}</span> : null}
            </dd>
        </div>
    );
}

export function Figures({ answer, explain, t }) {
    const { memory, step, throughput: rate, training, cost, energy: power, params } = answer;
    const range = (pair, text) => (pair ? `${t('range')}${t('colon')}${between(pair, text)}` : '');
    const common = { explain, t };
    return (
        <dl class="figures">
            <Figure {...common} topic="step" name={t('step')} value={seconds(step.time_s)} note={range(step.interval_80, seconds)} />
            <Figure {...common} topic="memory" name={t('memory')} value={bytes(memory.device_bytes)} note={range(memory.interval_80, bytes)} />
            <Figure {...common} topic="throughput.mfu" name={t('mfu')} value={percent(rate.mfu)} note={`${t('hfu')} ${percent(rate.hfu)}`} />
            <Figure {...common} topic="throughput.tokens_per_s" name={t('rate')} value={count(rate.tokens_per_s)} note={filled(t('eachgpu'), count(rate.tokens_per_s_per_gpu))} />
            <Figure {...common} topic="throughput.mfu" name={t('flops')} value={digits(rate.model_tflops_per_gpu)} note={t('pergpu')} />
            <Figure {...common} topic="params" name={t('params')} value={count(params.total)} note={params.active !== params.total ? filled(t('ofactive'), count(params.active)) : ''} />
            {training.days !== null ? <Figure {...common} topic="training.time" name={t('days')} value={digits(training.days)} note={filled(t('oftokens'), count(training.tokens))} /> : null}
            {training.gpu_hours !== null ? <Figure {...common} topic="training.gpu_hours" name={t('hours')} value={count(training.gpu_hours)} /> : null}
            {cost.usd !== null || cost.usd_per_million_tokens !== null ? (
                <Figure {...common} topic={cost.usd !== null ? 'training.cost' : 'cost'} name={t('cost')} value={cost.usd !== null ? dollars(cost.usd) : dollars(cost.usd_per_million_tokens)}
                    note={cost.usd !== null && cost.usd_per_million_tokens !== null ? filled(t('eachmillion'), dollars(cost.usd_per_million_tokens)) : cost.usd === null ? t('million') : ''} />
            ) : null}
            {power.kwh !== null ? <Figure {...common} topic="training.energy" name={t('energy')} value={energy(power.site_kwh ?? power.kwh)} note={power.co2_kg !== null ? `${count(power.co2_kg / 1000)} t ${t('co2')}` : ''} /> : null}
            {answer.reliability ? <Figure {...common} topic="goodput" name={t('goodput')} value={percent(answer.reliability.goodput)} /> : null}
        </dl>
    );
}

/** A bar of named parts, with a table of the same numbers below it. */
export function Bar({ parts, total, limit, full, text, title }) {
    const scale = full ?? (Math.max(total, limit ?? 0) || 1);
    const shown = parts.filter((p) => p.amount > 0);
    let at = 0;
    return (
        <svg class="bar" viewBox="0 0 1000 36" preserveAspectRatio="none" role="img" aria-label={`${title}: ${shown.map((p) => `${p.name} ${text(p.amount)}`).join(', ')}`}>
            <rect x="0" y="4" width="1000" height="28" class="empty" />
            {shown.map((p) => {
                const x = at;
                at += (1000 * p.amount) / scale;
                return (
                    <rect key={p.name} x={x} y="4" width={Math.max(0.5, at - x)} height="28" fill={shade(p.index)}>
                        <title>{`${p.name}: ${text(p.amount)} (${percent(p.amount / total)})`}</title>
                    </rect>
                );
            })}
            {limit ? <line x1={(1000 * limit) / scale} x2={(1000 * limit) / scale} y1="0" y2="36" class="limit" /> : null}
        </svg>
    );
}

export function Legend({ parts, limit }) {
    return (
        <ul class="legend">
            {parts.map((p) => (
                <li key={p.name}><span class="swatch" style={{ background: shade(p.index) }} aria-hidden="true" />{p.name}</li>
            ))}
            {limit ? <li><span class="swatch dashes" aria-hidden="true" />{limit}</li> : null}
        </ul>
    );
}

/** Parts as numbers, each with its explanation. */
function PartsTable({ caption, parts, text, total, explain, t }) {
    return (
        <details>
            <summary>{t('table')}</summary>
            <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
                <table>
                    <caption>{caption}</caption>
                    <thead><tr><th scope="col">{t('part')}</th><th scope="col">{t('value')}</th><th scope="col">{t('share')}</th><th scope="col"><span class="hidden">{t('explain')}</span></th></tr></thead>
                    <tbody>
                        {parts.map((p) => <tr key={p.name}><th scope="row">{p.name}</th><td>{text(p.amount)}</td><td>{total ? percent(p.amount / total) : ''}</td><td><button type="button" class="quiet" aria-label={`${t('explain')}: ${p.name}`} onClick={() => explain({ topic: p.topic, name: p.name })}>?</button></td></tr>)}
                    </tbody>
                </table>
            </div>
        </details>
    );
}

export function MemoryByStage({ answer, explain, t }) {
    const stages = answer.memory.by_stage;
    const partsOf = (stage) => stage.breakdown.map((b, index) => ({ name: partName(t, b.name), topic: `memory.${b.name}`, amount: b.bytes, index }));
    const used = partsOf(stages[0]).filter((p) => stages.some((s) => s.breakdown[p.index].bytes > 0));
    const most = Math.max(...stages.map((s) => s.device_bytes), answer.memory.capacity_bytes);
    const step = Math.max(1, Math.ceil(stages.length / 32));
    const peak = stages[answer.memory.peak_stage];
    return (
        <section aria-labelledby="memory-title" data-test="memory">
            <h3 id="memory-title">{t('bystage')}</h3>
            <div class="stages">
                {stages.filter((s, i) => i % step === 0 || i === answer.memory.peak_stage).map((s) => (
                    <div class="row" key={s.stage}>
                        <span>{s.stage}</span>
                        <Bar parts={partsOf(s)} total={s.device_bytes} limit={answer.memory.capacity_bytes} full={most} text={bytes} title={`${t('stage')} ${s.stage}`} t={t} />
                        <span class="amount">{bytes(s.device_bytes)}</span>
                    </div>
                ))}
            </div>
            <Legend parts={used} limit={`${t('capacity')} ${bytes(answer.memory.capacity_bytes)}`} />
            <PartsTable caption={`${t('stage')} ${answer.memory.peak_stage}`} parts={partsOf(peak).filter((p) => p.amount > 0)} text={bytes} total={peak.device_bytes} explain={explain} t={t} />
        </section>
    );
}

export function StepBreakdown({ answer, explain, t }) {
    const parts = answer.step.breakdown.map((b, index) => ({ name: partName(t, b.name), topic: `step.${b.name}`, amount: b.seconds, index })).filter((p) => p.amount > 0);
    return (
        <section aria-labelledby="step-title" data-test="breakdown">
            <h3 id="step-title">{t('breakdown')}</h3>
            <Bar parts={parts} total={answer.step.time_s} text={seconds} title={t('step')} t={t} />
            <Legend parts={parts} />
            <PartsTable caption={t('breakdown')} parts={parts} text={seconds} total={answer.step.time_s} explain={explain} t={t} />
        </section>
    );
}

/** "tp: 2, why (--tp)": the engine's line of an assumption, taken apart. */
export function assumptionOf(line) {
    const match = /^(?:([^:]*): )?(.*?)(?: (\((--[a-z-]+)(?:, --[a-z-]+)*\)))?$/.exec(line);
    const body = match?.[2] ?? line;
    const [value, ...why] = body.split(', ');
    return { line, body, field: match?.[1] ?? '', value, why: why.join(', '), flag: match?.[4]?.slice(2) ?? '', flags: match?.[3] ?? '' };
}

export function Assumptions({ answer, t }) {
    return answer.assumptions?.length ? (
        <section aria-labelledby="assumed-title">
            <h3 id="assumed-title">{t('assumed')}</h3>
            <ul class="assumed">{answer.assumptions.map((line) => <li key={line}><Flags text={assumptionLine(t, assumptionOf(line))} /></li>)}</ul>
        </section>
    ) : null;
}
