// What can be set on the page: one table, from which come the controls, the
// address, and the world that is simulated.

export interface Setting {
  latency: number; // ms, of the slow dependency; Infinity: it never answers
  timeout: boolean;
  retries: boolean;
  budget: boolean;
  breaker: boolean;
  bulkhead: boolean;
  hedge: boolean;
  shed: boolean;
  fallback: boolean;
  timeoutMs: number;
  attempts: number;
  backoffMs: number;
  budgetPercent: number;
  window: number; // calls
  openS: number;
  limit: number; // of the bulkhead
  hedgeMs: number;
  rule: string;
  length: number; // of the queue
  dropExpired: boolean;
  release: boolean;
  capacity: number; // calls a second; 0: no gate
  over: string;
  counts: string;
  abandoned: string;
  shape: string;
  healthyMs: number;
  workers: number;
  rate: number;
  patienceMs: number;
  arrivals: string;
  runs: number;
  seed: number;
}

export type Key = keyof Setting;
export type Group = "protect" | "values" | "assume" | "spread" | "load";

/** An edge is looked for between two values of a key of the generated files; see
 * edge.ts for those that are more than one key. What has no edge is no slider. */
export interface EdgeOf {
  key: string; // SLOW stands for the slow dependency's name
  from: string;
  to: string;
}

interface Base {
  key: Key;
  short: string; // in the address
  label: string;
  help: string;
  group: Group | "slider";
  needs?: Key; // the switch without which it means nothing
}
export interface Switch extends Base {
  kind: "switch";
  initial: boolean;
}
export interface Amount extends Base {
  kind: "number";
  initial: number;
  min: number;
  max: number;
  step: number;
  unit: string;
  edge?: EdgeOf;
}
export interface Choice extends Base {
  kind: "choice";
  initial: string;
  options: readonly (readonly [value: string, label: string])[];
}
export type Field = Switch | Amount | Choice;

/** Whether a field is of the policy, which a file of one's own stands for. */
export const isPolicy = (f: Field): boolean => f.group === "protect" || f.group === "values" || f.key === "counts";

/** Stops of the slider, in ms. The last is no answer at all. */
export const stops = [
  20, 30, 50, 75, 100, 150, 200, 250, 300, 400, 500, 550, 600, 750, 1000, 1500, 2000, 3000, 5000, Infinity,
] as const;

const dep = (key: string) => `checkout:dependencies.SLOW.${key}`;

