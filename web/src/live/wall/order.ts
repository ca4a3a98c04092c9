// Which tiles there are, and in what order; without a jump that nobody asked for.
import type { Dependency } from "../schema";

export interface Sort {
  id: string;
  text: string;
  of: (d: Dependency) => number | string; // ascending
}

/** Below this badness a dependency is well, and its share of failures may tremble. */
const watched = 0.05;
const down = (v: number | undefined, none = -1) => -(v ?? none);

export const sorts: Sort[] = [
  // In steps, so that a share that trembles moves nothing.
  { id: "worst", text: "worst first", of: (d) => (d.badness < watched ? 0 : -1 - Math.round(d.badness * 10)) },
  { id: "name", text: "by name", of: () => 0 },
  { id: "rate", text: "busiest first", of: (d) => down(rough(d.rate)) },
  { id: "success", text: "least success first", of: (d) => Math.round((d.success ?? 2) * 1000) },
  { id: "p99", text: "slowest first (p99)", of: (d) => down(rough(d.latency?.p99_ms ?? -1)) },
  {
    id: "full",
    text: "fullest first",
    of: (d) => down(d.bulkhead?.limit ? Math.round((10 * d.bulkhead.in_use) / d.bulkhead.limit) : undefined),
  },
  { id: "retries", text: "most retries first", of: (d) => down(rough(d.retry_ratio)) },
  { id: "budget", text: "least budget first", of: (d) => Math.round((d.slo_left ?? 2) * 100) },
  { id: "fallback", text: "most fallbacks first", of: (d) => down(Math.round(d.fallback_share * 100)) },
];

/** Two digits: what differs by less is as good as the same. */
function rough(v: number): number {
  if (v <= 0) return v;
  const scale = 10 ** (Math.floor(Math.log10(v)) - 1);
  return Math.round(v / scale) * scale;
}

/** The names that a filter leaves, pinned ones first, then as they are sorted, then by name. */
export function ordered(all: readonly Dependency[], sort: string, filter: string, pins: ReadonlySet<string>): string[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const of = (sorts.find((s) => s.id === sort) ?? sorts[0]!).of;
  const text = (d: Dependency) => `${d.name} ${d.kind} ${d.breaker?.state ?? ""}`.toLowerCase();
  return all
    .filter((d) => words.every((w) => text(d).includes(w)))
    .map((d) => ({ name: d.name, pin: pins.has(d.name) ? 0 : 1, key: of(d) }))
    .sort((a, b) => a.pin - b.pin || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) || a.name.localeCompare(b.name, "en"))
    .map((d) => d.name);
}

/** The order to show: while the wall is held, by a pointer or the keyboard, what is there stays where it is. */
export function calm(shown: readonly string[], wanted: readonly string[], held: boolean): string[] {
  if (!held) return wanted as string[];
  const want = new Set(wanted);
  const stay = shown.filter((n) => want.has(n));
  const has = new Set(stay);
  return [...stay, ...wanted.filter((n) => !has.has(n))];
}

/** Where an arrow key leads from a tile, in rows of so many. */
export function beside(at: number, key: string, columns: number, n: number): number {
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[key];
  if (key === "Home") return 0;
  if (key === "End") return n - 1;
  const to = at + (by ?? 0);
  return to < 0 || to >= n ? at : to;
}

/** How bad a tile is, in words. */
export function tone(d: Dependency): "bad" | "watch" | "calm" | "idle" {
  if (d.badness >= 0.5) return "bad";
  if (d.badness >= watched) return "watch";
  return d.rate > 0 || d.in_flight > 0 ? "calm" : "idle";
}
