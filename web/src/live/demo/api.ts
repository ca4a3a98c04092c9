// What the demo's own part of the API says: docs/dashboard-api.md.
import { computed } from "@preact/signals";
import type { Curves } from "../../engine/types";
import type { World } from "../../model/world";
import { get, post } from "../api";
import { events } from "../store";

export interface SlowState {
  name: string;
  latency: string; // what holds: such as 2s, down, or none for no answer
  ordered: boolean; // here; otherwise it is as planned
  planned: string;
}
export interface Foretold {
  from_ms: number; // Unix time at the simulation's start
  for_s: number;
  lead_s: number; // of which the beginning is not to be looked at
  world: World;
  slow: { name: string; latency: string; from_ms: number; to_ms: number }[]; // what is wrong in that time
  workers: number;
  protect: string;
}
export interface Measured {
  from_ms: number; // Unix time at the start of the first step
  curves: Curves;
  late_ms: (number | null)[];
}

export const foretold = (s?: AbortSignal) => get<Foretold>("demo/world", {}, s);

/** Makes a dependency of the demo slow, or well again. */
export const orderSlow = (name: string, latency: string) => post<unknown>("demo/slow", { name, latency });

/** Changes with each order that was carried out, whoever gave it, so that what depends on it asks anew. */
export const lastOrder = computed(() => events.value.findLast((e) => e.lever === "demo/slow" && e.accepted)?.id ?? 0);

/** What may be ordered, and what it is called. */
export const choices: { latency: string; text: string }[] = [
  { latency: "20ms", text: "20 ms" },
  { latency: "100ms", text: "100 ms" },
  { latency: "300ms", text: "300 ms" },
  { latency: "1s", text: "1 s" },
  { latency: "2s", text: "2 s" },
  { latency: "none", text: "no answer" },
  { latency: "down", text: "down" },
];

/** The latency of a dependency that is well. */
export const usual = "20ms";

/** What a latency means, as a sentence's end. */
export function doing(latency: string): string {
  if (latency === "down") return "resets every connection";
  if (latency === "none") return "takes calls and never answers";
  const text = choices.find((c) => c.latency === latency)?.text ?? latency;
  return latency === usual ? `answers in ${text}, as usual` : `answers in ${text} instead of 20 ms`;
}
