// @vitest-environment node
import { describe, expect, it } from "vitest";
import { presetOf, presets, scenarioFiles } from "../src/model/presets";
import { files } from "../src/model/scenarios";
import { applies, field, fields, initial, onText, stopOf, stops, timeText, type Setting } from "../src/model/setting";

// What the switches make, and is no preset with a file.
const known = ["checkout-cascade", "bulkhead-no-reply"];

describe("presets", () => {
  it("stand for every scenario of the repository", async () => {
    const there = Object.keys(files).filter((p) => !p.includes("/")).map((p) => p.replace(".yaml", ""));
    expect(there.length).toBeGreaterThan(15);
    const have = presets.flatMap((p) => (p.file ? [p.file] : []));
    expect([...have, ...known].sort()).toEqual([...there].sort());
    expect(await scenarioFiles()).toBe(files);
  });
  it("have the policies that their scenarios name", () => {
    for (const [path, text] of Object.entries(files).filter(([p]) => !p.includes("/"))) {
      for (const [, policy] of text.matchAll(/^\s+policy:\s*(\S+\.yaml)/gm)) expect(files, `${path} names ${policy}`).toHaveProperty([policy!]);
    }
  });
  it("have ids and titles of their own, and set what there is", () => {
    expect(new Set(presets.map((p) => p.id)).size).toBe(presets.length);
    expect(new Set(presets.map((p) => p.title)).size).toBe(presets.length);
    for (const p of presets) {
      for (const [k, v] of Object.entries(p.set ?? {})) {
        const f = field(k as keyof Setting);
        expect(typeof v, `${p.id} sets ${k}`).toBe(typeof f.initial);
        expect(applies(f, { ...initial(), ...p.set }), `${p.id} sets ${k} in vain`).toBe(true);
      }
    }
    expect(presetOf("cascade")!.set!.latency).toBe(1000);
    expect(presetOf("none")).toBeUndefined();
  });
});

describe("the slider", () => {
  it("has stops from 20 ms to no reply", () => {
    expect(timeText(stops[0]!)).toBe("20 ms");
    expect(timeText(stops.at(-1)!)).toBe("no reply");
    expect(stops.map(stopOf)).toEqual(stops.map((_, k) => k));
  });
  it("has its protections in words", () => {
    expect(onText(initial())).toBe("no protection");
    expect(onText({ ...initial(), timeout: true, budget: true, shed: true })).toBe("timeout, load shedding"); // a budget without retries is none
  });
  it("stands at the nearest stop below a value of an address", () => {
    expect([stops[stopOf(1200)], stops[stopOf(1e6)], stops[stopOf(1)]]).toEqual([1000, 5000, 20]);
  });
});

describe("fields", () => {
  it("are within their own bounds", () => {
    for (const f of fields) {
      if (f.kind === "number") expect(f.initial >= f.min && f.initial <= f.max && f.step > 0, f.key).toBe(true);
      if (f.kind === "choice") expect(f.options.map(([v]) => v), f.key).toContain(f.initial);
      expect(f.help.endsWith("."), f.key).toBe(true);
    }
  });
  it("have an edge, all that are sliders", () => {
    const without = fields.filter((f) => f.kind === "number" && !f.edge).map((f) => f.key);
    expect(without).toEqual(["runs", "seed"]); // which are no property of the world
  });
});
