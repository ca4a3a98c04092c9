// What is measured beside what is predicted, on one grid of seconds.
import type { Curves, EndpointCurves } from "../../engine/types";
import { dashes, type Chart } from "../../ui/plot";
import type { Foretold, Measured } from "../demo/api";
import type { Values } from "../schema";

/** A curve of several runs: their mean, and where single ones lie. */
export interface Band {
  mean: Values;
  low: Values;
  high: Values;
}

/** The band of the same column of each run. A step that a run says nothing of is of the others. */
export function bandOf(runs: readonly Values[]): Band {
  const out: Band = { mean: [], low: [], high: [] };
  for (let k = 0; k < Math.max(0, ...runs.map((r) => r.length)); k++) {
    const all = runs.map((r) => r[k]).filter((v): v is number => v !== null && v !== undefined);
    out.mean.push(all.length ? all.reduce((a, b) => a + b, 0) / all.length : null);
    out.low.push(all.length ? Math.min(...all) : null);
    out.high.push(all.length ? Math.max(...all) : null);
  }
  return out;
}

/** Which column of the curves a chart is of. */
export interface Topic {
  id: string;
  title: string; // in the panel of what it is about
  name: string; // anywhere
  unit: string;
  percent?: boolean;
  most?: number;
  limit?: { value: number; label: string };
  of: (c: Curves) => Values | undefined;
}

type Column = Exclude<keyof EndpointCurves, "name">;
const of = (name: string, column: Column) => (c: Curves): Values | undefined => c.endpoints.find((e) => e.name === name)?.[column];

/** Whether a rung of the policy is on. */
export const isOn = (protect: string, rung: string): boolean => protect === "all" || protect.split(",").includes(rung);

/** The topics of the program as a whole, and of one dependency. */
export function topicsOf(names: readonly string[], dependency: string, { workers, protect }: Pick<Foretold, "workers" | "protect">): Topic[] {
  const share = { unit: "", percent: true, most: 1.02 };
  const own = (id: Column, title: string, more: { unit: string; percent?: boolean; most?: number }): Topic =>
    ({ id, title, name: `${dependency}: ${title[0]!.toLowerCase()}${title.slice(1)}`, ...more, of: of(dependency, id) });
  return [
    { id: "busy", title: "Workers busy", name: "workers busy", unit: "", most: 10, limit: { value: workers, label: `${workers} workers` }, of: (c) => c.busy },
    ...names.map((n): Topic => ({ id: `success-${n}`, title: `${n} in time`, name: `${n}: answered in time`, ...share, of: of(n, "success") })),
    own("calls", "Calls that reach it", { unit: "/s", most: 10 }),
    own("p99_ms", "p99 of answers", { unit: "ms", most: 100 }),
    ...(isOn(protect, "fallback") ? [own("fallback", "By the fallback", share)] : []),
    ...(isOn(protect, "breaker") ? [own("open", "Breaker not closed", share)] : []),
  ];
}

/** One chart: what was measured, what is predicted, and the band around that. */
export interface Beside {
  topic: Topic;
  chart: Chart;
  table: Chart; // with the ends of the band
  band: Band; // on the grid
  measured: Values; // on the grid
}

export interface Grid {
  times: number[]; // ms of Unix time, the middle of each second
  from: number;
}

/** The seconds of a prediction. */
export function gridOf(f: Foretold): Grid {
  const from = f.from_ms;
  return { from, times: Array.from({ length: Math.round(f.for_s) }, (_, k) => from + (k + 0.5) * 1000) };
}

/** Puts values that begin at another second onto the grid. */
export function placed(grid: Grid, from: number, values: Values): Values {
  const shift = Math.round((from - grid.from) / 1000);
  return grid.times.map((_, k) => values[k - shift] ?? null);
}

export function beside(topic: Topic, grid: Grid, f: Foretold, runs: readonly Curves[], m: Measured | null): Beside {
  const blind = Math.round(f.lead_s); // its beginning is not to be looked at
  const dull = (v: Values): Values => v.map((x, k) => (k < blind ? null : x));
  const all = bandOf(runs.map((r) => topic.of(r) ?? []));
  const band = { mean: dull(all.mean), low: dull(all.low), high: dull(all.high) };
  const measured = placed(grid, m?.from_ms ?? grid.from, (m && topic.of(m.curves)) ?? []);
  const shape = { id: topic.id, title: topic.title, unit: topic.unit, percent: topic.percent, most: topic.most,
    limit: near(topic.limit?.value, [...measured, ...band.high]) ? topic.limit : undefined };
  const lines = [
    { label: "measured", color: 0, dash: dashes[0]!, values: measured },
    { label: "predicted", color: 2, dash: dashes[1]!, values: band.mean },
  ];
  return { topic, band, measured, chart: { ...shape, lines }, table: { ...shape, lines: [...lines,
    { label: "lowest run", color: 2, dash: dashes[2]!, values: band.low }, { label: "highest run", color: 2, dash: dashes[2]!, values: band.high }] } };
}

/** Whether a value comes near a limit, so that the limit is worth the room that it takes. */
const near = (limit: number | undefined, values: Values): boolean => limit !== undefined && values.some((v) => v !== null && v > limit / 2);

/** How far what was measured is from what was predicted, from one moment to another. */
export interface Verdict {
  seconds: number; // of which both are known
  measured: number;
  predicted: number;
  outside: number; // seconds in which it lay outside the band
}

export function verdict(b: Beside, grid: Grid, from: number, to: number): Verdict {
  const v: Verdict = { seconds: 0, measured: 0, predicted: 0, outside: 0 };
  grid.times.forEach((t, k) => {
    const [m, p, low, high] = [b.measured[k], b.band.mean[k], b.band.low[k], b.band.high[k]];
    if (t < from || t > to || typeof m !== "number" || typeof p !== "number") return;
    v.seconds++;
    v.measured += m;
    v.predicted += p;
    if (m < low! - 1e-9 || m > high! + 1e-9) v.outside++;
  });
  if (v.seconds > 0) {
    v.measured /= v.seconds;
    v.predicted /= v.seconds;
  }
  return v;
}

/** The share of seconds in which one more run would lie outside the band of so many by chance alone. */
export const byChance = (runs: number): number => 2 / (runs + 1);
