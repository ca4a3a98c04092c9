// Situations to begin with. Those of checkout set the switches; the others are
// scenario files of the repository, run as they are.
import type { Setting } from "./setting";

export interface Preset {
  id: string;
  title: string;
  says: string;
  set?: Partial<Setting>;
  file?: string; // a scenario of the repository
}

const on = (latency: number, ...keys: (keyof Setting)[]): Partial<Setting> => ({
  latency,
  ...Object.fromEntries(keys.map((k) => [k, true])),
});

export const presets: readonly Preset[] = [
  { id: "healthy", title: "All is well", says: "22 of 200 threads are busy.", set: on(20) },
  { id: "cascade", title: "The cascade", says: "C takes 1 s, nothing is on: it takes two healthy endpoints with it.", set: on(1000) },
  { id: "timeout", title: "A timeout", says: "Slow becomes failed. A and B are well again.", set: on(1000, "timeout") },
  { id: "retries", title: "Retries on top", says: "They more than double the calls to C, and the pool is full again.", set: on(1000, "timeout", "retries") },
  { id: "budget", title: "A retry budget", says: "Retries for a tenth of the calls: the pool recovers.", set: on(1000, "timeout", "retries", "budget") },
  { id: "breaker", title: "A breaker and a fallback", says: "Hardly anybody waits for C.", set: on(1000, "timeout", "retries", "budget", "breaker", "fallback") },
  { id: "no-reply", title: "No reply, nothing on", says: "Every thread waits for C, for good.", set: on(Infinity) },
  { id: "bulkhead", title: "No reply, a bulkhead alone", says: "60 threads are stuck. A and B never notice.", set: on(Infinity, "bulkhead", "fallback") },
  { id: "flapping", title: "A breaker that flaps", says: "C recovers while the breaker is open, and the retries push it over again.",
    set: { ...on(300, "timeout", "retries", "breaker", "fallback"), window: 1000 } },
  { id: "settled", title: "The budget that ends it", says: "The same with a retry budget and a long window: it does not open.",
    set: { ...on(300, "timeout", "retries", "budget", "breaker", "fallback"), window: 3000 } },
  { id: "unbounded", title: "A queue without a bound", says: "57 % become nothing: all who are served have left.", set: { ...on(1000), length: 0 } },
  { id: "newest", title: "The newest first", says: "Without a bound, but who came last is next.", set: { ...on(1000), length: 0, rule: "lifo" } },
  ...[
    ["retry-storm", "Retry storm, three layers", "Each layer tries three times: 27 calls for one request."],
    ["retry-storm-5", "Retry storm, five layers", "243 calls for one request."],
    ["optional-module", "An optional module slows down", "30 s of a slow module, and an outage that is much longer."],
    ["fallback-hammers-database", "A fallback that hammers the database", "The cache is gone, and everybody asks the database."],
    ["metastable-spike", "A spike that never ends", "The spike is over, the overload stays."],
    ["metastable-recovery", "The way back", "The same collapse, ended by a rule."],
    ["metastable-lever", "The operator's way back", "The same collapse, ended by an order."],
    ["lockstep-recovery", "Recovery in lockstep", "500 breakers try again at the same moment."],
    ["cold-cache-restart", "A restart with a cold cache", "Twenty times the load on what is behind it."],
    ["deadlines-out-of-order", "Deadlines out of order", "The inner service works on when the outer has given up."],
    ["deep-health-check", "A health check that looks too deep", "It takes the whole fleet out."],
    ["one-bad-host", "One bad host of twenty", "A case for ejecting it, not for a breaker."],
    ["streaming-queue", "A queue that grows", "10,000 a second come in, 8,000 go out."],
    ["second-provider", "A second provider", "Calls move over to it."],
    ["costly-refusals", "Refusals that cost", "To say no takes time as well."],
    ["buffered-outage", "An outage that is delivered late", "What was held back arrives all at once."],
    ["overload", "Twice the load", "The most important keep everything."],
    ["overload-tenants", "One tenant floods", "Nine others do not notice."],
    ["drill", "The drill", "One dependency after the other gets ill, and people go on buying."],
    ["demo", "The demo", "The program of seakeep demo, while recommendations take 2 s."],
    ["degrade", "A page that gets simpler", "A spike carried by leaving parts of it out."],
  ].map(([file, title, says]) => ({ id: file!, title: title!, says: says!, file: file! })),
];

export const presetOf = (id: string): Preset | undefined => presets.find((p) => p.id === id);

/** The files of the repository's scenarios, loaded when the first is asked for. */
export async function scenarioFiles(): Promise<Record<string, string>> {
  return (await import("./scenarios")).files;
}
