// The timeline under the pointer, the wheel and the keys.
import { check, openPage, settled } from './browser.mjs';

const job = 'model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=32&pp=4&zero=1';

async function drawn(browser) {
    const page = await openPage(browser, `#${job}`);
    await settled(page);
    await page.waitForSelector('[data-test=timeline] svg.timeline');
    await page.locator('[data-test=timeline] svg.timeline').first().scrollIntoViewIfNeeded();
    return page;
}

const axis = (page) => page.locator('[data-test=timeline] svg.timeline').first().locator('.tick + text').allTextContents();
const tasks = (page) => page.locator('[data-test=timeline] svg.timeline').first().locator('rect:has(title)');

export default {
    'a task that is pointed at says its micro-batch, begin, end and time': async (browser) => {
        const page = await drawn(browser);
        const readout = page.locator('[data-test=timeline-readout]');
        const hint = await readout.textContent();
        const rect = tasks(page).nth(3);
        const tip = await rect.locator('title').textContent();
        await rect.hover({ force: true });
        check((await readout.textContent()) === tip, `${await readout.textContent()} and ${tip}`);
        check(/ \d+: [\d.]+\sm?s – [\d.]+\sm?s \([\d.]+\sm?s\)/.test(tip), tip);
        const answer = await page.evaluate(async () => (await window.traincost.ask({ command: 'timeline', ...JSON.parse(document.querySelector('main').dataset.asked) })));
        check(answer.events.some((e) => tip.includes(` ${e.micro_batch}: `)), 'no such micro-batch');
        await page.mouse.move(5, 5);
        check((await readout.textContent()) === hint, 'the words stay when the pointer leaves');
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'buttons, keys and the wheel zoom the timeline, and all of it comes back': async (browser) => {
        const page = await drawn(browser);
        const whole = await axis(page);
        const count = await tasks(page).count();
        await page.locator('[data-test=timeline]').getByRole('button', { name: 'Zoom in' }).click();
        const closer = await axis(page);
        check(closer.join() !== whole.join(), `the axis stays ${whole}`);
        check((await tasks(page).count()) < count, 'nothing left the view');
        const region = page.locator('[data-test=timeline] .drawing').first();
        await region.focus();
        await page.keyboard.press('ArrowRight');
        check((await axis(page)).join() !== closer.join(), 'the arrow does not move');
        await page.keyboard.press('0');
        check((await axis(page)).join() === whole.join(), '0 does not show the whole');
        await region.hover();
        await page.keyboard.down('Control');
        await page.mouse.wheel(0, -200);
        await page.keyboard.up('Control');
        await page.waitForFunction((n) => document.querySelectorAll('[data-test=timeline] svg.timeline')[0].querySelectorAll('rect:has(title)').length !== n || document.querySelector('[data-test=timeline] .tick + text').textContent !== '0', count);
        check((await axis(page)).join() !== whole.join(), 'the wheel does not zoom');
        await page.locator('[data-test=timeline]').getByRole('button', { name: 'Whole' }).click();
        check((await axis(page)).join() === whole.join(), 'the whole does not come back');
        // What is under the pointer stays there: at the left end, the begin.
        const svg = page.locator('[data-test=timeline] svg.timeline').first();
        const box = await svg.boundingBox();
        await page.mouse.move(box.x + 20, box.y + 10);
        await page.keyboard.down('Control');
        for (let i = 0; i < 3; ++i) await page.mouse.wheel(0, -200);
        await page.keyboard.up('Control');
        await page.waitForFunction((text) => [...document.querySelector('[data-test=timeline] svg.timeline').querySelectorAll('.tick + text')].map((x) => x.textContent).join() !== text, whole.join());
        check((await axis(page))[0] === whole[0], `the begin left: ${await axis(page)}`);
    },
    'the memory of each stage is said at the moment that is pointed at': async (browser) => {
        const page = await drawn(browser);
        const said = page.locator('[data-test=timeline-memory]');
        const range = await said.textContent();
        const drawing = page.locator('[data-test=timeline] svg.timeline').nth(1);
        await drawing.scrollIntoViewIfNeeded();
        const box = await drawing.boundingBox();
        const { stages, total_s: total } = await page.evaluate(async () => (await window.traincost.ask({ command: 'timeline', ...JSON.parse(document.querySelector('main').dataset.asked) })));
        await page.mouse.move(box.x + 34 + (box.width - 34) / 2, box.y + box.height / 2);
        const text = await said.textContent();
        stages.forEach(({ memory }, i) => {
            const near = memory.filter((p) => Math.abs(p.at_s - total / 2) < 0.05 * total).map((p) => p.device_bytes / 2 ** 30);
            const shown = Number(new RegExp(`Stage ${i} ([\\d.]+)\\sGiB`).exec(text)?.[1]);
            check(shown >= 0.99 * Math.min(...near) && shown <= 1.01 * Math.max(...near), `stage ${i}: ${text}`);
        });
        await page.mouse.move(5, 5);
        check((await said.textContent()) === range, 'the words stay when the pointer leaves');
    },
    'the step is drawn by lane too': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=16&pp=2&tp=2&zero=1');
        await page.waitForSelector('[data-test=timeline] svg.timeline');
        const rows = page.locator('[data-test=timeline] svg.timeline rect.empty');
        check((await rows.count()) === 2, 'not a row a stage');
        await page.getByLabel('One row per lane').check();
        await page.waitForFunction(() => document.querySelectorAll('[data-test=timeline] ol li').length > 4);
        const names = await page.locator('[data-test=timeline] ol li').allTextContents();
        check(names.includes('Stage 0, compute') && names.includes('Stage 1, tensor parallel'), names.join('; '));
        await page.fill('#field-tp', '1');
        await page.keyboard.press('Tab');
        await page.waitForFunction(() => !document.querySelector('[data-test=timeline] ol')?.textContent.includes('tensor parallel') && document.querySelector('[data-test=timeline] ol'));
        await page.getByLabel('One row per lane').uncheck();
        await page.waitForFunction(() => document.querySelectorAll('[data-test=timeline] svg.timeline rect.empty').length === 2);
    },
    'the whole step is drawn without scrolling, on a phone too': async (browser) => {
        for (const width of [390, 900]) {
            const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=64&pp=4', { viewport: { width, height: 844 } });
            await page.waitForSelector('[data-test=timeline] svg.timeline');
            await page.waitForFunction(() => {
                const svg = document.querySelector('[data-test=timeline] svg.timeline');
                const { width: shown, right } = svg.getBoundingClientRect();
                return right <= innerWidth && Math.abs(svg.viewBox.baseVal.width - shown) < 2;
            });
            await page.context().close();
        }
    },
    'kept jobs have their differences marked on the timelines, and one alone has its figures': async (browser) => {
        const job = { model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', seq: '8K', 'micro-batch': '1', 'global-batch': '64', pp: '4' };
        const kept = (jobs) => `#mode=compare&model=llama-3.1-8b&gpu=h100&gpus=8&saved=${encodeURIComponent(JSON.stringify(jobs.map((j, i) => ({ name: `job ${i}`, job: j }))))}`;
        const both = await openPage(browser, kept([job, { ...job, 'micro-batch': '2' }]));
        await both.waitForSelector('[data-test=timeline-2] .legend .differs');
        check((await both.locator('[data-test=timeline-1] .differs').count()) === 0, 'the first differs from itself');
        check((await both.locator('[data-test=timeline-2-mark]').count()) === 1, 'the end of the first is not marked');
        check(/\([+−][\d.]+\sm?s\)$/.test(await both.textContent('#timeline-2-title')), await both.textContent('#timeline-2-title'));
        const alone = await openPage(browser, kept([job]));
        await alone.waitForSelector('[data-test=timeline-1]');
        check((await alone.locator('[data-test=compare] tbody tr').count()) > 5, 'no figures');
        check((await alone.locator('[data-test=error]').count()) === 0, 'an error');
    },
};
