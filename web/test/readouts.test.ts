// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { Figure, Report } from "../src/engine/types";
import { letterOf, plainReadouts, readouts, together } from "../src/model/readouts";
import { initial } from "../src/model/setting";
import { usualCast } from "../src/model/world";

const fig = (unit: string, mean: number | null, half: number | null = 0): Figure => ({ unit, mean, half, low: null, high: null, runs: [] });
const report = (figures: Record<string, Figure>, more: Partial<Report> = {}): Report => ({ scenario: "x", for_s: 65, warmup_s: 10, runs: 5,
  seed: 1, events: 1, figures, series: {}, breakers: [], expect: [], assumptions: [], notes: [], ...more });

const sick = report({
  "endpoints.pricing.success": fig("share", 0.5, 0.01), "endpoints.pricing.sent": fig("/s", 300), "endpoints.pricing.p99": fig("s", 0.08, 0.002),
  "endpoints.inventory.success": fig("share", 0.9, 0.02), "endpoints.inventory.sent": fig("/s", 100), "endpoints.inventory.p99": fig("s", 0.07, 0.001),
  "endpoints.recommendations.success": fig("share", 0.9, 0.01), "endpoints.recommendations.fallback": fig("share", 0.7, 0.03),
  "services.checkout.busy": fig("number", 199, 1),
  "dependencies.checkout.recommendations.attempts": fig("/s", 740, 2), "dependencies.checkout.recommendations.calls": fig("/s", 333, 2),
  "dependencies.checkout.recommendations.open": fig("share", 0.25, 0.02), "dependencies.checkout.recommendations.transitions": fig("number", 7, 1),
});
const held = [{ route: "recommendations", mean: 75, half: 0.5 }];
const clean = (s: string) => s.replaceAll("\u00a0", " ");

describe("the six readouts", () => {
  const out = readouts(sick, held, usualCast, { ...initial(), breaker: true });
  const of = (id: string) => out.find((o) => o.id === id)!;

  it("are six, each with its interval", () => {
    expect(out.map((o) => o.id)).toEqual(["others", "p99", "busy", "answers", "calls", "breaker"]);
    for (const o of out) expect(o.half, o.id).toMatch(/^±/);
  });
  it("weigh endpoints by what was sent, with the widest interval", () => {
    expect(together([{ share: fig("share", 0.5, 0.01), sent: fig("/s", 300) }, { share: fig("share", 0.8, 0.02), sent: fig("/s", 100) }]))
      .toEqual({ mean: 0.575, half: 0.02 });
    expect(clean(of("others").value)).toBe("60 %");
    expect(of("others").label).toBe("A and B succeed");
    expect(together([{ share: fig("share", 1, null), sent: fig("/s", 1) }]).half).toBeNull();
  });
  it("show the slower of the two", () => expect(clean(of("p99").value)).toBe("80 ms"));
  it("tell what the dependency answers from what a fallback does", () => {
    expect(clean(of("answers").value)).toBe("20 %");
    expect(clean(of("answers").half)).toBe("± 3 %");
    expect(clean(of("answers").note)).toBe("a fallback answers 70 % ± 3 %");
  });
  it("say what is bad in more than a colour", () => {
    expect([of("others").tone, of("busy").tone, of("p99").tone]).toEqual(["bad", "bad", "plain"]);
    expect(clean(of("busy").note)).toBe("of 200; C holds 75.0 ± 0.5");
  });
  it("tell a breaker that never opened from none", () => {
    const calm = report({ ...sick.figures, "dependencies.checkout.recommendations.open": fig("share", 0) });
    expect(readouts(calm, [], usualCast, { ...initial(), breaker: true }).at(-1)!.value).toBe("closed");
    expect(readouts(calm, [], usualCast, initial()).at(-1)!.value).toBe("none");
  });
  it("bear a report that lacks everything", () => {
    const out = readouts(report({}), [], usualCast, initial());
    expect(out).toHaveLength(6);
    for (const o of out.slice(0, 5)) expect(o.value, o.id).toBe("none");
  });
  it("name one dependency alone, and many", () => {
    expect(readouts(sick, [], { dependencies: ["recommendations"], slow: "recommendations", policy: "" }, initial())).toHaveLength(4);
    expect(readouts(sick, [], { dependencies: ["pricing", "recommendations"], slow: "recommendations", policy: "" }, initial())[0]!.label).toBe("A succeeds");
    const many = [..."abcdefgh"];
    expect(readouts(sick, [], { dependencies: many, slow: "h", policy: "" }, initial())[0]!.label).toBe("The others succeed");
    expect([letterOf(usualCast, "inventory"), letterOf(usualCast, "x")]).toEqual(["B", "?"]);
  });
});

describe("the readouts of a scenario as it is", () => {
  it("are what users see and what the worst dependency bears", () => {
    const out = plainReadouts(report({ "endpoints.a.success": fig("share", 0.4), "endpoints.a.p99": fig("s", 1), "dependencies.x.y.amplification": fig("number", 3),
      "dependencies.x.z.amplification": fig("number", 27), "dependencies.x.y.transitions": fig("number", 0), "endpoints.b.success": fig("share", null) }));
    expect(out.map((o) => o.id)).toEqual(["endpoints.a.success", "endpoints.a.p99", "dependencies.x.z.amplification"]);
    expect(out[0]!.tone).toBe("bad");
  });
});
