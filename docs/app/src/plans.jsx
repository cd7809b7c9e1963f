import { between, bytes, count, digits, dollars, energy, percent, seconds } from './numbers.js';
import { Flags } from './command.jsx';
import { assumptionLine, moduleName, titleOf } from './engine_words.js';
import { assumptionOf, flagsOf } from './results.jsx';
import { filled } from './words.js';

/** A number in the unit that its name ends in; `t` names the members of an object. */
export function valueText(name, value, t) {
    if (value === null || value === undefined) return '–';
    if (Array.isArray(value)) return value.length === 2 ? between(value, (v) => valueText(name, v, t)) : value.map((v) => valueText(name, v, t)).join(', ');
    if (typeof value === 'object') return Object.entries(value).map(([k, v]) => named(k, valueText(k, v, t), t)).join(t('comma'));
    if (typeof value === 'boolean') return value ? '✓' : '✗';
    if (typeof value !== 'number') return String(value);
    if (/bytes/.test(name)) return bytes(value);
    if (/(^|_)(s|seconds|interval_80)$/.test(name) && !/per_s$/.test(name)) return seconds(value);
    if (/_log$/.test(name)) return `${value < 0 ? '−' : '+'}${percent(Math.abs(Math.expm1(value)))}`;
    if (/usd/.test(name)) return dollars(value);
    if (/kwh/i.test(name)) return energy(value);
    if (/mfu|hfu|probability|goodput|share|efficiency|utilization/.test(name)) return percent(value);
    if (Number.isInteger(value) && Math.abs(value) < 100000) return String(value);
    return Math.abs(value) >= 1000 ? count(value) : digits(value);
}

/** A name of the engine's answer as a title; a unit that the value has itself is left out. */
const title = (name, t) => {
    const whole = name.replaceAll('_', ' ');
    const said = / per s$/.test(whole) ? whole : whole.replace(/ (s|bytes)$/, '');
    return titleOf(t, said) ?? said.replace(/^[a-z]/, (letter) => letter.toUpperCase());
};

/** A member of an object in one cell: its title has a place for the value, or stands before it. */
const named = (name, text, t) => {
    const said = title(name, t);
    return said.includes('{}') ? filled(said, text) : `${said} ${text}`;
};

/** A sentence rather than a number: it is broken into lines. */
const isWords = (value) => typeof value === 'string' && value.length > 30;

/** What has a place of its own below a table: rows, or sentences. */
const isRows = (value) => Array.isArray(value) && value.length > 0 && value[0] !== null && ['object', 'string'].includes(typeof value[0]);

/** Any answer as a table: an array of objects as rows, an object as pairs, its arrays of objects below. */
export function Cells({ name, value, t }) {
    // A module that the model does not have is no row.
    const items = Array.isArray(value) ? value.filter((x) => x?.count !== 0) : null;
    if (items && !items.length) return null;
    const text = (k, v) => (k === 'name' ? moduleName(t, v) : valueText(k, v, t));
    if (items && typeof items[0] !== 'object') return <><h3>{title(name, t)}</h3><ul class="assumed">{items.map((x) => <li key={x}><Flags text={name === 'assumptions' ? assumptionLine(t, assumptionOf(x)) : String(x)} /></li>)}</ul></>;
    const pairs = items ? [] : Object.entries(value).filter(([k, v]) => v !== null && !(k === 'seconds' && 'days' in value));
    const columns = items ? [...new Set(items.flatMap((x) => Object.keys(x)))] : null;
    return (
        <>
            <h3>{title(name, t)}</h3>
            <div class="scroll" tabIndex={0} role="group" aria-label={title(name, t)}>
                <table>
                    {items ? <thead><tr>{columns.map((c) => <th scope="col" key={c} class={items.some((row) => isWords(row[c])) ? 'words' : undefined}>{title(c, t)}</th>)}</tr></thead> : null}
                    <tbody>
                        {items
                            ? items.slice(0, 500).map((row, i) => <tr key={i}>{columns.map((c) => <td key={c} class={isWords(row[c]) ? 'words' : undefined}>{text(c, row[c])}</td>)}</tr>)
                            : pairs.filter(([, v]) => !isRows(v)).map(([k, v]) => <tr key={k}><th scope="row">{title(k, t)}</th><td class={isWords(text(k, v)) ? 'words' : undefined}>{text(k, v)}</td></tr>)}
                    </tbody>
                </table>
            </div>
            {pairs.filter(([, v]) => isRows(v)).map(([k, v]) => <Cells key={k} name={`${name}: ${k.replaceAll('_', ' ')}`} value={v} t={t} />)}
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
                <table data-test="plans" class="cards">
                    <thead><tr><th scope="col">{t('layout')}</th><th scope="col"><span class="hidden">{t('takeplan')}</span></th><th scope="col">{t('step')}</th><th scope="col">{t('mfu')}</th><th scope="col">{t('memory')}</th><th scope="col">{t('chance')}</th><th scope="col">{t('days')}</th><th scope="col">{t('cost')}</th></tr></thead>
                    <tbody>
                        {plans.map((p) => (
                            <tr key={p.flags}>
                                <td class="text plan">{tied && p.tie ? '= ' : ''}<code><Flags text={p.flags} /></code>
                                    {p.why.length ? <details><summary>{t('why')}</summary><ul class="assumed">{p.why.map((w) => <li key={w}><Flags text={w} /></li>)}</ul></details> : null}
                                </td>
                                <td><button type="button" aria-label={`${t('apply')}: ${p.flags}`} onClick={() => say(flagsOf(p.flags))}>{t('apply')}</button></td>
                                <td data-name={t('step')}>{seconds(p.step_s)}</td>
                                <td data-name={t('mfu')}>{percent(p.mfu)}</td>
                                <td data-name={t('memory')}>{bytes(p.device_bytes)}</td>
                                <td data-name={t('chance')}>{valueText('probability', p.probability)}</td>
                                <td data-name={t('days')}>{valueText('days', p.days)}</td>
                                <td data-name={t('cost')}>{valueText('usd', p.usd)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {tied ? <p class="note">{t('tiehelp')}</p> : null}
        </>
    );
}
