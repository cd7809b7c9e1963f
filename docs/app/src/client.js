// Questions from the page to the engines in its workers.
import { openingAnswers } from './opening.js';
import { PageError } from './page_error.js';
import { served } from './served.js';

export { served };

/** The first worker, which compiles the module, and where the program of all is: start.js made them. */
let first = window.traincostStart;
const workerUrl = first?.url;
const compiled = {};
compiled.module = new Promise((resolve, reject) => Object.assign(compiled, { resolve, reject }));
compiled.module.catch(() => {});

const opening = served ? null : openingAnswers();

/** One worker with an engine. Its questions are answered in turn; `stop` ends it in the middle of one. */
class Engine {
    constructor() {
        this.next = 1;
        this.waiting = new Map();
        this.version = opening.version;
    }

    /** Starts the worker, which `ask` does too: it is under way before there is a question. */
    start() {
        if (this.worker) return;
        const worker = first?.worker ?? new Worker(workerUrl);
        this.worker = worker;
        worker.onerror = (event) => this.absent(event.message);
        worker.onmessage = ({ data }) => this.hear(data);
        if (first) first.said.forEach((data) => this.hear(data));
        else compiled.module.then((module) => worker.postMessage({ module }), (error) => this.absent(error.message));
        first = null;
    }

    /** No engine will come of this worker. */
    absent(why) {
        this.why = new PageError('noengine', why);
        compiled.reject(new Error(why));
        for (const { reject } of this.waiting.values()) reject(this.why);
        this.waiting.clear();
    }

    hear(data) {
        if (data.module) return compiled.resolve(data.module);
        if (data.ready) return Object.assign(this, { version: data.version });
        if (data.absent !== undefined) return this.absent(data.absent);
        const asked = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if (data.broken === undefined) return asked?.resolve({ answer: JSON.parse(data.answer), text: data.answer, ms: data.ms });
        // A module that stopped in the middle is not asked again.
        this.stop();
        return asked?.reject(data.tooLarge ? new PageError('largequestion') : new PageError('enginefailed', data.broken));
    }

    /** The question waits in the worker until its engine is there. */
    ask(question) {
        if (this.why) return Promise.reject(this.why);
        const asked = JSON.stringify(question);
        const text = opening.answers.get(asked);
        if (text !== undefined) return Promise.resolve({ answer: JSON.parse(text), text, ms: 0 });
        this.start();
        const id = this.next++;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.worker.postMessage({ id, question: asked });
        });
    }

    stop() {
        this.worker?.terminate();
        this.worker = null;
        for (const { reject } of this.waiting.values()) reject(new PageError('stopped'));
        this.waiting.clear();
    }
}

/** The program that serves this page, in place of a worker. What is stopped here, it computes to its end. */
class ServingProgram {
    constructor() {
        this.calls = new AbortController();
        this.ready = Promise.resolve();
    }

    start() {}

    async ask(question) {
        const begin = performance.now();
        let response;
        try {
            response = await fetch('/ask', {
                method: 'POST',
                headers: { 'Content-Type': 'application/json' },
                body: JSON.stringify(question),
                signal: this.calls.signal,
            });
        } catch (error) {
            throw new PageError(this.calls.signal.aborted ? 'stopped' : 'noserver');
        }
        const text = await response.text();
        this.version = /^traincost\/(.*)/.exec(response.headers.get('Server') ?? '')?.[1];
        return { answer: JSON.parse(text), text, ms: performance.now() - begin };
    }

    stop() {
        this.calls.abort();
        this.calls = new AbortController();
    }
}

/** The engine of this page: a worker of its own, or the program that serves it. */
export const newEngine = () => (served ? new ServingProgram() : new Engine());

/** What the page itself has to say, as the engine would. */
const problem = ({ message, word, values }) => ({ error: { kind: 'internal', problems: [{ path: '', message, word, values }] } });

/** The answer to a question; where there is none, an error in its place. */
export const answerOf = (engine, question) => engine.ask(question).then(({ answer }) => answer, problem);

/** Answers to the newest question only: what is asked while one is open replaces what waits. */
export class Latest {
    constructor(engine) {
        this.engine = engine;
        this.busy = false;
        this.pending = null;
    }

    ask(question, done) {
        this.pending = { question, done };
        if (!this.busy) this.run();
    }

    async run() {
        this.busy = true;
        while (this.pending) {
            const { question, done } = this.pending;
            this.pending = null;
            try {
                done(await this.engine.ask(question));
            } catch (error) {
                done({ answer: problem(error) });
            }
        }
        this.busy = false;
    }
}

/** Many questions over several workers; `each` hears of every answer, `stop` ends all at once. */
export function askAll(questions, each, workers = served ? 2 : Math.max(1, Math.min(8, navigator.hardwareConcurrency || 2))) {
    const engines = Array.from({ length: Math.min(workers, questions.length) }, () => newEngine());
    let next = 0;
    let stopped = false;
    const stop = () => {
        stopped = true;
        engines.forEach((engine) => engine.stop());
    };
    const run = async (engine) => {
        while (next < questions.length && !stopped) {
            const at = next++;
            const { answer } = await engine.ask(questions[at]);
            each(answer, at);
        }
    };
    const finished = Promise.all(engines.map(run)).then(
        () => stop(),
        (error) => {
            if (!stopped) {
                stop();
                throw error;
            }
        },
    );
    return { stop, finished };
}
