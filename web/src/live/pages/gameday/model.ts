// Faults, in words, and what they do to whom they hurt.
import { dashes, type Chart } from "../../../ui/plot";
import type { Columns } from "../../history";
import type { Event } from "../../schema";

export interface Faults {
  faults: Fault[];
  bounds: Bounds[];
}
export interface Fault {
  dependency?: string;
  name: string;
  kind: string;
  share: number;
  running: boolean;
  left_ms?: number;
  over?: string;
  order: boolean;
  operation?: string;
  endpoint?: string;
  method?: string;
  path?: string;
  marked?: boolean;
  seen: number;
  hurt: number;
  spared: number;
}
export interface Bounds {
  dependency?: string;
  allow: boolean;
  share: number;
  concurrent: number;
  hurting: number;
  abort?: { success: number; window_ms: number; calls: number; judged: number; succeeded: number };
}

export const where = (dependency: string | undefined): string => dependency || "the door";

/** Which requests a fault is about. */
export function scopeOf(f: Fault): string {
  const all = [f.operation && `operation ${f.operation}`, f.endpoint && `to ${f.endpoint}`, f.method, f.path, f.marked && "only marked ones"].filter(Boolean);
  return all.length ? all.join(", ") : "all";
}

/** The share of the requests that running faults may hurt in a place; those for marked ones hurt who asks. */
export const reach = (all: readonly Fault[], dependency: string | undefined): number =>
  all.filter((f) => f.running && !f.marked && (f.dependency ?? "") === (dependency ?? "")).reduce((sum, f) => sum + f.share, 0);

export interface AbortState {
  at?: number; // the share that succeeds, if enough is known
  says: string;
  tone: "good" | "half" | "none";
}

/** How near a place is to the end of all its faults. */
export function abortState(b: Bounds): AbortState {
  const a = b.abort;
  if (!a) return { says: "Nothing ends faults here but their time and an order.", tone: "none" };
  if (a.judged < a.calls) return { says: `Too few calls to judge: ${a.judged} of ${a.calls}. All faults end when under ${+(a.success * 100).toFixed(2)} % succeed.`, tone: "none" };
  const at = a.succeeded / a.judged;
  return { at, says: `${(at * 100).toFixed(1)} % of ${a.judged} calls succeed. Under ${+(a.success * 100).toFixed(2)} % all faults end.`, tone: at - a.success < (1 - a.success) / 2 ? "half" : "good" };
}

/** Whom to look at: who is asked for, or who is hurt, or who could be. */
export function watched(v: Faults, asked: string | undefined): string | undefined {
  const names = [...v.faults.filter((f) => f.running), ...v.faults, ...v.bounds.filter((b) => b.allow)].map((f) => f.dependency).filter((n): n is string => !!n);
  return asked || names[0];
}

/** Of many places those first in which something runs, or that are looked at. */
export function placesOf(v: Faults, who: string | undefined, few = 8): { first: Bounds[]; rest: Bounds[] } {
  if (v.bounds.length <= few) return { first: v.bounds, rest: [] };
  const is = (b: Bounds) => b.dependency === who || b.hurting > 0 || reach(v.faults, b.dependency) > 0;
  return { first: v.bounds.filter(is), rest: v.bounds.filter((b) => !is(b)) };
}

/** Beginnings and ends of faults, as marks. */
export const marksOf = (events: readonly Event[], dependency: string): { at: number; label: string }[] =>
  events.filter((e) => e.kind === "fault-changed" && e.policy === dependency).map((e) => ({ at: e.at_ms, label: `${e.key ?? ""} ${e.to ?? ""}` }));

/** What is looked at while somebody is hurt. */
export function effectCharts(c: Columns): Chart[] {
  const line = (label: string, key: string, color: number, dash = 0) => ({ label, color, dash: dashes[dash]!, values: c[key] ?? [] });
  return [
    { id: "answers", title: "Answers", unit: "", percent: true, most: 1, lines: [line("success", "success", 0), line("answered, with fallbacks", "answered", 1, 1), line("by a fallback", "fallback_share", 2, 2)] },
    { id: "latency", title: "Latency", unit: "ms", most: 1, lines: [line("p50", "p50_ms", 0), line("p99", "p99_ms", 2, 1), line("p99.9", "p999_ms", 4, 2)] },
    { id: "attempts", title: "Attempts", unit: "/s", most: 1, lines: [line("first", "first_attempts", 0), line("retries", "retries", 2, 1), line("denied by the budget", "budget_denied", 4, 2)] },
    { id: "refused", title: "Refused and under way", unit: "", most: 1, lines: [line("refused by the breaker, a second", "refused_circuit_open", 4), line("timed out, a second", "timed_out", 2, 1), line("in flight", "in_flight", 0, 2)] },
  ];
}
