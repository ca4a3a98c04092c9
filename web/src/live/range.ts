// The time that all charts show, in the address: from=-5m is the last five minutes
// and goes on, from and to in ms of Unix time are a time that stands still.
import { computed } from "@preact/signals";
import { route, set } from "./router";
import { shownNow } from "./store";

export interface Range {
  from: number; // ms of Unix time
  to: number;
  live: boolean;
  span: number; // ms
}

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
export const usual = 5 * units.m!;
const least = 10_000;
export const most = 31 * units.d!;

/** Reads a length such as 90s, 5m, 24h; undefined if it is none. */
export function lengthOf(text: string | undefined): number | undefined {
  const found = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text ?? "");
  return found ? Number(found[1]) * units[found[2]!]! : undefined;
}

/** Writes a length, in the largest unit that it is a whole number of. */
export function lengthText(ms: number): string {
  for (const u of ["d", "h", "m"]) if (ms >= units[u]! && ms % units[u]! === 0 && !(u === "d" && ms === units.d)) return `${ms / units[u]!}${u}`;
  return `${Math.round(ms / 1000)}s`;
}

/** What an address means at a moment. What cannot be read means the usual. */
export function rangeOf(query: Record<string, string>, now: number): Range {
  const from = Number(query.from);
  const to = Number(query.to);
  if (query.from && query.to && Number.isFinite(from) && Number.isFinite(to) && to - from >= 1000 && to - from <= most)
    return { from, to, live: false, span: to - from };
  const span = Math.min(most, Math.max(least, lengthOf(query.from?.replace(/^-/, "")) ?? usual));
  return { from: now - span, to: now, live: true, span };
}

export const range = computed(() => rangeOf(route.value.query, shownNow.value));

/** How far apart the points are that are asked for: 600 at most, and seconds only of the last 15 minutes, which is as long as seconds are kept. */
export function stepFor(from: number, to: number, now: number): number {
  const fine = from > now - 15 * units.m! + 5000;
  const want = Math.max((to - from) / 600, fine ? 1000 : 10_000);
  for (const s of [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600]) if (s * 1000 >= want) return s * 1000;
  return 7_200_000;
}

/** Shows the last so many milliseconds, and goes on. */
export function live(span: number): void {
  set({ from: span === usual ? undefined : `-${lengthText(span)}`, to: undefined }, true);
}

/** Shows a time that stands still. */
export function zoom(from: number, to: number): void {
  const short = least - (to - from);
  const wide = short > 0 ? short / 2 : 0;
  const end = Math.min(Math.round(to + wide), Math.round(shownNow.value));
  set({ from: String(Math.min(Math.round(from - wide), end - 1000)), to: String(end) }, true);
}

/** Moves by a share of what is shown; moving beyond now is live again. */
export function move(share: number): void {
  const r = range.value;
  const by = r.span * share;
  if (r.to + by >= shownNow.value) live(r.span);
  else zoom(r.from + by, r.to + by);
}

/** Shows more (2) or less (0.5) time, around the middle, or up to now. */
export function widen(factor: number): void {
  const r = range.value;
  const span = Math.min(most, Math.max(least, r.span * factor));
  if (r.live) live(span);
  else {
    const middle = (r.from + r.to) / 2;
    zoom(middle - span / 2, middle + span / 2);
  }
}
