// Pictures of the page to look at: node tests/pictures.mjs [FOLDER]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, openPage, root, settled } from './browser.mjs';

const folder = process.argv[2] ?? join(root, 'build', 'web', 'pictures');
mkdirSync(folder, { recursive: true });
setTimeout(() => process.exit(1), 240000).unref();
const browser = await openBrowser();
const job = 'model=llama-3.1-70b&gpu=h100&gpus=64&seq=8K&micro-batch=1&global-batch=128&tp=4&pp=4&zero=1&tokens=1T';
for (const theme of ['light', 'dark'])
    for (const width of [390, 900, 1600]) {
        const page = await openPage(browser, `#${job}&theme=${theme}${width === 900 ? '&lang=zh' : ''}`, { viewport: { width, height: 900 } });
        await settled(page);
        await page.waitForSelector('[data-test=timeline]');
        await page.screenshot({ path: join(folder, `ask-${width}-${theme}.png`), fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) console.log(`${width} ${theme}: ${wide} px too wide`);
        await page.context().close();
    }
await browser.close();
