import { describe, expect, it } from "vitest";
import { admitDraft, breakerDraft, breakersOf, commandOf, degradeDraft, faultOf, hurts, kinds, missing, orderOf, startDraft, stopDraft } from "../src/live/levers/draft";
import { adviceOn, nonce, requestOf } from "../src/live/levers/order";
import type { Dependency, Snapshot } from "../src/live/schema";

describe("orders", () => {
  it("have a number of their own", () => {
    const all = new Set(Array.from({ length: 100 }, () => nonce()));
    expect(all.size).toBe(100);
    for (const n of all) expect(n).toMatch(/^[0-9a-f]{32}$/);
    expect(nonce((b) => b.fill(10))).toBe("0a".repeat(16));
  });

  it("are sent with reason, time and name", () => {
    const q = requestOf({ level: 1 }, { by: " ann ", reason: " too much " }, 1234.6, "n".repeat(32));
    expect(q).toEqual({ reason: "too much", by: "ann", nonce: "n".repeat(32), at_ms: 1235, order: { level: 1 } });
    expect(requestOf({}, { by: "", reason: "x" }, 1)).not.toHaveProperty("by");
  });

  it("say what a refusal means", () => {
    expect(adviceOn(401)).toMatch(/token/);
    expect(adviceOn(0)).toMatch(/lost/);
    expect(adviceOn(400)).toMatch(/Nothing/);
  });
});

describe("drafts", () => {
  it("are orders as the API takes them", () => {
    expect(orderOf(breakerDraft("pricing"))).toEqual({ lever: "breaker", order: { policy: "pricing", mode: "force-open" } });
    expect(orderOf({ ...breakerDraft("a/b"), mode: "reset", key: "acme" })).toEqual({ lever: "breaker", order: { policy: "a/b", reset: true, key: "acme" } });
    expect(orderOf(degradeDraft("2")).order).toEqual({ level: 2 });
    expect(orderOf(degradeDraft("auto")).order).toEqual({ auto: true });
    expect(orderOf(admitDraft()).order).toEqual({ share: 0.4, ramp: "60s" });
    expect(orderOf({ ...admitDraft(), share: "33.3", ramp: " " }).order).toEqual({ share: expect.closeTo(0.333) });
    expect(orderOf(stopDraft("slow", "")).order).toEqual({ stop: { dependency: "", name: "slow" } });
    expect(orderOf(stopDraft()).order).toEqual({ stop: { name: "" } });
    expect(orderOf(startDraft("pricing"), true).order).toEqual({ start: { dependency: "pricing", dry_run: true,
      fault: { name: "latency", kind: "latency", share: "10%", for: "5m", delay: "200ms" } } });
  });

  it("leave out settings that a kind has not", () => {
    for (const kind of Object.keys(kinds)) {
      const f = faultOf({ ...startDraft("x"), kind, jitter: "1ms", bytes: "1KiB" });
      expect(Object.keys(f).sort()).toEqual(["for", "kind", "name", "share", ...kinds[kind]!].sort());
    }
    expect(faultOf({ ...startDraft(), kind: "error" }).status).toBe(503);
  });

  it("say what is missing", () => {
    expect(missing(breakerDraft())).toMatch(/whose/);
    expect(missing(breakerDraft("a"))).toBe("");
    expect(missing(degradeDraft("-1"))).not.toBe("");
    expect(missing({ ...admitDraft(), share: "" })).not.toBe("");
    expect(missing({ ...admitDraft(), share: "0" })).toBe("");
    expect(missing({ ...startDraft("a"), share: "0" })).not.toBe("");
    expect(missing({ ...startDraft("a"), share: "101" })).not.toBe("");
    expect(missing(stopDraft())).toBe("");
  });

  it("have a twin in a terminal, which a shell does not take apart", () => {
    const host = "127.0.0.1:9901";
    expect(commandOf(breakerDraft("a/b"), host)).toBe(`seakeep breaker a/b force-open --admin ${host}`);
    expect(commandOf({ ...breakerDraft("a"), key: "it's $(x)" }, host)).toBe(`seakeep breaker a force-open --key='it'\\''s $(x)' --admin ${host}`);
    expect(commandOf(degradeDraft("auto"), host)).toBe(`seakeep degrade auto --admin ${host}`);
    expect(commandOf(admitDraft(), host)).toBe(`seakeep admit 40% --ramp 60s --admin ${host}`);
    expect(commandOf({ ...startDraft("pricing"), name: "x; rm", marked: true, force: true }, host))
      .toBe(`seakeep fault start latency --dependency pricing --name 'x; rm' --share 10% --for 5m --delay 200ms --marked --force --admin ${host}`);
    expect(commandOf(stopDraft("slow", "pricing"), host)).toBe(`seakeep fault stop slow --dependency pricing --admin ${host}`);
    expect(commandOf(stopDraft("slow", ""), host)).toBe(`seakeep fault stop slow --dependency '' --admin ${host}`);
    expect(commandOf(stopDraft(), host)).toBe(`seakeep fault stop --admin ${host}`);
  });
});

const dependency = (name: string, more: Partial<Dependency> = {}): Dependency => ({ name, kind: "critical", badness: 0, rate: 100, outcomes: {}, in_flight: 0,
  attempts_per_call: 1.5, retry_ratio: 0.5, hedge_ratio: 0, hedge_wins: 0, fallback_share: 0, fallback_failed: 0, ...more });
const closed = { state: "closed", mode: "auto", calls: 0, failed: 0, slow: 0 };
const snapshot = (dependencies: Dependency[]): Snapshot => ({ version: 1, at_ms: 0, window_ms: 1, service: "s", ready: true, dependencies, slo: [], faults: [], levers: true });

describe("what there is to order", () => {
  it("are breakers, those of operations too", () => {
    expect(breakersOf(snapshot([dependency("b", { breaker: closed }), dependency("a", { operations: [{ name: "x", breaker: closed }, { name: "y" }] })]))).toEqual(["a/x", "b"]);
    expect(breakersOf(null)).toEqual([]);
  });

  it("is how many attempts would be hurt", () => {
    const s = snapshot([dependency("a")]);
    expect(hurts(startDraft("a"), s)).toBeCloseTo(15);
    expect(hurts({ ...startDraft("a"), path: "/x" }, s)).toBeUndefined();
    expect(hurts(startDraft("none"), s)).toBeUndefined();
    expect(hurts(startDraft(""), s)).toBeUndefined();
  });
});