export const fields: readonly Field[] = [
  {
    key: "latency", short: "latency", label: "Latency", group: "slider", kind: "number", initial: 20, min: 20,
    max: Infinity, step: 1, unit: "ms", help: "Mean time that the slow dependency takes.",
    edge: { key: "changes.0.work.mean", from: "20ms", to: "2s" },
  },
  { key: "timeout", short: "timeout", label: "Timeout", group: "protect", kind: "switch", initial: false,
    help: "Gives up on an attempt after 250 ms, so that it holds its thread no longer." },
  { key: "retries", short: "retries", label: "Retries", group: "protect", kind: "switch", initial: false,
    help: "Tries up to three times, after random waits. The thread is held while it waits." },
  { key: "budget", short: "budget", label: "Retry budget", group: "protect", kind: "switch", initial: false, needs: "retries",
    help: "Allows retries for a tenth of the calls, and no more." },
  { key: "breaker", short: "breaker", label: "Circuit breaker", group: "protect", kind: "switch", initial: false,
    help: "Stops calling for 5 s when half of the last 20 attempts have failed." },
  { key: "bulkhead", short: "bulkhead", label: "Bulkhead", group: "protect", kind: "switch", initial: false,
    help: "Lets the dependency hold 60 threads at most." },
  { key: "hedge", short: "hedge", label: "Hedge", group: "protect", kind: "switch", initial: false,
    help: "Sends a copy of a call that takes long, for a twentieth of the calls at most." },
  { key: "shed", short: "shed", label: "Load shedding", group: "protect", kind: "switch", initial: false,
    help: "A door in front of checkout refuses early what it cannot serve in time. It does not know whose fault it is." },
  { key: "fallback", short: "fallback", label: "Fallback", group: "protect", kind: "switch", initial: false,
    help: "Answers without the dependency when its call fails." },

  { key: "timeoutMs", short: "tm", label: "Timeout", group: "values", kind: "number", initial: 250, min: 10, max: 2000,
    step: 10, unit: "ms", needs: "timeout", help: "Of one attempt.",
    edge: { key: dep("timeout.request"), from: "20ms", to: "2s" } },
  { key: "attempts", short: "at", label: "Attempts", group: "values", kind: "number", initial: 3, min: 2, max: 8,
    step: 1, unit: "", needs: "retries", help: "The first one counts.",
    edge: { key: dep("retry.attempts"), from: "1", to: "8" } },
  { key: "backoffMs", short: "bo", label: "First backoff", group: "values", kind: "number", initial: 40, min: 1, max: 1000,
    step: 1, unit: "ms", needs: "retries", help: "Doubles from retry to retry; the wait is random below it.",
    edge: { key: dep("retry.backoff.base"), from: "1ms", to: "1s" } },
  { key: "budgetPercent", short: "bp", label: "Retry budget", group: "values", kind: "number", initial: 10, min: 1, max: 100,
    step: 1, unit: "%", needs: "budget", help: "Retries as a share of the calls.",
    edge: { key: dep("retry.budget.ratio"), from: "1%", to: "100%" } },
  { key: "window", short: "bw", label: "Breaker's window", group: "values", kind: "number", initial: 20, min: 10, max: 5000,
    step: 10, unit: "calls", needs: "breaker", help: "How many outcomes it looks at.",
    edge: { key: dep("breaker.window"), from: "10 calls", to: "5000 calls" } },
  { key: "openS", short: "bs", label: "Breaker stays open", group: "values", kind: "number", initial: 5, min: 1, max: 60,
    step: 1, unit: "s", needs: "breaker", help: "Before it lets three trials through.",
    edge: { key: dep("breaker.open.for"), from: "1s", to: "60s" } },
  { key: "limit", short: "bl", label: "Bulkhead", group: "values", kind: "number", initial: 60, min: 1, max: 1000,
    step: 1, unit: "threads", needs: "bulkhead", help: "Calls to the dependency at once.",
    edge: { key: dep("bulkhead.limit"), from: "1", to: "400" } },
  { key: "hedgeMs", short: "hm", label: "Hedge after", group: "values", kind: "number", initial: 75, min: 1, max: 2000,
    step: 1, unit: "ms", needs: "hedge", help: "When a copy of a call is due.",
    edge: { key: dep("hedge.after"), from: "1ms", to: "2s" } },

  { key: "rule", short: "q", label: "Queue for a thread", group: "assume", kind: "choice", initial: "fifo",
    options: [["fifo", "first come, first served"], ["lifo", "last come, first served"],
      ["codel", "drops while waits are long"], ["refuse", "none: nobody waits"]],
    help: "Who is next when a thread becomes free." },
  { key: "length", short: "ql", label: "Places in the queue", group: "assume", kind: "number", initial: 20, min: 0,
    max: 5000, step: 1, unit: "", help: "0 is a queue without a bound. From about what is served within the users' patience on, all who are served have left.",
    edge: { key: "services.checkout.queue.length", from: "1", to: "2000" } },
  { key: "dropExpired", short: "qd", label: "Drop who has left from the queue", group: "assume", kind: "switch",
    initial: false, help: "Threads do not work for users who have gone." },
  { key: "release", short: "rw", label: "Free the thread during a backoff", group: "assume", kind: "switch",
    initial: false, help: "As an event loop does, and a thread for each request does not." },
  { key: "capacity", short: "cap", label: "Slow dependency answers at most", group: "assume", kind: "number", initial: 400,
    min: 0, max: 2000, step: 10, unit: "calls/s", help: "0 is no bound. It holds while the dependency is slow.",
    edge: { key: "changes.1.capacity.rate", from: "50/s", to: "2000/s" } },
  { key: "over", short: "over", label: "Calls above that", group: "assume", kind: "choice", initial: "hang",
    options: [["hang", "are never answered"], ["refuse", "are refused at once"]],
    help: "Whether they cost a whole timeout, or nothing." },
  { key: "counts", short: "bc", label: "Breaker counts", group: "assume", kind: "choice", initial: "attempts",
    options: [["attempts", "each attempt"], ["calls", "a call with its retries once"]],
    help: "What its failure rate is a rate of." },
  { key: "abandoned", short: "ab", label: "Work that nobody waits for", group: "assume", kind: "choice", initial: "runs-on",
    options: [["runs-on", "runs on"], ["stops", "stops"]],
    help: "Whether checkout notices that its user has left." },

  { key: "shape", short: "sh", label: "Times of dependencies", group: "spread", kind: "choice", initial: "exponential",
    options: [["exponential", "5 ms and an exponential"], ["lognormal", "lognormal: a longer tail"],
      ["uniform", "uniform"], ["constant", "always the same"]],
    help: "How single calls vary around the mean." },
  { key: "healthyMs", short: "hl", label: "A healthy dependency takes", group: "spread", kind: "number", initial: 20,
    min: 6, max: 500, step: 1, unit: "ms", help: "On average.",
    edge: { key: "services.*.work.mean", from: "6ms", to: "500ms" } },

  { key: "rate", short: "rate", label: "Requests", group: "load", kind: "number", initial: 1000, min: 10, max: 5000,
    step: 10, unit: "/s", help: "Of all users; each dependency gets its part.",
    edge: { key: "clients.users.rate", from: "50/s", to: "5000/s" } },
  { key: "workers", short: "th", label: "Threads", group: "load", kind: "number", initial: 200, min: 1, max: 1000, step: 1,
    unit: "", help: "Requests that checkout serves at once.",
    edge: { key: "services.checkout.workers", from: "10", to: "1000" } },
  { key: "patienceMs", short: "pt", label: "Users wait", group: "load", kind: "number", initial: 1000, min: 50, max: 60000,
    step: 50, unit: "ms", help: "Then they are gone, and an answer is worth nothing.",
    edge: { key: "clients.users.patience", from: "50ms", to: "5s" } },
  { key: "arrivals", short: "ar", label: "Arrivals", group: "load", kind: "choice", initial: "poisson",
    options: [["poisson", "random"], ["even", "evenly spaced"]], help: "Real users do not queue up to come." },
  { key: "runs", short: "runs", label: "Runs", group: "load", kind: "number", initial: 5, min: 1, max: 30, step: 1, unit: "",
    help: "Each with other random numbers. More runs make narrower intervals." },
  { key: "seed", short: "seed", label: "Seed", group: "load", kind: "number", initial: 1, min: 0, max: 999999, step: 1,
    unit: "", help: "The same seed gives the same numbers, everywhere." },
];

