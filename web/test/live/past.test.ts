import { describe, expect, it } from "vitest";
import { badness } from "../../src/live/badness";
import type { Loaded } from "../../src/live/history";
import type { Breaker, Dependency, Event, Snapshot } from "../../src/live/schema";
import { isKnown, nextChange, recentAt, stepAt, wallAt } from "../../src/live/wall/past";

const dependency = (name: string, more: Partial<Dependency> = {}): Dependency => ({ name, kind: "critical", badness: 0, rate: 10, outcomes: {}, in_flight: 0,
  attempts_per_call: 1, retry_ratio: 0, hedge_ratio: 0, hedge_wins: 0, fallback_share: 0, fallback_failed: 0, ...more });
const breaker = (state: string): Breaker => ({ state, mode: "auto", calls: 0, failed: 0, slow: 0 });
const change = (at_ms: number, to: string, policy = "a"): Event => ({ at_ms, kind: "breaker-changed", policy, to });

it("badness orders as the program does", () => {
  // The same list, in the same order, as TestWorstFirst in cmd/seakeep/dashboard/schema.
  const list = [dependency("idle", { rate: 0 }), dependency("busy", { rate: 9, success: 1, answered: 1 }), dependency("open", { breaker: breaker("open") }),
    dependency("failing", { success: 0.5, answered: 0.5, breaker: breaker("open") }), dependency("full", { bulkhead: { in_use: 9, limit: 10, queued: 0, queue_limit: 0 } }),
    dependency("out", { endpoints: { total: 4, up: 3, ejected: 0, panic: false } }), dependency("burned", { slo_left: 0 })];
  const names = list.sort((a, b) => badness(b) - badness(a) || b.rate - a.rate || (a.name < b.name ? -1 : 1)).map((d) => d.name);
  expect(names).toEqual(["failing", "burned", "open", "full", "out", "busy", "idle"]);
});

const like: Snapshot = { version: 1, at_ms: 99_000, window_ms: 1, service: "s", ready: true, slo: [], faults: [], levers: true,
  dependencies: [dependency("a", { retry_budget: { left: 1, denied: 0 } }), dependency("new")] };
const loaded: Loaded = { step: 1000, oldest: 0, times: [1000, 2000, 3000], series: new Map([["a", {
  rate: [5, 6, null], success: [1, 0.5, null], answered: [1, 1, null], p50_ms: [3, 4, null], p99_ms: [30, 40, null], p999_ms: [50, 60, null], breaker: [1, 3, null], forced: [0, 1, null],
  in_flight: [1, 2, null], slots: [1, 2, null], limit: [8, 8, null], queued: [0, 3, null], retry_ratio: [0, 0.1, null], retry_budget: [9, 7, null], fallback_share: [0, 0.5, null] }]]) };

describe("wallAt", () => {
  it("is as it was", () => {
    const s = wallAt(loaded, 1500, like, [change(900, "closed"), change(1400, "open"), change(1600, "half-open"), change(1450, "open", "a/list")]);
    const a = s.dependencies[0]!;
    expect(a).toMatchObject({ name: "a", rate: 6, success: 0.5, latency: { p50_ms: 4, p999_ms: 60 }, breaker: { state: "open", mode: "held", since_ms: 1400 },
      bulkhead: { in_use: 2, limit: 8, queued: 3 }, retry_budget: { left: 7 }, fallback_share: 0.5 });
    expect(a.badness).toBeCloseTo(0.5 + 0 + 1 + 0.25);
    expect(s).toMatchObject({ at_ms: 1500, service: "s", levers: false });
  });
  it("knows nothing where there is nothing", () => {
    for (const at of [500_000, 2500, -5]) {
      const a = wallAt(loaded, at, like, []).dependencies.find((d) => d.name === "a")!;
      expect([a.rate, a.success, a.breaker, a.bulkhead]).toEqual([0, undefined, undefined, undefined]);
    }
    expect(wallAt(loaded, 1500, like, []).dependencies.find((d) => d.name === "new")).toMatchObject({ rate: 0 });
  });
  it("says whether anything is known", () => expect([500, 1500, 2500, 9000].map((t) => isKnown(loaded, t))).toEqual([true, true, false, false]));
  it("finds the step that a moment is in", () => {
    expect([0, 1, 1000, 1001, 3000, 3001].map((t) => stepAt(loaded.times, 1000, t))).toEqual([0, 0, 0, 1, 2, -1]);
    expect(stepAt([5000], 1000, 1000)).toBe(-1);
  });
  it("has what came before for the small charts", () => {
    expect(recentAt(loaded, 2000).get("a")).toEqual({ times: [1000, 2000], rate: [5, 6], success: [1, 0.5] });
    expect(recentAt(loaded, 3000).get("a")!.times).toEqual([1000, 2000]);
  });
});

it("goes from change to change", () => {
  const all = [change(9000, "closed"), change(1000, "open"), change(5000, "half-open"), { ...change(3000, "x"), kind: "lever" }];
  expect(nextChange(all, 3500, 1)).toBe(5000);
  expect(nextChange(all, 4000, -1)).toBe(1000);
  expect(nextChange(all, 5000, 1)).toBe(9000);
  expect(nextChange(all, 9000, 1)).toBeUndefined();
  expect(nextChange(all, 1500, -1)).toBeUndefined();
});
