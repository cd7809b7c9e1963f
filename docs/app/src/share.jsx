import { useEffect, useState } from 'preact/hooks';
import { Problems } from './ask.jsx';
import { answerOf } from './client.js';
import { commandLine, fitsHash, toHash } from './state.js';
import { filled } from './words.js';

export function save(name, text, type) {
    const url = URL.createObjectURL(text instanceof Blob ? text : new Blob([text], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** The drawing with its colours written out, so that it is the same outside of the page. */
function drawingText(svg) {
    const copy = svg.cloneNode(true);
    const originals = [svg, ...svg.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((element, i) => {
        const style = getComputedStyle(originals[i]);
        for (const name of ['fill', 'stroke', 'stroke-width', 'font-size', 'font-family', 'text-anchor']) element.setAttribute(name, style.getPropertyValue(name));
        element.removeAttribute('class');
    });
    const [, , width, height] = svg.getAttribute('viewBox').split(' ');
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', width);
    copy.setAttribute('height', height);
    const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    for (const [name, value] of [['width', width], ['height', height], ['fill', getComputedStyle(document.body).backgroundColor]]) ground.setAttribute(name, value);
    copy.prepend(ground);
    return { text: new XMLSerializer().serializeToString(copy), width: Number(width), height: Number(height) };
}

async function savePicture(svg) {
    const { text, width, height } = drawingText(svg);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save('traincost-step.png', blob));
}

export function Share({ state, change, valid, question, engine, t }) {
    const [formats, setFormats] = useState([]);
    const [written, setWritten] = useState(null);
    useEffect(() => {
        engine.ask({ command: 'fields' }).then(({ answer }) => setFormats(answer.formats ?? []), () => {});
    }, []);
    useEffect(() => setWritten(null), [JSON.stringify(question)]);
    const launch = async (format) => {
        if (!format) return;
        const answer = await answerOf(engine, { command: 'export', to: format, ...question });
        setWritten(answer);
        for (const file of answer.files ?? []) save(file.name, file.text, 'text/plain');
    };
    const report = async () => {
        const answer = await answerOf(engine, { command: 'report', ...question });
        if (answer.error) setWritten(answer);
        else save('traincost-report.html', answer.html, 'text/html');
    };
    const [copied, setCopied] = useState('');
    const copy = async (what, text) => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            const box = document.createElement('textarea');
            box.value = text;
            document.body.append(box);
            box.select();
            document.execCommand('copy');
            box.remove();
        }
        setCopied(what);
    };
    const drawing = () => document.querySelector('svg.timeline');
    const keep = () => change((old) => ({ saved: [...old.saved, { name: [old.job.model, old.job.gpus, old.job.gpu, old.job.cluster, ...old.files.map((f) => f.name)].filter(Boolean).join(' '), job: old.job, ...(old.files.length ? { files: old.files } : {}) }] }));
    return (
        <section aria-labelledby="share-title" data-test="share">
            <h3 id="share-title">{t('sharing')}</h3>
            <div class="tools">
                <button type="button" onClick={keep}>{t('save')}</button>
                <button type="button" onClick={() => copy('link', location.href.split('#')[0] + toHash(state))}>{t('link')}</button>
                <button type="button" onClick={() => copy('line', commandLine(state))}>{t('line')}</button>
                <button type="button" onClick={() => save('traincost.json', JSON.stringify(valid, null, 2), 'application/json')}>{t('json')}</button>
                <button type="button" onClick={() => drawing() && save('traincost-step.svg', drawingText(drawing()).text, 'image/svg+xml')}>{t('svg')}</button>
                <button type="button" onClick={() => drawing() && savePicture(drawing())}>{t('png')}</button>
                <button type="button" onClick={report}>{t('report')}</button>
                <select aria-label={t('launchfile')} value="" onChange={(e) => launch(e.target.value)}>
                    <option value="">{t('launchfile')}</option>
                    {formats.map(({ name, what }) => <option key={name} value={name} title={what}>{name}</option>)}
                </select>
            </div>
            {fitsHash(state) ? null : <p class="problem" data-test="toolong">{t('toolong')}</p>}
            {written?.error ? <Problems answer={written} t={t} /> : null}
            {written?.unsaid?.length ? <ul class="assumed" data-test="unsaid">{written.unsaid.map((u) => <li key={u.field}>{u.field} {u.value}: {u.why}</li>)}</ul> : null}
            <p role="status">{copied ? t('copied') : state.saved.length ? filled(t('saved'), state.saved.length) : ''}</p>
        </section>
    );
}
