// How large and how fast the page is: node tests/speed.mjs. Printed, not tested: times are the machine's.
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { file, openBrowser, openPage, settled } from './browser.mjs';
import { coldLoad } from './cold.mjs';

const kib = (n) => `${Math.round(n / 1024)} KiB`;
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
setTimeout(() => process.exit(1), 240000).unref();

const html = readFileSync(file, 'utf8');
const packed = Buffer.from([...html.matchAll(/data-engine="\w+">([^<]*)</g)].map(([, part]) => part).join(''), 'base64');
console.log(`page ${kib(statSync(file).size)}; engine and data ${kib(packed.length)} gzipped, ${kib(gunzipSync(packed).length)} unpacked`);

const loads = [];
for (let i = 0; i < 3; ++i) {
    const browser = await openBrowser();
    const page = await openPage(browser, '');
    await settled(page);
    loads.push(await page.evaluate(() => performance.now()));
    await browser.close();
}
console.log(`first result after a load from a file in a browser that is just starting and debugged: ${Math.round(median(loads))} ms (a new browser each, median of ${loads.length})`);

for (const [what, hash] of [['', ''], [' with a job in its address', '#model=llama-3.1-70b&gpu=h100&gpus=64&seq=4K&global-batch=512']]) {
    const cold = [];
    for (let i = 0; i < 5; ++i) cold.push(await coldLoad(3000, hash));
    console.log(`first result painted after a cold load from a file${what}: ${Math.round(median(cold))} ms (a new browser each, idle for 3 s before; median of ${cold.length})`);
}

const browser = await openBrowser();
const page = await openPage(browser, '');
await settled(page);
const asked = await page.evaluate(async () => {
    const all = [];
    for (let i = 0; i < 50; ++i) {
        const begin = performance.now();
        await window.traincost.ask({ command: 'estimate', model: 'llama-3.1-70b', gpu: 'h100', gpus: '64', tp: '8', pp: '4', seq: String(4096 + 128 * i), 'micro-batch': '1', 'global-batch': '128' });
        all.push(performance.now() - begin);
    }
    return all;
});
console.log(`an estimate, asked and answered: ${median(asked).toFixed(1)} ms (median of ${asked.length} different jobs)`);

const redrawn = await page.evaluate(async () => {
    const slider = document.querySelector('#field-seq').parentElement.querySelector('input[type=range]');
    const main = document.querySelector('main');
    const all = [];
    for (let i = 0; i < 24; ++i) {
        const before = main.dataset.answered;
        const begin = performance.now();
        slider.value = String(i % 2 ? 2 : 3);
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        while (main.dataset.answered === before) await new Promise((resolve) => setTimeout(resolve, 0));
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
        all.push(performance.now() - begin);
        await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return all;
});
console.log(`from a change to the figures painted: ${median(redrawn).toFixed(1)} ms (median of ${redrawn.length}, one frame of up to 17 ms among it)`);

const guide = await openPage(browser, '#mode=guide&model=gpt3-175b&gpu=a100&gpus=1024&seq=2048&global-batch=1536');
await settled(guide);
await guide.getByRole('button', { name: 'Search', exact: true }).click();
await guide.waitForSelector('[data-test=guide][data-over=yes]', { timeout: 120000 });
console.log(`GPT-3 175B on 1,024 A100 searched: ${(Number(await guide.getAttribute('[data-test=guide]', 'data-ms')) / 1000).toFixed(1)} s`);
await browser.close();
