// A worker owns one engine and answers its questions in turn. They wait until it has its module: from the page, or in parts.
import { startEngine } from './engine.js';
import { unpacked } from './unpack.js';

let given;
const engine = new Promise((resolve) => {
    given = resolve;
}).then(startEngine);
engine.then(({ version }) => self.postMessage({ ready: true, version }), (error) => self.postMessage({ absent: String(error.message ?? error) }));

let parts = null;

function take({ packed, last }) {
    if (!parts) {
        parts = unpacked();
        parts.module.then((module) => self.postMessage({ module }), () => {});
        given(parts.module);
    }
    parts.give(packed, last);
}

self.onmessage = async ({ data }) => {
    if (data.packed !== undefined) return take(data);
    if (data.module) return given(data.module);
    try {
        const { ask } = await engine;
        const begin = performance.now();
        const answer = ask(data.question);
        self.postMessage({ id: data.id, answer, ms: performance.now() - begin });
    } catch (error) {
        self.postMessage({ id: data.id, broken: String(error.message ?? error), tooLarge: error.tooLarge === true });
    }
};
