// Numbers as people read them: three significant digits and the unit that fits.

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

export const bytes = (x) => scaled(x, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB'], 1024);
export const count = (x) => scaled(x, ['', 'K', 'M', 'B', 'T', 'Q'], 1000);
export const dollars = (x) => `$${scaled(x, ['', 'K', 'M', 'B', 'T'], 1000)}`;
export const percent = (x) => `${digits(100 * x)}%`;
export const energy = (x) => scaled(x, [' kWh', ' MWh', ' GWh', ' TWh'], 1000);

export function seconds(x) {
    if (x === 0) return '0 s';
    if (x < 1e-3) return `${digits(x * 1e6)} µs`;
    if (x < 1) return `${digits(x * 1e3)} ms`;
    if (x < 120) return `${digits(x)} s`;
    if (x < 7200) return `${digits(x / 60)} min`;
    if (x < 172800) return `${digits(x / 3600)} h`;
    return `${digits(x / 86400)} d`;
}
