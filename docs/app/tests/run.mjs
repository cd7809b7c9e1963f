// Runs the tests of *.test.mjs in a browser: node tests/run.mjs [WORD…]. Each test has a limit of its own.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const limitOfTest = 60000;
const limitOfAll = 900000;
// A test waits more than it computes: two at once on two cores; more browsers gain little.
const lanes = Math.max(1, Math.min(3, availableParallelism()));

setTimeout(() => {
    console.error('page-test: not finished in time, stopped');
    process.exit(1);
}, limitOfAll).unref();

const tests = [];
for (const name of readdirSync(here).filter((n) => n.endsWith('.test.mjs')).sort()) {
    const { default: own } = await import(pathToFileURL(join(here, name)).href);
    for (const [claim, test] of Object.entries(own)) tests.push({ claim, test, name });
}
const chosen = tests.filter(({ claim, name }) => !words.length || words.some((w) => claim.includes(w) || name.includes(w)));
// The longest first, so that none is left alone at the end.
const queue = [...chosen].sort((a, b) => (b.test.limit ?? 0) - (a.test.limit ?? 0));

/** What is wrong with a claim, or nothing. A browser that was used for one that failed is not used again. */
async function tried(lane, test) {
    let timer;
    const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error('took too long')), test.limit ?? limitOfTest);
    });
    try {
        await Promise.race([test(lane.browser), limit]);
        return null;
    } catch (error) {
        await lane.browser.close().catch(() => {});
        lane.browser = await openBrowser();
        return String(error.message ?? error).split('\n').slice(0, 12).join('\n        ');
    } finally {
        clearTimeout(timer);
        await Promise.all(lane.browser.contexts().map((context) => context.close().catch(() => {})));
    }
}

let failed = 0;
async function run() {
    const lane = { browser: await openBrowser() };
    while (queue.length) {
        const { claim, test } = queue.shift();
        const begin = performance.now();
        // A browser can stumble over a busy machine: what fails twice is wrong.
        const first = await tried(lane, test);
        const wrong = first === null ? null : await tried(lane, test);
        failed += wrong === null ? 0 : 1;
        const took = `${((performance.now() - begin) / 1000).toFixed(1)} s`;
        console.log(wrong !== null ? `FAILED  ${claim} (${took})\n        ${wrong}` : first !== null ? `ok      ${claim} (${took}; the second time: ${first})` : `ok      ${claim} (${took})`);
    }
    await lane.browser.close();
}

const begin = performance.now();
await Promise.all(Array.from({ length: Math.min(lanes, queue.length) }, run));
console.log(`${chosen.length - failed} of ${chosen.length} passed in ${Math.round((performance.now() - begin) / 1000)} s, ${lanes} at once`);
process.exit(failed ? 1 : 0);
