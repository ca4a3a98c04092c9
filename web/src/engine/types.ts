// What the engine answers: the report of "seakeep sim --json", and more.
import type { World } from "../model/world";

export interface Figure {
  unit: string;
  mean: number | null;
  half: number | null;
  low: number | null;
  high: number | null;
  runs: (number | null)[];
}
export interface Series {
  slice_s: number;
  unit: string;
  values: (number | null)[];
}
export interface BreakerChange {
  at_s: number;
  user: number;
  from: string;
  to: string;
  reason: string;
  calls: number;
  failed: number;
  slow: number;
}
export interface Report {
  scenario: string;
  about?: string;
  for_s: number;
  warmup_s: number;
  runs: number;
  seed: number;
  events: number;
  figures: Record<string, Figure>;
  series: Record<string, Series>;
  breakers: { by: string; dependency: string; changes: BreakerChange[] }[];
  expect: { text: string; holds: boolean; sure: boolean; mean: number; half: number | null }[];
  assumptions: { key: string; value: string; text: string }[];
  notes: string[];
  why?: { at_s: number; kind: string; of: string; text: string }[];
}
export interface Threads {
  service: string;
  workers: number;
  routes: string[];
  step_s: number;
  frames: string; // base64: a byte for each worker, frame after frame
}
export interface Held {
  route: string;
  mean: number;
  half: number | null;
}
export interface Fault {
  file: string;
  line: number;
  column: number;
  path: string;
  problem: string;
  fix: string;
}
export interface EdgeAnswer {
  key: string;
  until: string;
  found: boolean;
  edge?: string;
  low?: string;
  high?: string;
  present?: string;
  safety_factor?: number;
  holds_at_from: boolean;
  holds_at_to: boolean;
  runs: number;
  tested: { value: string; held: number; runs: number }[];
}
export interface CompareAnswer {
  runs: number;
  differences: { key: string; a: number; b: number; difference: number; low: number; high: number }[];
  diverged_s: number | null;
  requests: number;
  changed: number;
  saved: number;
  lost: number;
  examples: { endpoint: string; at_s: number; a: string; b: string; a_ms: number; b_ms: number }[];
}
export interface PolicyAnswer {
  service: string;
  dependencies: string[];
  door: boolean;
  warnings: Fault[];
}
/** What became of requests, step by step: see cmd/seakeep/curves. */
export interface Curves {
  step_s: number;
  busy: (number | null)[];
  endpoints: EndpointCurves[];
}
export interface EndpointCurves {
  name: string;
  sent: (number | null)[];
  success: (number | null)[];
  fallback: (number | null)[];
  p50_ms: (number | null)[];
  p99_ms: (number | null)[];
  calls: (number | null)[];
  open: (number | null)[];
}
export interface Answer {
  report?: Report;
  runs?: number;
  wanted?: number;
  threads?: Threads;
  held?: Held[];
  edge?: EdgeAnswer;
  compare?: CompareAnswer;
  policy?: PolicyAnswer;
  curves?: Curves;
  error?: string;
  faults?: Fault[];
}
export interface Question {
  op: "start" | "more" | "why" | "edge" | "compare" | "inspect" | "predict";
  world?: World;
  other?: World;
  threads?: string;
  policy?: string;
  edge?: { key: string; from: string; to: string; until: string; runs: number };
  runs?: number;
  within?: number;
  seed?: number;
  step_s?: number;
}
