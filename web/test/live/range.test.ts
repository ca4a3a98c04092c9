import { beforeEach, describe, expect, it } from "vitest";
import { lengthOf, lengthText, live, move, range, rangeOf, stepFor, usual, widen, zoom } from "../../src/live/range";
import { href, parse, route, set, write, type Route } from "../../src/live/router";
import { snapshot } from "../../src/live/store";

describe("router", () => {
  it("reads what it writes", () => {
    for (const r of [{ page: "wall", rest: "", query: {} }, { page: "dependency", rest: "a/b c?d#e%", query: { from: "-5m", x: "é&=" } }] as Route[])
      expect(parse(write(r))).toEqual(r);
  });
  it("makes something of everything", () => {
    expect(parse("")).toEqual({ page: "wall", rest: "", query: {} });
    expect(parse("#/")).toEqual({ page: "wall", rest: "", query: {} });
    expect(parse("#/dependency/%E0%A4%A")).toEqual({ page: "dependency", rest: "%E0%A4%A", query: {} });
    expect(parse("#nonsense")).toEqual({ page: "nonsense", rest: "", query: {} });
  });
  it("keeps the time from page to page, and nothing else", () => {
    route.value = parse("#/wall?filter=x&from=-15m");
    expect(href("dependency", "a")).toBe("#/dependency/a?from=-15m");
    set({ filter: "", sort: "name" });
    expect(location.hash).toBe("#/wall?from=-15m&sort=name");
  });
});

describe("range", () => {
  const now = 1_800_000_000_000;
  beforeEach(() => {
    snapshot.value = { version: 1, at_ms: now, window_ms: 1, service: "", ready: true, dependencies: [], slo: [], faults: [], levers: false };
    route.value = parse("#/wall");
  });

  it("reads lengths, and writes them", () => {
    for (const [text, ms] of [["90s", 90_000], ["5m", 300_000], ["24h", 86_400_000], ["2d", 172_800_000]] as const) {
      expect(lengthOf(text)).toBe(ms);
      expect(lengthOf(lengthText(ms))).toBe(ms);
    }
    for (const bad of ["", "5", "m", "-5m", "5 m", undefined]) expect(lengthOf(bad)).toBeUndefined();
    expect(lengthText(86_400_000)).toBe("24h");
  });
  it("takes nonsense for the usual, and bounds what is asked", () => {
    for (const q of [{}, { from: "x" }, { from: "5", to: "4" }, { from: "1", to: "x" }, { to: "7" }] as Record<string, string>[])
      expect(rangeOf(q, now)).toMatchObject({ live: true, span: usual, to: now });
    expect(rangeOf({ from: "-1s" }, now).span).toBe(10_000);
    expect(rangeOf({ from: "-999d" }, now).span).toBe(31 * 86_400_000);
    expect(rangeOf({ from: String(now - 60_000), to: String(now) }, now)).toEqual({ from: now - 60_000, to: now, live: false, span: 60_000 });
  });
  it("zooms, moves and goes back to live, all in the address", () => {
    zoom(now - 200_000, now - 100_000);
    expect(range.value).toEqual({ from: now - 200_000, to: now - 100_000, live: false, span: 100_000 });
    expect(location.hash).toContain(`from=${now - 200_000}&to=${now - 100_000}`);
    move(-0.5);
    expect(range.value.from).toBe(now - 250_000);
    widen(2);
    expect(range.value.span).toBe(200_000);
    move(5);
    expect(range.value).toMatchObject({ live: true, span: 200_000 });
    live(usual);
    expect(location.hash).toBe("#/wall");
  });
  it("shows no time to come, and not less than ten seconds", () => {
    zoom(now - 1000, now + 50_000);
    expect(range.value.to).toBe(now);
    zoom(now - 60_000, now - 59_900);
    expect(range.value.span).toBe(10_000);
  });
  it("asks for seconds only where there are seconds, and for 600 points at most", () => {
    expect(stepFor(now - 300_000, now, now)).toBe(1000);
    expect(stepFor(now - 840_000, now, now)).toBe(2000);
    expect(stepFor(now - 3_600_000, now - 3_500_000, now)).toBe(10_000);
    for (const span of [60_000, 900_000, 3_600_000, 86_400_000, 31 * 86_400_000]) {
      const step = stepFor(now - span, now, now);
      expect(span / step).toBeLessThanOrEqual(600);
      expect(step % 1000).toBe(0);
      if (span > 900_000) expect(step % 10_000).toBe(0);
    }
  });
});
