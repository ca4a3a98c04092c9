// The panels of a dependency over time: which columns of its history each draws,
// and the same as a query.
import { dashes, type Chart, type Line, type Tone } from "../../ui/plot";
import type { Values } from "../schema";

type Columns = Record<string, Values>;

export interface TimePanel {
  id: string;
  title: string;
  says: string;
  promql: (d: string) => string; // of the dependency
  charts: (c: Columns) => Chart[];
}

/** Lines of those columns that have something to tell, in the order given. */
function lines(c: Columns, all: readonly (readonly [string, string, (number | Tone)?])[], always = 1): Line[] {
  return all.flatMap(([key, label, color], k) => {
    const values = c[key];
    const told = values?.some((v) => v !== null && v !== 0);
    return values && (told || k < always) ? [{ label, color: color ?? k, dash: dashes[k % dashes.length]!, values }] : [];
  });
}

export const timePanels: TimePanel[] = [
  {
    id: "calls",
    title: "Calls and how they ended",
    says: "Calls a second, one outcome on top of the other. Refused ones never left this process.",
    promql: (d) => `sum by (outcome) (rate(seakeep_calls_total{dependency="${d}"}[1m]))`,
    charts: (c) => [{ id: "outcomes", title: "Outcomes", unit: "/s", stacked: true,
      lines: lines(c, [["succeeded", "success", 1], ["failed", "failure", "bad"], ["timed_out", "timeout", 2], ["overloaded", "overloaded", 4],
        ["rejected", "refused here", 3], ["cancelled", "cancelled", 5], ["ignored", "ignored", "soft"]]) },
      { id: "success", title: "Share", unit: "", percent: true, most: 1.02, lines: lines(c, [["success", "success", 0], ["answered", "answered, with fallbacks", 1]], 2) }],
  },
];

/** Charts of a panel, over the columns that came. */
export const chartsOf = (p: TimePanel, c: Columns): Chart[] => p.charts(c).filter((one) => one.lines.length > 0);
