import { errorText } from '../src/engine_errors.js';
import { words } from '../src/words.js';
import { check, openPage, settled } from './browser.mjs';
import { situations } from './situations.mjs';

const t = words('zh');

/** What the engine refuses in all situations, and why searches find nothing: each sentence once. */
async function refused(page) {
    const said = await page.evaluate(async (questions) => {
        const all = new Set();
        for (const question of questions) {
            const answer = await window.traincost.ask(question);
            for (const message of answer.error?.problems.map((p) => p.message) ?? answer.no_plan_because ?? []) all.add(message);
        }
        return [...all];
    }, situations);
    check(said.length > 250, `only ${said.length} sentences`);
    return said;
}

export default {
    'whatever the engine refuses is said in Chinese': async (browser) => {
        const page = await openPage(browser);
        await settled(page);
        const english = (await refused(page)).filter((message) => !/[\u4e00-\u9fff]/.test(errorText(t, message)));
        check(english.length === 0, english.join('\n'));
    },
    'names, flags and numbers of an error are the same in Chinese': async (browser) => {
        const page = await openPage(browser);
        await settled(page);
        const lost = (await refused(page)).flatMap((message) => {
            const said = errorText(t, message);
            const missing = (message.match(/'[^']*'|--[a-z-]+|\d[\d.]*\d|\d/g) ?? []).filter((value) => !said.includes(value) && !message.includes(`(${value}:`));
            return missing.length ? [`${message}: without ${missing.join(', ')}: ${said}`] : [];
        });
        check(lost.length === 0, lost.join('\n'));
        check(errorText(words('en'), "'x' is not a count") === "'x' is not a count", 'English is changed');
    },
    'an error stands in Chinese at its control, beside what to use instead': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&global-batch=64&tp=3&lang=zh');
        await settled(page);
        const note = await page.locator('#field-tp-note').textContent();
        check(note.includes('8 不是 tp*pp*cp = 3*1*1 的倍数'), note);
        await page.locator('#field-tp-note button').waitFor();
        check((await page.textContent('[data-test=error]')).includes('的倍数'), 'the result is in English');
    },
    'a file that cannot be read is refused in Chinese': async (browser) => {
        const page = await openPage(browser, '#model=llama-3.1-8b&gpu=h100&gpus=8&lang=zh');
        await settled(page);
        await page.setInputFiles('[data-test=file]', { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{') });
        const said = await page.textContent('[data-test=refusal]');
        check(said.includes('不是有效的 JSON'), said);
    },
};
