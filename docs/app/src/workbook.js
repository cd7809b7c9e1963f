import writeExcelFile from 'write-excel-file/browser';

// The engine's sheets as a file of a spreadsheet program. Cells, formulas and results are the engine's.

const styles = { plain: {}, bold: { fontWeight: 'bold' }, grey: { textColor: '#666666' }, input: { backgroundColor: '#FFF2CC' } };

function valueOf(cell) {
    if (cell.text !== undefined) return { type: String, value: cell.text };
    if (cell.formula !== undefined) return { type: 'Formula', value: cell.formula.slice(1) };
    return { type: Number, value: cell.number };
}

function rowsOf(cells) {
    const rows = Array.from({ length: Math.max(...cells.map((c) => c.row)) + 1 }, () => []);
    for (const cell of cells) rows[cell.row][cell.column] = { ...valueOf(cell), ...styles[cell.format] };
    return rows.map((row) => Array.from(row, (cell) => cell ?? null));
}

const placeOf = ({ row, column }) => `${String.fromCharCode(65 + column)}${row + 1}`;

/** The writer leaves a formula without its result, which a program that computes nothing reads. */
function withResults(sheets) {
    const results = sheets.map(({ cells }) => Object.fromEntries(cells.map((cell) => [placeOf(cell), cell.number])));
    const transform = (xml, options, { sheetIndex }) => xml.replace(/<c r="([A-Z]+\d+)"[^>]*><f>[^<]*<\/f>/g, (cell, place) => `${cell}<v>${results[sheetIndex][place]}</v>`);
    return { files: { transform: { 'xl/worksheets/sheet{id}.xml': { transform } } } };
}

/** The answer to 'sheet' as an .xlsx, a Blob. */
export function workbookOf({ sheets }) {
    const written = sheets.map(({ name, widths, cells }) => ({ sheet: name, columns: widths.map((width) => ({ width })), data: rowsOf(cells) }));
    return writeExcelFile(written, { features: [withResults(sheets)] }).toBlob();
}
