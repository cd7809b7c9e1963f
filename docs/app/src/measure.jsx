import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { Cells } from './plans.jsx';

/** A log that was dropped: what it says, and what the engine makes of it beside its prediction. */
export function Measure({ state, change, question, engine, t }) {
    const [read, setRead] = useState(null);
    const [achieved, setAchieved] = useState(null);
    const { log } = state.more;
    const text = JSON.stringify([question, log]);
    useEffect(() => {
        if (!log) return;
        engine.ask({ command: 'read', files: [log] }).then((a) => setRead(a.answer));
        engine.ask({ command: 'achieved', ...question, log }).then((a) => setAchieved(a.answer));
    }, [text]);
    return (
        <section aria-labelledby="measure-title" data-test="measure">
            <h2 id="measure-title">{t('measure')}</h2>
            <p class="hint">{t('measurehelp')}</p>
            {log ? <p>{log.name} <button type="button" class="quiet" aria-label={`${t('remove')}: ${log.name}`} onClick={() => change({ more: {} })}>×</button></p> : <p>{t('nothing')}</p>}
            {log && read ? <><Problems answer={read} t={t} />{!read.error ? <Cells name="log" value={read} /> : null}</> : null}
            {log && achieved ? <><Problems answer={achieved} t={t} />{!achieved.error ? Object.entries(achieved).filter(([, v]) => v !== null && typeof v === 'object').map(([k, v]) => <Cells key={k} name={k} value={v} />) : null}</> : null}
        </section>
    );
}
