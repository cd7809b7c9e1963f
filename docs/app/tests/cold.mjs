// Cold loads in a Chromium that nothing watches: what a debugger listens to, a page pays for.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumArguments, chromiumProgram, pageAddress } from './browser.mjs';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function listening(child) {
    let said = '';
    for await (const chunk of child.stderr) {
        said += chunk;
        const port = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said)?.[1];
        if (port) return port;
    }
    throw new Error(`chromium ended: ${said}`);
}

/** From navigation to the first result painted, in ms; the browser is new, and has been idle for `idle` ms. */
export async function coldLoad(idle, hash = '') {
    const profile = mkdtempSync(join(tmpdir(), 'traincost-page-'));
    const child = spawn(chromiumProgram, [...chromiumArguments, '--headless=new', '--remote-debugging-port=0', '--no-first-run', `--user-data-dir=${profile}`, '--window-size=1280,900', 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
        const address = `http://127.0.0.1:${await listening(child)}`;
        child.stderr.resume();
        await pause(idle);
        await fetch(`${address}/json/new?${encodeURIComponent(pageAddress(hash))}`, { method: 'PUT' });
        await pause(6000);
        const browser = await chromium.connectOverCDP(address);
        const page = browser.contexts().flatMap((context) => context.pages()).find((p) => p.url().startsWith(pageAddress()));
        const ms = await page.evaluate(() => performance.getEntriesByName('first result')[0].startTime);
        await (await browser.newBrowserCDPSession()).send('Browser.close');
        return ms;
    } catch (error) {
        child.kill();
        throw error;
    } finally {
        await ended;
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
}
