// Pictures of every mode to look at: node tests/pictures.mjs [FOLDER [WORD…]], WORDs choose modes.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, openPage, root, settled } from './browser.mjs';

const folder = process.argv[2] ?? join(root, 'build', 'web', 'pictures');
const words = process.argv.slice(3);
mkdirSync(folder, { recursive: true });
setTimeout(() => process.exit(1), 540000).unref();
const browser = await openBrowser();
const job = 'model=llama-3.1-70b&gpu=h100&gpus=64&seq=8K&micro-batch=1&global-batch=128&tp=4&pp=4&zero=1&tokens=1T';
const kept = JSON.stringify([{ name: '4 stages', job: Object.fromEntries(new URLSearchParams(job)) }, { name: '2 stages', job: { ...Object.fromEntries(new URLSearchParams(job)), pp: '2' } }]);
// own: the estimate with own items, one in its editor, one of its fields refused
const modes = ['ask', 'own', 'guide', 'sweep', 'sheet', 'custom', 'measure', 'compare', 'optimal', 'methods'].filter((m) => !words.length || words.includes(m));
const recording = join(root, 'tests', 'golden', 'benchmark.csv');

/** The mode with something in it. */
async function filled(page, mode) {
    await settled(page);
    if (mode === 'ask') await page.waitForSelector('[data-test=timeline]');
    if (mode === 'own') {
        await page.evaluate(() => document.querySelectorAll('details.group').forEach((d) => { d.open = true; }));
        for (const kind of ['model', 'accelerator']) {
            await page.locator(`[data-test=copy-${kind}]`).click();
            await page.waitForSelector(`[id="own-${kind}-id"]`);
        }
        await page.locator('[id="own-accelerator-tdp_W"]').fill('much');
        await page.keyboard.press('Tab');
        await page.waitForSelector('[data-test=own-problem]');
    }
    if (mode === 'guide') {
        await page.locator('[data-test=guide] button.primary').click();
        await page.waitForSelector('[data-test=guide][data-over=yes]');
    }
    if (mode === 'sweep' || mode === 'sheet') await page.waitForSelector(`[data-test=${mode}][aria-busy=false] table`);
    if (mode === 'compare') await page.waitForSelector('[data-test=timeline-2]');
    if (mode === 'methods') await page.waitForSelector('[data-test=calculator] pre');
    if (mode === 'measure') {
        await page.setInputFiles('[data-test=file]', recording);
        await page.waitForSelector('[data-test=timeline-measured]');
    }
    await page.waitForTimeout(300);
}

for (const theme of ['light', 'dark'])
    for (const width of [390, 900, 1600])
        for (const mode of modes) {
            const page = await openPage(browser, `#${job}&mode=${mode === 'own' ? 'ask' : mode}&saved=${encodeURIComponent(kept)}&theme=${theme}${width === 900 ? '&lang=zh' : ''}`, { viewport: { width, height: 900 } });
            await filled(page, mode).catch((error) => console.log(`${mode} ${width} ${theme}: ${error.message.split('\n')[0]}`));
            await page.screenshot({ path: join(folder, `${mode}-${width}-${theme}.png`), fullPage: true });
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
            if (wide > 0) console.log(`${mode} ${width} ${theme}: ${wide} px too wide`);
            if (page.failures.length) console.log(`${mode} ${width} ${theme}: ${page.failures.join('; ')}`);
            await page.context().close();
        }
await browser.close();