export const field = (key: Key): Field => fields.find((f) => f.key === key)!;

/** The nearest value that a field may have; all of them are whole. */
export const fitted = (f: Amount, v: number): number => Math.min(Math.max(Math.round(v), f.min), f.max);

export const initial = (): Setting =>
  Object.fromEntries(fields.map((f) => [f.key, f.initial])) as unknown as Setting;

/** Keys that two columns share, because both have the same arrivals. */
export const shared: readonly Key[] = ["rate", "patienceMs", "arrivals", "runs", "seed"];

/** Whether a field means something with the other settings as they are. */
export const applies = (f: Field, s: Setting): boolean => f.needs === undefined || Boolean(s[f.needs]);

/** The stop of the slider that a latency stands at. */
export function stopOf(latency: number): number {
  let best = 0;
  stops.forEach((s, k) => {
    if (s <= latency) best = k;
  });
  return latency === Infinity ? stops.length - 1 : Math.min(best, stops.length - 2);
}

/** The switches that are on, in words. */
export const onText = (s: Setting): string =>
  fields.filter((f) => f.group === "protect" && s[f.key] && applies(f, s)).map((f) => f.label.toLowerCase()).join(", ") || "no protection";

export function timeText(ms: number): string {
  if (ms === Infinity) return "no reply";
  return ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`;
}
