// Files that are dropped: what each is, is the engine's to say.

const largest = 64 * 2 ** 20;

/** {accept(state)} what the state becomes, or {refusal} one line that says why not. */
export async function readFile(file, engine, t) {
    if (file.size > largest) return { refusal: `${file.name}: ${t('toolarge')}` };
    let text;
    try {
        text = await file.text();
    } catch (error) {
        return { refusal: `${file.name}: ${t('badfile')}: ${error.message}` };
    }
    const own = savedState(text);
    if (own) return { accept: () => own };
    const inline = { name: file.name, text };
    const { answer } = await engine.ask({ command: 'read', files: [inline] });
    if (answer.error) return { refusal: `${file.name}: ${answer.error.problems[0].message}` };
    if (answer.kind === 'log') return { accept: () => ({ mode: 'measure', more: { log: inline } }) };
    return { accept: (state) => ({ files: [...state.files.filter((f) => f.name !== file.name), inline] }) };
}

/** A state this page has written. */
function savedState(text) {
    try {
        const value = JSON.parse(text);
        return value?.traincost_page === 1 ? { job: value.job ?? {}, files: value.files ?? [] } : null;
    } catch {
        return null;
    }
}
