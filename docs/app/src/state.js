import { isRecord, usedBy } from './own.js';

// What the page shows is a function of its state, and the state is in the address.

export const usual = {
    mode: 'ask',
    job: { model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', seq: '8K', 'micro-batch': '1', 'global-batch': '64', zero: '1', tokens: '1T' },
    files: [],
    saved: [],
    records: [],
    more: {},
};

const isObject = (x) => x !== null && typeof x === 'object' && !Array.isArray(x);
const isText = (x) => typeof x === 'string';
const isFile = (f) => isText(f?.name);

/** What modes keep beside the job. What an address says otherwise is left out. */
const kept = {
    flops: isText, stepTime: isText, goal: isText, rows: isText, calculator: isText, vary: (x) => isText(x) || Array.isArray(x),
    calculators: (x) => isObject(x) && Object.values(x).every(isObject), log: isFile, recording: (x) => isFile(x?.file),
};
const moreOf = (said) => Object.fromEntries(Object.entries(said).filter(([name, value]) => Object.hasOwn(kept, name) && kept[name](value)));
const textsOf = (job) => Object.fromEntries(Object.entries(job).map(([name, value]) => [name, String(value)]));

/** mode, lang, theme, files, saved, records, more are words of their own; every other name is a flag of the job. */
export function fromHash(hash) {
    const said = new URLSearchParams(hash.replace(/^#/, ''));
    if (![...said.keys()].length) return null;
    const state = { ...usual, job: {}, lang: undefined, theme: undefined };
    const parsed = (text, kind) => {
        try {
            const value = JSON.parse(text);
            return Array.isArray(kind) === Array.isArray(value) && value !== null && typeof value === 'object' ? value : kind;
        } catch {
            return kind;
        }
    };
    for (const [name, value] of said) {
        if (name === 'mode' || name === 'lang' || name === 'theme') state[name] = value;
        else if (name === 'files') state.files = parsed(value, []).filter(isFile);
        else if (name === 'saved') state.saved = parsed(value, []).filter((s) => isObject(s?.job)).map((s) => ({ ...s, name: String(s.name ?? ''), job: textsOf(s.job), ...(s.files ? { files: [s.files].flat().filter(isFile) } : {}) }));
        else if (name === 'records') state.records = parsed(value, []).filter(isRecord);
        else if (name === 'more') state.more = moreOf(parsed(value, {}));
        else state.job[name] = value;
    }
    return state;
}

/** An address longer than this is not kept by browsers: large files stay in the page alone. */
const longest = 500000;

export const fitsHash = (state) => hashOf(state).length <= longest;
export const toHash = (state) => hashOf(fitsHash(state) ? state : { ...state, files: [], more: withoutTexts(state.more) });
const withoutTexts = ({ log, recording, rows, ...more }) => more;

function hashOf(state) {
    const said = new URLSearchParams();
    for (const name of ['mode', 'lang', 'theme']) if (state[name]) said.set(name, state[name]);
    for (const [name, value] of Object.entries(state.job)) if (value !== '') said.set(name, value);
    if (state.files.length) said.set('files', JSON.stringify(state.files));
    if (state.saved.length) said.set('saved', JSON.stringify(state.saved));
    if (state.records.length) said.set('records', JSON.stringify(state.records));
    if (Object.keys(state.more).length) said.set('more', JSON.stringify(state.more));
    return `#${said}`;
}

/** The members of a question that say the job. */
export function jobOf(state, switches = new Set()) {
    const question = {};
    for (const [name, value] of Object.entries(state.job)) if (value !== '') question[name] = switches.has(name) ? value === 'true' : value;
    if (state.files.length) question.files = state.files;
    return question;
}

/** A value as a word of a command line. */
export const shellWord = (text) => (/^[\w.,:/%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The flags of a shell command that says the same. */
export function commandLine(state, command = 'estimate') {
    // One's own records are a folder to the program: the page saves it.
    const words = ['traincost', ...(usedBy(state, state.records).length ? ['--data', 'own'] : []), command];
    for (const [name, value] of Object.entries(state.job)) {
        if (value === '') continue;
        words.push(`--${name}`);
        if (value !== 'true') words.push(shellWord(String(value)));
    }
    for (const file of state.files) words.push(shellWord(file.name));
    return words.join(' ');
}
