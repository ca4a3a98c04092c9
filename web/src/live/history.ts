// What was, in columns, for the time that is shown. Live, only what is new is asked
// for, and put at the end.
import { useEffect, useState } from "preact/hooks";
import { historyOf } from "./api";
import { range, stepFor } from "./range";
import type { Heat, History, Values } from "./schema";
import { programNow, takeHistory } from "./store";

/** Values by what they are of, one for each step. */
export type Columns = Record<string, Values>;

export interface Loaded {
  step: number; // ms
  times: number[]; // the end of each step
  oldest: number; // how far back there is anything
  series: Map<string, Columns>; // by dependency
  serve?: Columns;
  heat?: Heat; // of the only dependency
}

export function loadedOf(h: History): Loaded {
  return { step: h.step_ms, times: h.times, oldest: h.oldest_ms, serve: h.serve?.columns, heat: h.dependencies[0]?.heat,
    series: new Map(h.dependencies.map((d) => [d.name, d.columns])) };
}

/** Puts newer steps at the end, instead of those that they cover, and forgets those that ended before a time. */
export function joined(old: Loaded, more: Loaded, from: number): Loaded {
  if (!more.times.length) return old;
  if (old.step !== more.step) return more;
  const begin = old.times.findIndex((t) => t > from);
  const a = begin < 0 ? old.times.length : begin;
  const cut = old.times.findIndex((t) => t >= more.times[0]!);
  const b = cut < 0 ? old.times.length : Math.max(a, cut);
  const skip = Math.max(0, more.times.findIndex((t) => t > from));
  const both = <T>(x: readonly T[], y: readonly T[]) => [...x.slice(a, b), ...y.slice(skip)];
  const gap = (n: number): Values => new Array<null>(n).fill(null);
  const columns = (x: Columns | undefined, y: Columns) =>
    Object.fromEntries(Object.entries(y).map(([k, v]) => [k, both(x?.[k] ?? gap(old.times.length), v)]));
  const heat = more.heat && { bounds_ms: more.heat.bounds_ms, counts: both(old.heat?.counts ?? old.times.map(() => []), more.heat.counts) };
  return { step: more.step, oldest: more.oldest, times: both(old.times, more.times), heat,
    serve: more.serve && columns(old.serve, more.serve),
    series: new Map([...more.series].map(([name, c]) => [name, columns(old.series.get(name), c)])) };
}

export interface Asked {
  loaded: Loaded | null;
  error: string;
}

/** The history of the time that is shown: of one dependency, or of all and of what comes in. */
export function useHistory(dependency?: string, columns?: string): Asked {
  const [asked, set] = useState<Asked>({ loaded: null, error: "" });
  const r = range.value;
  const key = r.live ? `live ${r.span}` : `${r.from} ${r.to}`;
  useEffect(() => {
    const stop = new AbortController();
    const now = programNow();
    const [from, to] = r.live ? [now - r.span, now] : [r.from, r.to];
    const step = stepFor(from, to, now);
    const ask = (from: number, to?: number) =>
      historyOf({ from: Math.round(from), to: to && Math.round(to), step: `${step / 1000}s`, dependency, columns }, stop.signal);
    let loaded: Loaded | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async () => {
      const begin = programNow() - r.span - 2 * step;
      const last = loaded?.times[loaded.times.length - 1];
      try {
        if (!document.hidden) {
          const h = r.live ? await ask(Math.max(begin, last === undefined ? begin : last - 3 * step)) : await ask(r.from, r.to);
          takeHistory(h);
          loaded = loaded && r.live ? joined(loaded, loadedOf(h), begin) : loadedOf(h);
          set({ loaded, error: "" });
        }
      } catch (e) {
        if (stop.signal.aborted) return;
        set({ loaded, error: e instanceof Error ? e.message : String(e) });
      }
      if (r.live && !stop.signal.aborted) timer = setTimeout(() => void turn(), Math.min(5000, Math.max(1000, step / 2)));
      else if (!loaded && !stop.signal.aborted) timer = setTimeout(() => void turn(), 3000);
    };
    void turn();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key, dependency, columns]);
  return asked;
}
