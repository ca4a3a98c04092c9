// Numbers for people, as `seakeep top` and the plain page write them.
import type { Breaker, Slots } from "./schema";

const NB = "\u00a0";

/** A share, or "–" for none. It says 100 % only of all, and 0 % only of nothing. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return "–";
  if (share >= 0.9995 && share < 1) return `99.9${NB}%`;
  if (share > 0 && share < 0.0005) return `0.1${NB}%`;
  return `${(share * 100).toFixed(1)}${NB}%`;
}

/** A rate or a ratio, with three digits. */
export function number(v: number): string {
  if (v === 0) return "0";
  return v.toFixed(v >= 100 ? 0 : v >= 10 ? 1 : 2);
}

/** Milliseconds. */
export function ms(v: number | null | undefined): string {
  if (v === null || v === undefined) return "–";
  if (v >= 10_000) return `${(v / 1000).toFixed(0)}${NB}s`;
  if (v >= 1000) return `${(v / 1000).toFixed(1)}${NB}s`;
  return `${v.toFixed(v >= 10 ? 0 : 1)}${NB}ms`;
}

/** How long ago something was. */
export function ago(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 120) return `${s}${NB}s`;
  if (s < 7200) return `${Math.floor(s / 60)}${NB}min`;
  return s < 172_800 ? `${Math.floor(s / 3600)}${NB}h` : `${Math.floor(s / 86_400)}${NB}days`;
}

/** What a breaker is like, and who holds it. */
export function breakerWord(b: Breaker | undefined): string {
  if (!b) return "–";
  const keys = b.keys?.open ? `, ${b.keys.open} keys open` : "";
  return b.state + (b.mode === "auto" ? "" : ` (${b.mode})`) + keys;
}

/** How many calls are under way of how many there may be. */
export function slotsWord(inFlight: number, s: Slots | undefined): string {
  if (!s) return String(inFlight);
  return `${s.in_use}${NB}/${NB}${s.limit}${s.queued ? ` +${NB}${s.queued}` : ""}`;
}
