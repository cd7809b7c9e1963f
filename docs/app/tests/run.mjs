// Runs the tests of *.test.mjs in a browser: node tests/run.mjs [WORD…]. Each test has a limit of its own.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const limitOfTest = 60000;
const limitOfAll = 900000;

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

/** What is wrong with a claim, or nothing. A browser that was used for one that failed is not used again. */
async function tried(test) {
    let timer;
    const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error('took too long')), test.limit ?? limitOfTest);
    });
    try {
        await Promise.race([test(browser), limit]);
        return null;
    } catch (error) {
        await browser.close().catch(() => {});
        browser = await openBrowser();
        return String(error.message ?? error).split('\n').slice(0, 12).join('\n        ');
    } finally {
        clearTimeout(timer);
        await Promise.all(browser.contexts().map((context) => context.close().catch(() => {})));
    }
}

let failed = 0;
let browser = await openBrowser();
for (const { claim, test } of chosen) {
    // A browser can stumble over a busy machine: what fails twice is wrong.
    const first = await tried(test);
    const wrong = first === null ? null : await tried(test);
    failed += wrong === null ? 0 : 1;
    console.log(wrong !== null ? `FAILED  ${claim}\n        ${wrong}` : first !== null ? `ok      ${claim} (the second time: ${first})` : `ok      ${claim}`);
}
await browser.close();
console.log(`${chosen.length - failed} of ${chosen.length} passed`);
process.exit(failed ? 1 : 0);
