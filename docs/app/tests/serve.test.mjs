// The page as the program serves it: the native engine answers, and no request goes anywhere else. Skipped where the
// program is not built, or without a server.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { check, file, openAt, root, settled } from './browser.mjs';

const program = [process.env.TRAINCOST_PROGRAM, join(root, 'build/release/bin/traincost'), join(root, 'build/dev/bin/traincost')].find((path) => path && existsSync(path));

/** Runs `test` with the address of a server, which is stopped after it. */
async function served(test) {
    const server = program ? spawn(program, ['serve', '--port', '0', '--page', file], { stdio: ['ignore', 'pipe', 'pipe'] }) : null;
    const address = await new Promise((resolve) => {
        if (!server) return resolve('');
        server.stdout.once('data', (text) => resolve(String(text).trim()));
        server.once('exit', () => resolve(''));
    });
    if (!address) {
        console.log('        (skipped: the program is not built, or has no server)');
        return;
    }
    const over = new Promise((resolve) => server.once('exit', (code) => resolve(code)));
    try {
        await test(address);
    } finally {
        server.kill('SIGTERM');
    }
    check((await over) === 0, 'the server did not end well');
}

export default {
    'the served page has the native engine, and asks its server alone': (browser) =>
        served(async (address) => {
            const page = await openAt(browser, `${address}#mode=guide&model=gpt3-175b&gpu=a100&gpus=1024&seq=2048&global-batch=1536`);
            await settled(page);
            check((await page.textContent('footer')).includes('native engine'), 'not the native engine');
            await page.getByRole('button', { name: 'Search', exact: true }).click();
            await page.waitForSelector('[data-test=guide][data-over=yes] [data-test=plans]');
            const outside = page.requests.filter((url) => !url.startsWith(address) && !url.startsWith('data:'));
            check(outside.length === 0, outside.join(' '));
            check(page.workers().length === 0, 'there are workers');
            check((await page.evaluate(() => fetch('https://example.org/').then(() => 'sent', () => 'refused'))) === 'refused', 'a request was sent');
            check((await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused'))) === 'refused', 'a request was sent');
        }),
    'the program that serves the page computes with own items too': (browser) =>
        served(async (address) => {
            const gpu = { schema: 'accelerator/1', id: 'x1', vendor: 'NVIDIA', architecture: 'Hopper', memory: { type: 'HBM3', capacity_GB: 96, bandwidth_GBps: 3800 }, peak_TFLOPs: { fp32: 60, bf16: 900, fp16: 900 } };
            const page = await openAt(browser, `${address}#model=llama-3.1-8b&gpu=x1&gpus=8&seq=8K&micro-batch=1&global-batch=64&records=${encodeURIComponent(JSON.stringify([gpu]))}`);
            await settled(page);
            check(await page.locator('[data-test=verdict]').count(), await page.textContent('main'));
        }),
    'a page of another site cannot ask the server': (browser) =>
        served(async (address) => {
            const page = await openAt(browser, address);
            const other = await page.context().newPage();
            await other.goto(address.replace('127.0.0.1', 'localhost'));
            const answer = await other.evaluate((url) => fetch(`${url}ask`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"command": "fields"}' }).then((r) => r.status, () => 'refused'), address);
            check(answer === 'refused' || answer === 403, String(answer));
        }),
};
