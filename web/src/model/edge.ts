// Where the edge of a slider is looked for: the world around it, the keys of the
// generated files that the slider stands for, and how a value of a file reads on
// the slider.
import type { Amount, Setting } from "./setting";
import { timeText } from "./setting";
import { floorMs, healthy, medianOfMean, worldOf, type Cast, type World } from "./world";

export interface Search {
  world: World;
  keys: string; // with commas between, as "seakeep sim edge --vary" takes them
  from: string;
  to: string;
  until: string; // a statement about the outcome
  same: boolean; // a value of the file is the slider's
  with: string; // what the world has that the page does not show; usually nothing
  reads: (value: string) => string; // what a value of the file is on the slider
}

/** Returns words if the slider means nothing with the other settings. */
export function searchFor(f: Amount, s: Setting, cast: Cast): Search | string {
  if (!f.edge) return "Nothing depends on it.";
  const other = cast.dependencies.find((d) => d !== cast.slow) ?? cast.slow;
  const until = `endpoints.${other}.success < 99%`;
  const own = cast.policy !== "";
  const door = s.shed && !own; // the door of a policy of one's own is as it is
  const make = (keys: string[], more: Partial<Search> = {}, with_: Setting = s): Search => ({
    world: worldOf(with_, cast), keys: keys.join(","), from: f.edge!.from, to: f.edge!.to, until, same: true, with: "",
    reads: (v) => v, ...more });
  switch (f.key) {
    case "latency": // its keys are there only while the dependency is slow
      return slow(s) ? make([], varied(["changes.0.work"], s.shape, f.edge))
        : make([], { ...varied(["changes.0.work"], s.shape, f.edge), with: "a latency of 1 s" }, { ...s, latency: 1000 });
    case "healthyMs":
      return make([], varied(cast.dependencies.map((d) => `services.${d}.work`), s.shape, f.edge));
    case "capacity":
      if (healthy(s)) return "The dependency is not slow, so this means nothing.";
      return make([f.edge.key], s.capacity ? {} : { with: "a capacity of 400/s" }, { ...s, capacity: s.capacity || 400 });
    case "length":
      return s.rule === "refuse" ? "There is no queue."
        : make([f.edge.key], s.length ? {} : { with: "20 places in the queue" }, { ...s, length: s.length || 20 });
    case "workers":
      return make([f.edge.key, ...(door ? ["checkout:serve.concurrency.max"] : [])]);
    case "patienceMs":
      return make([f.edge.key, ...(door ? ["checkout:serve.deadline.default"] : [])]);
  }
  return make([f.edge.key.replace("SLOW", cast.slow)]);
}

const slow = (s: Setting) => !healthy(s) && s.latency !== Infinity;

/** Times are varied by their mean. What a file has for it depends on their shape. */
function varied(work: string[], shape: string, range: { from: string; to: string }): Partial<Search> {
  const [from, to] = [msOf(range.from), msOf(range.to)];
  const of = (end: string, there: (mean: number) => number, back: (x: number) => number): Partial<Search> => ({
    keys: work.map((w) => w + end).join(","), from: fileTime(there(from)), to: fileTime(there(to)),
    same: false, reads: (v) => timeText(round(back(msOf(v)))) });
  switch (shape) {
    case "constant":
      return of("", (m) => m, (x) => x);
    case "uniform":
      return of(".uniform.1", (m) => 2 * m - floorMs, (x) => (x + floorMs) / 2);
    case "lognormal":
      return of(".median", (m) => m * medianOfMean, (x) => x / medianOfMean);
  }
  return of(".mean", (m) => m, (x) => x);
}

const round = (ms: number) => (ms >= 100 ? Math.round(ms) : +ms.toPrecision(3));
const fileTime = (ms: number) => (Number.isInteger(ms) ? `${ms}ms` : `${Math.round(ms * 1000)}us`);

const units: Record<string, number> = { h: 3.6e6, m: 6e4, s: 1e3, ms: 1, us: 1e-3, "µs": 1e-3, ns: 1e-6 };

/** A duration as Go writes it, such as 1.5s or 1m2.5s, in ms. */
export function msOf(text: string): number {
  let ms = 0;
  for (const [, n, unit] of text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) ms += Number(n) * units[unit!]!;
  return ms;
}
