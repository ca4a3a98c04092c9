// @vitest-environment node
import { describe, expect, it } from "vitest";
import { csvCell, csvNumber, figureText, millis, percent, pm } from "../src/model/format";

const plain = (v: { value: string; half: string }) => `${v.value} ${v.half}`.replaceAll("\u00a0", " ").trim();

describe("numbers as people read them", () => {
  it("have no more digits than the interval is good for", () => {
    expect(plain(percent(0.57123, 0.012))).toBe("57 % ± 1 %");
    expect(plain(percent(0.57123, 0.004))).toBe("57.1 % ± 0.4 %");
    expect(plain(millis(0.0762, 0.0021))).toBe("76 ms ± 2 ms");
    expect(plain(pm(200, 0))).toBe("200 ± 0");
  });
  it("say when there is no interval, or no number", () => {
    expect(plain(pm(3.14159, null))).toBe("3.1 one run: no interval");
    expect(plain(pm(null, 1))).toBe("none");
    expect(plain(pm(NaN, 1))).toBe("none");
    expect(plain(pm(undefined, undefined))).toBe("none");
  });
  it("come in the unit of the figure", () => {
    expect(plain(figureText("share", 0.5, 0.02))).toBe("50 % ± 2 %");
    expect(plain(figureText("s", 0.5, 0.02))).toBe("500 ms ± 20 ms");
    expect(plain(figureText("/s", 367, 2))).toBe("367 /s ± 2 /s");
    expect(plain(figureText("number", 7, 0))).toBe("7 ± 0");
  });
});

describe("a table for other programs", () => {
  it("quotes what would be two cells", () => {
    expect(["a", 'b"c', "d,e", "f\ng", 1.5, null].map(csvCell)).toEqual(["a", '"b""c"', '"d,e"', '"f\ng"', "1.5", ""]);
  });
  it("has numbers as the command writes them", () => {
    expect([null, 0, 1.5, -0.0001, 0.00003224, -1e-12, 999999999, 1.5e9, 2e21].map(csvNumber))
      .toEqual(["", "0", "1.5", "-0.0001", "3.224e-05", "-1e-12", "999999999", "1.5e+09", "2e+21"]);
  });
});
