// Find the edge: where along a slider the outcome tips over. It has an engine of
// its own, so that the page goes on, and can be stopped.
import { signal } from "@preact/signals";
import { Engine } from "../engine/client";
import type { EdgeAnswer } from "../engine/types";
import type { Amount, Key } from "../model/setting";
import { searchFor, type Search } from "../model/edge";
import { castOf, state } from "./store";

export interface Edge {
  key: Key;
  side: "a" | "b";
  around: string; // what else was set
  search: Search | null; // null: it was not even begun
  answer: EdgeAnswer | null;
  error: string;
  busy: boolean;
}

const edge = signal<Edge | null>(null);
const engine = new Engine();
let turn = 0;
const runs = 3; // for each value
const within = 0.02; // of the edge

/** What is set beside a slider. An edge is one for as long as that stays. */
const around = (side: "a" | "b", key: Key): string => JSON.stringify([{ ...state.value[side], [key]: null }, castOf(side)]);

/** The edge of a slider, if there is one for what is set now. */
export function edgeOf(side: "a" | "b", key: Key): Edge | null {
  const e = edge.value;
  return e && e.key === key && e.side === side && (e.busy || e.around === around(side, key)) ? e : null;
}

export async function findEdge(side: "a" | "b", f: Amount): Promise<void> {
  const setting = state.value[side];
  if (!f.edge || !setting) return;
  stopEdge();
  const mine = ++turn;
  const of = { key: f.key, side, around: around(side, f.key) };
  const q = searchFor(f, setting, castOf(side));
  if (typeof q === "string") {
    edge.value = { ...of, search: null, answer: null, error: q, busy: false };
    return;
  }
  edge.value = { ...of, search: q, answer: null, error: "", busy: true };
  const { answer } = await engine.ask({ op: "edge", world: q.world, within,
    edge: { key: q.keys, from: q.from, to: q.to, until: q.until, runs } });
  if (mine !== turn) return;
  edge.value = { ...of, search: q, busy: false, answer: answer.edge ?? null, error: answer.error ?? "" };
}

export function stopEdge(): void {
  turn++;
  if (edge.value?.busy) engine.stop();
  edge.value = null;
}

/** The same question on a command line. */
export const cliOf = (q: Search): string =>
  `seakeep sim edge scenario.yaml --vary ${q.keys} --from '${q.from}' --to '${q.to}' --until '${q.until}' --runs ${runs} --within ${within}`;

/** What was found, in a sentence. */
export function edgeText(e: Edge): string {
  const a = e.answer;
  const read = e.search?.reads;
  if (!a || !read) return e.error;
  if (!a.found) {
    return `No edge: success is ${a.holds_at_from ? "below" : "not below"} 99 % from ${read(a.tested[0]!.value)} to ${read(a.tested[1]!.value)}.`;
  }
  const side = a.holds_at_from ? "below" : "above";
  return `Success falls under 99 % ${side} ${read(a.edge!)}. All ${a.runs} runs agree up to ${read(a.low!)} and again from ${read(a.high!)}.` +
    (a.safety_factor && e.search!.same ? ` The value in use, ${a.present}, is ${a.safety_factor.toPrecision(2)} times away.` : "");
}
