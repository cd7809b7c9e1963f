// The page's numbers are the program's: 200 random jobs that are valid, and those that are refused on the
// way, asked of both. Skipped where the program is not built.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { check, openPage, program, settled } from './browser.mjs';

const run = promisify(execFile);
const wanted = 200;

// A generator of our own, so that the jobs are the same everywhere.
function dice(seed) {
    let x = seed;
    return (values) => {
        x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
        return values[Math.floor((x / 2 ** 32) * values.length)];
    };
}

function randomJob(pick) {
    const tp = pick([1, 1, 2, 4, 8]);
    const pp = pick([1, 1, 2, 4]);
    const dp = pick([1, 2, 4, 8, 16]);
    return {
        model: pick(['llama-3.1-8b', 'llama-3.1-70b', 'gpt3-175b', 'mixtral-8x7b', 'qwen2.5-7b', 'gpt2']),
        gpu: pick(['h100', 'a100-sxm4-80gb', 'h200', 'b200', 'mi300x', 'v100']),
        gpus: String(tp * pp * dp), tp: String(tp), pp: String(pp),
        seq: pick(['1K', '2K', '4K', '8K']),
        'micro-batch': pick(['1', '2', '4']),
        'global-batch': String(dp * pick([4, 8, 16, 32])),
        zero: pick(['0', '1', '2', '3']),
        recompute: pick(['none', 'selective', 'full']),
        tokens: pick(['100B', '1T']),
    };
}

// Bit for bit, or to 1e-12 where the two C libraries' exp, log and pow differ in the last place.
function differences(a, b, path = '') {
    if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b)) ? [] : [`${path}: ${a} and ${b}`];
    if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
        const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
        return names.flatMap((name) => differences(a[name], b[name], `${path}/${name}`));
    }
    return a === b ? [] : [`${path}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`];
}

async function sameNumbers(browser) {
    if (!program) {
        console.log('        (skipped: the program is not built)');
        return;
    }
    const page = await openPage(browser);
    await settled(page);
    const pick = dice(15);
    let exact = 0;
    let valid = 0;
    let refused = 0;
    while (valid < wanted) {
        check(refused < 5 * wanted, `only ${valid} of ${valid + refused} jobs are valid`);
        const jobs = Array.from({ length: 10 }, () => randomJob(pick));
        const [theirs, ours] = await Promise.all([
            page.evaluate((all) => Promise.all(all.map((job) => window.traincost.ask({ command: 'estimate', ...job }))), jobs),
            Promise.all(jobs.map((job) => run(program, ['estimate', ...Object.entries(job).flatMap(([name, value]) => [`--${name}`, value]), '--json'], { maxBuffer: 2 ** 26 }).then((r) => r, (e) => e))),
        ]);
        jobs.forEach((job, i) => {
            const words = JSON.stringify(job);
            if (theirs[i].error) {
                check(ours[i].code === 2, `${words}: the page refuses, the program does not: ${theirs[i].error.problems[0].message}`);
                ++refused;
                return;
            }
            check(ours[i].stdout, `${words}: the program refuses: ${ours[i].stderr}`);
            const own = JSON.parse(ours[i].stdout);
            const found = differences(theirs[i], own);
            check(found.length === 0, `${words}\n${found.slice(0, 5).join('\n')}`);
            ++valid;
            exact += JSON.stringify(theirs[i]) === JSON.stringify(own) ? 1 : 0;
        });
    }
    console.log(`        (${valid} valid jobs, ${exact} bit for bit, the others to 1e-12; ${refused} more are refused by both)`);
}
sameNumbers.limit = 300000;

export default { 'numbers are those of the program for 200 random jobs': sameNumbers };
