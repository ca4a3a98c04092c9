import { describe, expect, it } from "vitest";
import { found as foundOrders, resultOf, whatOf } from "../src/live/pages/audit/words";
import { abortState, marksOf, placesOf, reach, scopeOf, watched, type Fault, type Faults } from "../src/live/pages/gameday/model";
import { about as aboutPath, found, groups, kindOf, lineOf, rulesOf, sorted, valuesAt } from "../src/live/pages/policy/model";
import { classes, partsOf, reasons, stateOf } from "../src/live/pages/serve/model";
import { about, doneNow, exhaustion, gaugeOf, goal, goodIs, durationText, overWhat, stepDoes, timesOf, type Burn, type Objective } from "../src/live/pages/slo/model";
import type { Event, Finding, Serve } from "../src/live/schema";

const day = 86_400_000;
const burn = (more: Partial<Burn> = {}): Burn => ({ window_s: 3600, short_s: 300, page: true, factor: 14.4, burn: 0, burn_short: 0, events: 1000, errors: 10, firing: false, ...more });
const objective = (more: Partial<Objective> = {}): Objective => ({ name: "shop", place: "serve", objective: 0.999, calendar: "rolling", begin: new Date(0).toISOString(),
  end: new Date(30 * day).toISOString(), since: new Date(0).toISOString(), good: 990, bad: 10, ratio: 0.99, left: 0.4, left_of_period: 0.5, alerts: [burn()], min_events: 10, min_errors: 2,
  steps: 0, policy: [], curve_begin: new Date(0).toISOString(), curve: [1, 0.7, 0.4], ...more });

describe("objectives", () => {
  it("say when nothing is left", () => {
    const now = 30 * day;
    const at = (b: Partial<Burn>, o: Partial<Objective> = {}) => exhaustion(objective({ alerts: [burn({ window_s: 86_400, short_s: 7200, burn_short: 99 }), burn(b)], ...o }), now);
    expect(at({ burn_short: 15 })).toEqual({ text: "in 24\u00a0h", at: now + day }); // half of the budget, at 15 times: a thirtieth of the period
    expect(at({ burn_short: 0 }).text).toBe("not at this rate");
    expect(at({ burn_short: 15 }, { left_of_period: -0.1 }).text).toBe("spent");
    expect(at({ burn_short: 0.05 }).text).toBe("not at this rate");
    expect(at({ burn_short: 1 }, { calendar: "month", end: new Date(now + day).toISOString() }).text).toBe("not at this rate");
    expect(exhaustion(objective({ alerts: [] }), now).text).toBe("no events");
  });

  it("judge a pair as its alert does", () => {
    const o = objective();
    const says = (b: Partial<Burn>) => gaugeOf(burn(b), o);
    expect(says({ firing: true, burn: 20, burn_short: 30 })).toMatchObject({ tone: "bad", says: "fires: it pages", short: 1 });
    expect(says({ burn: 20, burn_short: 30, events: 9 }).says).toBe("too few to judge: 9 of 10 events");
    expect(says({ burn: 20, burn_short: 30, errors: 1 }).says).toBe("too few to judge: 1 of 2 bad ones");
    expect(says({ burn: 20, burn_short: 1 }).says).toMatch(/over already/);
    expect(says({ burn: 2, burn_short: 20 }).says).toMatch(/begun just now/);
    expect(says({ burn: 7.2 })).toMatchObject({ tone: "good", long: 0.25, threshold: 0.5 });
    expect(says({ burn: -1, burn_short: NaN }).long).toBe(0);
  });

  it("speak of themselves", () => {
    expect(goodIs(objective({ latency_ms: 500 }))).toBe("answers at the door, within 500ms");
    expect(goodIs(objective({ place: "calls", dependency: "pricing", freshness_ms: 60_000 }))).toBe("calls of pricing, at most 1m old");
    expect([overWhat(objective()), overWhat(objective({ calendar: "month" }))]).toEqual(["30d", "a month"]);
    expect([goal(0.9995), goal(1), goal(-0.25)]).toEqual(["99.95\u00a0%", "100\u00a0%", "-25\u00a0%"]);
    expect([durationText(259_200), durationText(5400), durationText(0.25)]).toEqual(["3d", "90m", "250ms"]);
    expect([about(30), about(300), about(7200), about(3 * 86_400)]).toEqual(["30\u00a0s", "5\u00a0min", "2\u00a0h", "3\u00a0days"]);
    expect(timesOf(objective(), 100)).toEqual([0, 50, 100]);
    expect(stepDoes({ left: 0, freeze_drills: true, retries: 0.5, degrade: 1, taken: true })).toBe("drills are frozen, retries and hedges have 50\u00a0% of their budgets, at least 1 feature is off");
    expect(stepDoes({ left: 0.5, retries: 1, degrade: 0, taken: false })).toBe("it is told");
    expect(doneNow({ at: "", service: "", retries: 0.5, degrade: 0, objectives: [] })).toHaveLength(1);
    expect(doneNow({ at: "", service: "", retries: 1, degrade: 0, objectives: [] })).toEqual([]);
  });
});

