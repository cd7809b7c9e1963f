import { useEffect, useState } from 'preact/hooks';
import { tablesOf } from './answers.js';
import { Problems } from './ask.jsx';
import { answerOf } from './client.js';
import { Flags } from './command.jsx';
import { Cells } from './plans.jsx';
import { shellWord } from './state.js';

/** What the originals print of the job, ours beside the figures that both have. */
function Originals({ originals, t }) {
    return originals.map(({ name, command, text, figures }) => (
        <section key={name} data-test="original" aria-labelledby={`original-${name}`}>
            <h3 id={`original-${name}`}>{name}</h3>
            <div class="beside">
                <div>
                    <pre class="scroll" tabIndex={0} role="group" aria-label={`${name} ${t('theirprint')}`}>{text}</pre>
                    <p class="hint"><code><Flags text={command} /></code></p>
                </div>
                <div>{figures.length ? <Cells name={t('besideours')} value={figures} t={t} /> : null}</div>
            </div>
        </section>
    ));
}

/** A calculator's field: a switch or a box. */
function Field({ field, value, say }) {
    const id = `method-${field.key}`;
    return (
        <div class="control">
            {field.kind === 'switch' ? (
                <div class="name">
                    <label for={id}><code>{field.flag}</code></label>
                    <input id={id} type="checkbox" checked={value === true} aria-describedby={`${id}-help`} onChange={(e) => say(e.target.checked || undefined)} />
                </div>
            ) : (
                <>
                    <div class="name"><label for={id}><code>{field.flag}</code></label></div>
                    <div class="inputs"><input id={id} type="text" value={value ?? ''} placeholder={field.type} autocomplete="off" spellcheck={false} aria-describedby={`${id}-help`} onInput={(e) => say(e.target.value.trim() || undefined)} /></div>
                </>
            )}
            <p class="hint" id={`${id}-help`}>{field.help}</p>
        </div>
    );
}

/** Any published calculator, with its own defaults, as the original prints it. */
function Calculator({ state, change, engine, t }) {
    const [forms, setForms] = useState([]);
    const { calculator: name = 'fast-llm', calculators: said = {} } = state.more;
    const setName = (value) => change((old) => ({ more: { ...old.more, calculator: value } }));
    const say = (key, value) => change((old) => ({ more: { ...old.more, calculators: { ...old.more.calculators, [name]: { ...old.more.calculators?.[name], [key]: value } } } }));
    const [answer, setAnswer] = useState(null);
    useEffect(() => {
        answerOf(engine, { command: 'method' }).then((a) => setForms(a.methods ?? []));
    }, []);
    const form = forms.find((f) => f.name === name);
    const values = said[name] ?? {};
    const text = JSON.stringify(values);
    useEffect(() => {
        let current = true;
        answerOf(engine, { command: 'method', method: name, format: 'table', ...values }).then((a) => current && setAnswer(a));
        return () => {
            current = false;
        };
    }, [name, text]);
    if (!form) return null;
    const { fields } = form;
    const line = fields.filter((f) => values[f.key] !== undefined).map((f) => (f.kind === 'switch' ? f.flag : `${f.flag} ${shellWord(values[f.key])}`));
    return (
        <section data-test="calculator" aria-labelledby="calculator-title">
            <h3 id="calculator-title">{t('anycalculator')}</h3>
            <div class="control">
                <div class="name"><label for="calculator-name">{t('method')}</label></div>
                <div class="inputs"><select id="calculator-name" value={name} onChange={(e) => setName(e.target.value)}>{forms.map((f) => <option key={f.name} value={f.name}>{f.name}</option>)}</select></div>
                <p class="hint">{form.summary}</p>
            </div>
            <div class="beside">
                <div class="form">{fields.map((f) => <Field key={`${name} ${f.key}`} field={f} value={values[f.key]} say={(v) => say(f.key, v)} />)}</div>
                <div>
                    <Problems answer={answer} t={t} />
                    {answer?.text ? <pre class="scroll" tabIndex={0} role="group" aria-label={`${name} ${t('theirprint')}`}>{answer.text}</pre> : null}
                    <p class="hint"><code><Flags text={['traincost method', name, ...line].join(' ')} /></code></p>
                </div>
            </div>
        </section>
    );
}

/** How published calculators count the work of the job, and their days beside ours. */
export function Methods({ state, change, question, engine, t }) {
    const [answer, setAnswer] = useState(null);
    const text = JSON.stringify(question);
    useEffect(() => {
        let current = true;
        answerOf(engine, { command: 'methods', ...question }).then((a) => current && setAnswer(a));
        return () => {
            current = false;
        };
    }, [text]);
    return (
        <section aria-labelledby="methods-title" data-test="methods">
            <h2 id="methods-title">{t('methods')}</h2>
            <p class="hint">{t('methodshelp')}</p>
            <Problems answer={answer} t={t} />
            {answer && !answer.error ? <><Originals originals={answer.originals ?? []} t={t} />{tablesOf(answer).filter(([name]) => name !== 'originals').map(([name, value]) => <Cells key={name} name={name} value={value} t={t} />)}</> : null}
            <Calculator state={state} change={change} engine={engine} t={t} />
        </section>
    );
}
