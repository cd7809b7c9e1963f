import AxeSource from 'axe-core';
import { check, openAt, openPage, pageAddress, settled } from './browser.mjs';

const figure = (page, name) => page.locator('.figure', { hasText: name }).locator('.value').first().textContent();

/** Whether a mode shows its answers: in the page. */
const filled = (mode) => {
    const shown = { ask: '[data-test=timeline]', guide: '[data-test=guide]', sweep: '[data-test=sweep][aria-busy=false] table', sheet: '[data-test=sheet][aria-busy=false] [data-test=after] table', custom: '#custom-job', measure: '[data-test=measure]', compare: '[data-test=timeline-2]', optimal: '[data-test=optimal] table', methods: '[data-test=calculator] pre' };
    return document.querySelector(shown[mode]) && (mode !== 'methods' || document.querySelector('[data-test=original] pre'));
};

/** Every mode, one after the other, is free of what axe-core knows to be wrong. */
const clean = (theme, lang, width) => async (browser) => {
    const kept = [{}, { pp: '2' }].map((more) => ({ name: 'a', job: { model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', ...more } }));
    const page = await openPage(browser, `#model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=64&tokens=1T&more=${encodeURIComponent('{"stepTime":"6.8s"}')}&theme=${theme}&saved=${encodeURIComponent(JSON.stringify(kept))}&lang=${lang}`, { viewport: { width, height: 844 } });
    page.setDefaultTimeout(90000);
    await settled(page);
    await page.addStyleTag({ content: '* { transition: none !important }' });
    await page.evaluate(AxeSource.source);
    for (let i = 0; i < (await page.locator('nav button').count()); ++i) {
        await page.locator('nav button').nth(i).click();
        const mode = await page.getAttribute('main', 'data-mode');
        await page.waitForFunction(filled, mode);
        const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
        const lines = found.violations.flatMap((v) => v.nodes.map((n) => `${mode}: ${v.id}: ${n.target} ${n.failureSummary?.split('\n')[1] ?? ''}`));
        check(lines.length === 0, lines.slice(0, 8).join('\n'));
    }
};

/** In the page, ahead of its scripts: keeps the commands that its engines are asked. */
const keepCommands = () => {
    window.commands = [];
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (data, ...more) {
        if (data.question) window.commands.push(JSON.parse(data.question).command);
        return post.call(this, data, ...more);
    };
};

const claims = {
    'an estimate is there when the page has opened': async (browser) => {
        const page = await openPage(browser);
        check(/Fits|fit/.test(await page.textContent('[data-test=verdict]')), 'no verdict');
        check(await figure(page, 'MFU'), 'no MFU');
        await page.locator('[data-test=timeline] rect').nth(4).waitFor({ state: 'attached' });  // a question of its own
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'what the page opens with is what its engine answers, and no engine is asked for it': async (browser) => {
        const page = await openAt(browser, pageAddress(), { before: keepCommands });
        await settled(page);
        await page.locator('[data-test=timeline] rect').nth(4).waitFor({ state: 'attached' });
        await page.waitForFunction(() => window.commands.includes('fields'));
        check(!(await page.evaluate(() => window.commands.some((command) => command !== 'fields'))), 'an engine was asked');
        const differing = await page.evaluate(async () => {
            const { version, answers } = JSON.parse(document.getElementById('opening').textContent);
            const [differing, footer] = [[], document.querySelector('footer').textContent];
            if (!footer.includes(version)) differing.push(footer);
            for (const [question, answer] of answers) {
                // The same question in other words is one for the engine.
                const asked = JSON.parse(question);
                const again = await window.traincost.ask(Object.fromEntries(Object.entries(asked).reverse()));
                if (JSON.stringify(again) !== JSON.stringify(JSON.parse(answer))) differing.push(asked.command);
            }
            return differing;
        });
        check(differing.length === 0, differing.join('; '));
        check(await page.evaluate(() => window.commands.filter((command) => command !== 'fields').length === 2), 'the engine was not asked');
    },
    'the first question to the engine is the estimate, unless that needs the list of switches': async (browser) => {
        const first = async (hash) => {
            const page = await openPage(browser, hash, { before: keepCommands });
            await settled(page);
            check(!(await page.locator('[data-test=error]').count()), await page.textContent('main'));
            await page.waitForFunction(() => window.commands.includes('fields'));
            return page.evaluate(() => window.commands[0]);
        };
        check((await first('#model=gpt2&gpu=h100&gpus=1&seq=1K&global-batch=8')) === 'estimate', 'something was asked before the estimate');
        check((await first('#model=gpt2&gpu=h100&gpus=1&seq=1K&global-batch=8&whole-nodes=true')) === 'fields', 'the switches were not asked for');
    },
    'no request leaves the page, and its policy forbids one': async (browser) => {
        const page = await openPage(browser);
        await settled(page);
        const outside = page.requests.filter((url) => !/^(file|blob|data):/.test(url));
        check(outside.length === 0, outside.join(' '));
        const answer = await page.evaluate(() => fetch('https://example.org/').then(() => 'sent', () => 'refused'));
        check(answer === 'refused', 'a request was sent');
    },
    'a change is computed and marked': async (browser) => {
        const page = await openPage(browser);
        await settled(page);
        const before = await figure(page, 'Step');
        await page.fill('#field-tp', '2');
        await page.keyboard.press('Tab');
        await page.waitForSelector('.figure.changed');
        await settled(page);
        check((await figure(page, 'Step')) !== before, 'the step time is the same');
        check(page.url().includes('tp=2'), page.url());
    },
    'an impossible value is explained at its control, and the nearest one is a click away': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=8&tp=3');
        await page.waitForSelector('.control.bad .problem');
        const button = page.locator('.control.bad .problem button').first();
        await button.click();
        await page.waitForFunction(() => !document.querySelector('.control.bad'));
        await settled(page);
        check(await page.locator('[data-test=verdict]').count(), 'no verdict');
    },
    'a name that nothing has is a click away from the nearest, and a count from the nearest that divides': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8&gpu=h100&gpus=8&seq=8K');
        await page.locator('.control.bad .problem button').click();
        await page.waitForFunction(() => !document.querySelector('.control.bad'));
        check((await page.inputValue('#field-model')).startsWith('llama-3'), await page.inputValue('#field-model'));
        await page.fill('#field-gpus', '7');
        await page.fill('#field-tp', '2');
        await page.keyboard.press('Tab');
        await page.locator('.control.bad', { hasText: 'Accelerators' }).locator('.problem button').click();
        await page.waitForFunction(() => ['6', '8'].includes(document.querySelector('#field-gpus').value));
        await settled(page);
        check(!(await page.locator('.control.bad').count()), 'it is still wrong');
    },
    'a job that does not fit has remedies, and one click applies one': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-70b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=64&zero=0');
        check((await page.textContent('[data-test=verdict]')).includes('not fit'), 'it fits');
        await page.locator('.remedies button').first().click();
        await page.waitForFunction(() => !document.querySelector('[data-test=verdict]').textContent.includes('not fit'));
    },
    'each assumption stands beside the control that it concerns': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=16&seq=8K&micro-batch=1&global-batch=64&tokens=1T');
        await settled(page);
        await page.locator('.more summary').click();
        await page.waitForSelector('#field-mtbf-note', { state: 'attached' });
        const answer = await page.evaluate(async () => (await window.traincost.ask({ command: 'estimate', ...JSON.parse(document.querySelector('main').dataset.asked) })));
        const beside = { 'full bisection': 'cluster', 'usual node for': 'cluster', '(--seq)': 'seq', '(--stack)': 'stack', '(--dp)': 'dp', '(--optimizer)': 'optimizer', '(--mtbf)': 'mtbf', '(--price': 'price' };
        for (const [words, name] of Object.entries(beside)) {
            const line = answer.assumptions.find((a) => a.includes(words));
            check(line, `nothing is assumed of ${words}`);
            const note = page.locator(`#field-${name}-note`);
            check((await note.count()) === 1, `no note at ${name} of: ${line}`);
            check((await page.getAttribute(`#field-${name}`, 'aria-describedby')).split(' ').includes(`field-${name}-note`), `${name} is not described by its note`);
        }
        check((await page.textContent('#field-cluster-note')).includes('full bisection'), 'one of two assumptions of the cluster is missing');
        check((await page.textContent('#field-seq-note')).includes('8192'), 'nothing beside a value that was said');
    },
};
// Nine modes a test: on a machine that is busy with other things, each takes long.
for (const [theme, lang, width] of [['light', 'en', 1280], ['dark', 'zh', 390]]) {
    const claim = `axe finds nothing in any mode, ${theme}, in ${lang === 'zh' ? 'Chinese' : 'English'}, ${width} pixels wide`;
    claims[claim] = clean(theme, lang, width);
    claims[claim].limit = 300000;
}

export default claims;
