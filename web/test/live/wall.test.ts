import { describe, expect, it } from "vitest";
import type { Dependency, Snapshot } from "../../src/live/schema";
import { beside, calm, ordered, sorts, tone } from "../../src/live/wall/order";
import { totals, wrongNow } from "../../src/live/wall/wrong";

const dependency = (name: string, more: Partial<Dependency> = {}): Dependency => ({ name, kind: "critical", badness: 0, rate: 10, outcomes: {}, in_flight: 0,
  attempts_per_call: 1, retry_ratio: 0, hedge_ratio: 0, hedge_wins: 0, fallback_share: 0, fallback_failed: 0, ...more });
const snap = (...dependencies: Dependency[]): Snapshot => ({ version: 1, at_ms: 0, window_ms: 1, service: "", ready: true, dependencies, slo: [], faults: [], levers: false });
const none = new Set<string>();

describe("ordered", () => {
  const all = [dependency("calm"), dependency("open", { badness: 1.5, breaker: { state: "open", mode: "auto", calls: 1, failed: 1, slow: 0 } }), dependency("half", { badness: 0.5, kind: "optional" })];

  it("puts the worst first, and pinned ones before all", () => {
    expect(ordered(all, "worst", "", none)).toEqual(["open", "half", "calm"]);
    expect(ordered(all, "worst", "", new Set(["calm"]))).toEqual(["calm", "open", "half"]);
    expect(ordered(all, "no such order", "", none)).toEqual(["open", "half", "calm"]);
  });
  it("does not move for what trembles", () => {
    const two = (a: number, b: number) => ordered([dependency("a", { badness: a, rate: 100 + 4 * b }), dependency("b", { badness: b, rate: 100 + 4 * a })], "worst", "", none);
    expect(two(0.01, 0.03)).toEqual(["a", "b"]);
    expect(two(0.03, 0.01)).toEqual(["a", "b"]);
    expect(ordered([dependency("a", { rate: 199.1 }), dependency("b", { rate: 200.9 })], "rate", "", none)).toEqual(["a", "b"]);
  });
  it("filters by each word, in name, kind or state", () => {
    expect(ordered(all, "worst", " OPEN ", none)).toEqual(["open"]);
    expect(ordered(all, "worst", "opt hal", none)).toEqual(["half"]);
    expect(ordered(all, "worst", "zzz", none)).toEqual([]);
  });
  it("has an answer for every order when nothing is known", () => {
    for (const s of sorts) expect(ordered(all, s.id, "", none).length).toBe(3);
  });
  it("sorts what is unknown behind what is known", () => {
    const list = [dependency("none"), dependency("slow", { latency: { count: 1, mean_ms: 1, p50_ms: 1, p99_ms: 900, p999_ms: 1, max_ms: 1 }, success: 0.9, slo_left: 0.1 })];
    for (const s of ["p99", "success", "budget"]) expect(ordered(list, s, "", none)).toEqual(["slow", "none"]);
  });
});

describe("calm", () => {
  it("moves nothing while the wall is held", () => {
    expect(calm(["a", "b", "c"], ["c", "d", "a"], true)).toEqual(["a", "c", "d"]);
    expect(calm(["a", "b"], ["b", "a"], false)).toEqual(["b", "a"]);
  });
});

describe("beside", () => {
  it("follows the arrows, and stops at the edges", () => {
    expect(beside(0, "ArrowRight", 3, 7)).toBe(1);
    expect(beside(1, "ArrowDown", 3, 7)).toBe(4);
    expect(beside(5, "ArrowDown", 3, 7)).toBe(5);
    expect(beside(0, "ArrowUp", 3, 7)).toBe(0);
    expect(beside(4, "End", 3, 7)).toBe(6);
    expect(beside(4, "Home", 3, 7)).toBe(0);
    expect(beside(4, "x", 3, 7)).toBe(4);
  });
});

describe("what is wrong", () => {
  it("is nothing when all is well", () => expect(wrongNow(snap(dependency("a", { success: 1 })))).toEqual([]));
  it("names who", () => {
    const s = snap(dependency("a", { breaker: { state: "open", mode: "force-open", calls: 0, failed: 0, slow: 0 }, success: 0.5 }),
      dependency("b", { bulkhead: { in_use: 5, limit: 5, queued: 0, queue_limit: 0 }, slo_left: -0.2 }));
    expect(wrongNow(s).map((w) => `${w.text}: ${w.names}`)).toEqual(["breaker open: a", "breaker held by somebody: a", "slots all in use: b", "success below 95 %: a", "error budget spent: b"]);
    expect(wrongNow({ ...s, ready: false }).at(-1)!.text).toBe("takes no new work");
  });
  it("adds up calls, and weighs success by them", () => {
    const t = totals(snap(dependency("a", { rate: 30, success: 1, retry_ratio: 0.1 }), dependency("b", { rate: 10, success: 0, outcomes: { cancelled: 2 } }), dependency("c", { rate: 0 })));
    expect(t.rate).toBe(40);
    expect(t.success).toBeCloseTo(30 / 38);
    expect(t.retries).toBeCloseTo(3);
    expect(totals(snap()).success).toBeNull();
  });
  it("colours tiles by badness", () => {
    expect([0, 0.06, 0.9].map((badness) => tone(dependency("a", { badness })))).toEqual(["calm", "watch", "bad"]);
    expect(tone(dependency("a", { rate: 0 }))).toBe("idle");
  });
});
