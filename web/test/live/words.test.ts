import { expect, it } from "vitest";
import { ago, breakerWord, ms, number, percent, slotsWord } from "../../src/live/words";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const breaker = { state: "open", mode: "force-open", calls: 0, failed: 0, slow: 0 };

it("numbers are those of `seakeep top` and the plain page", () => {
  // The list of TestWords in cmd/seakeep/dashboard/schema, but for the dash of what is unknown.
  for (const [got, want] of [[percent(1), "100.0 %"], [percent(0.99999), "99.9 %"], [percent(0.9995), "99.9 %"], [percent(0.00001), "0.1 %"], [percent(undefined), "–"],
    [ms(3.21), "3.2 ms"], [ms(250), "250 ms"], [ms(2500), "2.5 s"], [number(0), "0"], [number(0.123), "0.12"], [number(1234.4), "1234"],
    [breakerWord(breaker), "open (force-open)"], [slotsWord(3, { in_use: 3, limit: 9, queued: 2, queue_limit: 4 }), "3 / 9 + 2"], [slotsWord(3, undefined), "3"]] as const)
    expect(plain(got)).toBe(want);
});

it("tells keys that are open, and how long ago something was", () => {
  expect(breakerWord({ ...breaker, state: "closed", mode: "auto", keys: { open: 2, closed: 5 } })).toBe("closed, 2 keys open");
  expect([-5, 119_000, 120_000, 7_200_000, 172_800_000].map((t) => plain(ago(t)))).toEqual(["0 s", "119 s", "2 min", "2 h", "2 days"]);
});
