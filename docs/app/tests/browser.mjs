// A Chromium with the page open, and what every test asks of it.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const file = process.env.TRAINCOST_PAGE ?? join(root, 'build', 'web', 'traincost.html');
/** The program, where it is built. */
export const program = [process.env.TRAINCOST_PROGRAM, join(root, 'build/release/bin/traincost'), join(root, 'build/dev/bin/traincost')].find((path) => path && existsSync(path));
export const chromiumProgram = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

export const chromiumArguments = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

export async function openBrowser() {
    if (!chromiumProgram) throw new Error('there is no chromium: apt-get install chromium');
    return chromium.launch({ executablePath: chromiumProgram, args: chromiumArguments, timeout: 60000 });
}

/** The page with a state, once its first answer is there. Requests and errors are kept. TRAINCOST_PAGE may be an address. */
export const openPage = (browser, hash = '', options = {}) => openAt(browser, pageAddress(hash), options);
export const pageAddress = (hash = '') => (/^http:/.test(file) ? file : pathToFileURL(file).href) + hash;

/** The same at an address; `before` runs in the page ahead of its own scripts. */
export async function openAt(browser, address, { before, ...options } = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options });
    if (before) await context.addInitScript(before);
    const page = await context.newPage();
    page.setDefaultTimeout(30000);
    page.requests = [];
    page.failures = [];
    context.on('request', (request) => page.requests.push(request.url()));
    page.on('pageerror', (error) => page.failures.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && page.failures.push(message.text()));
    await page.goto(address);
    await page.waitForSelector('main > *:not([role=status])');
    return page;
}

/** The text of the verdict once the page has answered the job it shows. */
export async function settled(page) {
    await page.waitForFunction(() => {
        const main = document.querySelector('main');
        return main?.dataset.answered && main.dataset.answered === main.dataset.asked;
    });
}

export function fail(message) {
    throw new Error(message);
}

export function check(condition, message) {
    if (!condition) fail(message);
}
