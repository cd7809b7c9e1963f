import { answerOf } from './client.js';
import { isRecord, together } from './own.js';
import { inWords } from './page_error.js';
import { recordedFile } from './recording.js';

// Files that are dropped: what each is, is the engine's to say.

const largest = 64 * 2 ** 20;

/** What a log or a recorded step makes of the state: it takes the place of the one before. */
const measured = (file) => ({ more: { log, recording, ...more } }) => ({ mode: 'measure', more: { ...more, ...file } });

/** {accept(state)} what the state becomes, or {refusal} one line that says why not. */
export async function readFile(file, engine, t) {
    if (file.size > largest) return { refusal: `${file.name}: ${t('toolarge')}` };
    let text;
    try {
        if (/\.xlsx$/i.test(file.name)) return await readSheet(file, engine, t);
        text = await file.text();
    } catch (error) {
        return { refusal: `${file.name}: ${t('badfile')}: ${error.message}` };
    }
    const name = file.name.replace(/\.json$/i, '');
    const own = savedState(text);
    // A job that is dropped on a comparison joins it.
    if (own) return { accept: (old) => ({ ...(old.mode === 'compare' ? { saved: [...old.saved, { name, job: own.job, ...(own.files.length ? { files: own.files } : {}) }] } : { job: own.job, files: own.files }), records: together(own.records, old.records) }) };
    const inline = { name: file.name, text };
    const answer = await answerOf(engine, { command: 'read', files: [inline] });
    if (answer.error) {
        const message = inWords(t, answer.error.problems[0]);
        return { refusal: message.startsWith(`${file.name}:`) ? message : `${file.name}: ${message}` };
    }
    if (['accelerator', 'cluster'].includes(answer.kind)) return { record: answer.record };
    if (answer.kind === 'recording') return { accept: measured({ recording: { file: inline } }) };
    if (answer.kind === 'log') return { accept: measured({ log: inline }) };
    // What is said at a control wins over files: what the file is about to say is no longer said there.
    const place = ['gpu', 'gpus', 'cluster', 'per-node', 'tokens'];
    const kept = { model: ({ model, ...rest }) => rest, job: () => ({}), launch: (job) => Object.fromEntries(Object.entries(job).filter(([name]) => place.includes(name))) }[answer.kind];
    return {
        accept: (state) => {
            if (answer.kind === 'job' && state.mode === 'compare') return { saved: [...state.saved, { name, job: {}, files: [inline] }] };
            const files = [...state.files.filter((f) => f.name !== file.name), inline];
            return { files, job: state.files.length && answer.kind === 'launch' ? state.job : kept ? kept(state.job) : state.job };
        },
    };
}

async function readSheet(file, engine, t) {
    try {
        const from = await recordedFile(file);
        const answer = await answerOf(engine, { command: 'timeline', from });
        return answer.error ? { refusal: inWords(t, answer.error.problems[0]) } : { accept: measured({ recording: { file: from } }) };
    } catch (error) {
        return { refusal: inWords(t, error) };
    }
}

/** A state this page has written. */
function savedState(text) {
    try {
        const value = JSON.parse(text);
        return value?.traincost_page === 1 ? { job: value.job ?? {}, files: value.files ?? [], records: (value.records ?? []).filter(isRecord) } : null;
    } catch {
        return null;
    }
}
