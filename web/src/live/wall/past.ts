// The wall as it was: a moment of the history as if it were a snapshot.
import { badness } from "../badness";
import type { Columns, Loaded } from "../history";
import { span, type Recent } from "../recent";
import type { Dependency, Event, Snapshot } from "../schema";

/** What is asked for of all dependencies. Error budgets and faults are not kept. */
export const columns =
  "rate,success,answered,p50_ms,p99_ms,p999_ms,breaker,forced,in_flight,slots,limit,queued,retry_ratio,hedge_ratio,retry_budget,fallback_share,endpoints,up,ejected";

const states = ["", "closed", "half-open", "open"];

/** The step that a moment is in; -1: there is none. */
export function stepAt(times: readonly number[], step: number, at: number): number {
  const k = times.findIndex((t) => t >= at);
  return k >= 0 && times[k]! - step <= at ? k : -1;
}

/** Whether anything is known of a moment. */
export function isKnown(h: Loaded, at: number): boolean {
  const k = stepAt(h.times, h.step, at);
  return k >= 0 && [...h.series.values()].some((c) => (c.rate?.[k] ?? null) !== null);
}

/** The wall at a moment, with the names and kinds that there are now. */
export function wallAt(h: Loaded, at: number, like: Snapshot, changes: readonly Event[]): Snapshot {
  const k = stepAt(h.times, h.step, at);
  const dependencies = like.dependencies.map((d) =>
    dependencyAt(d, h.series.get(d.name) ?? {}, k, lastChange(changes, d.name, at)),
  );
  dependencies.sort((a, b) => b.badness - a.badness);
  return {
    version: like.version,
    at_ms: at,
    window_ms: h.step,
    service: like.service,
    ready: true,
    dependencies,
    slo: [],
    faults: [],
    levers: false,
  };
}

function dependencyAt(d: Dependency, c: Columns, k: number, change: Event | undefined): Dependency {
  const some = (name: string): number | undefined => c[name]?.[k] ?? undefined;
  const value = (name: string): number => some(name) ?? 0;
  const state = states[value("breaker")] ?? "";
  const one: Dependency = {
    name: d.name,
    kind: d.kind,
    badness: 0,
    rate: value("rate"),
    success: some("success"),
    answered: some("answered"),
    outcomes: {},
    in_flight: value("in_flight"),
    attempts_per_call: 1 + value("retry_ratio") + value("hedge_ratio"),
    retry_ratio: value("retry_ratio"),
    hedge_ratio: value("hedge_ratio"),
    hedge_wins: 0,
    fallback_share: value("fallback_share"),
    fallback_failed: 0,
  };
  if (some("p50_ms") !== undefined)
    one.latency = {
      count: 0,
      mean_ms: 0,
      max_ms: 0,
      p50_ms: value("p50_ms"),
      p99_ms: value("p99_ms"),
      p999_ms: value("p999_ms"),
    };
  if (state)
    one.breaker = {
      state,
      mode: value("forced") ? "held" : "auto",
      calls: 0,
      failed: 0,
      slow: 0,
      since_ms: change?.to === state ? change.at_ms : undefined,
    };
  if (value("limit") > 0)
    one.bulkhead = { in_use: value("slots"), limit: value("limit"), queued: value("queued"), queue_limit: 0 };
  if (d.retry_budget) one.retry_budget = { left: value("retry_budget"), denied: 0 };
  if (value("endpoints") > 0)
    one.endpoints = { total: value("endpoints"), up: value("up"), ejected: value("ejected"), panic: false };
  one.badness = badness(one);
  return one;
}

/** The last change of a dependency's breaker up to a moment. */
function lastChange(changes: readonly Event[], name: string, at: number): Event | undefined {
  let last: Event | undefined;
  for (const e of changes)
    if (e.kind === "breaker-changed" && e.policy === name && e.at_ms <= at && (!last || e.at_ms >= last.at_ms))
      last = e;
  return last;
}

/** The two minutes before a moment, for the small charts. */
export function recentAt(h: Loaded, at: number): Map<string, Recent> {
  const steps = h.times.map((_, k) => k).filter((k) => h.times[k]! > at - span && h.times[k]! <= at);
  return new Map(
    [...h.series].map(([name, c]) => {
      const has = steps.filter((k) => (c.rate?.[k] ?? null) !== null);
      return [
        name,
        {
          times: has.map((k) => h.times[k]!),
          rate: has.map((k) => c.rate![k]!),
          success: has.map((k) => c.success?.[k] ?? null),
        },
      ];
    }),
  );
}

/** The next change of a breaker after a moment (1), or the one before it (-1). Those within a second of it are passed over. */
export function nextChange(changes: readonly Event[], at: number, way: 1 | -1): number | undefined {
  let best: number | undefined;
  for (const e of changes) {
    if (e.kind !== "breaker-changed" || (e.at_ms - at) * way <= 1000) continue;
    if (best === undefined || (e.at_ms - best) * way < 0) best = e.at_ms;
  }
  return best;
}
