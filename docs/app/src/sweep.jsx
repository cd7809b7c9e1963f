import { useEffect, useState } from 'preact/hooks';
import { sweepOf } from './answers.js';
import { Problems } from './ask.jsx';
import { TextBox } from './box.jsx';
import { answerOf } from './client.js';
import { bytes, dollars, percent, seconds } from './numbers.js';
import { valueText } from './plans.jsx';
import { shade } from './results.jsx';

/** The job with one or two settings varied: a row a point, its step as a bar. */
export function Sweep({ state, change, question, engine, say, t }) {
    const axes = Array.isArray(state.more.vary) ? state.more.vary.map(String) : ['micro-batch=1,2,4,8', ''];
    const [answer, setAnswer] = useState(null);
    const [busy, setBusy] = useState(false);
    const vary = axes.filter((a) => a.trim());
    const text = JSON.stringify([question, vary]);
    useEffect(() => {
        if (!vary.length) {
            setAnswer(null);
            setBusy(false);
            return undefined;
        }
        let current = true;
        setBusy(true);
        answerOf(engine, { command: 'sweep', ...question, vary }).then((a) => {
            if (!current) return;
            setAnswer(a);
            setBusy(false);
        });
        return () => {
            current = false;
        };
    }, [text]);
    const points = answer && !answer.error ? sweepOf(t, answer) : [];
    const longest = Math.max(0, ...points.map((p) => p.step_s ?? 0));
    const best = Math.min(...points.filter((p) => p.fits).map((p) => p.step_s));
    const names = Object.keys(points[0]?.varied ?? {});
    const set = (i, value) => change((old) => ({ more: { ...old.more, vary: axes.map((a, k) => (k === i ? value : a)) } }));
    return (
        <section aria-labelledby="sweep-title" data-test="sweep" aria-busy={busy}>
            <h2 id="sweep-title">{t('sweep')}</h2>
            <p class="hint">{t('sweephelp')}</p>
            <div class="tools">
                {axes.map((a, i) => <label key={i}>{t('variation')} {i + 1} <TextBox id={`vary-${i + 1}`} value={a} placeholder="tp=1,2,4" commit={(value) => set(i, value)} /></label>)}
            </div>
            <Problems answer={answer} t={t} />
            {points.length ? (
                <div class="scroll" tabIndex={0} role="group" aria-label={t('table')}>
                    <table class="cards">
                        <thead><tr>{names.map((n) => <th scope="col" key={n}>{n}</th>)}<th scope="col" class="text">{t('verdict')}</th><th scope="col">{t('step')}</th><th scope="col"><span class="hidden">{t('share')}</span></th><th scope="col">{t('mfu')}</th><th scope="col">{t('memory')}</th><th scope="col">{t('days')}</th><th scope="col">{t('cost')}</th><th scope="col"><span class="hidden">{t('apply')}</span></th></tr></thead>
                        <tbody>
                            {points.slice(0, 500).map((p, i) => (
                                <tr key={i} class={p.fits && p.step_s === best ? 'marked' : undefined}>
                                    {names.map((n) => <td key={n} data-name={n}>{p.varied[n]}</td>)}
                                    {p.problem ? <td class="text" colSpan={7}>{p.problem}</td> : (
                                        <>
                                            <td class="text short" data-name={t('verdict')}>{t(p.fits ? 'fits' : 'misfit')}</td>
                                            <td data-name={t('step')}>{seconds(p.step_s)}</td>
                                            <td class="text amounts"><span class="share" style={{ width: `${(100 * p.step_s) / longest}%`, background: shade(p.fits ? 0 : 9) }} /></td>
                                            <td data-name={t('mfu')}>{percent(p.mfu)}</td>
                                            <td data-name={t('memory')}>{bytes(p.device_bytes)}</td>
                                            <td data-name={t('days')}>{valueText('days', p.days)}</td>
                                            <td data-name={t('cost')}>{p.usd === null ? '–' : dollars(p.usd)}</td>
                                        </>
                                    )}
                                    <td><button type="button" aria-label={`${t('apply')}: ${names.map((n) => `${n} ${p.varied[n]}`).join(', ')}`} onClick={() => say(Object.fromEntries(names.map((n) => [n.split('.').at(-1).replaceAll('_', '-'), p.varied[n]])))}>{t('apply')}</button></td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            ) : null}
        </section>
    );
}
