// The states of breakers over time, from their changes.
import type { Segment } from "../../ui/plot";
import type { Event } from "../schema";

export interface Row {
  label: string; // the operation or key; empty: the dependency itself
  segments: Segment[];
  changes: Event[]; // in the time that is shown, the oldest first
}

const byTime = (a: Event, b: Event) => a.at_ms - b.at_ms || (a.seq ?? 0) - (b.seq ?? 0);

const most = 12;

/** The rows of a dependency: its own breaker first, then those of operations and keys that changed, 12 at most; and how many more there are. */
export function rowsOf(events: readonly Event[], name: string, from: number, to: number, now: string): { rows: Row[]; more: number } {
  const groups = new Map<string, Event[]>([["", []]]);
  for (const e of events) {
    if (e.kind !== "breaker-changed" || (e.policy !== name && !e.policy?.startsWith(`${name}/`))) continue;
    const label = [e.policy.slice(name.length + 1), e.key].filter(Boolean).join(" ");
    const list = groups.get(label);
    if (list) list.push(e);
    else groups.set(label, [e]);
  }
  const rows = [...groups].slice(0, most).map(([label, all]) => {
    all.sort(byTime);
    return {
      label,
      segments: states(all, from, to, label ? "closed" : now),
      changes: all.filter((e) => e.at_ms >= from && e.at_ms <= to),
    };
  });
  return { rows, more: groups.size - rows.length };
}

/** The states between two moments, from all changes that are known; now is the state if none is. */
export function states(changes: readonly Event[], from: number, to: number, now: string): Segment[] {
  const out: Segment[] = [];
  let begin = from;
  let state = changes[0]?.from ?? now;
  for (const c of changes) {
    if (c.at_ms > to) break;
    if (c.at_ms > begin) {
      if (state) out.push({ from: begin, to: c.at_ms, state });
      begin = c.at_ms;
    }
    state = c.to ?? state;
  }
  if (state && begin < to) out.push({ from: begin, to, state });
  return out;
}

/** When somebody held a breaker: the steps of a history in which its column says so, and now. */
export function heldIn(times: readonly number[], forced: readonly (number | null)[] | undefined, step: number, to: number, now: boolean): Segment[] {
  const out: Segment[] = [];
  const add = (a: number, b: number) => {
    const last = out[out.length - 1];
    if (last && a <= last.to) last.to = Math.max(last.to, b);
    else out.push({ from: a, to: b, state: "held" });
  };
  times.forEach((end, k) => forced?.[k] && add(end - step, Math.min(end, to)));
  const end = times[times.length - 1];
  // The last step is not over yet.
  if (now) add(end !== undefined && end <= to ? end - step : to, to);
  return out.filter((s) => s.to > s.from);
}

export interface Cluster {
  at: number; // where it is drawn, in px
  events: Event[];
}

/** Puts together what would be drawn closer than so many px. */
export function clusters(events: readonly Event[], x: (ms: number) => number, apart: number): Cluster[] {
  const out: Cluster[] = [];
  for (const e of events) {
    const at = x(e.at_ms);
    const last = out[out.length - 1];
    if (last && at - last.at < apart) last.events.push(e);
    else out.push({ at, events: [e] });
  }
  return out;
}

/** How long each state lasted, in ms. */
export function lasted(segments: readonly Segment[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const s of segments) sum[s.state] = (sum[s.state] ?? 0) + s.to - s.from;
  return sum;
}
