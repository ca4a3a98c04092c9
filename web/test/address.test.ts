// @vitest-environment node
import { describe, expect, it } from "vitest";
import { begin, maxPolicy, read, write, type State } from "../src/model/address";
import { fields, initial, shared, stops, type Setting } from "../src/model/setting";

const round = (s: State) => read(`#/try?${write(s)}`);

/** Another value than the first, that the field may have. */
function other(f: (typeof fields)[number]): Setting[keyof Setting] {
  switch (f.kind) {
    case "switch":
      return !f.initial;
    case "choice":
      return f.options.find(([v]) => v !== f.initial)![0];
  }
  return f.initial === f.min ? f.min + f.step : f.min;
}

const changed = (): Setting => Object.fromEntries(fields.map((f) => [f.key, other(f)])) as unknown as Setting;

describe("the address", () => {
  it("says nothing of what is as at the beginning", () => {
    expect(write(begin())).toBe("");
    expect(read("")).toEqual(begin());
    expect(read("#/try")).toEqual(begin());
  });

  it("has a name of its own for every field", () => {
    expect(new Set(fields.map((f) => f.short)).size).toBe(fields.length);
    for (const name of ["compare", "policy", "slow", "scenario", "t", "more"]) expect(fields.map((f) => f.short)).not.toContain(name);
  });

  for (const f of fields) {
    it(`keeps ${f.key}`, () => {
      const s = begin();
      s.a = { ...s.a, [f.key]: other(f) };
      expect(write(s)).toContain(`${f.short}=`);
      expect(round(s)).toEqual(s);
    });
  }

  it("keeps each stop of the slider, no reply too", () => {
    for (const latency of stops) expect(round({ ...begin(), a: { ...initial(), latency } }).a.latency).toBe(latency);
  });

  it("keeps all at once: two columns, a policy, a moment", () => {
    const a = changed();
    const b = { ...initial(), ...Object.fromEntries(shared.map((k) => [k, a[k]])) } as Setting;
    const s: State = { a, b, policy: "version: 1 # ü & =\n", slow: "tail?&", preset: "", at: 12.35, more: true };
    expect(round(s)).toEqual(s);
    expect(round({ ...begin(), preset: "retry-storm" }).preset).toBe("retry-storm");
  });

  it("leaves a policy out that is too long", () => {
    expect(write({ ...begin(), policy: "x".repeat(maxPolicy + 1) })).toBe("");
    expect(write({ ...begin(), policy: "x".repeat(maxPolicy) })).not.toBe("");
  });

  it("gives the second column the first one's arrivals", () => {
    const s = read("#/try?rate=500&compare=on&b.rate=900&b.timeout=on");
    expect(s.b).toEqual({ ...s.a, timeout: true });
  });

  it("makes sense of what nobody has written", () => {
    const s = read("#/try?latency=-3&th=1e9&tm=&at=x&q=random&timeout=maybe&t=-1&bp=NaN&rate=Infinity&<b>=1");
    expect(s.a).toEqual({ ...initial(), latency: 20, workers: 1000 });
    expect(s.at).toBe(begin().at);
    expect(read("#/try?th=7.5&bl=0.2").a).toEqual({ ...initial(), workers: 8, limit: 1 });
    expect(read("#/try?latency=none").a.latency).toBe(Infinity);
    expect(read(`#/try?policy=${"x".repeat(2 * maxPolicy)}`).policy.length).toBe(maxPolicy);
  });
});
