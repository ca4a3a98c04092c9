import { describe, expect, it } from "vitest";
import type { BreakerChange, Report } from "../src/engine/types";
import { usualCast } from "../src/model/world";
import { breakerOf, marksOf, plainCharts, tableOf, timesOf, tryCharts } from "../src/try/charts";
import { csvOf, filesOf } from "../src/try/export";
import { segments } from "../src/ui/strip";

const change = (at_s: number, from: string, to: string, user = 0): BreakerChange => ({ at_s, user, from, to, reason: "", calls: 0, failed: 0, slow: 0 });
const series = (...values: (number | null)[]) => ({ slice_s: 1, unit: "", values });
const r: Report = { scenario: "x", for_s: 3, warmup_s: 1, runs: 2, seed: 1, events: 1,
  figures: { 'a."b"': { unit: "s", mean: 0.00005, half: null, low: 0, high: null, runs: [1, 2] } },
  series: { "endpoints.pricing.success": series(1, 0.5, null), "endpoints.recommendations.success": series(1, 0, 0),
    "endpoints.recommendations.fallback": series(0, 0.2, 0), "services.checkout.busy": series(1, 2, 3.04),
    "services.recommendations.rate": series(9, 9, 9), "dependencies.a.b.open": series(0, 0, 0) },
  breakers: [{ by: "users", dependency: "recommendations", changes: [change(9, "closed", "open")] },
    { by: "checkout", dependency: "recommendations", changes: [change(1, "closed", "open"), change(2, "open", "half-open"), change(2, "closed", "open", 3)] }],
  expect: [], assumptions: [], notes: [], why: [{ at_s: 1, kind: "given", of: "x", text: "slow" }, { at_s: 2, kind: "seen", of: "x", text: "full" }] };

describe("charts", () => {
  const charts = tryCharts(r, usualCast, 200);
  it("show what there is, and nothing that is not", () => {
    expect(charts.map((c) => c.id)).toEqual(["success", "busy", "rate"]);
    expect(charts[0]!.lines.map((l) => l.label)).toEqual(["A pricing", "C recommendations", "C by a fallback"]);
    expect(charts[1]!.limit!.value).toBe(200);
    expect(plainCharts(r).map((c) => c.id)).toEqual(["success", "busy", "rate"]); // no breaker ever opened
  });
  it("tell lines apart by more than colour", () => {
    for (const c of charts) expect(new Set(c.lines.map((l) => l.dash.join())).size, c.id).toBe(c.lines.length);
  });
  it("are a table too", () => {
    const t = tableOf(charts, timesOf(r));
    expect(t.head.slice(0, 2)).toEqual(["second", "Answered in time: A pricing"]);
    expect(t.rows.map((row) => row.slice(0, 2))).toEqual([[0.5, "100.0 %"], [1.5, "50.0 %"], [2.5, null]]);
    for (const row of t.rows) expect(row).toHaveLength(t.head.length);
  });
  it("mark what is given and how the breaker stood", () => {
    expect(marksOf(r)).toEqual([{ at: 1, label: "slow" }]);
    expect(segments(breakerOf(r, "recommendations"), 3)).toEqual([{ from: 0, to: 1, state: "closed" }, { from: 1, to: 2, state: "open" },
      { from: 2, to: 3, state: "half-open" }]);
    expect(breakerOf(r, "none")).toEqual([]);
    expect(timesOf({ ...r, series: {} })).toEqual([]);
  });
});

describe("what is taken along", () => {
  it("is a folder of its own", () => {
    const of = filesOf({ sets: [], scenario: "a: {policy: policies/x.yaml, n: 1}\nb:\n  policy: ../../y.yaml # why\n  policy: none.yaml\n",
      files: { "policies/x.yaml": "X", "../../y.yaml": "Y", "policies/z.yaml": "Z" } });
    expect(of.scenario).toBe("a: {policy: x.yaml, n: 1}\nb:\n  policy: y.yaml # why\n  policy: none.yaml\n");
    expect(of.policies).toEqual([["x.yaml", "X"], ["y.yaml", "Y"]]);
  });
  it("has figures as the command writes them", () => {
    expect(csvOf(r)).toBe('key,unit,mean,half,low,high,runs\n"a.""b""",s,5e-05,,0,,2\n');
  });
});
