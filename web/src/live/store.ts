// What is known of the program now: one connection feeds it, all pages read it.
import { batch, computed, signal } from "@preact/signals";
import { address, historyOf } from "./api";
import { begun, recent, remember } from "./recent";
import type { Event, History, Snapshot } from "./schema";
import { listen, type Message } from "./sse";

export interface Connection {
  state: "connecting" | "live" | "lost";
  since: number; // ms of this computer's clock
  why: string;
}

export const snapshot = signal<Snapshot | null>(null);
export const connection = signal<Connection>({ state: "connecting", since: Date.now(), why: "" });
/** The changes of states, the oldest first, the latest 4096 of them. */
export const events = signal<readonly Event[]>([]);
/** How many events were left out, because this page or the program was too slow. */
export const missed = signal(0);

/** How far the program's clock is ahead of this computer's. */
let ahead = 0;
/** The program's time, in ms of Unix time. */
export const programNow = () => Date.now() + ahead;
/** The time that live charts end at: that of the last snapshot. */
export const shownNow = computed(() => snapshot.value?.at_ms ?? programNow());

const keptEvents = 4096;

/** Adds events to those that are known: each once, by their numbers, the latest
 * ones. The list stays the same when there is nothing new. */
export function merged(known: readonly Event[], more: readonly Event[], most = keptEvents): readonly Event[] {
  const has = new Set(known.map(numberOf));
  const fresh = more.filter((e) => !has.has(numberOf(e)) && has.add(numberOf(e)));
  if (!fresh.length) return known;
  const all = [...known, ...fresh];
  const inOrder = all.every((e, k) => k < known.length || k === 0 || (e.id ?? 0) > (all[k - 1]!.id ?? 0));
  return (inOrder ? all : all.sort((a, b) => (a.id ?? 0) - (b.id ?? 0) || a.at_ms - b.at_ms)).slice(-most);
}

/** What an event is known by. A source that does not number them has one of a kind at a time. */
const numberOf = (e: Event): number | string => e.id ?? `${e.at_ms} ${e.kind} ${e.policy} ${e.seq}`;

/** Takes a message of the stream. What cannot be read is left out. */
export function take(m: Message): void {
  let body: unknown;
  try {
    body = JSON.parse(m.data);
  } catch {
    return;
  }
  if (typeof body !== "object" || body === null) return;
  if (m.event === "snapshot") {
    const s = body as Snapshot;
    batch(() => {
      ahead = s.at_ms - Date.now();
      snapshot.value = s;
      remember(s);
      if (connection.value.state !== "live") connection.value = { state: "live", since: Date.now(), why: "" };
    });
  } else if (m.event === "decision") {
    events.value = merged(events.value, [body as Event]);
  } else if (m.event === "missed" && "missed" in body) {
    missed.value += Number(body.missed) || 0;
  }
}

/** Takes the changes that a history tells of. */
export function takeHistory(h: History): void {
  events.value = merged(events.value, h.events);
}

let stop: (() => void) | undefined;
let last = ""; // the number of the last event

/** Begins to listen, after the last event that was told; once for all pages. */
export function begins(): () => void {
  stop?.();
  const url = address("events", { hz: 2, calls: 0 });
  stop = listen({ fetch: (a, b) => fetch(a, b), url, silence: 15_000, retry: 1000, last }, {
    message(m) {
      last = m.id;
      take(m);
    },
    // It is live with the first snapshot, which comes at once. What was before is
    // only for the small charts and the list of changes: without it they begin now.
    opened() {
      void historyOf({ from: "-15m", step: "60s", columns: "rate" }).then(takeHistory).catch(() => undefined);
      void historyOf({ from: "-2m", step: "5s", columns: "rate,success" }).then((h) => (recent.value = begun(recent.value, h))).catch(() => undefined);
    },
    lost(why) {
      const c = connection.value;
      connection.value = { state: "lost", since: c.state === "lost" ? c.since : Date.now(), why };
    },
  });
  return stop;
}

/** How long a page that nobody sees goes on listening. */
const unseen = 60_000;

/** Ends listening while nobody sees the page, and goes on where it was when somebody does. */
export function pauses(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (!document.hidden) {
      if (!stop) begins();
      return;
    }
    timer = setTimeout(() => {
      stop?.();
      stop = undefined;
      connection.value = { state: "connecting", since: Date.now(), why: "" };
    }, unseen);
  });
}
