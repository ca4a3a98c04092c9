import { describe, expect, it } from "vitest";
import { counts, decode, describe as tell, frame, frameAt } from "../src/model/frames";
import { layout } from "../src/ui/squares";

const bytes = [0, 0, 0, /* then */ 1, 6, 7, /* then */ 0, 5, 5];
const f = decode({ service: "checkout", workers: 3, routes: ["pricing", "recommendations"], step_s: 0.05,
  frames: btoa(String.fromCharCode(...bytes)) });

describe("what each thread does", () => {
  it("is found at a moment", () => {
    expect(f.count).toBe(3);
    expect([-1, 0, 0.02, 0.03, 0.1, 9].map((at) => frameAt(f, at))).toEqual([0, 0, 0, 1, 2, 2]);
    expect([...frame(f, 0.05)]).toEqual([1, 6, 7]);
  });
  it("is counted by route", () => {
    expect(counts(f, frame(f, 0.05))).toEqual({ idle: 0, routes: [
      { route: "pricing", works: 1, waits: 0, orphaned: 0 }, { route: "recommendations", works: 0, waits: 1, orphaned: 1 }] });
    expect(counts(f, frame(f, 0.1)).idle).toBe(1);
  });
  it("is told in words", () => {
    expect(tell(f, 0.05)).toBe("3 threads of checkout at 0.05 s: 1 for pricing, 2 for recommendations (1 of them wait to try again, " +
      "1 work for users who have left), 0 idle");
  });
  it("is drawn so that all squares fit", () => {
    for (const width of [300, 343, 375, 600, 1080]) {
      for (const n of [1, 20, 60, 200, 999, 1000]) {
        const { columns, side } = layout(width, n);
        expect(columns * side, `${n} in ${width}`).toBeLessThanOrEqual(width + 1e-9);
        expect(side).toBeGreaterThan(5);
      }
    }
    expect(layout(1080, 200).columns % 20).toBe(0);
  });
});
