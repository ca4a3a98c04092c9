// A page for each dependency: all that is known of it, over one time.
import { useMemo } from "preact/hooks";
import { Panel } from "../../ui/panel";
import { Strip } from "../../ui/strip";
import { clock, type Mark, type Segment } from "../../ui/plot";
import { DemoControls } from "../demo/controls";
import { useHistory, type Loaded } from "../history";
import { DependencyLevers } from "../levers/levers";
import { policyValue, usePolicy } from "../policy";
import { range, zoom, type Range } from "../range";
import { href } from "../router";
import type { Dependency, Event } from "../schema";
import { events, snapshot } from "../store";
import { isAbout, telling } from "../telling";
import { ms, number, percent, slotsWord } from "../words";
import { Breakers } from "./breaker";
import { heatAsChart, heatDrawer, latencyChart } from "./heat";
import { Hops } from "./hops";
import { chartsOf, timePanels, type Context, type TimePanel } from "./panels";
import { Endpoints, Operations } from "./parts";
import { states } from "./timeline";

export function DependencyPage({ rest: name }: { rest: string }) {
  const { loaded, error } = useHistory(name);
  usePolicy();
  const d = snapshot.value?.dependencies.find((d) => d.name === name);
  const r = range.value;
  const over = useOver(name, r);
  if (snapshot.value && !d)
    return <><h1>{name || "No name"}</h1><p>The policy file has no such dependency. <a href={href("wall")}>The wall</a> has all that there are.</p></>;
  const context: Context = { d, policy: (path) => policyValue(`dependencies.${name}.${path}`) };
  return (
    <>
      <h1>{name} <span class="soft kind">{d?.kind}</span></h1>
      {d && <Facts d={d} />}
      {snapshot.value?.demo && <DemoControls only={name} />}
      {d && <DependencyLevers d={d} />}
      {!r.live && <p class="soft note">The figures above are of now; the charts are of the time that was chosen.</p>}
      {error && <p class="problem" role="status">What was is not known: {error}. It is asked for again.</p>}
      {loaded && loaded.oldest > r.from + 2 * loaded.step && <p class="soft note" role="status">There is nothing from before {clock(loaded.oldest, 86_400_000)} {clock(loaded.oldest, 1000)}.</p>}
      <Breakers name={name} d={d} events={events.value} range={r} oldest={loaded?.oldest ?? r.from} />
      {!loaded && !error && <p class="loading" role="status">Asking for what was.</p>}
      {loaded && (
        <div class="halves">
          <div class="panels">
            <Latency name={name} loaded={loaded} range={r} over={over} />
            {timePanels.filter((p) => p.half === 1).map((p) => <Timed key={p.id} panel={p} name={name} loaded={loaded} range={r} over={over} context={context} />)}
            <Operations all={d?.operations} name={name} />
          </div>
          <div class="panels">
            {timePanels.filter((p) => p.half === 2).map((p) => <Timed key={p.id} panel={p} name={name} loaded={loaded} range={r} over={over} context={context} />)}
          </div>
        </div>
      )}
      {d && <Endpoints d={d} />}
    </>
  );
}

function Facts({ d }: { d: Dependency }) {
  const of = snapshot.value!;
  const slo = of.slo.filter((o) => o.dependency === d.name);
  const faults = of.faults.filter((f) => f.dependency === d.name);
  return (
    <>
      <dl class="facts">
        <div><dt>calls/s</dt><dd>{number(d.rate)}</dd></div>
        <div><dt>success</dt><dd>{percent(d.success)}</dd></div>
        <div><dt>answered</dt><dd>{percent(d.answered)}</dd></div>
        <div><dt>p50</dt><dd>{ms(d.latency?.p50_ms)}</dd></div>
        <div><dt>p99</dt><dd>{ms(d.latency?.p99_ms)}</dd></div>
        <div><dt>p99.9</dt><dd>{ms(d.latency?.p999_ms)}</dd></div>
        <div><dt>in flight</dt><dd>{slotsWord(d.in_flight, d.bulkhead)}</dd></div>
        <div><dt>fallback</dt><dd data-fallback>{percent(d.fallback_share)}</dd></div>
        {d.slo_left !== undefined && <div><dt>error budget left</dt><dd>{percent(d.slo_left)}</dd></div>}
        {d.failover && <div><dt>calls go to</dt><dd>{d.failover === "first" ? "the first provider" : d.failover === "second" ? "▲ the second provider" : "the first again"}</dd></div>}
      </dl>
      {slo.map((o) => <p key={o.name} class={o.firing > 0 ? "hot" : "soft"}>{o.firing > 0 && "▲ "}Objective {o.name}: {percent(o.ratio)} of {percent(o.objective)}, {percent(o.left)} of its budget left, burns {number(o.burn)} budgets a period.</p>)}
      {faults.map((f) => <p key={f.name} class="hot">▲ A fault runs here: {f.name} ({f.kind}) for {percent(f.share)} of calls{f.left_ms ? `, ${ms(f.left_ms)} more` : ""}; {f.hurt} were hurt.</p>)}
    </>
  );
}

