// @vitest-environment node
import { describe, expect, it } from "vitest";
import { fields, initial, type Setting } from "../src/model/setting";
import { policyOf, scenarioOf, timesOf, worldOf, type Cast } from "../src/model/world";

const all: Setting = { ...initial(), latency: 1000, timeout: true, retries: true, budget: true, breaker: true, bulkhead: true,
  hedge: true, shed: true, fallback: true };
const text = (s: Setting) => worldOf(s).scenario + Object.values(worldOf(s).files).join();

describe("the world", () => {
  it("is bare at the beginning", () => {
    expect(policyOf(initial())).toBe(["version: 1", "service: checkout", "dependencies:", "  pricing: {kind: critical}",
      "  inventory: {kind: critical}", "  recommendations:", "    kind: optional", ""].join("\n"));
    expect(scenarioOf(initial())).not.toContain("changes:");
  });

  it("has a line for each protection", () => {
    const policy = policyOf(all);
    for (const line of ["timeout: {request: 250ms}", "attempts: 3", "backoff: {base: 40ms, cap: 10s, jitter: full}",
      "budget: {ratio: 10%, floor: 0/s}", "window: 20 calls", "failures: 50%", "open: {for: 5s, jitter: 0%, growth: 1}", "trials: 3",
      "bulkhead: {limit: 60}", "hedge: {after: 75ms, same: true}", "fallback: [omit: {}]", "shed: {target: 20ms}"]) {
      expect(policy).toContain(line);
    }
    expect(policyOf({ ...all, budget: false })).toContain("budget: none");
  });

  // A control that changes nothing would be a lie.
  for (const f of fields) {
    it(`depends on ${f.key}`, () => {
      const to = f.kind === "switch" ? !all[f.key] : f.kind === "choice" ? f.options.find(([v]) => v !== all[f.key])![0]
        : all[f.key] === f.min ? f.min + f.step : f.min;
      expect(text({ ...all, [f.key]: to })).not.toBe(text(all));
    });
  }

  it("is slow from 5 s on, or silent", () => {
    expect(scenarioOf(all)).toContain("{at: 5s, service: recommendations, work: {floor: 5ms, mean: 1000ms}}");
    expect(scenarioOf(all)).toContain("capacity: {rate: 400/s, over: hang}");
    const silent = scenarioOf({ ...all, latency: Infinity, capacity: 0 });
    expect(silent).toContain("silent: true");
    expect(silent).not.toContain("capacity");
  });

  it("has times with the mean that was asked for", () => {
    expect(timesOf("constant", 30)).toBe("30ms");
    expect(timesOf("uniform", 30)).toBe("{uniform: [5ms, 55ms]}");
    expect(timesOf("exponential", 3)).toBe("{floor: 3ms, mean: 3ms}");
    const [, ns] = /median: (\d+)ns, sigma: 1/.exec(timesOf("lognormal", 30))!;
    expect((Number(ns) / 1e6) * Math.exp(0.5)).toBeCloseTo(30, 5);
  });

  it("quotes names that YAML would take for something else", () => {
    const cast: Cast = { dependencies: ["ok-1", "no", "12", "a: {b}\n", "x\"y"], slow: "no", policy: "" };
    const policy = policyOf(all, cast);
    for (const line of ["  ok-1: {", '  "no":\n', '  "12": {', '  "a: {b}\\n": {', '  "x\\"y": {']) expect(policy).toContain(line);
    expect(scenarioOf(all, cast)).toContain('routes: {ok-1: 1, "no": 1, "12": 1, "a: {b}\\n": 1, "x\\"y": 1}');
  });

  it("takes a policy file as it is", () => {
    const cast: Cast = { dependencies: ["x"], slow: "x", policy: "version: 1 # mine" };
    expect(worldOf(all, cast).files["policy.yaml"]).toBe("version: 1 # mine");
    expect(scenarioOf({ ...all, breaker: true }, cast)).not.toContain("breaker");
  });
});
