// What happens to requests that come in, as charts and rows.
import { dashes, type Chart } from "../../../ui/plot";
import type { Columns } from "../../history";
import type { Serve } from "../../schema";

/** The most important first, as the API has them. */
export const classes = ["critical_plus", "critical", "sheddable_plus", "sheddable"];

/** One line for each class; in a stack each is on top of the one before. */
function byClass(c: Columns, prefix: string, id: string, title: string, unit = "/s"): Chart {
  return { id, title, unit, stacked: true, most: 1, lines: classes.map((name, k) => ({ label: name, color: k, dash: dashes[k]!, values: c[`${prefix}_${name}`] ?? [] })) };
}

export interface Part {
  id: string;
  title: string;
  says: string;
  promql: string;
  charts: Chart[];
}

/** The panels over time. */
export function partsOf(c: Columns): Part[] {
  const line = (label: string, key: string, color: number, k = color) => ({ label, color, dash: dashes[k % 4]!, values: c[key] ?? [] });
  return [
    { id: "demand", title: "Shedding by criticality", says: "Each class on top of the more important ones. What is shed should be of the upper ones.",
      promql: "sum by (criticality) (rate(seakeep_shed_total[1m]))",
      charts: [byClass(c, "admitted", "admitted", "Accepted"), byClass(c, "queued", "queued", "Waiting", ""), byClass(c, "shed", "shed", "Shed"), byClass(c, "left", "left", "Left while they waited"), byClass(c, "in_time", "in-time", "Answered in time")] },
    { id: "limit", title: "Concurrency and queue", says: "How many are served at once, of how many there may be, and how many wait.", promql: "seakeep_concurrency_limit",
      charts: [{ id: "slots", title: "Served at once", unit: "", most: 1, lines: [line("under way", "slots", 0), line("limit", "limit", 5, 1), line("waiting", "queued", 2)] }] },
    { id: "latency", title: "Latency", says: "Of served requests, from their arrival.", promql: "histogram_quantile(0.99, sum by (le) (rate(seakeep_request_duration_seconds_bucket[1m])))",
      charts: [{ id: "latency", title: "Latency", unit: "ms", most: 1, lines: [line("p50", "p50_ms", 0), line("p99", "p99_ms", 2, 1), line("p99.9", "p999_ms", 4, 2)] }] },
    { id: "way", title: "Degradation and admission", says: "Features that are off, and the share of the demand that is let in: its ramp is the way back from an overload.", promql: "seakeep_degrade_level",
      charts: [{ id: "degrade", title: "Features off", unit: "", most: 1, lines: [line("off", "degrade", 4, 0)] },
        { id: "admitted", title: "Let in", unit: "", percent: true, most: 1, lines: [line("share of the demand", "admitted_share", 1, 0)] }] },
  ];
}

/** Rules that refuse, by how much they do. */
export function reasons(s: Serve): { name: string; rate: number; of: number }[] {
  const all = Object.entries(s.refused_for ?? {}).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
  const most = all[0]?.[1] ?? 0;
  return all.map(([name, rate]) => ({ name, rate, of: most > 0 ? rate / most : 0 }));
}

/** What is worth saying first. */
export function stateOf(s: Serve): { well: boolean; text: string } {
  const shed = s.classes.reduce((sum, c) => sum + c.shed, 0);
  const all: string[] = [];
  if (s.recovery && s.recovery !== "healthy") all.push(`the way back from an overload: ${s.recovery}`);
  if (s.allowed_share < 1) all.push(`by an order, or on the way back, ${Math.round(s.allowed_share * 100)} % of the demand is let in`);
  if (shed > 0) all.push(`${s.rate > 0 ? Math.max(1, Math.round((shed / s.rate) * 100)) : 100} % of the requests are refused`);
  if (s.degrade && s.degrade.level > 0) all.push(`${s.degrade.level} ${s.degrade.level === 1 ? "feature is" : "features are"} off${s.degrade.forced ? " by hand" : ""}`);
  return all.length ? { well: false, text: all.join("; ") } : { well: true, text: "Everything that comes in is let in." };
}
