// One file of everything: node build.mjs [WASM [OUT]]
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { startEngine } from './src/engine.js';
import { openingQuestions } from './src/opening.js';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const wasm = process.argv[2] ?? join(root, 'build', 'web', 'traincost.wasm');
const out = process.argv[3] ?? join(root, 'build', 'web', 'traincost.html');

async function bundled(entry) {
    const result = await build({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: ['chrome110', 'firefox115', 'safari16.4'],
        jsx: 'automatic',
        jsxImportSource: 'preact',
        charset: 'utf8',
        legalComments: 'none',
    });
    return result.outputFiles[0].text.trim();
}

// The names behind the search boxes, from the same records as the engine's.
function listed(room, textOf) {
    const folder = join(root, 'data', room);
    return readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
        .map((record) => [record.id, textOf(record) ?? ''])
        .sort(([a], [b]) => a.localeCompare(b));
}
const lists = {
    models: listed('models', (r) => r.hf_repo ?? r.aliases?.[0]),
    accelerators: listed('accelerators', (r) => `${r.vendor} ${r.memory?.capacity_GB ?? ''} GB`),
    clusters: listed('clusters', (r) => r.accelerator),
    stacks: listed('stacks', (r) => r.title),
};

/** What the page shows before its engine is compiled, as the same engine answers it. */
async function opening() {
    const engine = await startEngine(await WebAssembly.compile(readFileSync(wasm)));
    const answers = openingQuestions.map((question) => {
        const text = JSON.stringify(question);
        return [text, engine.ask(text)];
    });
    const failed = answers.find(([, answer]) => JSON.parse(answer).error);
    if (failed) throw new Error(failed.join(': '));
    return { version: engine.version, answers };
}

const escaped = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const app = escaped(await bundled('app.jsx'));
const worker = escaped(await bundled('worker.js'));
const start = escaped(await bundled('start.js'));
const give = 'window.traincostStart?.give()';
/** The engine, each part with a script that hands it on: it is unpacked while the browser still reads the next. */
function inParts(text) {
    const letters = 2 ** 18;
    const parts = Array.from({ length: Math.ceil(text.length / letters) }, (_, i) => text.slice(i * letters, (i + 1) * letters));
    return parts.map((part, i) => `<script type="text/plain" data-engine="${i < parts.length - 1 ? 'part' : 'last'}">${part}</script><script>${give}</script>`).join('\n');
}
const style = (await build({ entryPoints: [join(here, 'src', 'style.css')], minify: true, write: false })).outputFiles[0].text.trim();
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
// Styles are also set on elements (a bar's width, a swatch's colour), which no hash covers.
const policy = [
    "default-src 'none'",
    `script-src ${[start, give, app].map(hash).join(' ')} 'wasm-unsafe-eval' blob:`,
    'worker-src blob:',
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
].join('; ');
const packed = gzipSync(readFileSync(wasm), { level: 9 });
const parts = { POLICY: policy, STYLE: style, LISTS: escaped(JSON.stringify(lists)), OPENING: escaped(JSON.stringify(await opening())), ENGINE: inParts(packed.toString('base64')), WORKER: worker, START: start, APP: app };
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8').replace(/@([A-Z]+)@/g, (all, name) => parts[name] ?? all);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);

const kib = (n) => `${Math.round(n / 1024).toLocaleString('en')} KiB`;
console.log(`${out}: ${kib(Buffer.byteLength(page))}, engine ${kib(packed.length)} gzipped`);
const limits = [[packed.length, 2 * 2 ** 20, 'the engine, gzipped,'], [Buffer.byteLength(page), 6 * 2 ** 20, 'the page']];
for (const [size, limit, what] of limits) {
    if (size > limit) {
        console.error(`${what} is ${kib(size)}, more than ${kib(limit)}`);
        process.exitCode = 1;
    }
}
