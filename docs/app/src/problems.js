// Where what is wrong is shown: at the flag the engine names, and at the others its sentence is about.

export function placed(answer, job) {
    const shown = [];
    for (const { path, message } of answer?.error?.problems ?? []) {
        const named = /^--([a-z-]+)/.exec(path)?.[1] ?? /^--([a-z-]+):/.exec(message)?.[1];
        const text = message.replace(/^--[a-z-]+: /, '');
        const about = new Set(named ? [named] : []);
        for (const word of text.match(/\b[a-z]+(?:-[a-z]+)?\b/g) ?? []) if (['tp', 'pp', 'vp', 'cp', 'ep', 'dp', 'zero'].includes(word) && job[word]) about.add(word);
        for (const field of about) shown.push({ field, message: text });
    }
    return shown;
}
