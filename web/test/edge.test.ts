// @vitest-environment node
import { describe, expect, it } from "vitest";
import { msOf, searchFor, type Search } from "../src/model/edge";
import { field, fields, initial, type Amount, type Setting } from "../src/model/setting";
import { usualCast } from "../src/model/world";

const amount = (key: keyof Setting) => field(key) as Amount;
const search = (key: keyof Setting, s: Partial<Setting> = {}) => searchFor(amount(key), { ...initial(), ...s }, usualCast) as Search;

describe("where an edge is looked for", () => {
  it("is the success of who is healthy", () => expect(search("rate").until).toBe("endpoints.pricing.success < 99%"));

  it("is the mean of the slow times, whatever their shape", () => {
    const q = search("latency", { latency: 300 });
    expect([q.keys, q.from, q.to, q.reads("555.25ms"), q.with]).toEqual(["changes.0.work.mean", "20ms", "2000ms", "555 ms", ""]);
    const u = search("latency", { latency: 300, shape: "uniform" });
    expect([u.keys, u.from, u.reads("1s")]).toEqual(["changes.0.work.uniform.1", "35ms", "503 ms"]);
    const l = search("latency", { latency: 300, shape: "lognormal" });
    expect([l.keys, l.from, l.reads(l.to)]).toEqual(["changes.0.work.median", "12131us", "2 s"]);
    expect(search("latency", { latency: 300, shape: "constant" }).keys).toBe("changes.0.work");
  });
  it("has a slow dependency to vary, also while all is well or silent", () => {
    for (const latency of [20, Infinity]) {
      const q = search("latency", { latency });
      expect(q.world.scenario).toContain("mean: 1000ms");
      expect(q.with).toBe("a latency of 1 s");
    }
  });
  it("is every key that a slider stands for", () => {
    expect(search("workers").keys).toBe("services.checkout.workers");
    expect(search("workers", { shed: true }).keys).toBe("services.checkout.workers,checkout:serve.concurrency.max");
    expect(search("patienceMs", { shed: true }).keys).toBe("clients.users.patience,checkout:serve.deadline.default");
    expect(search("healthyMs").keys).toBe("services.pricing.work.mean,services.inventory.work.mean,services.recommendations.work.mean");
    expect(search("timeoutMs", { timeout: true }).keys).toBe("checkout:dependencies.recommendations.timeout.request");
  });
  it("is nowhere if the slider means nothing", () => {
    expect(searchFor(amount("capacity"), initial(), usualCast)).toMatch(/not slow/);
    expect(searchFor(amount("length"), { ...initial(), rule: "refuse" }, usualCast)).toMatch(/no queue/);
    expect(searchFor(amount("seed"), initial(), usualCast)).toMatch(/Nothing/);
  });
  it("takes durations as Go writes them", () => {
    expect(["1.5s", "250ms", "1m2.5s", "12131us", "3µs", "0s", "x"].map(msOf)).toEqual([1500, 250, 62500, 12.131, 0.003, 0, 0]);
  });
  it("names keys that are in the files", () => {
    const on = { latency: 1000, timeout: true, retries: true, budget: true, breaker: true, bulkhead: true, hedge: true, shed: true };
    for (const f of fields) {
      if (f.kind !== "number" || !f.edge) continue;
      const q = search(f.key, on);
      const text = q.world.scenario + q.world.files["policy.yaml"];
      for (const key of q.keys.split(",")) expect(text, key).toMatch(new RegExp(`\\b${key.split(".").at(-1)!.replace(/^\d+$/, "uniform")}\\b`));
    }
  });
});
