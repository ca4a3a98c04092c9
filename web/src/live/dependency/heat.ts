// Latency as a heatmap: for each step and each bucket how many calls, under the
// lines of p50, p99 and p99.9.
import type uPlot from "uplot";
import { dashes, type Chart } from "../../ui/plot";
import type { Theme } from "../../ui/theme";
import type { Columns, Loaded } from "../history";
import { ms } from "../words";

/** The scale: whole powers of ten around all that is there, so that it seldom changes. */
export function scaleOf(loaded: Loaded, columns: Columns): [number, number] {
  const bounds = loaded.heat?.bounds_ms ?? [];
  const sums: number[] = [];
  for (const counts of loaded.heat?.counts ?? []) counts.forEach((n, k) => (sums[k] = (sums[k] ?? 0) + n));
  // A call in a thousand that is faster than all others does not press them together.
  let rest = sums.reduce((a, b) => a + b, 0) / 1000;
  const first = sums.findIndex((n) => (rest -= n) < 0);
  const low = first < 0 ? Infinity : (bounds[first - 1] ?? bounds[0]! / 1.78);
  let high = -Infinity;
  sums.forEach((n, k) => n && (high = bounds[k] ?? bounds[bounds.length - 1]! * 1.78));
  for (const v of columns.p999_ms ?? []) if (v) high = Math.max(high, v);
  if (!(high > low)) return [1, 1000];
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  return [from, Math.max(from * 10, 10 ** Math.ceil(Math.log10(high) - 1e-9))];
}

export function latencyChart(loaded: Loaded, columns: Columns): Chart {
  const line = (key: string, label: string, k: number) => ({
    label,
    color: "ink" as const,
    dash: dashes[k]!,
    values: (columns[key] ?? []).map((v) => v || null),
  });
  return {
    id: "latency",
    title: "Latency",
    unit: "ms",
    log: scaleOf(loaded, columns),
    lines: [line("p50_ms", "p50", 0), line("p99_ms", "p99", 1), line("p999_ms", "p99.9", 2)].filter(
      (l) => l.values.length > 0,
    ),
  };
}

/** The counts as lines, for the table of numbers: of those buckets that have any. */
export function heatAsChart(loaded: Loaded): Chart {
  const { bounds_ms: bounds, counts } = loaded.heat ?? { bounds_ms: [], counts: [] };
  const used = [...bounds, Infinity].map((_, k) => k).filter((k) => counts.some((c) => c[k]));
  return {
    id: "heat",
    title: "Calls",
    unit: "",
    lines: used.map((k) => ({
      color: "soft" as const,
      dash: [],
      values: counts.map((c) => c[k] ?? null),
      label: k < bounds.length ? `to ${ms(bounds[k])}` : `above ${ms(bounds[k - 1])}`,
    })),
  };
}

/** How many steps of a width make a column of at least so many px. */
export const groupOf = (width: number, least: number): number =>
  width >= least ? 1 : Math.ceil(least / Math.max(width, 0.01));

/** Adds up so many steps each. Columns begin at the same moments however often they are made, so that they do not flicker. */
export function grouped(
  all: readonly number[][],
  times: readonly number[],
  step: number,
  group: number,
): { from: number; to: number; counts: number[] }[] {
  const out: { from: number; to: number; counts: number[] }[] = [];
  const whole = step * group;
  times.forEach((end, i) => {
    const to = Math.ceil(end / whole) * whole;
    const counts = all[i] ?? [];
    const last = out[out.length - 1];
    if (last?.to === to) counts.forEach((n, k) => (last.counts[k] = (last.counts[k] ?? 0) + n));
    else out.push({ from: to - whole, to, counts: counts.slice() });
  });
  return out;
}

/** Draws the counts: the more calls, the darker, by the root, so that few are seen too. */
export function heatDrawer(loaded: Loaded): ((u: uPlot, t: Theme) => void) | undefined {
  const heat = loaded.heat;
  if (!heat) return undefined;
  const { times, step } = loaded;
  return (u, t) => {
    const g = u.ctx;
    const { left, top, width, height } = u.bbox;
    const bounds = heat.bounds_ms;
    const y = (v: number) => Math.round(u.valToPos(v, "y", true));
    const edges = [y(bounds[0]! / 1.78), ...bounds.map(y), y(bounds[bounds.length - 1]! * 1.78)];
    g.save();
    g.beginPath();
    g.rect(left, top, width, height);
    g.clip();
    g.fillStyle = t.routes[0]!;
    const x = (ms: number) => Math.round(u.valToPos(ms, "x", true));
    const group = groupOf((step / (u.scales.x!.max! - u.scales.x!.min!)) * width, 4 * (devicePixelRatio || 1));
    const columns = grouped(heat.counts, times, step, group);
    const most = Math.max(1, ...columns.flatMap((c) => c.counts));
    for (const { from, to, counts } of columns) {
      const [a, b] = [x(from), x(to)];
      if (b < left || a > left + width) continue;
      counts.forEach((n, k) => {
        if (!n) return;
        g.globalAlpha = 0.12 + 0.78 * Math.sqrt(n / most);
        g.fillRect(a, edges[k + 1]!, Math.max(1, b - a), Math.max(1, edges[k]! - edges[k + 1]!));
      });
    }
    g.restore();
  };
}
