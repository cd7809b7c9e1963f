// Recorded steps as the engine reads them ('timeline' with "from"); here files are unpacked and spans laid into rows.
import { strFromU8, unzipSync } from 'fflate';
import { PageError } from './page_error.js';

const xml = (files, name, file) => {
    if (!files[name]) throw new PageError('nosheetpart', file, name);
    return new DOMParser().parseFromString(strFromU8(files[name]), 'text/xml');
};

/** The numbers of the sheet of a workbook, a file of this name, by place, as it was last saved. `PageError` where there is no such sheet. */
export function cellsOf(bytes, sheet, file) {
    const wanted = /^xl\/(workbook\.xml|_rels\/workbook\.xml\.rels|worksheets\/.*\.xml)$/;
    const most = 64 * 2 ** 20;
    let files;
    try {
        files = unzipSync(bytes, { filter: ({ name, originalSize }) => wanted.test(name) && originalSize <= most });
    } catch {
        throw new PageError('notsheet', file);
    }
    const named = [...xml(files, 'xl/workbook.xml', file).getElementsByTagName('sheet')];
    const found = named.find((node) => node.getAttribute('name') === sheet);
    if (!found) throw new PageError('nosuchsheet', file, sheet, named.map((node) => node.getAttribute('name')).join(', '));
    const links = [...xml(files, 'xl/_rels/workbook.xml.rels', file).getElementsByTagName('Relationship')];
    const target = links.find((link) => link.getAttribute('Id') === found.getAttribute('r:id'))?.getAttribute('Target') ?? '';
    const cells = {};
    for (const cell of xml(files, target.startsWith('/') ? target.slice(1) : `xl/${target}`, file).getElementsByTagName('c')) {
        const value = cell.getElementsByTagName('v')[0]?.textContent;
        if (value && ['n', null].includes(cell.getAttribute('t')) && Number.isFinite(Number(value))) cells[cell.getAttribute('r')] = Number(value);
    }
    return cells;
}

/** What the engine reads of a file: its text, or the numbers of its sheet Output. */
export async function recordedFile(file) {
    if (!/\.xlsx$/i.test(file.name)) return { name: file.name, text: await file.text() };
    return { name: file.name, cells: cellsOf(new Uint8Array(await file.arrayBuffer()), 'Output', file.name) };
}

const lanesDrawn = 64;

/** What the lanes of each stage do, as a recording has it. */
export const lanesOf = ({ total_s, spans }, t) => drawnStep({ total_s, spans: spans.map((s) => ({ ...s, lane: `${t('stage')} ${s.stage}${t('comma')}${t(s.lane)}` })) });

/** An answer of the engine as the timeline draws one: a row a lane. */
export function drawnStep({ total_s, spans }) {
    const lanes = [...new Set(spans.map((s) => s.lane))].filter((lane) => lane !== 'all stages').slice(0, lanesDrawn);
    return {
        total_s,
        stages: (lanes.length ? lanes : ['']).map((name) => ({ name, use: {}, memory: [] })),
        events: spans.filter((s) => lanes.includes(s.lane) || s.lane === 'all stages').map((s) => ({ stage: lanes.includes(s.lane) ? lanes.indexOf(s.lane) : undefined, task: s.name, micro_batch: s.micro_batch, begin_s: s.begin_s, end_s: s.end_s })),
    };
}
