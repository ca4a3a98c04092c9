// Find the edge: where along a slider the outcome tips over. It has an engine of
// its own, so that the page goes on, and can be stopped.
import { signal } from "@preact/signals";
import { Engine } from "../engine/client";
import type { EdgeAnswer } from "../engine/types";
import type { Amount, Key } from "../model/setting";
import { worldOf } from "../model/world";
import { castOf, state } from "./store";

export interface Edge {
  key: Key;
  side: "a" | "b";
  label: string;
  until: string;
  cli: string;
  answer: EdgeAnswer | null;
  error: string;
  busy: boolean;
}

export const edge = signal<Edge | null>(null);
const engine = new Engine();
let turn = 0;

export async function findEdge(side: "a" | "b", f: Amount): Promise<void> {
  const setting = side === "a" ? state.value.a : state.value.b;
  if (!f.edge || !setting) return;
  stopEdge();
  const mine = ++turn;
  const cast = castOf(side);
  const other = cast.dependencies.find((d) => d !== cast.slow) ?? cast.slow;
  const until = `endpoints.${other}.success < 99%`;
  // The key of the latency is there only while the dependency is slow.
  const s = f.key === "latency" ? { ...setting, latency: 1000, shape: setting.shape === "exponential" ? setting.shape : "exponential" } : setting;
  const key = f.edge.key.replace("SLOW", cast.slow);
  const cli = `seakeep sim edge scenario.yaml --vary ${key} --from ${f.edge.from} --to ${f.edge.to} --until '${until}' --runs 3 --within 0.02`;
  const begun: Edge = { key: f.key, side, label: f.label, until, cli, answer: null, error: "", busy: true };
  edge.value = begun;
  const { answer } = await engine.ask({ op: "edge", world: worldOf(s, cast), within: 0.02,
    edge: { key, from: f.edge.from, to: f.edge.to, until, runs: 3 } });
  if (mine !== turn) return;
  edge.value = { ...begun, busy: false, answer: answer.edge ?? null, error: answer.error ?? "" };
}

export function stopEdge(): void {
  turn++;
  if (edge.value?.busy) engine.stop();
  edge.value = null;
}

/** What was found, in a sentence. */
export function edgeText(e: Edge): string {
  const a = e.answer;
  if (!a) return e.error;
  if (!a.found) {
    const all = a.holds_at_from ? "fails everywhere" : "holds everywhere";
    return `No edge: 99 % ${all} from ${a.tested[0]?.value} to ${a.tested[1]?.value}.`;
  }
  const side = a.holds_at_from ? "below" : "above";
  return `Success falls under 99 % ${side} ${a.edge}. All ${a.runs} runs agree up to ${a.low} and again from ${a.high}.` +
    (a.safety_factor && e.key !== "latency" ? ` The value in use, ${a.present}, is ${a.safety_factor.toPrecision(2)} times away.` : "");
}
