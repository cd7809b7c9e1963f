// One's own accelerators, clusters and models: added, named, edited, kept, shared.
import AxeSource from 'axe-core';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { check, openPage, program, settled } from './browser.mjs';

const job = 'model=llama-3.1-8b&gpu=h100&gpus=16&seq=8K&micro-batch=1&global-batch=64&zero=1&tokens=1T';
const folder = mkdtempSync(join(tmpdir(), 'traincost-own-'));
const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32, num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, rms_norm_eps: 1e-5, hidden_act: 'silu', tie_word_embeddings: false, torch_dtype: 'bfloat16' };
const gpu = { schema: 'accelerator/1', id: 'x1', vendor: 'NVIDIA', architecture: 'Hopper', memory: { type: 'HBM3', capacity_GB: 96, bandwidth_GBps: 3800 }, peak_TFLOPs: { fp32: 60, bf16: 900, fp16: 900 } };

const machines = '[data-test=own-accelerators]';
const models = '[data-test=own-models]';
const opened = async (browser, hash, group, options) => {
    const page = await openPage(browser, hash, options);
    await settled(page);
    await page.locator(`${group} > summary`).click();
    return page;
};
const step = (page) => page.evaluate(async () => (await window.traincost.ask({ command: 'estimate', ...JSON.parse(document.querySelector('main').dataset.asked) })).step.time_s);
const figure = (page, name) => page.locator('.figure', { hasText: name }).locator('.value').first().textContent();
const typed = async (page, id, value) => {
    await page.locator(`[id="${id}"]`).fill(value);
    await page.keyboard.press('Tab');
};
const fromJson = async (page, group, text, name = '') => {
    const form = page.locator(`${group} [data-test=own-new]`);
    if (!(await form.getAttribute('open').then((v) => v !== null))) await form.locator('summary').click();
    if (name) await form.locator('input').fill(name);
    await form.locator('textarea').fill(text);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
};
const names = (page, group) => page.locator(`${group} .own .take`).allTextContents();

