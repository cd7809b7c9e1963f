// Steps that were recorded elsewhere, as the page draws them: benchmark.csv and Chrome traces. The rules are those of
// the program's 'timeline --from'.

const labelled = (file, line, what) => new Error(`${file}:${line}: ${what}`);

/** Rows of a label and the seconds since the row before: a row's value is how long the phase of the row before took. */
export function benchmarkSteps(text, file) {
    const steps = [];
    let spans = [];
    let at = 0;
    let before = '';
    text.split(/\r?\n/).forEach((row, i) => {
        if (!row.trim()) return;
        const comma = row.indexOf(',');
        if (comma < 0) throw labelled(file, i + 1, 'expected a label, a comma and seconds');
        const label = row.slice(0, comma).replaceAll('"', '').trim();
        const since = row.slice(comma + 1).replaceAll('"', '').trim();
        const s = Number(since);
        if (!since || !Number.isFinite(s) || s < 0) throw labelled(file, i + 1, `seconds: '${since}' is no number of 0 or more`);
        if (label === 'iteration start') {
            [spans, at] = [[], 0];
        } else if (before) {
            spans.push({ lane: 'step', name: before === 'iteration start' ? 'start' : before.replace(/ start$/, ''), begin: at, end: at + s });
            at += s;
        }
        if (label === 'iteration end') {
            if (before) steps.push({ spans, total: at });
            before = '';
        } else if (before || label === 'iteration start') {
            before = label;
        }
    });
    if (!steps.length) throw new Error(`${file}: no iteration from 'iteration start' to 'iteration end'`);
    return steps;
}

function lanesOf(events) {
    const names = {};
    for (const e of events)
        if (e.ph === 'M' && typeof e.args?.name === 'string') {
            if (e.name === 'thread_name') names[`${e.pid ?? 0}/${e.tid ?? 0}`] = e.args.name;
            if (e.name === 'process_name') names[e.pid ?? 0] = e.args.name;
        }
    return (e) => {
        const thread = `${e.pid ?? 0}/${e.tid ?? 0}`;
        const lane = names[thread] ?? thread;
        return names[e.pid ?? 0] !== undefined ? `${names[e.pid ?? 0]}, ${lane}` : lane;
    };
}

/** Each slice called ProfilerStep#N with all that runs in it, else the whole trace. Lanes are threads by name. */
export function traceSteps(value, file) {
    const events = (Array.isArray(value) ? value : value.traceEvents).filter((e) => e !== null && typeof e === 'object');
    const lane = lanesOf(events);
    const slices = events
        .filter((e) => e.ph === 'X' && Number.isFinite(e.ts ?? 0) && (e.dur ?? 0) >= 0)
        .map((e) => ({ lane: lane(e), name: String(e.name ?? ''), begin: (e.ts ?? 0) / 1e6, end: ((e.ts ?? 0) + (e.dur ?? 0)) / 1e6 }));
    if (!slices.length) throw new Error(`${file}: no slice (an event with "ph": "X")`);
    const isStep = (s) => s.name.startsWith('ProfilerStep#');
    const cut = (begin, end) => ({
        total: end - begin,
        spans: slices.filter((s) => !isStep(s) && s.begin >= begin && s.end <= end && s.end > s.begin).map((s) => ({ ...s, begin: s.begin - begin, end: s.end - begin })),
    });
    const marked = slices.filter(isStep);
    if (marked.length) return marked.map((s) => cut(s.begin, s.end));
    return [cut(slices.reduce((a, s) => Math.min(a, s.begin), Infinity), slices.reduce((a, s) => Math.max(a, s.end), -Infinity))];
}

/** The steps of a file that is a recording; nothing of another. `Error` where it is one that cannot be read. */
export function recordingOf(name, text) {
    if (/\.csv$/i.test(name) && /^\s*"?iteration start/m.test(text)) return benchmarkSteps(text, name);
    if (!/^\s*[[{]/.test(text) || !/"ph"\s*:/.test(text)) return null;
    let value;
    try {
        value = JSON.parse(text);
    } catch {
        return null;
    }
    return Array.isArray(value) || Array.isArray(value.traceEvents) ? traceSteps(value, name) : null;
}

/** Index of "1" (the first), "median" (the lower of two) or "slowest". */
export function pickedStep(steps, which) {
    const order = steps.map((s, i) => i).sort((a, b) => steps[a].total - steps[b].total || a - b);
    if (which === 'median') return order[Math.floor((order.length - 1) / 2)];
    if (which === 'slowest') return order.at(-1);
    return Math.max(0, Math.min(steps.length, Number(which) || 1) - 1);
}

/** A recorded step as the timeline draws one: a row a lane. */
export function drawnStep(step) {
    const lanes = [...new Set(step.spans.map((s) => s.lane))].sort().slice(0, 64);
    return {
        total_s: step.total,
        stages: lanes.map((name) => ({ name, use: {}, memory: [] })),
        events: step.spans.filter((s) => lanes.includes(s.lane)).map((s) => ({ stage: lanes.indexOf(s.lane), task: s.name, begin_s: s.begin, end_s: s.end })),
    };
}
