// A worker owns one engine and answers its questions in turn.
import { startEngine } from './engine.js';

let engine = null;

self.onmessage = async ({ data }) => {
    if (data.module) {
        engine = startEngine(data.module);
        const { version } = await engine;
        self.postMessage({ ready: true, version });
        return;
    }
    try {
        const begin = performance.now();
        const answer = (await engine).ask(data.question);
        self.postMessage({ id: data.id, answer, ms: performance.now() - begin });
    } catch (error) {
        self.postMessage({ id: data.id, broken: String(error.message ?? error), tooLarge: error.tooLarge === true });
    }
};
