import { describe, expect, it } from "vitest";
import { groupOf, grouped, heatAsChart, latencyChart, scaleOf } from "../../src/live/dependency/heat";
import { shareOf } from "../../src/live/dependency/columns";
import { chartsOf, timePanels } from "../../src/live/dependency/panels";
import { clusters, heldIn, lasted, rowsOf, states } from "../../src/live/dependency/timeline";
import type { Loaded } from "../../src/live/history";
import type { Event } from "../../src/live/schema";
import { isAbout, telling } from "../../src/live/telling";
import { dataOf } from "../../src/ui/plot";

const change = (at_ms: number, from: string, to: string, more: Partial<Event> = {}): Event => ({ id: at_ms, at_ms, kind: "breaker-changed", policy: "a", from, to, seq: at_ms, ...more });

describe("states", () => {
  const all = [change(100, "closed", "open"), change(150, "open", "half-open"), change(160, "half-open", "closed")];
  it("follows the changes", () => {
    expect(states(all, 0, 200, "closed")).toEqual([{ from: 0, to: 100, state: "closed" }, { from: 100, to: 150, state: "open" },
      { from: 150, to: 160, state: "half-open" }, { from: 160, to: 200, state: "closed" }]);
    expect(lasted(states(all, 0, 200, "closed"))).toEqual({ closed: 140, open: 50, "half-open": 10 });
  });
  it("begins with the state that an earlier change led to", () => expect(states(all, 120, 140, "closed")).toEqual([{ from: 120, to: 140, state: "open" }]));
  it("begins with the state that a later change left", () => expect(states(all, 0, 50, "open")).toEqual([{ from: 0, to: 50, state: "closed" }]));
  it("has the present state when nothing changed, and none without a breaker", () => {
    expect(states([], 0, 50, "open")).toEqual([{ from: 0, to: 50, state: "open" }]);
    expect(states([], 0, 50, "")).toEqual([]);
  });
});

describe("rowsOf", () => {
  it("keeps operations and keys apart, and puts changes in order of time", () => {
    const { rows } = rowsOf([change(200, "open", "half-open"), change(100, "closed", "open"), change(50, "closed", "open", { policy: "a/list" }), change(60, "closed", "open", { key: "eu" }),
      change(70, "closed", "open", { policy: "ab" }), { id: 9, at_ms: 9, kind: "lever", policy: "a" }], "a", 0, 300, "half-open");
    expect(rows.map((r) => r.label)).toEqual(["", "list", "eu"]);
    expect(rows[0]!.changes.map((e) => e.at_ms)).toEqual([100, 200]);
  });
  it("is one row when nothing changed", () => expect(rowsOf([], "a", 0, 9, "closed")).toEqual({ rows: [{ label: "", segments: [{ from: 0, to: 9, state: "closed" }], changes: [] }], more: 0 }));
  it("says how many it leaves out", () => {
    const many = Array.from({ length: 20 }, (_, k) => change(k, "closed", "open", { key: `key ${k}` }));
    const { rows, more } = rowsOf(many, "a", 0, 30, "closed");
    expect([rows.length, more]).toEqual([12, 9]); // with its own, which did not change
  });
});

it("tells when somebody held a breaker", () => {
  expect(heldIn([10, 20, 30, 40], [0, 1, 1, null], 10, 45, false)).toEqual([{ from: 10, to: 30, state: "held" }]);
  expect(heldIn([10, 20, 30], [1, 0, 1], 10, 33, true)).toEqual([{ from: 0, to: 10, state: "held" }, { from: 20, to: 33, state: "held" }]);
  expect(heldIn([], undefined, 10, 33, true)).toEqual([]);
});

it("puts together changes that would be drawn over each other", () => {
  expect(clusters([change(0, "", ""), change(10, "", ""), change(100, "", "")], (t) => t, 16).map((c) => [c.at, c.events.length])).toEqual([[0, 2], [100, 1]]);
});

describe("telling", () => {
  it("says what happened", () => {
    expect(telling(change(1, "closed", "open", { reason: "failure-rate" }))).toBe("breaker closed → open: failure-rate");
    expect(telling({ at_ms: 1, kind: "lever", lever: "breaker", by: "ann", why: "nonsense", accepted: true })).toBe("lever breaker by ann: nonsense");
    expect(telling({ at_ms: 1, kind: "something-new" })).toBe("something-new");
  });
  it("knows who it is about", () => {
    expect(isAbout({ at_ms: 1, kind: "x" }, "a")).toBe(true);
    expect(isAbout({ at_ms: 1, kind: "x", policy: "a/b" }, "a")).toBe(true);
    expect(isAbout({ at_ms: 1, kind: "x", policy: "ab" }, "a")).toBe(false);
  });
});

describe("panels", () => {
  const nothing = { d: undefined, policy: () => undefined };
  it("draw what came, and leave out what did not", () => {
    const columns = { retries: [0, 1], hedges: [0, 0], retry_ratio: [0, 0.1] };
    const charts = chartsOf(timePanels.find((p) => p.id === "retries")!, columns, { ...nothing, policy: (p) => (p === "retry.budget.ratio" ? "10%" : undefined) });
    expect(charts.map((c) => c.lines.map((l) => l.label))).toEqual([["retries"], ["retries"]]);
    expect(charts[1]!.limit).toEqual({ value: 0.1, label: "budget 10 %" });
    for (const p of timePanels) {
      expect(chartsOf(p, {}, nothing)).toEqual([]);
      expect(p.says(nothing)).toBeTypeOf("string");
      expect(p.promql('"a"')).toContain("seakeep_");
    }
  });
  it("read shares of the policy", () => {
    expect(shareOf("10%")).toBe(0.1);
    expect(shareOf("off")).toBeUndefined();
    expect(shareOf(undefined)).toBeUndefined();
  });
  it("put stacked lines on top of each other, over gaps", () => {
    const line = (values: (number | null)[]) => ({ label: "", color: 0, dash: [], values });
    expect(dataOf({ id: "", title: "", unit: "", stacked: true, lines: [line([1, null, null]), line([2, 3, null])] }, [0, 1, 2])).toEqual([[0, 1, 2], [1, null, null], [3, 3, null]]);
  });
});

describe("heatmap", () => {
  const loaded: Loaded = { step: 1000, oldest: 0, times: [1000, 2000, 3000], series: new Map(), heat: { bounds_ms: [1, 10, 100], counts: [[0, 5000, 0, 0], [1, 5000, 0, 0], [0, 0, 3, 0]] } };
  it("has a scale around what is there, but for one in a thousand", () => {
    expect(scaleOf(loaded, {})).toEqual([1, 100]);
    expect(scaleOf({ ...loaded, heat: undefined }, {})).toEqual([1, 1000]);
    expect(scaleOf(loaded, { p999_ms: [4000] })).toEqual([1, 10_000]);
  });
  it("adds up steps that are too thin to be seen, always the same ones", () => {
    expect(groupOf(8, 4)).toBe(1);
    expect(groupOf(1, 4)).toBe(4);
    expect(grouped(loaded.heat!.counts, loaded.times, 1000, 2)).toEqual([{ from: 0, to: 2000, counts: [1, 10_000, 0, 0] }, { from: 2000, to: 4000, counts: [0, 0, 3, 0] }]);
  });
  it("is a table too", () => {
    expect(heatAsChart(loaded).lines.map((l) => l.label.replace("\u00a0", " "))).toEqual(["to 1.0 ms", "to 10 ms", "to 100 ms"]);
    expect(latencyChart(loaded, { p50_ms: [0, 2, null] }).lines[0]!.values).toEqual([null, 2, null]);
  });
});
