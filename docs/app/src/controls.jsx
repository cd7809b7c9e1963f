// The controls of a job. Each knows its value, what was assumed in its place, and what is wrong with it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { help } from './help_zh.js';
import { label } from './words.js';

function Input({ id, value, list, placeholder, describedBy, invalid, commit }) {
    const [text, setText] = useState(value);
    const box = useRef(null);
    useEffect(() => setText(value), [value]);
    const listed = () => list && [...(document.getElementById(list)?.options ?? [])].some((o) => o.value === box.current.value);
    return (
        <input id={id} ref={box} type="text" value={text} list={list} placeholder={placeholder} autocomplete="off" spellcheck={false}
            aria-describedby={describedBy} aria-invalid={invalid ? 'true' : undefined}
            onInput={(e) => {
                setText(e.target.value);
                if (listed() || !list) commit(e.target.value.trim());
            }}
            onChange={(e) => commit(e.target.value.trim())} />
    );
}

function Slider({ field, value, assumed, commit, name, t }) {
    const values = field.slider;
    const shown = value || assumed || values[0];
    const number = (text) => {
        const match = /^([\d.]+)\s*([KMBT]?)/i.exec(text);
        return match ? Number(match[1]) * { '': 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[match[2].toUpperCase()] : 0;
    };
    let at = values.indexOf(shown);
    if (at < 0) at = Math.max(0, values.findLastIndex((v) => number(v) <= number(shown)));
    return (
        <input type="range" min="0" max={values.length - 1} step="1" value={at} aria-label={`${name}, ${t('slider')}`}
            aria-valuetext={shown} onInput={(e) => commit(values[Number(e.target.value)])} />
    );
}

/** The engine's help of a setting in the language of the page. */
export const helpOf = (t, field) => (t('code') === 'zh' && help[field.name]) || field.help;

/** `explained`: a setting that no label of the page names has its help below it. */
export function Control({ field, explained, value, taken, assumption, problems, suggestion, say, t }) {
    const id = `field-${field.name}`;
    const name = label(t, field.name);
    const assumed = assumption?.value || taken || '';
    const [short] = assumed.split(' = ');
    const helped = explained && field.help;
    const noted = problems.length || (assumption && (assumption.note || !value));
    const note = [noted && `${id}-note`, helped && `${id}-help`].filter(Boolean).join(' ') || undefined;
    const commit = (next) => say(field.name, next);
    return (
        <div class={`control${problems.length ? ' bad' : ''}${value ? ' said' : ''}`}>
            <div class="name">
                <label for={id} title={helpOf(t, field) || undefined}>{name}</label>
                {value ? <button type="button" class="quiet" onClick={() => commit('')} aria-label={`${t('clear')}: ${name}`}>×</button> : null}
            </div>
            <div class="inputs">
                {field.options ? (
                    <select id={id} value={value} aria-describedby={note} aria-invalid={problems.length ? 'true' : undefined} onChange={(e) => commit(e.target.value)}>
                        <option value="">{short && !short.includes(' ') ? short : t('unsaid')}</option>
                        {value && !field.options.includes(value) ? <option value={value}>{value}</option> : null}
                        {field.options.map((o) => <option key={o} value={o}>{o === 'true' ? '✓' : o}</option>)}
                    </select>
                ) : (
                    <Input id={id} value={value} list={field.list} placeholder={short && !short.includes(' ') ? short : t('unsaid')} describedBy={note} invalid={problems.length > 0} commit={commit} />
                )}
                {field.slider ? <Slider field={field} value={value} assumed={assumed} commit={commit} name={name} t={t} /> : null}
            </div>
            {problems.length ? (
                <div class="problem" id={`${id}-note`} role="alert">
                    {problems.map((p) => <p key={p}>{p}</p>)}
                    {suggestion !== undefined ? (
                        <button type="button" onClick={() => commit(suggestion)}>{t('use')} {suggestion === '' ? t('unset') : suggestion}</button>
                    ) : null}
                </div>
            ) : assumption && (assumption.note || !value) ? (
                <p class="assumption" id={`${id}-note`}>{(assumption.note ?? [assumption.value, assumption.why].filter(Boolean).join(', ')) || t('usualone')}</p>
            ) : null}
            {helped ? <p class="hint" id={`${id}-help`}>{helpOf(t, field)}</p> : null}
        </div>
    );
}

/** The nearest value of a field with which the engine answers, asked of the engine. */
export async function nearestValid(ask, question, field, value) {
    const at = Number.parseFloat(value);
    const beside = field.slider && /^\d+$/.test(value) ? [-4, -3, -2, -1, 1, 2, 3, 4].map((by) => at + by).filter((x) => x > 0).map(String) : [];
    const steps = [...new Set([...beside, ...(field.slider ?? field.options ?? [])])];
    const tried = Number.isFinite(at) ? [...steps].sort((a, b) => Math.abs(Math.log(Number.parseFloat(a) / at)) - Math.abs(Math.log(Number.parseFloat(b) / at))) : [...steps];
    for (const candidate of ['', ...tried].slice(0, 16)) {
        const changed = { ...question, [field.name]: candidate };
        if (candidate === '') delete changed[field.name];
        if (candidate === value || candidate === '') continue;
        const { answer } = await ask(changed);
        if (!answer.error) return candidate;
    }
    const without = { ...question };
    delete without[field.name];
    const { answer } = await ask(without);
    return answer.error ? undefined : '';
}
