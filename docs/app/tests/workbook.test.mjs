// The page's spreadsheet and the program's: the same cells, and LibreOffice computes the same numbers of both.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync, strFromU8 } from 'fflate';
import { check, openPage, program as built, settled } from './browser.mjs';

const job = { model: 'llama-2-13b', gpu: 'a100', gpus: '16', tp: '4', pp: '2', seq: '4096', 'micro-batch': '1', 'global-batch': '32', tokens: '1B' };
const sheets = ['Input', 'Memory', 'Step', 'Results', 'Output'];
const folder = mkdtempSync(join(tmpdir(), 'traincost-workbook-'));

/** {place: number} and {place: formula} of a sheet. */
function cellsOf(path, index) {
    const xml = strFromU8(unzipSync(readFileSync(path))[`xl/worksheets/sheet${index + 1}.xml`]);
    const numbers = {};
    const formulas = {};
    for (const [, attributes, inside] of xml.matchAll(/<c ([^>]*[^/])>(.*?)<\/c>/gs)) {
        const place = /r="([A-Z]+\d+)"/.exec(attributes)[1];
        const formula = /<f[^>]*>([^<]*)<\/f>/.exec(inside);
        const value = /<v>([^<]*)<\/v>/.exec(inside);
        if (formula) formulas[place] = formula[1];
        if (value && !/t="(s|str)"/.test(attributes)) numbers[place] = Number(value[1]);
    }
    return { numbers, formulas };
}

function sameNumbers(ours, theirs, what) {
    check(Object.keys(ours).length > 5, `${what}: no numbers`);
    for (const [place, value] of Object.entries(ours)) check(Math.abs(theirs[place] - value) <= 1e-9 * Math.abs(value), `${what}!${place}: ${value} and ${theirs[place]}`);
}

/** The file as LibreOffice saves it, every formula computed again. */
function recomputed(path, name) {
    const profile = join(folder, 'profile');
    mkdirSync(join(profile, 'user'), { recursive: true });
    writeFileSync(join(profile, 'user', 'registrymodifications.xcu'), '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>');
    const out = join(folder, name);
    execFileSync('soffice', [`-env:UserInstallation=file://${profile}`, '--headless', '--convert-to', 'xlsx', '--outdir', out, path], { stdio: 'ignore', timeout: 100000 });
    return join(out, 'job.xlsx');
}

async function saved(browser) {
    const page = await openPage(browser, `#${new URLSearchParams(job)}&mode=custom`);
    await settled(page);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Spreadsheet with live formulas' }).click()]);
    const path = join(folder, 'job.xlsx');
    await download.saveAs(path);
    check(page.failures.length === 0, page.failures.join('; '));
    return path;
}

async function computesOurNumbers(browser) {
    const path = await saved(browser);
    if (!existsSync('/usr/bin/soffice')) {
        console.log('        (skipped: there is no LibreOffice)');
        return;
    }
    const again = recomputed(path, 'again');
    sheets.forEach((name, i) => sameNumbers(cellsOf(path, i).numbers, cellsOf(again, i).numbers, name));
}
computesOurNumbers.limit = 150000;

export default {
    'the spreadsheet has the cells that the program writes': async (browser) => {
        const path = await saved(browser);
        if (!built) {
            console.log('        (skipped: the program is not built)');
            return;
        }
        const own = join(folder, 'own.xlsx');
        try {
            execFileSync(built, ['export', 'sheet', '--output', own, ...Object.entries(job).flatMap(([name, value]) => [`--${name}`, value])]);
        } catch (error) {
            check(error.status === 1, String(error));  // the job does not fit
        }
        sheets.forEach((name, i) => {
            const [ours, theirs] = [cellsOf(path, i), cellsOf(own, i)];
            check(JSON.stringify(Object.entries(ours.formulas).sort()) === JSON.stringify(Object.entries(theirs.formulas).sort()), `${name}: other formulas`);
            sameNumbers(theirs.numbers, ours.numbers, name);
        });
        check(Object.keys(cellsOf(path, 1).formulas).length > 10, 'no live formulas');
    },
    'a spreadsheet program computes our numbers from its formulas': computesOurNumbers,
};
