import { spawnSync } from 'node:child_process';
import { readFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partName } from '../src/engine_words.js';
import { help } from '../src/help_zh.js';
import { check, fail, openAt, openPage, pageAddress, program, root, settled } from './browser.mjs';

const job = 'model=llama-3.1-8b&gpu=h100&gpus=8&seq=8K&micro-batch=1&global-batch=64&zero=1';
const figure = (page, name) => page.locator('.figure', { hasText: name }).locator('.value').first().textContent();
const refusal = (page) => page.locator('[data-test=refusal]').first();
const folder = mkdtempSync(join(tmpdir(), 'traincost-page-'));
const written = (name, bytes) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
};

export default {
    'the whole state is in the address': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.fill('#field-pp', '2');
        await page.keyboard.press('Tab');
        await settled(page);
        const verdict = await page.textContent('.figures');
        const again = await openPage(browser, page.url().slice(page.url().indexOf('#')));
        await settled(again);
        check((await again.textContent('.figures')) === verdict, 'another page shows other figures');
    },
    'what modes keep beside the job is in the address too': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=guide`);
        await settled(page);
        await page.selectOption('[data-test=guide] select', 'memory');
        await page.getByRole('button', { name: 'Published calculators' }).click();
        await page.waitForSelector('[data-test=calculator] pre');
        await page.selectOption('[data-test=calculator] select', 'six-nd');
        await page.fill('#method-params', '7B');
        await page.getByRole('button', { name: 'Custom' }).click();
        await page.fill('#custom-rows', 'stage,task,micro_batch,begin_s,end_s\n0,forward,0,0,1\n');
        await page.setInputFiles('[data-test=file]', join(root, 'tests', 'golden', 'benchmark.csv'));
        await page.waitForSelector('[data-test=timeline-measured]');
        await page.waitForFunction(() => location.hash.includes('benchmark.csv'));
        const hash = await page.evaluate(() => location.hash);
        const again = await openPage(browser, hash);
        await again.waitForSelector('[data-test=timeline-measured]');
        for (const [mode, part, text] of [['Guide', '[data-test=guide] select', 'memory'], ['Published calculators', '#method-params', '7B'], ['Custom', '#custom-rows', 'stage,task,micro_batch,begin_s,end_s\n0,forward,0,0,1\n']]) {
            await again.getByRole('button', { name: mode, exact: true }).click();
            await again.waitForSelector(part);
            check((await again.inputValue(part)) === text, `${mode}: ${await again.inputValue(part)}`);
        }
        await again.waitForSelector('[data-test=timeline-own]');
    },
    'a slider that is dragged does not write the address a hundred times': async (browser) => {
        const before = () => {
            window.written = 0;
            const write = history.replaceState;
            history.replaceState = function (...all) {
                window.written += 1;
                return write.apply(this, all);
            };
        };
        const page = await openAt(browser, pageAddress(`#${job}`), { before });
        await settled(page);
        await page.evaluate(async () => {
            const slider = document.querySelector('#field-seq').parentElement.querySelector('input[type=range]');
            window.written = 0;
            for (let i = 0; i < 100; ++i) {
                slider.value = String(i % 2 ? 2 : 3);
                slider.dispatchEvent(new Event('input', { bubbles: true }));
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
        });
        await page.waitForFunction(() => location.hash.includes('seq=2K'));
        check((await page.evaluate(() => window.written)) < 60, `${await page.evaluate(() => window.written)} times`);
    },
    'the network of a cluster is set beside it': async (browser) => {
        const page = await openPage(browser, `#${job.replace('gpus=8', 'gpus=64')}`);
        await settled(page);
        const before = await figure(page, 'Step');
        await page.fill('#field-network-bandwidth', '100');
        await page.keyboard.press('Tab');
        await settled(page);
        check((await figure(page, 'Step')) !== before, `${before} with a network of 100 Gbit/s per node too`);
    },
    'every setting of the engine has a control': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await page.waitForSelector('.more summary');
        await page.click('.more summary');
        await page.fill('#find', 'pue');
        await page.selectOption('select#field-price', { index: 1 }).catch(() => {});
        check(await page.locator('#field-pue').isVisible(), 'no control for --pue');
        check((await page.textContent('#field-pue-help')).startsWith('Power usage effectiveness'), 'no help below --pue');
        check((await page.getAttribute('#field-pue', 'aria-describedby')).includes('field-pue-help'), '--pue is not described by its help');
    },
    'a number is explained by its equation': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.locator('.figure', { hasText: 'Memory' }).locator('button').click();
        await page.waitForSelector('[data-test=explanation] summary');
        check((await page.locator('[data-test=explanation] summary').count()) > 3, 'no terms');
    },
    'every figure and every part of memory and step has an explanation': async (browser) => {
        const page = await openPage(browser, `#${job}&tokens=1T&tp=2&dp=4`);
        await settled(page);
        for (const table of ['memory', 'breakdown']) await page.locator(`[data-test=${table}] summary`).click();
        const buttons = page.locator('.figure button, [data-test=memory] td button, [data-test=breakdown] td button');
        check((await page.locator('.figure').count()) === (await page.locator('.figure button').count()), 'a figure has no explanation');
        check((await buttons.count()) > 20, `${await buttons.count()} explanations`);
        for (let i = 0; i < (await buttons.count()); ++i) {
            const name = await buttons.nth(i).getAttribute('aria-label');
            await buttons.nth(i).click();
            await page.waitForFunction((n) => document.querySelector('#explain-title')?.textContent === n, name);
            await page.waitForSelector('[data-test=explanation] table, [data-test=explanation] summary', { state: 'attached', timeout: 5000 });
            await page.waitForFunction(() => document.activeElement?.id === 'explain-title', null, { timeout: 5000 }).catch(() => check(false, `${name}: the explanation has no focus`));
        }
    },
    'an 80% range and the chance of fitting say which runs they come from': async (browser) => {
        for (const [lang, words] of [['en', 'comparable runs'], ['zh', '同类运行']]) {
            const page = await openPage(browser, `#${job}&lang=${lang}`);
            await settled(page);
            for (const i of [0, 1]) {
                await page.locator('.figure button').nth(i).click();
                await page.waitForSelector('[data-test=range]');
                const text = await page.textContent('[data-test=range]');
                check(text.includes(words) && /\d+ (runs|次运行)/.test(text), text);
                check(lang === 'en' || !/\b(runs|from|sources?|other)\b/.test(text), text);
                await page.locator('[data-test=explanation] > button').click();
            }
            await page.context().close();
        }
    },
    'the price without tokens and the goodput have explanations too': async (browser) => {
        for (const [more, name] of [['', 'Cost'], ['&tokens=1T&mtbf=500h&storage-bandwidth=200GB/s', 'Goodput']]) {
            const page = await openPage(browser, `#${job}${more}`);
            await settled(page);
            await page.locator('.figure', { hasText: name }).locator('button').click();
            await page.waitForSelector('[data-test=explanation] table');
            await page.context().close();
        }
    },
    'memory that the allocator asks for again and again is said in the verdict': async (browser) => {
        const tight = 'model=llama-3.2-1b&gpu=h100&gpus=8&stack=megatron-deepspeed&seq=2K&micro-batch=4&global-batch=64&zero=1';
        const page = await openPage(browser, `#${tight}`);
        await settled(page);
        // The same job on an accelerator with 97 % of the memory that it would like to reserve.
        const file = await page.evaluate(async () => {
            const question = JSON.parse(document.querySelector('main').dataset.asked);
            const { memory, input } = await window.traincost.ask({ command: 'estimate', ...question });
            const { cluster } = input;
            for (const name of ['capacity_GB', 'reported_MiB']) cluster.accelerator.memory[name] *= (0.97 * memory.device_bytes) / memory.capacity_bytes;
            return { name: 'own-cluster.json', text: JSON.stringify({ schema: 'job/1', cluster }) };
        });
        await page.evaluate(([f, said]) => {
            location.hash = `#${said}&files=${encodeURIComponent(JSON.stringify([f]))}`;
        }, [file, tight.replace(/&gpus?=[^&]*/g, '')]);
        await page.waitForFunction(() => document.querySelector('.verdict.thrashes'));
        check((await page.textContent('[data-test=verdict]')).includes('thrashes'), await page.textContent('[data-test=verdict]'));
    },
    'the job leaves as a launch file and as a report': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        const [script] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Launch file', { exact: true }).selectOption('megatron')]);
        check(readFileSync(await script.path(), 'utf8').includes('pretrain_gpt.py'), script.suggestedFilename());
        const [report] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Report (HTML)' }).click()]);
        check(readFileSync(await report.path(), 'utf8').includes('<html'), report.suggestedFilename());
    },
    'guide finds plans, and one is taken with a click': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=guide`);
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.waitForSelector('[data-test=plans] button', { timeout: 50000 });
        await page.locator('[data-test=plans] tbody button').first().click();
        check(/zero=/.test(page.url()), page.url());
    },
    'the plan of the guide is the one that the engine recommends': async (browser) => {
        const page = await openPage(browser, '#mode=guide&model=llama-3.1-8b&gpu=h100&gpus=8&seq=8192&global-batch=64');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.waitForSelector('[data-test=guide][data-over=yes] [data-test=plans]');
        const shown = await page.textContent('[data-test=plans] tbody tr code');
        const flags = await page.evaluate(async () => (await window.traincost.ask({ command: 'recommend', model: 'llama-3.1-8b', gpu: 'h100', gpus: '8', seq: '8192', 'global-batch': '64' })).plans[0].flags);
        check(shown === flags, `${shown} and ${flags}`);
        await page.selectOption('[data-test=guide] select', 'memory');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.waitForFunction((text) => document.querySelector('[data-test=guide][data-over=yes] [data-test=plans] tbody tr code')?.textContent !== text, flags);
    },
    'a search that has no plan says why': async (browser) => {
        const page = await openPage(browser, '#mode=guide&model=gpt3-175b&gpu=a100&gpus=4&seq=2048&global-batch=1536');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.waitForSelector('[data-test=guide][data-over=yes] .problem');
        check((await page.textContent('[data-test=guide] .problem')).includes('fits'), await page.textContent('[data-test=guide] .problem'));
    },
    'a setting is varied, the points are those of the engine, and one is taken': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=sweep`);
        await page.fill('#vary-1', 'tp=1,2,4');
        await page.keyboard.press('Tab');
        await page.waitForFunction(() => document.querySelectorAll('[data-test=sweep][aria-busy=false] tbody tr').length === 3);
        await page.locator('[data-test=sweep] tbody tr button').nth(2).click();
        await page.waitForFunction(() => location.hash.includes('tp=4'), null, { timeout: 5000 }).catch(() => check(false, page.url()));
        await page.fill('#vary-1', 'tpp=1,2');
        await page.keyboard.press('Tab');
        await page.waitForSelector('[data-test=sweep] .problem');
    },
    'what is typed stays in its box until it is left, whatever is drawn anew': async (browser) => {
        const kept = JSON.stringify([{ name: 'one', job: Object.fromEntries(new URLSearchParams(job)) }]);
        for (const [mode, box] of Object.entries({ sweep: '#vary-1', sheet: '#step-time', optimal: '#flops', compare: '[data-test=compare] thead input', ask: '[id="own-accelerator-id"]' })) {
            const page = await openPage(browser, `#${job}&mode=${mode}&saved=${encodeURIComponent(kept)}`);
            await settled(page);
            if (mode === 'ask') await page.locator('[data-test=own-accelerators] > summary').click();
            if (mode === 'ask') await page.locator('[data-test=copy-accelerator]').click();
            await page.fill(box, 'half a wo');
            // A new theme draws everything anew, as an answer that arrives does.
            await page.evaluate(() => {
                const theme = document.querySelectorAll('.settings select')[1];
                theme.value = 'dark';
                theme.dispatchEvent(new Event('change', { bubbles: true }));
            });
            await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
            check((await page.inputValue(box)) === 'half a wo', `${mode}: ${await page.inputValue(box)}`);
            await page.context().close();
        }
    },
    'a recorded step is picked by number, as median or as the slowest': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.setInputFiles('[data-test=file]', join(root, 'tests', 'golden', 'benchmark.csv'));
        await page.waitForSelector('[data-test=timeline-measured]');
        const said = {};
        for (const which of ['median', 'slowest', '1']) {
            await page.selectOption('[data-test=measure] select', which);
            await page.waitForFunction((w) => document.querySelector('[data-test=picked]')?.dataset.which === w, which);
            said[which] = await page.textContent('[data-test=picked]');
        }
        check(said['1'].includes('Iteration 1 of') && new Set(Object.values(said)).size > 1, JSON.stringify(said));
        await page.waitForSelector('[data-test=timeline-predicted]');
        await page.waitForFunction(() => document.querySelector('[data-test=measure] table'));
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'a Chrome trace is drawn by thread, and a row that is wrong is named': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        const slice = (name, tid, ts, dur) => ({ ph: 'X', name, pid: 1, tid, ts, dur });
        const trace = { traceEvents: [{ ph: 'M', name: 'thread_name', pid: 1, tid: 7, args: { name: 'stream 7' } }, slice('ProfilerStep#1', 1, 0, 4e6), slice('gemm', 7, 1e6, 2e6), slice('ProfilerStep#2', 1, 4e6, 2e6), slice('gemm', 7, 45e5, 1e6), slice('nccl', 8, 5e6, 5e5)] };
        await page.setInputFiles('[data-test=file]', written('trace.json', JSON.stringify(trace)));
        await page.waitForSelector('[data-test=timeline-measured]');
        await page.selectOption('[data-test=measure] select', 'slowest');
        await page.waitForSelector('[data-test=picked][data-which=slowest]');
        check(/Iteration 1 of 2: 4\.00\ss/.test(await page.textContent('[data-test=picked]')), await page.textContent('[data-test=picked]'));
        await page.setInputFiles('[data-test=file]', written('rows.csv', 'iteration start,0\nforward start,x\n'));
        await page.waitForSelector('[data-test=refusal]');
        check((await refusal(page).textContent()).startsWith('rows.csv:2: seconds'), await refusal(page).textContent());
    },
    'on a phone the settings come first, and a tap opens them': async (browser) => {
        const page = await openPage(browser, `#${job}`, { viewport: { width: 390, height: 844 } });
        await settled(page);
        const place = (selector) => page.locator(selector).first().evaluate((e) => e.getBoundingClientRect().top);
        check((await place('form.controls')) < (await place('main')), 'results stand before settings');
        check((await place('main')) < 844, 'no result on the first screen');
        check(!(await page.locator('#field-tp').isVisible()), 'all settings are open');
        await page.getByText('Parallelism', { exact: true }).click();
        await page.locator('#field-tp').fill('2');
        await page.keyboard.press('Tab');
        await settled(page);
        check(page.url().includes('tp=2'), page.url());
    },
    'a measured step time has its sheet after training': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=sheet`);
        await page.fill('#step-time', '6.8s');
        await page.keyboard.press('Tab');
        await page.waitForSelector('[data-test=after] table');
        check(/than predicted|as predicted/.test(await page.textContent('[data-test=achieved-verdict]')), await page.textContent('[data-test=achieved-verdict]'));
        await page.fill('#step-time', '0.01s');
        await page.keyboard.press('Tab');
        await page.waitForFunction(() => document.querySelector('[data-test=achieved-verdict]')?.textContent.startsWith('Impossible as stated'));
        await page.fill('#step-time', 'soon');
        await page.keyboard.press('Tab');
        await page.waitForSelector('[data-test=after] [data-test=error]');
    },
    'the command of the spreadsheet is there to copy': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=custom`);
        await page.waitForSelector('[data-test=workbook]');
        check((await page.textContent('[data-test=workbook]')).startsWith('traincost export sheet --output job.xlsx --model llama-3.1-8b'), await page.textContent('[data-test=workbook]'));
    },
    'a search can be cancelled': async (browser) => {
        const page = await openPage(browser, '#mode=guide&model=gpt3-175b&gpu=a100&gpus=1024&seq=2048&global-batch=1536');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await page.getByRole('button', { name: 'Cancel', exact: true }).click();
        await page.waitForSelector('[data-test=guide][data-over=yes]');
    },
    'a sheet has memory by ZeRO stage': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=sheet`);
        await page.waitForSelector('[data-test=sheet] table');
        check((await page.textContent('[data-test=sheet]')).includes('Memory by ZeRO stage'), 'no memory by ZeRO stage');
    },
    'kept jobs are compared, differences marked': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.getByRole('button', { name: 'Keep for comparison' }).click();
        await page.fill('#field-tp', '2');
        await page.keyboard.press('Tab');
        await settled(page);
        await page.getByRole('button', { name: 'Keep for comparison' }).click();
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
        await page.waitForSelector('[data-test=compare] tr.marked');
        check((await page.textContent('[data-test=compare] tr.marked')).includes('--tp'), 'tp is not marked');
        await page.waitForSelector('[data-test=timeline-2]');
    },
    'a job of a file and a switch are compared as they were kept, also under one name': async (browser) => {
        const page = await openPage(browser, '#gpu=h100&gpus=8&seq=1K&whole-nodes=true');
        await page.setInputFiles('[data-test=file]', written('small.json', JSON.stringify({ model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 1024, intermediate_size: 2816, num_hidden_layers: 8, num_attention_heads: 16, num_key_value_heads: 16, vocab_size: 32000, max_position_embeddings: 2048, rms_norm_eps: 1e-5, hidden_act: 'silu', tie_word_embeddings: false, torch_dtype: 'bfloat16' })));
        await page.waitForSelector('.files');
        await settled(page);
        for (let i = 0; i < 2; ++i) await page.getByRole('button', { name: 'Keep for comparison' }).click();
        const step = await figure(page, 'Step');
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
        await page.waitForSelector('[data-test=timeline-2]');
        check((await page.textContent('[data-test=compare] table')).includes(step), `${await page.textContent('[data-test=compare] table')} without ${step}`);
        check((await page.textContent('#timeline-1-title')) !== (await page.textContent('#timeline-2-title')), 'two timelines have one name');
    },
    'saved jobs that are dropped on a comparison join it, and other files are marked': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=compare`);
        await settled(page);
        const own = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], n_embd: 768, n_head: 12, n_layer: 12, n_positions: 1024, vocab_size: 50257 };
        const said = { ...Object.fromEntries(new URLSearchParams(job)), seq: '1K' };
        const { model, ...rest } = said;
        await page.setInputFiles('[data-test=file]', [written('first.json', JSON.stringify({ traincost_page: 1, job: { ...said, model: 'gpt2' } })), written('second.json', JSON.stringify({ traincost_page: 1, job: rest, files: [{ name: 'tiny.json', text: JSON.stringify(own) }] }))]);
        await page.waitForSelector('[data-test=timeline-2]');
        check((await page.inputValue('[data-test=compare] thead input >> nth=1')) === 'second', 'not named by its file');
        const marked = await page.locator('[data-test=compare] tr.marked').allTextContents();
        check(marked.some((text) => text.includes('tiny.json')), marked.join());
        check((await page.inputValue('#field-model')) === model, 'the job has changed');
    },
    'an address that is broken is read as far as it can be': async (browser) => {
        const broken = { saved: [null, {}, { name: 'x', job: 7 }, { name: { a: 1 }, job: { gpus: { a: 1 }, model: [7] }, files: 7 }], records: [null, 7, { schema: 'x', id: 'y' }, { schema: 'prices/1', id: 'my-pod' }, { schema: 'cluster/1', id: 'my-pod', accelerator: {} }], files: [null, 7], more: { vary: 'tp', goal: 7, calculator: {}, calculators: { 'six-nd': 7 }, flops: {}, stepTime: 7, rows: 7, log: 7, recording: { file: 7 } } };
        const page = await openPage(browser, `#${job}&theme=none&mode=none&${Object.entries(broken).map(([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`).join('&')}`);
        await page.waitForSelector('[data-test=verdict], [data-test=error]');
        for (const mode of await page.locator('nav button').all()) await mode.click();
        await page.locator('[data-test=own-accelerators] > summary').click();
        await page.getByRole('button', { name: 'Edit: my-pod' }).click();
        await page.getByRole('button', { name: 'Delete: my-pod' }).click();
        await page.getByRole('button', { name: 'Estimate', exact: true }).click();
        await settled(page);
        check(await page.locator('[data-test=verdict]').count(), await page.textContent('main'));
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'a link that leaves files out says so': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        check(!(await page.locator('[data-test=toolong]').count()), 'said of a short link');
        await page.setInputFiles('[data-test=file]', written('train.sh', `# ${'x'.repeat(600000)}\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 2 --global-batch-size 64 --bf16\n`));
        await page.waitForSelector('[data-test=toolong]');
    },
    'a kept job that cannot be computed is said and can be removed': async (browser) => {
        const kept = JSON.stringify([['good', '8'], ['better', '16'], ['bad', '0']].map(([name, gpus]) => ({ name, job: { ...Object.fromEntries(new URLSearchParams(job)), gpus } })));
        const page = await openPage(browser, `#${job}&mode=compare&saved=${encodeURIComponent(kept)}`);
        await page.waitForSelector('[data-test=compare] [data-test=error]');
        await page.getByRole('button', { name: 'Remove: bad' }).click();
        await page.waitForSelector('[data-test=timeline-1]');
        await page.waitForFunction(() => !document.querySelector('[data-test=error]') && document.querySelector('[data-test=compare] .bar'));
    },
    'a job goes out as JSON and comes back changed': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=custom`);
        const text = await page.inputValue('#custom-job');
        await page.fill('#custom-job', text.replace('"gpus": "8"', '"gpus": "16"'));
        await page.getByRole('button', { name: 'Load', exact: true }).click();
        await page.waitForFunction(() => document.querySelector('#field-gpus').value === '16');
        await page.fill('#custom-job', '{"job": ');
        await page.getByRole('button', { name: 'Load', exact: true }).click();
        check(await page.locator('[data-test=custom-problem]').isVisible(), 'no word about bad JSON');
    },
    'own rows are drawn as a timeline': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=custom`);
        await page.fill('#custom-rows', 'stage,task,micro_batch,begin_s,end_s\n0,forward,0,0,1\n1,forward,0,1,2\n');
        await page.waitForSelector('[data-test=timeline-own]');
        await page.fill('#custom-rows', 'stage,task,micro_batch,begin_s,end_s\n0,forward,0,2,1\n');
        await page.waitForSelector('[data-test=custom-problem]');
        check((await page.textContent('[data-test=custom-problem]')).includes('rows:2: end'), await page.textContent('[data-test=custom-problem]'));
    },
    'a timeline is taken from CSV, from a spreadsheet and from a trace, as the engine reads them': async (browser) => {
        const page = await openPage(browser, `#${job}&pp=2&mode=custom`);
        await settled(page);
        const total = async (path) => {
            await page.setInputFiles('[data-test=timeline-file]', path);
            await page.waitForSelector('[data-test=timeline-own] svg.timeline');
            const label = await page.getAttribute('[data-test=timeline-own] svg.timeline', 'aria-label');
            await page.fill('#custom-rows', ' ');
            await page.waitForSelector('[data-test=timeline-own]', { state: 'detached' });
            return label;
        };
        check((await total(written('own.csv', 'stage,task,micro-batch,begin,end\n0,forward,0,0,1.5\n1,forward,0,1.5,3\n,optimizer,,3,4\n'))).includes('4.00\u00a0s'), 'not 4 s');
        check((await total(join(root, 'tests', 'golden', 'benchmark.csv'))).includes('\u00a0s'), 'no benchmark.csv');
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Spreadsheet with live formulas' }).click()]);
        const book = join(folder, 'own.xlsx');
        await download.saveAs(book);
        const step = await page.evaluate(async () => (await window.traincost.ask({ command: 'estimate', ...JSON.parse(document.querySelector('main').dataset.asked) })).step.time_s);
        const [drawn] = /[\d.]+/.exec(await total(book));
        check(Math.abs(Number(drawn) / step - 1) < 0.01, `${drawn} and ${step}`);
        await page.setInputFiles('[data-test=timeline-file]', written('broken.xlsx', 'PK nothing'));
        await page.waitForSelector('[data-test=custom-problem]');
        check((await page.textContent('[data-test=custom-problem]')) === 'broken.xlsx: not a spreadsheet (.xlsx)', await page.textContent('[data-test=custom-problem]'));
        await page.setInputFiles('[data-test=file]', book);
        await page.waitForSelector('[data-test=timeline-measured]');
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'a config.json that is dropped is the model': async (browser) => {
        const page = await openPage(browser, '#gpu=h100&gpus=8&model=llama-3.1-8b');
        await settled(page);
        const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32, num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048, rms_norm_eps: 1e-5, hidden_act: 'silu', tie_word_embeddings: false, torch_dtype: 'bfloat16' };
        await page.setInputFiles('[data-test=file]', written('config.json', JSON.stringify(config)));
        await page.waitForSelector('.files');
        await settled(page);
        check((await page.textContent('.figures')).includes('1.10B'), 'not 1.10 billion parameters');
    },
    'a config.json and a launch command are pasted': async (browser) => {
        const page = await openPage(browser, '#gpu=h100&gpus=8&model=llama-3.1-8b');
        await settled(page);
        const paste = (text, where = 'body') => page.evaluate(([words, selector]) => {
            const data = new DataTransfer();
            data.setData('text/plain', words);
            document.querySelector(selector).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        }, [text, where]);
        await paste('{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257}', '#field-model');
        await page.waitForSelector('.files');
        await settled(page);
        check((await page.textContent('.figures')).includes('124M'), await page.textContent('.figures'));
        await paste('torchrun --nproc_per_node 8 pretrain_gpt.py \\\n  --num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings 2048 \\\n  --micro-batch-size 2 --global-batch-size 64 --tensor-model-parallel-size 2 --bf16');
        await page.waitForFunction(() => document.querySelectorAll('.files li').length === 2 || document.querySelector('[data-test=refusal]'));
        check(!(await page.locator('[data-test=refusal]').count()), await page.textContent('main'));
        await paste('{"model_type": "llama", "hid');
        await page.waitForSelector('[data-test=refusal]');
    },
    'a log that is dropped is measured against the prediction': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.setInputFiles('[data-test=file]', join(root, 'tests', 'golden', 'logs', 'megatron.log'));
        await page.waitForSelector('[data-test=measure] table');
        check((await page.textContent('[data-test=measure]')).includes('megatron'), 'no framework');
    },
    'a bad file gives one clear line': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        const bad = { 'truncated.json': '{"model_type": "llama", "hidden', 'noise.bin': Buffer.from([0, 255, 1, 254, 0, 3]), 'empty.yaml': '', 'large.json': Buffer.alloc(65 * 2 ** 20, 32), 'bomb.yaml': 'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n' };
        for (const [name, bytes] of Object.entries(bad)) {
            await page.setInputFiles('[data-test=file]', written(name, bytes));
            await page.waitForFunction((n) => document.querySelector('[data-test=refusal]')?.textContent.includes(n), name);
            const text = await refusal(page).textContent();
            check(!text.includes('\n') && text.length < 400, `${name}: ${text}`);
            check((await page.locator('[data-test=refusal]').count()) === 1, `${name}: several lines`);
        }
        check(await page.locator('[data-test=verdict]').isVisible(), 'the result is gone');
    },
    'files that are no text of today, or no file at all, give one clear line': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        const bad = {
            'utf16.json': Buffer.from('\ufeff{"model_type": "llama", "hidden_size": 4096}', 'utf16le'),
            'latin.json': Buffer.from('{"model_type": "ll\xe4ma"}', 'latin1'), 'null.json': 'null', 'number.json': '7', 'deep.json': '['.repeat(200000), 'zero.json': Buffer.alloc(1000),
            'empty.json': '', 'page.html': '<!doctype html><p>404', 'cut.xlsx': 'PK\x03\x04 cut', 'empty.xlsx': '', 'wide.csv': `${'a,'.repeat(100000)}\n1\n`,
        };
        for (const [name, bytes] of Object.entries(bad)) {
            await page.setInputFiles('[data-test=file]', written(name, bytes));
            await page.waitForFunction((n) => document.querySelector('[data-test=refusal]')?.textContent.includes(n), name, { timeout: 10000 }).catch(() => fail(`${name}: nothing is said of it`));
            const text = await refusal(page).textContent();
            check(!text.includes('\n') && text.length < 400, `${name}: ${text}`);
            check((await page.locator('[data-test=refusal]').count()) === 1, `${name}: several lines`);
        }
        // A folder is dropped as an item that cannot be read.
        await page.evaluate(() => {
            const event = new DragEvent('drop', { bubbles: true, cancelable: true });
            const folder = new File([], 'a-folder');
            folder.text = () => Promise.reject(new DOMException('A requested file or directory could not be found', 'NotFoundError'));
            Object.defineProperty(event, 'dataTransfer', { value: { files: [folder] } });
            window.dispatchEvent(event);
        });
        await page.waitForFunction(() => document.querySelector('[data-test=refusal]')?.textContent.includes('a-folder'));
        check(await page.locator('[data-test=verdict]').isVisible(), 'the result is gone');
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'every launch format that is written is read again when it is dropped': async (browser) => {
        const page = await openPage(browser, `#${job}&tokens=1T`);
        await settled(page);
        const wrong = [];
        const { formats } = await page.evaluate(() => window.traincost.ask({ command: 'fields' }));
        check(formats.length >= 10, `${formats.length} formats`);
        for (const { name } of formats) {
            const answer = await page.evaluate((to) => window.traincost.ask({ command: 'export', to, ...JSON.parse(document.querySelector('main').dataset.asked) }), name);
            if (answer.error) continue;  // said by the engine: another stack's job
            await page.evaluate((hash) => { location.hash = hash; }, `#${job}`);
            await page.waitForFunction(() => !document.querySelector('.files li'));
            await page.setInputFiles('[data-test=file]', answer.files.map((f) => ({ name: f.name.split('/').at(-1), mimeType: 'text/plain', buffer: Buffer.from(f.text) })));
            await page.waitForSelector('[data-test=refusal], .files li', { timeout: 10000 }).catch(() => wrong.push(`${name}: nothing happens`));
            await settled(page);
            for (const text of await page.locator('[data-test=refusal], [data-test=error]').allTextContents()) wrong.push(`${name}: ${text}`);
            // The address follows a little later, and going to the one that it still has would be no change.
            await page.waitForFunction((hash) => location.hash !== hash || !document.querySelector('.files li'), `#${job}`);
        }
        check(wrong.length === 0, wrong.join('\n'));
    },
    'an address that is gone to is not written over': async (browser) => {
        const keepTimers = 'window.due = []; const later = window.setTimeout; window.setTimeout = (act, wait, ...said) => { if (wait > 150 && wait <= 350) due.push(act); return later(act, wait, ...said); };';
        const page = await openPage(browser, `#${job}`, { before: keepTimers });
        await settled(page);
        // Two changes at once, the second of whose addresses waits; a link; and the wait ends before the page hears of it.
        const kept = await page.evaluate((hash) => {
            const field = document.querySelector('#field-gpus');
            window.due = [];
            for (const value of ['16', '32']) {
                field.value = value;
                for (const kind of ['input', 'change', 'focusout']) field.dispatchEvent(new Event(kind, { bubbles: true }));
            }
            const waiting = window.due.length;
            location.hash = hash;
            for (const act of window.due) act();
            return waiting && location.hash === hash;
        }, `#${job.replace('seq=8K', 'seq=2K')}`);
        check(kept, 'the old address was written again, or none waited');
        await page.waitForFunction(() => document.querySelector('#field-seq').value === '2K');
    },
    'a budget has its compute-optimal size': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=optimal`);
        await page.waitForSelector('[data-test=optimal] circle');
        const before = await page.textContent('[data-test=optimal] table');
        await page.fill('#flops', '1e22');
        await page.keyboard.press('Tab');
        await page.waitForFunction((text) => document.querySelector('[data-test=optimal] table').textContent !== text, before);
        await page.fill('#flops', 'many');
        await page.keyboard.press('Tab');
        await page.waitForSelector('[data-test=error]');
    },
    'published conventions stand beside ours': async (browser) => {
        const page = await openPage(browser, `#${job}&tokens=1T&mode=methods`);
        await page.waitForSelector('[data-test=methods] table');
        const text = await page.textContent('[data-test=methods]');
        check(text.includes('6ND') && text.includes('six-nd') && text.includes('traincost'), text);
    },
    'an original is shown as the program prints it, ours beside': async (browser) => {
        const page = await openPage(browser, `#${job}&tokens=1T&mode=methods`);
        await page.waitForSelector('[data-test=original] pre');
        const [text, command, figures] = await Promise.all(['pre', 'code', 'table'].map((part) => page.textContent(`[data-test=original] ${part}`)));
        check(text.includes('| Zero1') && text.includes('Strategy_Recommand'), text);
        check(figures.includes('Model_size, B') && figures.includes('Trianing_days'), figures);
        if (program) {
            const printed = spawnSync(program, command.split(' ').slice(1), { encoding: 'utf8' }).stdout;
            check(printed.startsWith(text), `${command} prints\n${printed}`);
        }
    },
    'any published calculator is asked as on the command line': async (browser) => {
        const page = await openPage(browser, `#${job}&mode=methods`);
        const form = page.locator('[data-test=calculator]');
        await form.waitFor();
        await page.waitForFunction(() => document.querySelector('[data-test=calculator] pre')?.textContent.includes('Strategy_Recommand'));
        await form.locator('select').selectOption('six-nd');
        await page.waitForFunction(() => document.querySelector('[data-test=calculator] [data-test=error]')?.textContent.includes('--tokens'));
        for (const [key, value] of Object.entries({ params: '7B', tokens: '2T', tflops: '140', gpus: '256' })) await form.locator(`#method-${key}`).fill(value);
        await page.waitForFunction(() => document.querySelector('[data-test=calculator] pre')?.textContent.includes('T_days'));
        const [text, command] = [await form.locator('pre').textContent(), await form.locator('p code').last().textContent()];
        if (program) {
            const printed = spawnSync(program, command.split(' ').slice(1), { encoding: 'utf8' }).stdout;
            check(printed === text, `${command} prints\n${printed}\nnot\n${text}`);
        }
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'the step is saved as a picture': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.waitForSelector('svg.timeline');
        for (const [name, start] of [['SVG', '<svg'], ['PNG', '\x89PNG'], ['JSON', '{']]) {
            const saved = page.waitForEvent('download');
            await page.locator('[data-test=share]').getByRole('button', { name, exact: true }).click();
            const bytes = readFileSync(await (await saved).path(), 'latin1');
            check(bytes.startsWith(start), `${name}: ${bytes.slice(0, 20)}`);
        }
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'Chinese is shown and kept': async (browser) => {
        const page = await openPage(browser, `#${job}&lang=zh`);
        await settled(page);
        check((await page.textContent('nav')).includes('估算'), 'no Chinese');
        check((await page.getAttribute('html', 'lang')) === 'zh-CN', 'the language is not said');
    },
    'every setting has its help in Chinese': async (browser) => {
        const page = await openPage(browser, `#${job}&lang=zh`);
        const { fields } = await page.evaluate(() => window.traincost.ask({ command: 'fields' }));
        const flags = fields.filter((f) => f.flag).map((f) => f.flag.replace(/^--/, ''));
        check(flags.length > 50, `${flags.length} settings`);
        const without = flags.filter((flag) => !/[\u4e00-\u9fff]/.test(help[flag] ?? ''));
        check(!without.length, `no Chinese help in src/help_zh.js: ${without.join(', ')}`);
        const left = Object.keys(help).filter((flag) => !flags.includes(flag));
        check(!left.length, `Chinese help of no setting: ${left.join(', ')}`);
        await page.click('.more summary');
        check(/[\u4e00-\u9fff]/.test(await page.textContent('#field-pue-help')), await page.textContent('#field-pue-help'));
    },
    'what the page itself refuses is said in its language': async (browser) => {
        const said = { en: ['cut.xlsx: not a spreadsheet (.xlsx)', 'There is no job in this JSON: it needs a member "job".'], zh: ['cut.xlsx：不是电子表格 (.xlsx)', '这段 JSON 里没有任务：缺少成员 "job"。'] };
        for (const [lang, [sheet, without]] of Object.entries(said)) {
            const page = await openPage(browser, `#${job}&mode=custom&lang=${lang}`);
            await settled(page);
            await page.setInputFiles('[data-test=file]', written('cut.xlsx', 'PK\x03\x04 cut'));
            await page.waitForSelector('[data-test=refusal]');
            check((await refusal(page).textContent()) === sheet, await refusal(page).textContent());
            await page.fill('#custom-job', '{"job": null}');
            await page.locator('[data-test=custom] .tools button.primary').first().click();
            await page.waitForSelector('[data-test=custom-problem]');
            check((await page.textContent('[data-test=custom-problem]')) === without, await page.textContent('[data-test=custom-problem]'));
            await page.context().close();
        }
    },
    'an engine that stops in the middle is started again, and one line says so': async (browser) => {
        const before = () => {
            const post = Worker.prototype.postMessage;
            Worker.prototype.postMessage = function (data, ...more) {
                if (data.question?.includes('"scale"')) {
                    setTimeout(() => this.onmessage({ data: { id: data.id, broken: 'unreachable' } }));
                    return undefined;
                }
                return post.call(this, data, ...more);
            };
        };
        const page = await openAt(browser, pageAddress(`#${job}&lang=zh`), { before });
        await settled(page);
        await page.locator('nav button', { hasText: '计算最优' }).click();
        await page.waitForSelector('[data-test=optimal] [data-test=error]');
        check((await page.textContent('[data-test=optimal] [data-test=error]')).includes('引擎未能回答此问题，已重新启动：unreachable'), await page.textContent('[data-test=optimal] [data-test=error]'));
        await page.locator('nav button', { hasText: '估算' }).click();
        await page.fill('#field-tp', '2');
        await page.keyboard.press('Tab');
        await settled(page);
        check(page.failures.length === 0, page.failures.join('; '));
    },
    'what the engine names is named in Chinese': async (browser) => {
        const chinese = (text) => /[\u4e00-\u9fff]/.test(text);
        const known = new Set(['MFU', 'HFU', 'ZeRO', 'MLP']);
        const inChinese = (key) => ({ code: 'zh' }[key] ?? key);
        const page = await openPage(browser, `#${job}&tokens=1T&tp=2&pp=2&lang=zh`);
        await page.waitForSelector('[data-test=timeline] .legend');
        const { memory, step } = await page.evaluate(async () => (await window.traincost.ask({ command: 'estimate', ...JSON.parse(document.querySelector('main').dataset.asked) })));
        for (const { name } of [...memory.by_stage[0].breakdown, ...step.breakdown]) check(chinese(partName(inChinese, name)), `no Chinese for ${name}`);
        for (const line of [...(await page.locator('.legend li').allTextContents()), ...(await page.locator('.assumed li').allTextContents()), ...(await page.locator('.assumption').allTextContents())]) check(chinese(line) || !/[a-z]{3}/.test(line.replace(/\b\w+ =.*/, '')), `in English: ${line}`);
        for (const mode of ['sheet', 'methods', 'optimal', 'measure']) {
            await page.evaluate((hash) => { location.hash = hash; }, `#${job}&tokens=1T&lang=zh&mode=${mode}`);
            if (mode === 'measure') await page.setInputFiles('[data-test=file]', join(root, 'tests', 'golden', 'logs', 'megatron.log'));
            await page.waitForSelector(`[data-test=${mode}] table`);
            if (mode === 'measure') await page.waitForFunction(() => document.querySelectorAll('[data-test=measure] table').length > 3);
            const said = await page.locator(`[data-test=${mode}] th, [data-test=${mode}] section > h3, main > section > h3`).allTextContents();
            const english = said.filter((text) => text && !chinese(text) && !known.has(text) && !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(text));
            check(english.length === 0, `${mode}: ${english.join(', ')}`);
        }
    },
    'at 900 pixels tables of plans and curves are whole': async (browser) => {
        for (const [mode, part] of Object.entries({ sheet: '[data-test=sheet] .scroll', sweep: '[data-test=sweep] .scroll', optimal: '[data-test=optimal] .drawing' })) {
            const page = await openPage(browser, `#${job}&tokens=1T&mode=${mode}`, { viewport: { width: 900, height: 900 } });
            await page.waitForSelector(part);
            const beyond = await page.locator(part).first().evaluate((e) => e.scrollWidth - e.clientWidth);
            check(beyond <= 1, `${mode}: ${beyond} px are beyond the edge`);
            await page.context().close();
        }
    },
    'on a phone a plan is whole, each figure with its name': async (browser) => {
        for (const mode of ['sheet', 'sweep']) {
            const page = await openPage(browser, `#${job}&tokens=1T&mode=${mode}`, { viewport: { width: 390, height: 844 } });
            const table = page.locator(`[data-test=${mode}] table.cards`);
            await table.waitFor();
            check((await table.evaluate((e) => e.scrollWidth - e.parentElement.clientWidth)) <= 1, `${mode}: figures are beyond the edge`);
            check((await table.locator('tbody tr').first().locator('td[data-name]').count()) >= 6, `${mode}: figures without names`);
            await page.context().close();
        }
    },
    'the keyboard alone changes a job': async (browser) => {
        const page = await openPage(browser, `#${job}`);
        await settled(page);
        await page.locator('#field-tp').focus();
        await page.keyboard.press('Tab');
        await page.keyboard.press('ArrowRight');
        await settled(page);
        check(page.url().includes('tp=2'), page.url());
    },
};
