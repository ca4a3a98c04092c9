// The last two minutes of each dependency, from the snapshots that came, for the
// small charts of the wall.
import { signal } from "@preact/signals";
import type { History, Snapshot } from "./schema";

export interface Recent {
  times: number[]; // ms, rising
  rate: number[];
  success: (number | null)[];
}

/** How far back they go. */
export const span = 120_000;
const step = 1000;

/** By dependency. It changes with each point that is added. */
export const recent = signal<ReadonlyMap<string, Recent>>(new Map());

/** Adds a snapshot's figures, one point a second at most, and forgets what is old or gone. */
export function added(all: ReadonlyMap<string, Recent>, s: Snapshot): Map<string, Recent> {
  const next = new Map<string, Recent>();
  for (const d of s.dependencies) {
    const old = all.get(d.name) ?? { times: [], rate: [], success: [] };
    const last = old.times[old.times.length - 1];
    if (last !== undefined && s.at_ms < last) {
      next.set(d.name, { times: [s.at_ms], rate: [d.rate], success: [d.success ?? null] }); // the clock went back
      continue;
    }
    if (last !== undefined && s.at_ms - last < step * 0.9) {
      next.set(d.name, old);
      continue;
    }
    const from = old.times.findIndex((t) => t > s.at_ms - span);
    const cut = <T>(list: T[], v: T) => [...(from < 0 ? [] : list.slice(from)), v];
    next.set(d.name, { times: cut(old.times, s.at_ms), rate: cut(old.rate, d.rate), success: cut(old.success, d.success ?? null) });
  }
  return next;
}

/** What a history has of the time before the first snapshot that came. */
export function begun(all: ReadonlyMap<string, Recent>, h: History): Map<string, Recent> {
  const next = new Map(all);
  for (const s of h.dependencies) {
    const old = all.get(s.name) ?? { times: [], rate: [], success: [] };
    const first = old.times[0] ?? Infinity;
    const has = h.times.map((_, k) => k).filter((k) => h.times[k]! < first - step && (s.columns.rate?.[k] ?? null) !== null);
    next.set(s.name, { times: [...has.map((k) => h.times[k]!), ...old.times], rate: [...has.map((k) => s.columns.rate![k]!), ...old.rate],
      success: [...has.map((k) => s.columns.success?.[k] ?? null), ...old.success] });
  }
  return next;
}

export function remember(s: Snapshot): void {
  recent.value = added(recent.value, s);
}
