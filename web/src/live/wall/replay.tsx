// Replays the wall: the last day, or as far back as there is anything.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { clock } from "../../ui/plot";
import { historyOf } from "../api";
import { loadedOf, type Loaded } from "../history";
import { stepFor } from "../range";
import type { Recent } from "../recent";
import { route, set } from "../router";
import type { Snapshot } from "../schema";
import { events, programNow, takeHistory } from "../store";
import { ago } from "../words";
import { columns, isKnown, nextChange, recentAt, wallAt } from "./past";

/** The moment that is shown, while it moves; the address has it when it stands. */
const head = signal<number | null>(null);
const playing = signal(false);
const speed = signal(10);
const chunk = 300_000; // ms that are asked for at once
const before = 130_000; // and before that, for the small charts
const most = 20_000; // points that are asked for at once, of each column: of many dependencies not each second

/** The moment of the address, or the one that plays; undefined: now. */
export function shownAt(): number | undefined {
  const at = Number(route.value.query.at);
  return head.value ?? (route.value.query.at && Number.isFinite(at) && at > 0 ? Math.min(at, programNow()) : undefined);
}

export interface Past {
  wall: Snapshot;
  known: boolean; // there is something from then
  recent: ReadonlyMap<string, Recent>;
}

/** The wall at a moment; null until it is known. */
export function usePast(
  at: number | undefined,
  like: Snapshot | null,
): { past: Past | null; error: string; oldest: number | undefined } {
  const [loaded, keep] = useState<Loaded | null>(null);
  const [error, fail] = useState("");
  const many = like?.dependencies.length ?? 0;
  const part = at === undefined ? undefined : Math.floor(at / chunk);
  useEffect(() => {
    if (part === undefined || many === 0) return;
    const stop = new AbortController();
    const [from, to] = [part * chunk - before, (part + 1) * chunk + 20_000];
    const fine = stepFor(from, to, programNow());
    const step = (many * (to - from)) / fine > most ? Math.max(fine, 10_000) : fine;
    historyOf({ from, to: Math.min(to, Math.ceil(programNow())), step: `${step / 1000}s`, columns }, stop.signal)
      .then((h) => (takeHistory(h), fail(""), keep(loadedOf(h))))
      .catch((e: unknown) => stop.signal.aborted || fail(e instanceof Error ? e.message : String(e)));
    return () => stop.abort();
  }, [part, many]);
  const begun = at !== undefined;
  useEffect(() => {
    // All changes, to go from one to the next. Without them the slider does it.
    if (begun)
      void historyOf({ from: "-24h", step: "3600s", columns: "rate" })
        .then(takeHistory)
        .catch(() => undefined);
  }, [begun]);
  const known = events.value;
  const shown = at === undefined ? undefined : Math.ceil(at / (loaded?.step ?? 1000));
  const past = useMemo(
    () =>
      at === undefined || !loaded || !like
        ? null
        : { known: isKnown(loaded, at), wall: wallAt(loaded, at, like, known), recent: recentAt(loaded, at) },
    [loaded, shown, like === null, known],
  );
  return { past, error, oldest: loaded?.oldest };
}

function show(at: number | undefined, isStep = false): void {
  head.value = null;
  set({ at: at === undefined ? undefined : String(Math.round(at)) }, isStep);
}

export function Replay({ at, oldest, error }: { at: number | undefined; oldest: number | undefined; error: string }) {
  const play = playing.value;
  const now = useRef(at);
  now.current = at;
  useEffect(() => {
    if (!play) return;
    const timer = setInterval(() => {
      const next = (now.current ?? 0) + 500 * speed.value;
      if (next >= programNow()) {
        playing.value = false;
        show(undefined);
      } else head.value = next;
    }, 500);
    return () => clearInterval(timer);
  }, [play]);
  useEffect(
    () => () => {
      playing.value = false;
      head.value = null;
    },
    [],
  );
  if (at === undefined)
    return (
      <button type="button" onClick={() => show(programNow() - 300_000, true)}>
        Replay what was
      </button>
    );
  const end = programNow();
  const begin = Math.max(oldest ?? end - 86_400_000, end - 31 * 86_400_000);
  const jump = (way: 1 | -1) => {
    const to = nextChange(events.value, at, way);
    playing.value = false;
    if (to !== undefined) show(to);
  };
  return (
    <div class="replay" role="group" aria-label="Replay of what was">
      <button
        type="button"
        onClick={() => {
          playing.value = !play;
          if (play) show(at);
        }}
      >
        {play ? "Pause" : "Play"}
      </button>
      <button
        type="button"
        aria-label="The breaker change before"
        disabled={nextChange(events.value, at, -1) === undefined}
        onClick={() => jump(-1)}
      >
        ‹ change
      </button>
      <button
        type="button"
        aria-label="The next breaker change"
        disabled={nextChange(events.value, at, 1) === undefined}
        onClick={() => jump(1)}
      >
        change ›
      </button>
      <label class="speed">
        Speed{" "}
        <select value={String(speed.value)} onChange={(e) => (speed.value = Number(e.currentTarget.value))}>
          {[1, 10, 60, 300].map((s) => (
            <option key={s} value={s}>
              {s}×
            </option>
          ))}
        </select>
      </label>
      <input
        type="range"
        aria-label="Moment that is shown"
        min={begin}
        max={end}
        step={1000}
        value={at}
        aria-valuetext={`${clock(at, 1000)}, ${ago(end - at)} ago`}
        onInput={(e) => {
          playing.value = false;
          show(Number(e.currentTarget.value));
        }}
      />
      <output data-testid="moment">
        <b>
          {clock(at, 86_400_000)} {clock(at, 1000)}
        </b>
        , {ago(end - at)} ago
      </output>
      <button
        type="button"
        onClick={() => {
          playing.value = false;
          show(undefined);
        }}
      >
        Back to now
      </button>
      {oldest !== undefined && at < oldest && (
        <p class="soft note">
          There is nothing from before {clock(oldest, 86_400_000)} {clock(oldest, 1000)}.{" "}
          <button type="button" class="link" onClick={() => show(oldest + 2000)}>
            Go there
          </button>
        </p>
      )}
      {error && (
        <p class="problem" role="status">
          What was is not known: {error}.
        </p>
      )}
    </div>
  );
}