const value = (path: string, from = "default", v = "1") => ({ path, value: v, from });
const finding = (path: string, severity: string, line: number): Finding => ({ rule: "r", severity, line, column: 1, path, why: "", number: "", fix: "", bites: "" });

describe("policy", () => {
  const all = [value("version", "f.yaml:1"), value("dependencies.b.kind"), value("dependencies.a.timeout.request", "f.yaml:9", "250ms"), value("serve.queue.length"), value("dependencies.a.b.kind")];

  it("is grouped by what it is about", () => {
    const g = groups(all, [finding("dependencies.a.timeout", "warning", 9), finding("dependencies.gone", "error", 1)], ["a", "a.b", "b"]);
    expect(g.map((x) => [x.name, x.values.length, x.findings])).toEqual([["the file", 1, 0], ["serve", 1, 0], ["a", 1, 1], ["a.b", 1, 0], ["b", 1, 0]]);
    expect(aboutPath("dependencies.a.b.kind")).toEqual({ name: "a", dependency: true });
  });

  it("is found by key, value and line", () => {
    expect(found(all, "250MS", false)).toHaveLength(1);
    expect(found(all, "f.yaml:9", false)).toHaveLength(1);
    expect(found(all, "", true)).toHaveLength(2);
    expect(found(all, "nothing", false)).toEqual([]);
    expect([lineOf("a/f.yaml:12"), lineOf("default")]).toEqual([12, undefined]);
    expect(valuesAt(all, "dependencies.a.timeout.request.x.y")).toBe("dependencies.a.timeout.request");
    expect(valuesAt(all, "dependencies.a.breaker")).toBe("dependencies.a");
  });

  it("has the worst findings first, and changes of three kinds", () => {
    expect(sorted([finding("a", "info", 1), finding("b", "error", 9), finding("c", "warning", 3), finding("d", "warning", 2)]).map((f) => f.path)).toEqual(["b", "d", "c", "a"]);
    expect(rulesOf([finding("a", "info", 1), { ...finding("b", "error", 9), rule: "worse" }, finding("c", "info", 3)])).toEqual([{ rule: "worse", count: 1 }, { rule: "r", count: 2 }]);
    expect([kindOf({ path: "x", after: "1" }), kindOf({ path: "x", before: "1" }), kindOf({ path: "x", before: "1", after: "2" })]).toEqual(["came", "went", "changed"]);
  });
});

const fault = (more: Partial<Fault> = {}): Fault => ({ dependency: "a", name: "slow", kind: "latency", share: 0.1, running: true, order: true, seen: 0, hurt: 0, spared: 0, ...more });

describe("game days", () => {
  it("add up what may be hurt", () => {
    const all = [fault(), fault({ share: 0.2 }), fault({ marked: true, share: 1 }), fault({ running: false }), fault({ dependency: undefined, share: 0.4 })];
    expect(reach(all, "a")).toBeCloseTo(0.3);
    expect(reach(all, undefined)).toBeCloseTo(0.4);
    expect(scopeOf(fault({ operation: "x", marked: true }))).toBe("operation x, only marked ones");
    expect(scopeOf(fault())).toBe("all");
  });

  it("say how near the end is", () => {
    const place = (judged: number, succeeded: number) => abortState({ allow: true, share: 0.2, concurrent: 100, hurting: 0, abort: { success: 0.9, window_ms: 1, calls: 20, judged, succeeded } });
    expect(place(19, 19).tone).toBe("none");
    expect(place(100, 93)).toMatchObject({ tone: "half", at: 0.93 });
    expect(place(100, 100).tone).toBe("good");
    expect(abortState({ allow: true, share: 0.2, concurrent: 100, hurting: 0 }).says).toMatch(/Nothing/);
  });

  it("show those places of many where something runs", () => {
    const bounds = ["a", "b", "c"].map((dependency) => ({ dependency, allow: true, share: 1, concurrent: 1, hurting: 0 }));
    const names = (p: { first: { dependency?: string }[]; rest: { dependency?: string }[] }) => [p.first.map((b) => b.dependency), p.rest.map((b) => b.dependency)];
    expect(names(placesOf({ faults: [fault()], bounds }, "c", 2))).toEqual([["a", "c"], ["b"]]);
    expect(names(placesOf({ faults: [fault()], bounds }, "c"))).toEqual([["a", "b", "c"], []]);
  });

  it("look at who is hurt", () => {
    const v: Faults = { faults: [fault({ dependency: "over", running: false }), fault({ dependency: "now" })], bounds: [{ dependency: "may", allow: true, share: 1, concurrent: 1, hurting: 0 }] };
    expect(watched(v, undefined)).toBe("now");
    expect(watched(v, "asked")).toBe("asked");
    expect(watched({ faults: [fault({ dependency: undefined })], bounds: v.bounds }, "")).toBe("may");
    expect(watched({ faults: [], bounds: [] }, undefined)).toBeUndefined();
    expect(marksOf([{ at_ms: 5, kind: "fault-changed", policy: "a", key: "slow", to: "on" }, { at_ms: 6, kind: "fault-changed", policy: "b" }, { at_ms: 7, kind: "fault-injected", policy: "a" }], "a"))
      .toEqual([{ at: 5, label: "slow on" }]);
  });
});

