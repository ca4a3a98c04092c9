import { describe, expect, it } from "vitest";
import type { Curves } from "../src/engine/types";
import type { Foretold, Measured } from "../src/live/demo/api";
import { doing } from "../src/live/demo/api";
import { bandOf, beside, byChance, gridOf, placed, topicsOf, verdict } from "../src/live/predict/model";

const curves = (busy: (number | null)[]): Curves => ({ step_s: 1, busy, endpoints: [{ name: "a", sent: busy, success: busy.map((v) => (v === null ? null : v / 10)),
  fallback: busy.map(() => 0), p50_ms: busy, p99_ms: busy, calls: busy, open: busy.map(() => 1) }] });
const foretold: Foretold = { from_ms: 10_000, for_s: 5, lead_s: 1, world: { scenario: "", files: {}, sets: [] }, slow: [], workers: 20, protect: "all" };

describe("predicted beside measured", () => {
  it("makes a band of runs, also of those that say nothing of a second", () => {
    expect(bandOf([[1, 4, null], [3, null, null]])).toEqual({ mean: [2, 4, null], low: [1, 4, null], high: [3, 4, null] });
    expect(bandOf([])).toEqual({ mean: [], low: [], high: [] });
    expect(byChance(9)).toBe(0.2);
  });

  it("puts what begins earlier or later onto the same seconds", () => {
    const grid = gridOf(foretold);
    expect(grid.times).toEqual([10_500, 11_500, 12_500, 13_500, 14_500]);
    expect(placed(grid, 8_000, [1, 2, 3, 4])).toEqual([3, 4, null, null, null]);
    expect(placed(grid, 13_000, [1, 2, 3])).toEqual([null, null, null, 1, 2]);
  });

  it("does not look at the beginning, and counts seconds outside the band", () => {
    const grid = gridOf(foretold);
    const measured: Measured = { from_ms: 10_000, curves: curves([9, 4, 9, null]), late_ms: [] };
    const topic = topicsOf(["a"], "a", foretold)[0]!;
    const b = beside(topic, grid, foretold, [curves([1, 3, 5, 5, 5]), curves([1, 5, 5, 5, 5])], measured);
    expect(b.band.mean).toEqual([null, 4, 5, 5, 5]);
    expect(b.chart.limit).toBeUndefined(); // nobody comes near it
    expect(verdict(b, grid, 0, 1e6)).toEqual({ seconds: 2, measured: 6.5, predicted: 4.5, outside: 1 });
    expect(verdict(b, grid, 0, 11_600).seconds).toBe(1);
    expect(beside(topic, grid, foretold, [curves([1, 15, 5, 5, 5])], null).chart.limit).toBeDefined();
  });

  it("has a topic for each dependency's success, and those of the chosen one", () => {
    expect(topicsOf(["a", "b"], "b", foretold).map((t) => t.name)).toEqual(["workers busy", "a: answered in time", "b: answered in time", "b: calls that reach it",
      "b: p99 of answers", "b: by the fallback", "b: breaker not closed"]);
    const open = topicsOf(["a"], "a", foretold).find((t) => t.id === "open")!;
    expect(open.of(curves([1, 2]))).toEqual([1, 1]);
    expect(topicsOf(["a"], "a", { workers: 20, protect: "timeout,fallback" }).map((t) => t.id)).toEqual(["busy", "success-a", "calls", "p99_ms", "fallback"]);
    expect(topicsOf(["x"], "x", foretold)[1]!.of(curves([1]))).toBeUndefined();
  });

  it("says what a latency means", () => {
    expect(doing("20ms")).toBe("answers in 20 ms, as usual");
    expect(doing("1500ms")).toBe("answers in 1500ms instead of 20 ms");
    expect(doing("down")).toBe("resets every connection");
  });
});
