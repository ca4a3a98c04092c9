import { describe, expect, it } from "vitest";
import { joined, loadedOf } from "../../src/live/history";
import type { History } from "../../src/live/schema";

const history = (times: number[], rate: (number | null)[], heat = false): History => ({ version: 1, step_ms: 1000, oldest_ms: 0, times, events: [],
  dependencies: [{ name: "a", columns: { rate }, heat: heat ? { bounds_ms: [1], counts: rate.map((r) => [r ?? 0, 0]) } : undefined }] });

describe("joined", () => {
  it("replaces the steps that came again, and forgets those that are too old", () => {
    const old = loadedOf(history([1000, 2000, 3000], [1, 2, null], true));
    const all = joined(old, loadedOf(history([2000, 3000, 4000], [2, 3, null], true)), 1000);
    expect(all.times).toEqual([2000, 3000, 4000]);
    expect(all.series.get("a")!.rate).toEqual([2, 3, null]);
    expect(all.heat!.counts).toEqual([[2, 0], [3, 0], [0, 0]]);
  });
  it("leaves a gap of time a gap of points, and takes a new column", () => {
    const old = loadedOf(history([1000, 2000], [1, 2]));
    const more = history([9000], [9]);
    more.dependencies[0]!.columns.success = [1];
    const all = joined(old, loadedOf(more), 0);
    expect(all.times).toEqual([1000, 2000, 9000]);
    expect(all.series.get("a")).toEqual({ rate: [1, 2, 9], success: [null, null, 1] });
  });
  it("begins anew with another step, and keeps what it has when nothing came", () => {
    const old = loadedOf(history([1000], [1]));
    expect(joined(old, loadedOf({ ...history([20_000], [5]), step_ms: 10_000 }), 0).times).toEqual([20_000]);
    expect(joined(old, loadedOf(history([], [])), 0)).toBe(old);
  });
  it("is left with nothing when all is too old", () => {
    expect(joined(loadedOf(history([1000], [1])), loadedOf(history([2000, 9000], [2, 9])), 5000).times).toEqual([9000]);
  });
});
