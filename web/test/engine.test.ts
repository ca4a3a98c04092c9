// @vitest-environment node
// The engine as WebAssembly, run here: whatever the controls can be set to makes
// a world that it takes.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { Answer, Question } from "../src/engine/types";
import { searchFor, type Search } from "../src/model/edge";
import { presets } from "../src/model/presets";
import { fields, initial, stops, type Amount, type Setting } from "../src/model/setting";
import { usualCast, worldOf } from "../src/model/world";

declare const Go: new () => { importObject: WebAssembly.Imports; run(i: WebAssembly.Instance): Promise<void> };
declare function seakeepLab(question: string): string;

const engine = "src/engine/built/engine.wasm.gz";
const glue = "../src/engine/built/wasm_exec.js"; // as Go brings it, without types
const ask = (q: Question) => JSON.parse(seakeepLab(JSON.stringify(q))) as Answer;
const all: Setting = { ...initial(), latency: 1000, timeout: true, retries: true, budget: true, breaker: true, bulkhead: true,
  hedge: true, shed: true, fallback: true, rate: 20, runs: 1 };
const short = ["for=6s", "warmup=1s"];
const start = (s: Setting) => ask({ op: "start", world: { ...worldOf(s), sets: short } });

describe.skipIf(!existsSync(engine))("the engine", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    await import(/* @vite-ignore */ glue);
    const go = new Go();
    const { instance } = await WebAssembly.instantiate(gunzipSync(readFileSync(engine)), go.importObject);
    void go.run(instance);
  }, 60_000);

  it("takes every stop of the slider, with nothing on or with everything", () => {
    stops.forEach((latency, k) => {
      const s = k % 2 === 0 ? all : { ...initial(), rate: 20, runs: 1 };
      expect(start({ ...s, latency }).error, String(latency)).toBeUndefined();
    });
  });
  it("takes the ends of every other field", () => {
    for (const f of fields) {
      const values = f.kind === "number" ? [f.min, Math.min(f.max, 2000)] : f.kind === "choice" ? f.options.map(([v]) => v) : [true, false];
      for (const v of values) {
        if (f.key === "rate" && v === 2000) continue; // which only takes long
        expect(start({ ...all, [f.key]: v }).error, `${f.key} ${v}`).toBeUndefined();
      }
    }
  });
  it("takes every situation of checkout", () => {
    for (const p of presets.filter((p) => p.set)) expect(start({ ...initial(), ...p.set, rate: 20, runs: 1 }).error, p.id).toBeUndefined();
  });
  it("shows 200 threads in 50 ms", () => {
    const t = start({ ...initial(), rate: 20, runs: 1 }).threads!;
    expect([t.workers, t.step_s, t.routes]).toEqual([200, 0.05, ["pricing", "inventory", "recommendations"]]);
  });
  it("looks for the edge of every slider", () => {
    for (const f of fields) {
      if (f.kind !== "number" || !f.edge) continue;
      const q = searchFor(f as Amount, all, usualCast) as Search;
      // Both ends at a tenth of the rate, and no more.
      const edge = { key: q.keys, from: q.from, to: f.key === "rate" ? "100/s" : q.to, until: q.until, runs: 1 };
      const { error, edge: answer } = ask({ op: "edge", within: 1, edge, world: { ...q.world, sets: short } });
      expect(error, f.key).toBeUndefined();
      expect(answer!.tested.length, f.key).toBeGreaterThan(1);
    }
  });
  it("says where a policy file is wrong", () => {
    const a = ask({ op: "inspect", policy: "version: 1\nservice: x\ndependencies: {a: {kin: 1}}\n" });
    expect([a.faults![0]!.line, a.faults![0]!.file]).toEqual([3, "policy.yaml"]);
  });
});
