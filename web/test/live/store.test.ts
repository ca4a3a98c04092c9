import { beforeEach, describe, expect, it, vi } from "vitest";
import { added, begun, recent, span } from "../../src/live/recent";
import type { Dependency, Event as Told, History, Snapshot } from "../../src/live/schema";
import { begins, connection, events, merged, missed, pauses, snapshot, take } from "../../src/live/store";

const dependency = (name: string, more: Partial<Dependency> = {}): Dependency => ({ name, kind: "critical", badness: 0, rate: 1, outcomes: {}, in_flight: 0,
  attempts_per_call: 1, retry_ratio: 0, hedge_ratio: 0, hedge_wins: 0, fallback_share: 0, fallback_failed: 0, ...more });
const snap = (at_ms: number, ...names: string[]): Snapshot => ({ version: 1, at_ms, window_ms: 10_000, service: "s", ready: true,
  dependencies: names.map((n) => dependency(n, { rate: at_ms })), slo: [], faults: [], levers: false });
const event = (id: number, at_ms = id): Told => ({ id, at_ms, kind: "breaker-changed" });

describe("store", () => {
  beforeEach(() => {
    events.value = [];
    missed.value = 0;
    recent.value = new Map();
  });

  it("takes snapshots, decisions, and what was left out", () => {
    take({ event: "snapshot", id: "", data: JSON.stringify(snap(5000, "a")) });
    expect(snapshot.value?.at_ms).toBe(5000);
    expect(connection.value.state).toBe("live");
    expect(recent.value.get("a")?.times).toEqual([5000]);
    take({ event: "decision", id: "1", data: JSON.stringify(event(1)) });
    take({ event: "decision", id: "1", data: JSON.stringify(event(1)) });
    take({ event: "missed", id: "1", data: '{"missed":3}' });
    take({ event: "missed", id: "1", data: '{"missed":2}' });
    expect(events.value.map((e) => e.id)).toEqual([1]);
    expect(missed.value).toBe(5);
  });
  it("survives what it cannot read", () => {
    for (const data of ["{", "null", "7", '"x"']) for (const event of ["snapshot", "decision", "missed", "other"]) take({ event, id: "", data });
    expect(events.value).toEqual([]);
  });
  it("keeps each event once, in order, and no more than so many", () => {
    expect(merged([event(1), event(3)], [event(2), event(3)]).map((e) => e.id)).toEqual([1, 2, 3]);
    expect(merged([event(1)], [event(2)]).map((e) => e.id)).toEqual([1, 2]);
    expect(merged([event(1), event(2)], [event(3), event(4)], 3).map((e) => e.id)).toEqual([2, 3, 4]);
    const known = [event(1)];
    expect(merged(known, [])).toBe(known);
    expect(merged(known, [event(1)])).toBe(known);
    expect(merged([], [event(5), event(5), event(4)]).map((e) => e.id)).toEqual([4, 5]);
  });
});

describe("recent", () => {
  it("keeps two minutes, a point a second", () => {
    let all = new Map();
    for (let t = 0; t <= 300_000; t += 250) all = added(all, snap(t, "a"));
    const { times } = all.get("a");
    expect(times.length).toBeLessThanOrEqual(span / 1000 + 1);
    expect(times[times.length - 1] - times[0]).toBeLessThanOrEqual(span);
    expect(times[1] - times[0]).toBe(1000);
  });
  it("forgets who is gone, and begins anew when the clock goes back", () => {
    let all = added(new Map(), snap(5000, "a", "b"));
    all = added(all, snap(6000, "b"));
    expect([...all.keys()]).toEqual(["b"]);
    expect(added(all, snap(1000, "b")).get("b")?.times).toEqual([1000]);
  });
  it("puts what a history knows before what came", () => {
    const all = added(new Map(), snap(9000, "a"));
    const h: History = { version: 1, step_ms: 5000, oldest_ms: 0, times: [0, 5000, 10_000], events: [],
      dependencies: [{ name: "a", columns: { rate: [1, 2, 3], success: [null, 0.5, 1] } }] };
    expect(begun(all, h).get("a")).toEqual({ times: [0, 5000, 9000], rate: [1, 2, 9000], success: [null, 0.5, null] });
  });
});

describe("pauses", () => {
  it("ends the connection of a page that nobody sees, and goes on after the last event", async () => {
    vi.useFakeTimers();
    const asked: { last: string | null; signal: AbortSignal }[] = [];
    const answer = vi.fn(async (_: string, init: RequestInit) => {
      asked.push({ last: new Headers(init.headers).get("Last-Event-ID"), signal: init.signal! });
      return new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(`id: 7\nevent: decision\ndata: ${JSON.stringify(event(7))}\n\n`)) }));
    });
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => (url.includes("events") ? answer(url, init) : Promise.reject(new TypeError("no"))));
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
    const turn = (is: boolean) => (hidden.mockReturnValue(is), document.dispatchEvent(new Event("visibilitychange")));
    const stop = begins();
    pauses();
    await vi.advanceTimersByTimeAsync(10);
    turn(true);
    await vi.advanceTimersByTimeAsync(10_000);
    turn(false); // it was only a moment
    expect(asked.length).toBe(1);
    turn(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked[0]!.signal.aborted).toBe(true);
    turn(false);
    await vi.advanceTimersByTimeAsync(10);
    expect(asked.map((a) => a.last)).toEqual([null, "7"]);
    stop();
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
});
