// The charts of a report: what is drawn, and the same as a table.
import type { BreakerChange, Report } from "../engine/types";
import { letterOf } from "../model/readouts";
import type { Cast } from "../model/world";
import { dashes, type Chart, type Line, type Mark } from "../ui/plot";

export function timesOf(r: Report): number[] {
  const s = Object.values(r.series)[0];
  return s ? s.values.map((_, k) => (k + 0.5) * s.slice_s) : [];
}

const lineOf = (r: Report, key: string, label: string, color: number): Line | null =>
  r.series[key] ? { label, color, dash: dashes[color % dashes.length]!, values: r.series[key]!.values } : null;

const some = (...lines: (Line | null)[]): Line[] => lines.filter((l): l is Line => l !== null);

export function tryCharts(r: Report, cast: Cast, workers: number): Chart[] {
  const slow = cast.dependencies.indexOf(cast.slow);
  const c = letterOf(cast, cast.slow);
  const shown = cast.dependencies.slice(0, 6);
  const success = shown.map((d, k) => lineOf(r, `endpoints.${d}.success`, `${letterOf(cast, d)} ${d}`, k));
  const fallback = r.series[`endpoints.${cast.slow}.fallback`];
  const used = fallback?.values.some((v) => (v ?? 0) > 0.001);
  const rate = lineOf(r, `services.${cast.slow}.rate`, `calls to ${c}`, slow);
  const sent = lineOf(r, `endpoints.${cast.slow}.sent`, `requests that want ${c}`, 5);
  return [
    { id: "success", title: "Answered in time", unit: "share", percent: true, most: 1.02,
      lines: [...some(...success), ...(used ? some(lineOf(r, `endpoints.${cast.slow}.fallback`, `${c} by a fallback`, 4)) : [])] },
    { id: "busy", title: "Threads", unit: "threads", most: workers * 1.08, limit: { value: workers, label: `${workers} threads` },
      lines: some(lineOf(r, "services.checkout.busy", "busy", 0), lineOf(r, "services.checkout.queued", "requests waiting", 5)) },
    { id: "rate", title: `Calls to ${c} a second`, unit: "/s", lines: some(rate, sent && { ...sent, dash: [2, 3] }) },
  ];
}

/** The charts of a scenario that is run as it is: of all that is in it, the first six. */
export function plainCharts(r: Report): Chart[] {
  const pick = (end: string, from: string) =>
    Object.keys(r.series).filter((k) => k.startsWith(from) && k.endsWith(end) && r.series[k]!.values.some((v) => v !== null && v > 0)).slice(0, 6);
  const lines = (keys: string[], end: string, from: string) =>
    some(...keys.map((k, n) => lineOf(r, k, k.slice(from.length, -end.length), n)));
  const chart = (id: string, title: string, unit: string, end: string, from: string, more: Partial<Chart> = {}): Chart => ({
    id, title, unit, ...more, lines: lines(pick(end, from), end, from) });
  return [
    chart("success", "Answered in time", "share", ".success", "endpoints.", { percent: true, most: 1.02 }),
    chart("busy", "Workers busy", "workers", ".busy", "services."),
    chart("rate", "Requests a second", "/s", ".rate", "services."),
    chart("open", "Breakers not closed", "share", ".open", "dependencies.", { percent: true, most: 1.02 }),
  ].filter((c) => c.lines.length > 0);
}

export function marksOf(r: Report): Mark[] {
  return (r.why ?? []).filter((w) => w.kind === "given").map((w) => ({ at: w.at_s, label: w.text }));
}

export function breakerOf(r: Report, dependency: string): BreakerChange[] {
  return (r.breakers.find((b) => b.dependency === dependency && b.by !== "users")?.changes ?? []).filter((c) => c.user === 0);
}

/** The rows of a table over time. */
export function tableOf(charts: Chart[], times: number[]): { head: string[]; rows: (string | number | null)[][] } {
  const lines = charts.flatMap((c) => c.lines.map((l) => ({ c, l })));
  return {
    head: ["second", ...lines.map(({ c, l }) => `${c.title}: ${l.label}`)],
    rows: times.map((t, k) => [+t.toFixed(2), ...lines.map(({ c, l }) => {
      const v = l.values[k];
      return v === null || v === undefined ? null : c.percent ? `${(v * 100).toFixed(1)} %` : +v.toFixed(1);
    })]),
  };
}