const order = (more: Partial<Event>): Event => ({ at_ms: 1, kind: "lever", ...more });

describe("orders in words", () => {
  it("say what was ordered", () => {
    expect(whatOf(order({ lever: "breaker", order: { policy: "a", mode: "auto", key: "k" } }))).toBe("auto: a, key k");
    expect(whatOf(order({ lever: "breaker", order: { policy: "a", reset: true } }))).toBe("begin anew: a");
    expect(whatOf(order({ lever: "degrade", order: { level: 0 } }))).toBe("0 off");
    expect(whatOf(order({ lever: "admit", order: { share: 0.4, ramp: "60s" } }))).toBe("40 %, the rest over 60s");
    expect(whatOf(order({ lever: "fault", order: { start: { fault: { name: "x", kind: "error", share: "5%" } } } }))).toBe("start x: error for 5% behind the door");
    expect(whatOf(order({ lever: "fault", order: { stop: { name: "", dependency: "a" } } }))).toBe("stop all a");
    expect(whatOf(order({ lever: "demo/slow", order: { name: "a" } }))).toBe('{"name":"a"}');
    expect(whatOf(order({ lever: "breaker" }))).toBe("");
  });

  it("say what became of it", () => {
    expect(resultOf(order({ accepted: true }))).toBe("done");
    expect(resultOf(order({ accepted: true, order: { start: { dry_run: true } } }))).toBe("tried, nothing begun");
    expect(resultOf(order({ detail: "replayed" }))).toBe("refused: given before");
    expect(resultOf(order({ detail: "a word of tomorrow" }))).toBe("refused: a word of tomorrow");
    const all = [order({ id: 1, by: "ann", accepted: true }), order({ id: 2, detail: "no-token" })];
    expect(foundOrders(all, "").map((e) => e.id)).toEqual([2, 1]);
    expect(foundOrders(all, "REFUSED").map((e) => e.id)).toEqual([2]);
  });
});

const serve = (more: Partial<Serve> = {}): Serve => ({ rate: 100, classes: [], admitted_share: 1, allowed_share: 1, ...more });

describe("what comes in", () => {
  it("says what is wrong first", () => {
    expect(stateOf(serve()).well).toBe(true);
    expect(stateOf(serve({ classes: [{ name: "critical", offered: 100, admitted: 99.9, shed: 0.1, left: 0, answered_in_time: 0, queued: 0 }] })).text).toBe("1 % of the requests are refused");
    expect(stateOf(serve({ recovery: "draining", allowed_share: 0.4, degrade: { level: 1, off: ["x"], pressure: 0, forced: true } })).text).toMatch(/draining; .*40 %.*; 1 feature is off by hand/);
  });

  it("has its reasons by size, and a stack of classes", () => {
    expect(reasons(serve({ refused_for: { shed: 1, "tenant-limit": 4 } })).map((r) => [r.name, r.of])).toEqual([["tenant-limit", 1], ["shed", 0.25]]);
    expect(reasons(serve())).toEqual([]);
    const parts = partsOf({ shed_critical: [1, null] });
    expect(parts[0]!.charts.every((c) => c.stacked && c.lines.map((l) => l.label).join() === classes.join())).toBe(true);
    expect(parts[0]!.charts[2]!.lines[1]!.values).toEqual([1, null]);
  });
});
