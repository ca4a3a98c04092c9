// Objectives, and what follows from how fast their budgets burn.
export interface Objectives {
  at: string;
  service: string;
  observe?: boolean; // what the policy asks for is only told
  drills_frozen?: string; // why
  retries: number; // the share of their budgets that retries and hedges have
  degrade: number; // features off at least
  objectives: Objective[];
}
export interface Objective {
  name: string;
  place: string;
  dependency?: string;
  objective: number;
  latency_ms?: number;
  freshness_ms?: number;
  calendar: string;
  begin: string;
  end: string;
  since: string;
  good: number;
  bad: number;
  ratio?: number;
  left: number; // of the budget, by the events that were; negative: overspent
  left_of_period: number; // by those that the whole period will have had
  excluded?: number;
  alerts: Burn[];
  min_events: number;
  min_errors: number;
  steps: number;
  policy: Step[];
  back?: number;
  curve_begin: string;
  curve: number[];
}
export interface Burn {
  window_s: number;
  short_s: number;
  page: boolean;
  factor: number;
  burn: number; // budgets a period, over the long window
  burn_short: number;
  events: number;
  errors: number;
  firing: boolean;
}
export interface Step {
  left: number;
  freeze_drills?: boolean;
  retries: number;
  degrade: number;
  taken: boolean;
}

const NB = "\u00a0";

/** A length in the largest unit that it is a whole number of, as Prometheus has it. */
export function durationText(s: number): string {
  for (const [unit, n] of [["d", 86_400], ["h", 3600], ["m", 60]] as const) if (s >= n && s % n === 0) return `${s / n}${unit}`;
  return s < 1 ? `${+(s * 1000).toFixed(1)}ms` : `${+s.toFixed(1)}s`;
}

/** A length in words, with one figure too few rather than one too many. */
export function about(s: number): string {
  if (s < 90) return `${Math.round(s)}${NB}s`;
  if (s < 5400) return `${Math.round(s / 60)}${NB}min`;
  if (s < 36 * 3600) return `${+(s / 3600).toFixed(s < 36_000 ? 1 : 0)}${NB}h`;
  return `${+(s / 86_400).toFixed(s < 864_000 ? 1 : 0)}${NB}days`;
}

/** A share with as many nines as it has. */
export function goal(share: number): string {
  return `${+(share * 100).toPrecision(7)}${NB}%`;
}

export const periodOf = (o: Objective): number => (Date.parse(o.end) - Date.parse(o.begin)) / 1000;

/** What a good event is. */
export function goodIs(o: Objective): string {
  const what = o.place === "beacon" ? "what clients tell" : o.place === "calls" ? `calls of ${o.dependency ?? "a dependency"}` : "answers at the door";
  return what + (o.latency_ms ? `, within ${durationText(o.latency_ms / 1000)}` : "") + (o.freshness_ms ? `, at most ${durationText(o.freshness_ms / 1000)} old` : "");
}

/** Over what time: rolling, or a part of the calendar. */
export const overWhat = (o: Objective): string => (o.calendar === "rolling" ? durationText(Math.round(periodOf(o))) : `a ${o.calendar}`);

/** How fast the budget goes now: the shortest of the short windows that has enough to say so. */
export function burnNow(o: Objective): Burn | undefined {
  return [...o.alerts].sort((a, b) => a.short_s - b.short_s)[0];
}

export interface Exhaustion {
  text: string;
  at?: number; // ms of Unix time
}

/** When nothing is left if it goes on like this. In a window that moves what is old is
 * forgiven meanwhile, so that this is the earliest. */
export function exhaustion(o: Objective, now: number): Exhaustion {
  if (o.left_of_period <= 0) return { text: "spent" };
  const b = burnNow(o);
  if (!b || o.good + b.errors === 0) return { text: "no events" };
  if (b.burn_short <= 0) return { text: "not at this rate" };
  const seconds = (o.left_of_period * periodOf(o)) / b.burn_short;
  const rest = o.calendar === "rolling" ? Infinity : (Date.parse(o.end) - now) / 1000;
  if (seconds > rest || seconds > 5 * periodOf(o)) return { text: "not at this rate" };
  return { text: `in ${about(seconds)}`, at: now + seconds * 1000 };
}

export interface Gauge {
  long: number; // of the track, 0 to 1
  short: number;
  threshold: number;
  tone: "bad" | "half" | "good" | "none";
  says: string;
}

/** Both windows of a pair against its threshold, on a track that ends at twice of it. */
export function gaugeOf(a: Burn, o: Pick<Objective, "min_events" | "min_errors">): Gauge {
  const on = (v: number) => Math.max(0, Math.min(1, v / (2 * a.factor)));
  const g = { long: on(a.burn), short: on(a.burn_short), threshold: 0.5 };
  const kind = a.page ? "pages" : "opens a ticket";
  if (a.firing) return { ...g, tone: "bad", says: `fires: it ${kind}` };
  if (a.events < o.min_events) return { ...g, tone: "none", says: `too few to judge: ${a.events} of ${o.min_events} events` };
  if (a.burn >= a.factor && a.errors < o.min_errors) return { ...g, tone: "none", says: `too few to judge: ${a.errors} of ${o.min_errors} bad ones` };
  if (a.burn >= a.factor && a.burn_short >= a.factor) return { ...g, tone: "half", says: "over both: about to fire" };
  if (a.burn >= a.factor) return { ...g, tone: "half", says: "over the long one alone: it is over already" };
  if (a.burn_short >= a.factor) return { ...g, tone: "half", says: "over the short one alone: it has begun just now" };
  return { ...g, tone: "good", says: "quiet" };
}

/** What a step of the budget's policy does. */
export function stepDoes(s: Step): string {
  const all = [s.freeze_drills ? "drills are frozen" : "", s.retries < 1 ? `retries and hedges have ${goal(s.retries)} of their budgets` : "",
    s.degrade > 0 ? `at least ${s.degrade} ${s.degrade === 1 ? "feature is" : "features are"} off` : ""].filter(Boolean);
  return all.join(", ") || "it is told";
}

/** What the policies of all objectives do now, together. */
export function doneNow(v: Objectives): string[] {
  return [v.drills_frozen ? `Drills are frozen: ${v.drills_frozen}.` : "", v.retries < 1 ? `Retries and hedges have ${goal(v.retries)} of their budgets.` : "",
    v.degrade > 0 ? `At least ${v.degrade} ${v.degrade === 1 ? "feature is" : "features are"} off.` : ""].filter(Boolean);
}

/** Moments of the points of a curve, in ms. */
export function timesOf(o: Objective, end: number): number[] {
  const begin = Date.parse(o.curve_begin);
  const n = o.curve.length;
  return o.curve.map((_, k) => (n < 2 ? end : begin + ((end - begin) * k) / (n - 1)));
}
