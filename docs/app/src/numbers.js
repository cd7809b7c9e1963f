// Numbers as people read them: three significant digits and the unit that fits.

const space = '\u00a0';  // a number and its unit stay on one line

export function digits(x, n = 3) {
    if (x === 0) return '0';
    const rounded = Number(x.toPrecision(n));
    const size = Math.floor(Math.log10(Math.abs(rounded)));
    return rounded.toFixed(Math.max(0, n - 1 - size));
}

const scaled = (x, units, base) => {
    let unit = 0;
    while (unit + 1 < units.length && Math.abs(Number(x.toPrecision(3))) >= base) {
        x /= base;
        ++unit;
    }
    return `${digits(x)}${units[unit]}`;
};

export const bytes = (x) => scaled(x, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].map((unit) => space + unit), 1024);
export const count = (x) => scaled(x, ['', 'K', 'M', 'B', 'T', 'Q'], 1000);
export const dollars = (x) => `$${scaled(x, ['', 'K', 'M', 'B', 'T'], 1000)}`;
export const percent = (x) => `${digits(100 * x)}%`;
export const energy = (x) => scaled(x, ['kWh', 'MWh', 'GWh', 'TWh'].map((unit) => space + unit), 1000);

export function seconds(x) {
    if (x === 0) return `0${space}s`;
    if (x < 1e-3) return `${digits(x * 1e6)}${space}µs`;
    if (x < 1) return `${digits(x * 1e3)}${space}ms`;
    if (x < 120) return `${digits(x)}${space}s`;
    if (x < 7200) return `${digits(x / 60)}${space}min`;
    if (x < 172800) return `${digits(x / 3600)}${space}h`;
    return `${digits(x / 86400)}${space}d`;
}

/** A range, its unit said once where both ends have the same. */
export function between([low, high], text) {
    const [a, b] = [text(low), text(high)];
    const unit = a.includes(space) ? a.slice(a.indexOf(space)) : '';
    return `${unit && b.endsWith(unit) ? a.slice(0, -unit.length) : a}${space}–${space}${b}`;
}