interface Over {
  ribbon: Segment[];
  marks: Mark[];
}

/** What lies over all charts: the breaker, and when somebody did something. */
function useOver(name: string, r: Range): Over {
  const list = events.value;
  const [from, to] = r.live ? [r.from - r.span, r.to + r.span] : [r.from, r.to];
  const now = snapshot.value?.dependencies.find((d) => d.name === name)?.breaker?.state ?? "";
  // Live, a ribbon beyond what is shown is made once, until something changes.
  return useMemo(() => {
    const mine = list.filter((e) => isAbout(e, name));
    const own = mine.filter((e: Event) => e.kind === "breaker-changed" && e.policy === name && !e.key).sort((a, b) => a.at_ms - b.at_ms);
    const marks = mine.filter((e) => ["lever", "fault-changed", "failover-changed"].includes(e.kind)).map((e) => ({ at: e.at_ms, label: telling(e) }));
    return { ribbon: states(own, from, to, now), marks };
  }, [list, name, r.live ? r.span : from, r.live ? Math.floor(to / r.span) : to, now]);
}

interface TimeProps {
  name: string;
  loaded: Loaded;
  range: Range;
  over: Over;
}

function Timed({ panel, name, loaded, range: r, over, context }: TimeProps & { panel: TimePanel; context: Context }) {
  const columns = loaded.series.get(name) ?? {};
  const key = [context.d?.bulkhead?.limit, context.d?.bulkhead?.queue_limit, context.policy("retry.budget.ratio")].join();
  const charts = useMemo(() => chartsOf(panel, columns, context), [loaded, panel, name, key]);
  if (!charts.length) return null;
  return (
    <Panel title={panel.title} says={panel.says(context)} id={panel.id} charts={charts} times={loaded.times} twin={twinOf(name, panel.promql(quoted(name)))}>
      {panel.id === "deadlines" && <Hops d={context.d} serve={snapshot.value?.serve} others={snapshot.value?.dependencies ?? []} />}
      {charts.map((c) => <Strip key={c.id} chart={c} times={loaded.times} from={r.from} to={r.to} sync="live" wall onZoom={zoom} ribbon={over.ribbon} marks={over.marks} />)}
    </Panel>
  );
}

function Latency({ name, loaded, range: r, over }: TimeProps) {
  const chart = useMemo(() => latencyChart(loaded, loaded.series.get(name) ?? {}), [loaded, name]);
  const heat = useMemo(() => heatDrawer(loaded), [loaded]);
  const numbers = useMemo(() => [chart, heatAsChart(loaded)], [chart]);
  return (
    <Panel title="Latency" id="latency" charts={numbers} times={loaded.times} says="Of calls that were not refused: the darker, the more calls took so long. The lines are from all calls, and never means of quantiles."
      twin={twinOf(name, `histogram_quantile(0.99, sum by (le) (rate(seakeep_call_duration_seconds_bucket{dependency=${quoted(name)}}[1m])))`)}>
      <Strip chart={chart} times={loaded.times} from={r.from} to={r.to} sync="live" wall onZoom={zoom} under={heat} ribbon={over.ribbon} marks={over.marks} height={260} />
    </Panel>
  );
}

/** A name as a string of PromQL. */
export const quoted = (name: string): string => JSON.stringify(name);

const twinOf = (name: string, promql: string) => {
  const { from, to } = range.value.live ? { from: `-${Math.round(range.value.span / 1000)}s`, to: "" } : { from: String(range.value.from), to: `&to=${range.value.to}` };
  return { cli: `seakeep top --admin ${location.host}`, api: `/api/v1/history?dependency=${encodeURIComponent(name)}&from=${from}${to}`, promql };
};
