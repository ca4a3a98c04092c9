import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen, parser, type Message } from "../../src/live/sse";

function read(...pieces: string[]): Message[] {
  const all: Message[] = [];
  const p = parser((m) => all.push(m));
  for (const x of pieces) p(x);
  return all;
}

describe("parser", () => {
  it("reads events wherever the pieces end", () => {
    const text = "retry: 2000\n\n: a comment\n\nid: 7\nevent: decision\ndata: {\"a\":1}\n\nevent: snapshot\r\ndata: x\r\ndata: y\r\n\r\ndata:none\n\nevent: cut";
    const want = [{ event: "decision", data: '{"a":1}', id: "7" }, { event: "snapshot", data: "x\ny", id: "7" }, { event: "message", data: "none", id: "7" }];
    expect(read(text)).toEqual(want);
    for (let k = 1; k < text.length; k++) expect(read(text.slice(0, k), text.slice(k))).toEqual(want);
    expect(read(...text)).toEqual(want);
  });
  it("tells nothing without data", () => expect(read("event: x\nid: 3\n\n")).toEqual([]));
});

describe("listen", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A server whose answers are given in order; what it was asked is kept. */
  function server(...answers: (() => Response | Promise<Response>)[]) {
    const asked: (string | null)[] = [];
    const lost: string[] = [];
    const told: string[] = [];
    let opened = 0;
    const stop = listen({ url: "/x", silence: 1000, retry: 100, fetch: (async (_url: string, init: RequestInit) => {
      asked.push(new Headers(init.headers).get("Last-Event-ID"));
      const next = answers[asked.length - 1];
      if (!next) return new Promise<Response>((_, no) => init.signal!.addEventListener("abort", () => no(new DOMException("", "AbortError"))));
      return next();
    }) as typeof fetch }, { message: (m) => told.push(m.data), opened: () => opened++, lost: (why) => lost.push(why) });
    return { asked, lost, told, stop, opened: () => opened };
  }
  const says = (text: string) => () => new Response(text);

  it("goes on after the last event that it had", async () => {
    const s = server(says("id: 41\ndata: a\n\nid: 42\ndata: b\n\ndata: cut off"), says("id: 43\ndata: c\n\n"));
    await vi.advanceTimersByTimeAsync(50);
    expect(s.told).toEqual(["a", "b"]);
    expect(s.lost).toEqual(["the program ended the connection"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(s.asked).toEqual([null, "42"]);
    expect(s.told).toEqual(["a", "b", "c"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(s.asked[2]).toBe("43");
    s.stop();
  });

  it("says what the program says, and asks less and less often", async () => {
    const full = () => new Response('{"error":"too many watch already"}', { status: 503 });
    const s = server(full, full, () => { throw new TypeError("Failed to fetch"); });
    await vi.advanceTimersByTimeAsync(0);
    expect(s.lost).toEqual(["too many watch already (503)"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(s.lost.length).toBe(2);
    await vi.advanceTimersByTimeAsync(199);
    expect(s.lost.length).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(s.lost[2]).toBe("the program cannot be reached");
    expect(s.opened()).toBe(0);
    s.stop();
  });

  it("gives up a connection that says nothing", async () => {
    const s = server();
    await vi.advanceTimersByTimeAsync(1000);
    expect(s.lost).toEqual(["nothing was heard for 1 s"]);
    s.stop();
  });

  it("ends when told to", async () => {
    const s = server(says("data: a\n\n"));
    await vi.advanceTimersByTimeAsync(10);
    s.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(s.asked.length).toBe(1);
  });
});
