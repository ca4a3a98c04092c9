// Twenty-four live charts of three lines and six hundred points each, for the
// browser's check of how long it takes to refresh them all.
import { signal } from "@preact/signals";
import { options, render } from "preact";
import "../src/style.css";
import { dashes, type Chart } from "../src/ui/plot";
import { Strip } from "../src/ui/strip";

const [charts, lines, points, step] = [24, 3, 600, 1000];
const turn = signal(0);
const begin = Date.UTC(2026, 0, 1);

function chartAt(k: number, turn: number): { chart: Chart; times: number[] } {
  const times = Array.from({ length: points }, (_, i) => begin + (turn + i) * step);
  const values = (l: number) => times.map((_, i) => 100 + 50 * Math.sin((turn + i + 40 * l + 9 * k) / 20) + ((i * 7919 + turn * 31) % 17));
  return { times, chart: { id: `c${k}`, title: `Chart ${k}`, unit: "/s", lines: Array.from({ length: lines }, (_, l) => ({ label: `line ${l}`, color: l, dash: dashes[l]!, values: values(l) })) } };
}

function All() {
  const n = turn.value;
  return (
    <div class="speed">
      {prepared(n).map(({ chart, times }) => <Strip key={chart.id} chart={chart} times={times} from={times[0]!} to={times[points - 1]!} sync="speed" wall onZoom={() => undefined} />)}
    </div>
  );
}

let made: { n: number; all: ReturnType<typeof chartAt>[] } = { n: -1, all: [] };
const prepared = (n: number) => (made.n === n ? made : (made = { n, all: Array.from({ length: charts }, (_, k) => chartAt(k, n)) })).all;

/** Draws the next second of all charts, and returns how many ms that took. */
async function refresh(): Promise<number> {
  const all = prepared(turn.value + 1).length; // the numbers are there before the clock runs
  const before = performance.now();
  turn.value = made.n;
  for (let k = 0; k < 5; k++) await Promise.resolve(); // uPlot draws in a microtask
  const took = performance.now() - before;
  if (document.querySelectorAll("canvas").length !== all) throw new Error("charts are missing");
  return took;
}

options.debounceRendering = (f) => f(); // at once, so that it can be measured
Object.assign(window, { refresh });
render(<All />, document.getElementById("app")!);
