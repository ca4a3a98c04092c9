// What each thread does, frame by frame.
import type { Threads } from "../engine/types";

export const idle = 0;
export type What = "works" | "waits" | "orphaned";
const words: Record<number, What> = { 1: "works", 2: "waits", 3: "orphaned" };

export interface Frames {
  service: string;
  workers: number;
  routes: string[];
  step: number; // seconds
  count: number;
  bytes: Uint8Array;
}

export function decode(t: Threads): Frames {
  const bytes = Uint8Array.from(atob(t.frames), (c) => c.charCodeAt(0));
  return { service: t.service, workers: t.workers, routes: t.routes, step: t.step_s, bytes,
    count: Math.floor(bytes.length / Math.max(1, t.workers)) };
}

export const frameAt = (f: Frames, at: number): number => Math.max(0, Math.min(f.count - 1, Math.round(at / f.step)));

export function frame(f: Frames, at: number): Uint8Array {
  const k = frameAt(f, at);
  return f.bytes.subarray(k * f.workers, (k + 1) * f.workers);
}

export const routeOf = (b: number): number => b >> 2;
export const whatOf = (b: number): What => words[b & 3] ?? "works";

export interface Count {
  route: string;
  works: number;
  waits: number;
  orphaned: number;
}

/** How many threads each route holds in one frame, and how many are idle. */
export function counts(f: Frames, now: Uint8Array): { routes: Count[]; idle: number } {
  const routes = f.routes.map((route) => ({ route, works: 0, waits: 0, orphaned: 0 }));
  let none = 0;
  for (const b of now) {
    if (b === idle) none++;
    else routes[routeOf(b)]![whatOf(b)]++;
  }
  return { routes, idle: none };
}

/** The same in words, for who cannot see the squares. */
export function describe(f: Frames, at: number): string {
  const c = counts(f, frame(f, at));
  const parts = c.routes.map((r) => {
    const n = r.works + r.waits + r.orphaned;
    const more = [r.waits ? `${r.waits} of them wait to try again` : "", r.orphaned ? `${r.orphaned} work for users who have left` : ""].filter(Boolean);
    return `${n} for ${r.route}${more.length ? ` (${more.join(", ")})` : ""}`;
  });
  return `${f.workers} threads of ${f.service} at ${at.toFixed(2)} s: ${parts.join(", ")}, ${c.idle} idle`;
}
