import { bytes, count, digits, dollars, energy, percent, seconds } from './numbers.js';
import { Flags } from './command.jsx';
import { flagsOf } from './results.jsx';

/** A number in the unit that its name ends in. */
export function valueText(name, value) {
    if (value === null || value === undefined) return '–';
    if (Array.isArray(value)) return value.map((v) => valueText(name, v)).join(' – ');
    if (typeof value === 'object') return Object.entries(value).map(([k, v]) => `${k.replaceAll('_', ' ')} ${valueText(k, v)}`).join(', ');
    if (typeof value === 'boolean') return value ? '✓' : '✗';
    if (typeof value !== 'number') return String(value);
    if (/bytes/.test(name)) return bytes(value);
    if (/(^|_)(s|seconds)$/.test(name) && !/per_s$/.test(name)) return seconds(value);
    if (/usd/.test(name)) return dollars(value);
    if (/kwh/i.test(name)) return energy(value);
    if (/mfu|hfu|probability|goodput|share|efficiency|utilization/.test(name)) return percent(value);
    if (Number.isInteger(value) && Math.abs(value) < 100000) return String(value);
    return Math.abs(value) >= 1000 ? count(value) : digits(value);
}

const names = { params: 'Parameters', mfu: 'MFU', hfu: 'HFU', 'memory by zero': 'Memory by ZeRO stage', zero: 'ZeRO', 'interval 80': '80% range', usd: 'Cost', kwh: 'Energy', seconds: 'Time', 'gpu hours': 'GPU-hours', 'tflops per gpu': 'TFLOP/s per accelerator', 'tokens per s': 'Tokens per second', 'tokens per s per gpu': 'Tokens per second and accelerator', 'model tflops per gpu': 'Model TFLOP/s per accelerator', 'hardware tflops per gpu': 'Hardware TFLOP/s per accelerator' };

/** A name of the engine's answer as a title; a unit that the value has itself is left out. */
const title = (name) => {
    const said = name.replaceAll('_', ' ').replace(/ (s|bytes)$/, (unit) => (/ per s$/.test(name.replaceAll('_', ' ')) ? unit : ''));
    return names[said] ?? said.replace(/^[a-z]/, (letter) => letter.toUpperCase());
};

/** A sentence rather than a number: it is broken into lines. */
const isWords = (value) => typeof value === 'string' && value.length > 30;

const isRows = (value) => Array.isArray(value) && value.length > 0 && value[0] !== null && typeof value[0] === 'object';

/** Any answer as a table: an array of objects as rows, an object as pairs, its arrays of objects below. */
export function Cells({ name, value }) {
    const items = Array.isArray(value) ? value : null;
    if (items && !items.length) return null;
    if (items && typeof items[0] !== 'object') return <><h3>{title(name)}</h3><ul class="assumed">{items.map((x) => <li key={x}><Flags text={String(x)} /></li>)}</ul></>;
    const pairs = items ? [] : Object.entries(value);
    const columns = items ? [...new Set(items.flatMap((x) => Object.keys(x)))] : null;
    return (
        <>
            <h3>{title(name)}</h3>
            <div class="scroll" tabIndex={0} role="group" aria-label={title(name)}>
                <table>
                    {items ? <thead><tr>{columns.map((c) => <th scope="col" key={c} class={items.some((row) => isWords(row[c])) ? 'words' : undefined}>{title(c)}</th>)}</tr></thead> : null}
                    <tbody>
                        {items
                            ? items.slice(0, 500).map((row, i) => <tr key={i}>{columns.map((c) => <td key={c} class={isWords(row[c]) ? 'words' : undefined}>{valueText(c, row[c])}</td>)}</tr>)
                            : pairs.filter(([, v]) => !isRows(v)).map(([k, v]) => <tr key={k}><th scope="row">{title(k)}</th><td class={isWords(valueText(k, v)) ? 'words' : undefined}>{valueText(k, v)}</td></tr>)}
                    </tbody>
                </table>
            </div>
            {pairs.filter(([, v]) => isRows(v)).map(([k, v]) => <Cells key={k} name={`${title(name)}: ${k.replaceAll('_', ' ')}`} value={v} />)}
        </>
    );
}

/** Plans as read by answers.js, the best first. */
export function PlanTable({ plans, say, t }) {
    if (!plans.length) return <p>{t('noplan')}</p>;
    const tied = plans.filter((p) => p.tie).length > 1;
    return (
        <>
            <h3>{t('plans')}</h3>
            <div class="scroll" tabIndex={0} role="group" aria-label={t('plans')}>
                <table data-test="plans">
                    <thead><tr><th scope="col">{t('layout')}</th><th scope="col"><span class="hidden">{t('takeplan')}</span></th><th scope="col">{t('step')}</th><th scope="col">{t('mfu')}</th><th scope="col">{t('memory')}</th><th scope="col">{t('chance')}</th><th scope="col">{t('days')}</th><th scope="col">{t('cost')}</th></tr></thead>
                    <tbody>
                        {plans.map((p) => (
                            <tr key={p.flags}>
                                <td class="text plan">{tied && p.tie ? '= ' : ''}<code><Flags text={p.flags} /></code>
                                    {p.why.length ? <details><summary>{t('why')}</summary><ul class="assumed">{p.why.map((w) => <li key={w}><Flags text={w} /></li>)}</ul></details> : null}
                                </td>
                                <td><button type="button" aria-label={`${t('apply')}: ${p.flags}`} onClick={() => say(flagsOf(p.flags))}>{t('apply')}</button></td>
                                <td>{seconds(p.step_s)}</td>
                                <td>{percent(p.mfu)}</td>
                                <td>{bytes(p.device_bytes)}</td>
                                <td>{valueText('probability', p.probability)}</td>
                                <td>{valueText('days', p.days)}</td>
                                <td>{valueText('usd', p.usd)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {tied ? <p class="note">{t('tiehelp')}</p> : null}
        </>
    );
}