export default {
    'the accelerator of the job is copied, edited, computed with, duplicated, deleted and brought back': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.locator('[data-test=copy-accelerator]').click();
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'my-h100-sxm5-80gb');
        await page.waitForFunction(() => document.activeElement.dataset.test === 'own-editor');
        await settled(page);
        const before = await step(page);
        const peak = await page.inputValue('[id="own-accelerator-peak_TFLOPs.bf16"]');
        await typed(page, 'own-accelerator-peak_TFLOPs.bf16', String(2 * Number(peak)));
        await page.waitForFunction(() => document.querySelector('main').dataset.asked.includes('1978.8'));
        await settled(page);
        check((await step(page)) < before, 'a faster accelerator is not faster');
        await typed(page, 'own-accelerator-id', 'Our GPU');
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'our-gpu');
        check((await page.locator('#accelerators option').first().getAttribute('value')) === 'our-gpu', 'not in the list that is searched');
        check((await page.evaluate(() => document.activeElement.id)) === 'own-accelerator-vendor', `the focus is at ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 80))}`);
        await page.getByRole('button', { name: 'Duplicate: our-gpu' }).click();
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'our-gpu-2');
        check((await names(page, machines)).join() === 'our-gpu,our-gpu-2', String(await names(page, machines)));
        await page.getByRole('button', { name: 'Delete: our-gpu-2' }).click();
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'h100');
        check((await page.evaluate(() => document.activeElement.textContent)) === 'Undo', 'the focus is lost');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'our-gpu-2');
        await settled(page);
        check(!(await page.locator('[data-test=error]').count()) && page.failures.length === 0, page.failures.join('; '));
    },
    'network, accelerators a node and price of an own cluster count': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.locator('[data-test=copy-cluster]').click();
        await page.waitForFunction(() => document.querySelector('#field-cluster').value === 'my-dgx-h100');
        await settled(page);
        const [before, cost] = [await step(page), await figure(page, 'Cost')];
        await typed(page, 'own-cluster-scale_out.per_accelerator_GBps', '2');
        await page.waitForFunction(() => document.querySelector('main').dataset.asked.includes('\\"per_accelerator_GBps\\":2}'));
        await settled(page);
        check((await step(page)) > 1.02 * before, 'a slow network is as fast');
        await typed(page, 'own-cluster-price', '8000');
        await page.waitForFunction((old) => document.querySelector('.figures').textContent.includes('Cost') && ![...document.querySelectorAll('.figure')].some((f) => f.textContent.includes('Cost') && f.textContent.includes(old)), cost);
        await settled(page);
        check((await page.textContent('#field-price-note')).includes('$8.00K per node-hour'), 'the price is not said');
        await typed(page, 'own-cluster-accelerators_per_node', '4');
        await page.waitForFunction(() => document.querySelector('#field-per-node').placeholder === '4');
    },
    'a copy of a cluster has the accelerators of the job, and the prices of others are not theirs': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.locator('[data-test=copy-accelerator]').click();
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'my-h100-sxm5-80gb');
        await settled(page);
        await page.locator('[data-test=copy-cluster]').click();
        await page.waitForSelector('[id="own-cluster-accelerator"]');
        check((await page.inputValue('[id="own-cluster-accelerator"]')) === 'my-h100-sxm5-80gb', await page.inputValue('[id="own-cluster-accelerator"]'));
        check(!(await page.locator('[id="own-cluster-scale_out.nic_Gbitps"]').count()), 'a field that does not count');
        await settled(page);
        check(!(await page.locator('.figure', { hasText: 'Cost' }).count()), 'a price of others');
        check((await page.getAttribute('#field-gpu-hour-price', 'placeholder')) === 'default', 'a sentence in a box');
    },
    'a value that cannot be is refused at its field, in one line, and the item stays as it was': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.locator('[data-test=copy-accelerator]').click();
        await page.waitForSelector('[data-test=own-editor]');
        for (const [id, value, word] of [['memory.capacity_GB', 'much', 'must be a number'], ['peak_TFLOPs.bf16', '-3', 'must be between'], ['id', 'h100', 'taken'], ['id', '!', 'letters']]) {
            await typed(page, `own-accelerator-${id}`, value);
            await page.waitForFunction(([i, w]) => document.getElementById(`own-accelerator-${i}`).closest('label').querySelector('.problem')?.textContent.includes(w), [id, word]);
            const said = await page.locator(`label:has([id="own-accelerator-${id}"]) [data-test=own-problem]`).allTextContents();
            check(said.length === 1 && !said[0].includes('\n') && said[0].length < 200 && !said[0].includes('.json'), said.join('\n'));
            check((await page.getAttribute(`[id="own-accelerator-${id}"]`, 'aria-invalid')) === 'true', 'not said to a screen reader');
        }
        await settled(page);
        check(!(await page.locator('[data-test=error]').count()), 'the job is broken');
        // What stands in a box that was refused is complained of until it is mended.
        await typed(page, 'own-accelerator-tdp_W', '650');
        await page.waitForFunction(() => document.querySelector('main').dataset.asked.includes('\\"tdp_W\\":650'));
        check((await page.locator('[data-test=own-problem]').count()) === 3, 'a complaint is gone');
        await typed(page, 'own-accelerator-memory.capacity_GB', '90');
        await page.waitForFunction(() => document.querySelectorAll('[data-test=own-problem]').length === 2);
        await page.locator('[data-test=own-editor] summary').click();
        for (const [text, word] of [['{"vendor": ', 'JSON'], ['{"vendor": "NVIDIA"}', "missing key 'architecture'"]]) {
            await page.fill('[data-test=own-editor] textarea', text);
            await page.getByRole('button', { name: 'Apply', exact: true }).click();
            await page.waitForFunction((w) => document.querySelector("[data-test=own-editor] textarea ~ [data-test=own-problem]")?.textContent.includes(w), word);
        }
    },
    'two changes at once are both made': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.locator('[data-test=copy-accelerator]').click();
        await page.waitForSelector('[data-test=own-editor]');
        await page.evaluate(() => [['tdp_W', '650'], ['l2_MiB', '40']].forEach(([name, value]) => {
            const box = document.getElementById(`own-accelerator-${name}`);
            box.value = value;
            box.dispatchEvent(new Event('input', { bubbles: true }));
            box.dispatchEvent(new Event('change', { bubbles: true }));
        }));
        await page.waitForFunction(() => ['\\"tdp_W\\":650', '\\"l2_MiB\\":40'].every((text) => document.querySelector('main').dataset.asked.includes(text)));
    },
    'a config.json is added under a name, edited, and searched for like the catalogue': async (browser) => {
        const page = await opened(browser, `#${job}`, models);
        await fromJson(page, models, JSON.stringify(config), 'Tiny Llama');
        await page.waitForFunction(() => document.querySelector('#field-model').value === 'tiny-llama');
        await settled(page);
        check((await figure(page, 'Parameters')) === '1.10B', await figure(page, 'Parameters'));
        await typed(page, 'own-model-layers', '44');
        await page.waitForFunction(() => [...document.querySelectorAll('.figure')].some((f) => f.textContent.includes('2.07B')));
        check(await page.locator('#models option[value=tiny-llama]').count(), 'not in the list that is searched');
        await typed(page, 'field-model', 'gpt2');
        await page.waitForFunction(() => document.querySelector(`[data-test=own-models] .take`)?.getAttribute('aria-pressed') === 'false');
        await page.locator(`${models} .take`).click();
        await page.waitForFunction(() => document.querySelector('#field-model').value === 'tiny-llama');
        for (const [text, word] of [['{"model_type": "llama", "hid', 'JSON'], [JSON.stringify({ ...gpu, id: undefined }), 'another kind'], [JSON.stringify({ ...config, hidden_size: 'wide' }), 'hidden_size']]) {
            await fromJson(page, models, text);
            await page.waitForFunction((w) => document.querySelector('[data-test=own-models] [data-test=own-new] .problem')?.textContent.includes(w), word);
        }
    },
    'a record that is dropped is an own item, and a config.json that is dropped can be kept as one': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        const path = join(folder, 'x1.json');
        writeFileSync(path, JSON.stringify(gpu));
        await page.setInputFiles('[data-test=file]', path);
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1');
        writeFileSync(join(folder, 'pod.json'), JSON.stringify({ schema: 'cluster/1', id: 'pod', kind: 'on-prem', accelerator: 'x2', accelerators_per_node: 8, scale_up: { domain: 8, layout: 'switched', topology: 'NVSwitch', link: 'NVLink 4', per_accelerator_GBps: 450 } }));
        await page.setInputFiles('[data-test=file]', join(folder, 'pod.json'));
        await page.waitForSelector('[data-test=refusal]');
        check((await page.textContent('[data-test=refusal]')).includes("unknown accelerator 'x2'"), await page.textContent('[data-test=refusal]'));
        writeFileSync(join(folder, 'small.json'), JSON.stringify(config));
        await page.setInputFiles('[data-test=file]', join(folder, 'small.json'));
        await page.getByRole('button', { name: 'Save as your model' }).click();
        await page.waitForFunction(() => document.querySelector('#field-model').value === 'small' && !document.querySelector('.files'));
        await settled(page);
        check((await figure(page, 'Parameters')) === '1.10B', await figure(page, 'Parameters'));
    },
    'own items are kept by the browser, and another page of it has them at once': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        const other = await page.context().newPage();
        await other.goto(page.url());
        await other.waitForSelector(machines);
        await fromJson(page, machines, JSON.stringify(gpu), 'ours');
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'ours');
        await other.waitForFunction(() => document.querySelector('#accelerators option').value === 'ours');
        await other.goto('about:blank');
        await other.goto(`${page.url().split('#')[0]}#model=gpt2&gpu=ours&gpus=8&seq=1K&micro-batch=1&global-batch=8`);
        await settled(other);
        check(!(await other.locator('[data-test=error]').count()), await other.textContent('main'));
    },
    'a link brings the own items that it uses, and changes nothing that another browser keeps': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await fromJson(page, machines, JSON.stringify({ ...gpu, id: 'unused' }));
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'unused');
        await fromJson(page, machines, JSON.stringify(gpu));
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1' && location.hash.includes('x1') && !location.hash.includes('unused'));
        await settled(page);
        const hash = page.url().slice(page.url().indexOf('#'));
        const theirs = { ...gpu, peak_TFLOPs: { bf16: 100 } };
        const guest = await openPage(browser, hash, { before: `if (!localStorage.getItem('traincost.records')) localStorage.setItem('traincost.records', ${JSON.stringify(JSON.stringify([theirs]))})` });
        await settled(guest);
        check((await step(guest)) === (await step(page)), 'another browser shows another step');
        check((await guest.evaluate(() => localStorage.getItem('traincost.records'))).includes('"bf16":100'), 'a link has changed what is kept');
        await guest.locator(`${machines} > summary`).click();
        await guest.getByRole('button', { name: 'Save: x1' }).click();
        await guest.waitForFunction(() => localStorage.getItem('traincost.records').includes('"bf16":900'));
        check((await guest.locator(`${machines} .own li`).count()) === 1, 'it is there twice');
    },
    'own items travel in the saved JSON and are compared': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await page.getByRole('button', { name: 'Keep for comparison' }).click();
        await fromJson(page, machines, JSON.stringify(gpu));
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1' && location.hash.includes('records'));
        await settled(page);
        await page.getByRole('button', { name: 'Keep for comparison' }).click();
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
        await page.waitForSelector('[data-test=timeline-2]');
        await page.getByRole('button', { name: 'Custom', exact: true }).click();
        await page.waitForFunction(() => document.querySelector('#custom-job').value.includes('"records"'));
        writeFileSync(join(folder, 'saved.json'), await page.inputValue('#custom-job'));
        const guest = await openPage(browser, '#model=gpt2&gpu=h100&gpus=8&seq=1K&global-batch=8');
        await settled(guest);
        await guest.setInputFiles('[data-test=file]', join(folder, 'saved.json'));
        await guest.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1');
        await settled(guest);
        check(!(await guest.locator('[data-test=error]').count()), await guest.textContent('main'));
        check((await step(guest)) === (await step(page)), 'not the step that was saved');
    },
    'the program computes the same with the folder of own items': async (browser) => {
        const page = await opened(browser, `#${job}`, machines);
        await fromJson(page, machines, JSON.stringify(gpu));
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1');
        await settled(page);
        const [download] = await Promise.all([page.waitForEvent('download'), page.locator(machines).getByRole('button', { name: 'Your entries for the command line' }).click()]);
        const files = unzipSync(readFileSync(await download.path()));
        check(JSON.parse(strFromU8(files['own/accelerators/x1.json'])).memory.capacity_GB === 96, Object.keys(files).join());
        const line = await page.textContent('footer code');
        check(line.startsWith('traincost --data own estimate'), line);
        if (!program) return;
        mkdirSync(join(folder, 'own', 'accelerators'), { recursive: true });
        writeFileSync(join(folder, 'own', 'accelerators', 'x1.json'), files['own/accelerators/x1.json']);
        // A job that does not fit ends with 1.
        const printed = JSON.parse(spawnSync(program, [...line.split(' ').slice(1), '--json'], { cwd: folder }).stdout);
        check(printed.step.time_s === (await step(page)), 'another step');
    },
    'where the browser keeps nothing, one line says so and own items work': async (browser) => {
        const before = () => Object.defineProperty(window, 'localStorage', { get: () => { throw new DOMException('denied', 'SecurityError'); } });
        const page = await opened(browser, `#${job}`, machines, { before });
        check(await page.locator(`${machines} [data-test=own-unkept]`).isVisible(), 'nothing is said');
        await fromJson(page, machines, JSON.stringify(gpu));
        await page.waitForFunction(() => document.querySelector('#field-gpu').value === 'x1');
        await settled(page);
        check(!(await page.locator('[data-test=error]').count()) && page.failures.length === 0, page.failures.join('; '));
    },
    'axe finds nothing in the lists of own items, their editor and their complaints, light and dark': Object.assign(async (browser) => {
        for (const [theme, lang, width] of [['light', 'en', 1280], ['dark', 'zh', 390]]) {
            const page = await openPage(browser, `#${job}&theme=${theme}&lang=${lang}`, { viewport: { width, height: 844 } });
            await settled(page);
            await page.addStyleTag({ content: '* { transition: none !important }' });
            await page.evaluate(AxeSource.source);
            await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
            for (const kind of ['model', 'accelerator', 'cluster']) {
                await page.locator(`[data-test=copy-${kind}]`).click();
                await page.waitForSelector(`[id="own-${kind}-id"]`);
                await typed(page, `own-${kind}-id`, '!');
                await page.waitForSelector(`#own-${kind}-problem-id`);
                await settled(page);
                const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
                const lines = found.violations.flatMap((v) => v.nodes.map((n) => `${kind}: ${v.id}: ${n.target} ${n.failureSummary?.split('\n')[1] ?? ''}`));
                check(lines.length === 0, lines.slice(0, 8).join('\n'));
            }
            await page.context().close();
        }
    }, { limit: 300000 }),
};
