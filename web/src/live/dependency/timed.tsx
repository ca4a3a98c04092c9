// The panels over time, each with its charts, their numbers and its twins.
import { useMemo } from "preact/hooks";
import { Panel } from "../../ui/panel";
import { promString } from "../../ui/quote";
import type { Mark, Segment } from "../../ui/plot";
import type { Loaded } from "../history";
import { range, type Range } from "../range";
import type { Event } from "../schema";
import { events, snapshot } from "../store";
import { LiveStrip } from "../strip";
import { isAbout, telling } from "../telling";
import { heatAsChart, heatDrawer, latencyChart } from "./heat";
import { Hops } from "./hops";
import type { Context } from "./columns";
import { chartsOf, type TimePanel } from "./panels";
import { states } from "./timeline";

interface Over {
  ribbon: Segment[];
  marks: Mark[];
}

/** What lies over all charts: the breaker, and when somebody did something. */
export function useOver(name: string, r: Range): Over {
  const list = events.value;
  const [from, to] = r.live ? [r.from - r.span, r.to + r.span] : [r.from, r.to];
  const now = snapshot.value?.dependencies.find((d) => d.name === name)?.breaker?.state ?? "";
  // Live, a ribbon beyond what is shown is made once, until something changes.
  return useMemo(() => {
    const mine = list.filter((e) => isAbout(e, name));
    const own = mine
      .filter((e: Event) => e.kind === "breaker-changed" && e.policy === name && !e.key)
      .sort((a, b) => a.at_ms - b.at_ms);
    const marks = mine
      .filter((e) => ["lever", "fault-changed", "failover-changed"].includes(e.kind))
      .map((e) => ({ at: e.at_ms, label: telling(e) }));
    return { ribbon: states(own, from, to, now), marks };
  }, [list, name, r.live ? r.span : from, r.live ? Math.floor(to / r.span) : to, now]);
}

interface TimeProps {
  name: string;
  loaded: Loaded;
  over: Over;
}

export function Timed({ panel, name, loaded, over, context }: TimeProps & { panel: TimePanel; context: Context }) {
  const columns = loaded.series.get(name) ?? {};
  const key = [
    context.d?.bulkhead?.limit,
    context.d?.bulkhead?.queue_limit,
    context.policy("retry.budget.ratio"),
  ].join();
  const charts = useMemo(() => chartsOf(panel, columns, context), [loaded, panel, name, key]);
  if (!charts.length) return null;
  return (
    <Panel
      title={panel.title}
      says={panel.says(context)}
      id={panel.id}
      charts={charts}
      times={loaded.times}
      twin={twinOf(name, panel.promql(promString(name)))}
    >
      {panel.id === "deadlines" && (
        <Hops d={context.d} serve={snapshot.value?.serve} others={snapshot.value?.dependencies ?? []} />
      )}
      {charts.map((c) => (
        <LiveStrip key={c.id} chart={c} loaded={loaded} {...over} />
      ))}
    </Panel>
  );
}

export function Latency({ name, loaded, over }: TimeProps) {
  const chart = useMemo(() => latencyChart(loaded, loaded.series.get(name) ?? {}), [loaded, name]);
  const heat = useMemo(() => heatDrawer(loaded), [loaded]);
  const numbers = useMemo(() => [chart, heatAsChart(loaded)], [chart]);
  return (
    <Panel
      title="Latency"
      id="latency"
      charts={numbers}
      times={loaded.times}
      says="Of calls that were not refused: the darker, the more calls took so long. The lines are from all calls, and never means of quantiles."
      twin={twinOf(
        name,
        `histogram_quantile(0.99, sum by (le) (rate(seakeep_call_duration_seconds_bucket{dependency=${promString(name)}}[1m])))`,
      )}
    >
      <LiveStrip chart={chart} loaded={loaded} under={heat} {...over} height={260} />
    </Panel>
  );
}

const twinOf = (name: string, promql: string) => {
  const { from, to } = range.value.live
    ? { from: `-${Math.round(range.value.span / 1000)}s`, to: "" }
    : { from: String(range.value.from), to: `&to=${range.value.to}` };
  return {
    cli: `seakeep top --admin ${location.host}`,
    api: `/api/v1/history?dependency=${encodeURIComponent(name)}&from=${from}${to}`,
    promql,
  };
};
