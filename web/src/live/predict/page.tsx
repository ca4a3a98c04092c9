// The demo as it was measured, over the demo as it was predicted.
import { useCallback, useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { Panel } from "../../ui/panel";
import type { Mark } from "../../ui/plot";
import { Strip } from "../../ui/strip";
import type { Theme } from "../../ui/theme";
import { doing, usual, type Foretold, type Measured } from "../demo/api";
import { DemoControls, useSlow } from "../demo/controls";
import { route, set } from "../router";
import { programNow, snapshot } from "../store";
import { Differences } from "./differences";
import { beside, gridOf, topicsOf, type Band, type Beside, type Grid } from "./model";
import { useMeasured, usePrediction, wanted, type Prediction } from "./runs";

const back = 60_000;
const ahead = 30_000;

export function Predict() {
  const s = snapshot.value;
  if (s && !s.demo)
    return <><h1>Predicted</h1><p>This is a program of your own, whose users and dependencies the simulator does not know. The demo's it knows: <code>seakeep demo --play</code>. <a href="./try.html">Try it</a> takes your policy file.</p></>;
  return (
    <>
      <h1>Measured over predicted</h1>
      <p class="soft">Measured is this demo, on real sockets. Predicted is the simulator with the same policy file, users, workers and latencies: {wanted} runs, and the band is
        where single runs lie. What is ordered now is predicted for the next half minute, before it happens. Shaded is the time in
        which a dependency is not well.</p>
      <DemoControls link={false} />
      <Charts />
    </>
  );
}

function Charts() {
  const { prediction, error } = usePrediction();
  const m = useMeasured();
  const slow = useSlow();
  const names = slow.map((d) => d.name);
  const asked = route.value.query.dependency;
  const worst = slow.find((d) => d.ordered && d.latency !== usual) ?? slow.find((d) => d.latency !== usual);
  const dependency = names.includes(asked ?? "") ? asked! : (worst?.name ?? names[names.length - 1] ?? "");
  return (
    <>
      {error && <p class="problem" role="status">Nothing is predicted: {error}. It is tried again.</p>}
      {!prediction && !error && <p class="loading" role="status">The simulator is loaded.</p>}
      {prediction && names.length > 0 && (
        <>
          <p class="choose">
            <label>Dependency{" "}
              <select value={dependency} onChange={(e) => set({ dependency: e.currentTarget.value })}>
                {names.map((n) => <option key={n} value={n}>{n}</option>)}
              </select>
            </label>
            <span class="soft note" role="status" data-runs={prediction.runs.length}>{prediction.runs.length} of {wanted} runs</span>
          </p>
          <Panels prediction={prediction} measured={m} names={names} dependency={dependency} />
        </>
      )}
    </>
  );
}

function Panels({ prediction: { of, runs }, measured, names, dependency }: { prediction: Prediction; measured: Measured | null; names: string[]; dependency: string }) {
  const grid = useMemo(() => gridOf(of), [of]);
  const key = names.join();
  const all = useMemo(() => topicsOf(names, dependency, of).map((t) => beside(t, grid, of, runs, measured)),
    [grid, of, runs, measured, dependency, key]);
  const marks = useMemo((): Mark[] => of.slow.flatMap((s) => [{ at: s.from_ms, label: `${s.name} ${doing(s.latency)}` }, { at: s.to_ms, label: `${s.name} is well` }]), [of]);
  void snapshot.value; // the time goes on with it
  const now = programNow();
  const strip = (slow: Foretold["slow"]) => (b: Beside) => <Overlay key={b.topic.id} b={b} grid={grid} now={now} marks={marks} slow={slow} />;
  const own = useMemo(() => of.slow.filter((s) => s.name === dependency), [of, dependency]);
  const twin = { api: "/api/v1/demo/measured?over=60s", cli: `curl -s '${location.origin}/api/v1/demo/world' > w.json; jq -r .world.scenario w.json > demo.yaml; ` +
    "jq -r '.world.files[\"policy.yaml\"]' w.json > policy.yaml; seakeep sim demo.yaml" };
  const first = all.slice(0, 1 + names.length);
  const rest = all.slice(1 + names.length);
  return (
    <>
      <div class="halves">
        <Panel title="Checkout" charts={first.map((b) => b.table)} times={grid.times} twin={twin}>{first.map(strip(of.slow))}</Panel>
        <Panel title={dependency} charts={rest.map((b) => b.table)} times={grid.times} twin={twin}>{rest.map(strip(own))}</Panel>
      </div>
      <Differences all={all} grid={grid} from={now - back} to={now} runs={runs.length} of={of} measured={measured} />
    </>
  );
}

function Overlay({ b, grid, now, marks, slow }: { b: Beside; grid: Grid; now: number; marks: Mark[]; slow: Foretold["slow"] }) {
  const under = useCallback((u: uPlot, t: Theme) => {
    shade(u, t, slow);
    drawBand(u, t, grid.times, b.band);
  }, [grid, b.band, slow]);
  return <Strip chart={b.chart} times={grid.times} from={now - back} to={now + ahead} sync="predict" wall at={now} marks={marks} under={under} height={112} />;
}

/** Shades the time in which a dependency is not well. */
function shade(u: uPlot, t: Theme, slow: Foretold["slow"]): void {
  const g = u.ctx;
  const { left, top, width, height } = u.bbox;
  const x = (ms: number) => Math.max(left, Math.min(left + width, u.valToPos(ms, "x", true)));
  g.save();
  g.fillStyle = `${t.soft}22`;
  for (const s of slow) g.fillRect(x(s.from_ms), top, x(s.to_ms) - x(s.from_ms), height);
  g.restore();
}

/** Fills where single runs lie. */
function drawBand(u: uPlot, t: Theme, times: number[], b: Band): void {
  const g = u.ctx;
  const { left, top, width, height } = u.bbox;
  const x = (k: number) => u.valToPos(times[k]!, "x", true);
  const y = (v: number) => u.valToPos(v, "y", true);
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  g.fillStyle = `${t.routes[2]!}33`;
  const fill = (from: number, to: number) => { // all of them known
    g.beginPath();
    for (let k = from; k < to; k++) g.lineTo(x(k), y(b.high[k]!));
    for (let k = to - 1; k >= from; k--) g.lineTo(x(k), y(b.low[k]!));
    g.closePath();
    g.fill();
  };
  let from = 0;
  times.forEach((_, k) => {
    const known = typeof b.low[k] === "number";
    if (!known) {
      if (k > from) fill(from, k);
      from = k + 1;
    } else if (k === times.length - 1) fill(from, k + 1);
  });
  g.restore();
}
