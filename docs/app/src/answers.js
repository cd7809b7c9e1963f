// What the page reads of the engine's answers to searches: the one place that knows their shapes.
import { inWords } from './page_error.js';

/** A plan of `plan`, of `recommend` or a point of `sweep`, as one row. */
export function planOf(p) {
    return {
        flags: p.flags,
        name: p.configuration ?? p.flags,
        fits: p.fits,
        step_s: p.step?.time_s ?? p.step_time_s,
        mfu: p.throughput?.mfu ?? p.mfu,
        device_bytes: p.memory?.device_bytes ?? p.device_bytes,
        probability: p.memory?.probability_of_fitting ?? p.probability_of_fitting ?? null,
        days: p.training?.days ?? p.days ?? null,
        usd: p.cost?.usd ?? p.usd ?? p.cost?.usd_per_million_tokens ?? p.usd_per_million_tokens ?? null,
        kwh: p.energy?.site_kwh ?? p.energy?.kwh ?? p.energy_kwh ?? null,
        tie: p.tie ?? false,
        why: p.why ?? [],
    };
}

/** The first sentence of an answer that is an error. */
export function problemOf(t, answer) {
    const problem = answer.error?.problems[0];
    return problem ? `${problem.path ? `${problem.path}: ` : ''}${inWords(t, problem)}` : '';
}

/** The plans of a search's answer, and why there is none. */
export const searchOf = (answer) => ({
    plans: (answer.plans ?? []).map(planOf).filter((p) => p.fits),
    evaluated: answer.evaluated ?? 0,
    tieBelow: answer.tie_below ?? null,
    none: answer.no_plan_because ?? [],
});

/** The points of a sweep: what was varied, and the figures. */
export const sweepOf = (t, answer) => (answer.points ?? []).map((p) => ({ varied: p.varied ?? {}, problem: p.error ? problemOf(t, p) || String(p.error) : '', ...(p.error ? {} : planOf(p)) }));

/** What published conventions say of the job: every table of the answer, by its name. */
export const tablesOf = (answer) => Object.entries(answer).filter(([name, v]) => !['schema_version', 'input', 'assumptions'].includes(name) && v !== null && typeof v === 'object' && Object.keys(v).length > 0);

/** The optima of a budget by law, and the loss of sizes around them where the answer has it. */
export const scaleOf = (answer) => ({ laws: answer.laws ?? [], curve: answer.curve ?? [] });
