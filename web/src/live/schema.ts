// What the API tells: the same as cmd/seakeep/dashboard/schema, in words in
// docs/dashboard-api.md. What is off or not known is left out.
export interface Snapshot {
  version: number;
  at_ms: number;
  window_ms: number;
  service: string;
  ready: boolean;
  dependencies: Dependency[]; // the worst first
  serve?: Serve;
  slo: Objective[];
  faults: Fault[];
  policy?: { file: string; loaded_ms: number; refused?: string };
  levers: boolean;
  demo?: boolean;
}
export type Rates = Record<string, number>; // a second, by name

export interface Dependency {
  name: string;
  kind: string;
  badness: number;
  rate: number;
  success?: number;
  answered?: number;
  outcomes: Rates;
  rejected?: Rates;
  latency?: Latency;
  breaker?: Breaker;
  in_flight: number;
  bulkhead?: Slots;
  attempts_per_call: number;
  retry_ratio: number;
  hedge_ratio: number;
  hedge_wins: number;
  retry_budget?: { left: number; denied: number };
  slo_left?: number;
  fallback_share: number;
  fallback_failed: number;
  throttle_refusal?: number;
  deadline?: Deadline;
  endpoints?: Endpoints;
  failover?: string;
  faults?: number;
  operations?: Operation[];
}
export interface Operation {
  name: string;
  breaker?: Breaker;
  bulkhead?: Slots;
}
export interface Latency {
  count: number;
  mean_ms: number;
  p50_ms: number;
  p99_ms: number;
  p999_ms: number;
  max_ms: number;
}
export interface Breaker {
  state: string;
  mode: string;
  since_ms?: number;
  retry_after_ms?: number;
  keys?: Record<string, number>;
  calls: number;
  failed: number;
  slow: number;
}
export interface Slots {
  in_use: number;
  limit: number;
  queued: number;
  queue_limit: number;
}
export interface Deadline {
  left_p1_ms: number;
  left_p50_ms: number;
  dead_on_arrival: number;
  exceeded?: Rates;
}
export interface Endpoints {
  total: number;
  up: number;
  ejected: number;
  panic: boolean;
  all?: Endpoint[];
}
export interface Endpoint {
  url: string;
  state: string;
  zone?: string;
  in_flight: number;
  picked: number;
  mean_latency_ms?: number;
  failing_share: number;
  why?: string;
}
export interface Serve {
  rate: number;
  classes: ServeClass[];
  refused_for?: Rates;
  latency?: Latency;
  slots?: Slots;
  limit?: { algorithm: string; limit: number; baseline_ms: number; latency_ms: number; last_move?: string };
  admitted_share: number;
  allowed_share: number;
  recovery?: string;
  degrade?: { level: number; off: string[]; pressure: number; forced: boolean };
  tenants?: { key: string; here: number; entered: number }[];
  tenant_keys?: number;
  deadline?: Deadline;
}
export interface ServeClass {
  name: string;
  offered: number;
  admitted: number;
  shed: number;
  left: number;
  answered_in_time: number;
  queued: number;
}
export interface Objective {
  name: string;
  dependency?: string;
  objective: number;
  ratio?: number;
  left: number;
  burn: number;
  firing: number;
}
export interface Fault {
  dependency?: string;
  name: string;
  kind: string;
  share: number;
  left_ms?: number;
  order: boolean;
  hurt: number;
}

/** One decision; which fields there are depends on its kind. */
export interface Event {
  id?: number;
  at_ms: number;
  kind: string;
  policy?: string; // the dependency, or dependency/operation
  key?: string;
  reason?: string;
  outcome?: string;
  cause?: string;
  attempt?: number;
  observed?: boolean;
  took_ms?: number;
  left_ms?: number;
  from?: string;
  to?: string;
  seq?: number;
  detail?: string;
  criticality?: string;
  calls?: Event[]; // that caused a breaker to change
  lever?: string;
  by?: string;
  why?: string;
  order?: unknown;
  accepted?: boolean;
}

export type Values = (number | null)[];
export interface History {
  version: number;
  step_ms: number;
  oldest_ms: number;
  times: number[]; // the end of each step
  dependencies: Series[];
  serve?: Series;
  events: Event[];
}
export interface Series {
  name: string;
  columns: Record<string, Values>;
  heat?: Heat;
}
export interface Heat {
  bounds_ms: number[]; // upper ends; the last bucket has none
  counts: number[][]; // for each step, for each bucket
}
export interface DependencyPage {
  version: number;
  at_ms: number;
  window_ms: number;
  dependency: Dependency;
  events: Event[];
}
export interface Policy {
  version: number;
  file: string;
  loaded_ms: number;
  values: { path: string; value: string; from: string }[];
  findings: Finding[];
  warnings: string[];
  changes: { path: string; before?: string; after?: string; from?: string }[];
  refused?: string;
}
export interface Finding {
  rule: string;
  severity: string;
  line: number;
  column: number;
  path: string;
  dependency?: string;
  why: string;
  number: string;
  fix: string;
  bites: string;
}
