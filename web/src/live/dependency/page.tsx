// A page for each dependency.
import { useMemo } from "preact/hooks";
import { Panel } from "../../ui/panel";
import { Strip } from "../../ui/strip";
import { useHistory } from "../history";
import { range, zoom } from "../range";
import { href } from "../router";
import { snapshot } from "../store";
import { breakerWord, ms, number, percent, slotsWord } from "../words";
import { chartsOf, timePanels, type TimePanel } from "./panels";
import type { Loaded } from "../history";

export function DependencyPage({ rest: name }: { rest: string }) {
  const { loaded, error } = useHistory(name);
  const d = snapshot.value?.dependencies.find((d) => d.name === name);
  if (snapshot.value && !d)
    return <><h1>{name || "No name"}</h1><p>The policy file has no such dependency. <a href={href("wall")}>The wall</a> has all that there are.</p></>;
  return (
    <>
      <h1>{name} <span class="soft kind">{d?.kind}</span></h1>
      {d && (
        <p class="facts">
          <span>{number(d.rate)} calls/s</span> <span>{percent(d.success)} success</span> <span>p99 {ms(d.latency?.p99_ms)}</span>{" "}
          <span>breaker {breakerWord(d.breaker)}</span> <span>in flight {slotsWord(d.in_flight, d.bulkhead)}</span> <span>fallback {percent(d.fallback_share)}</span>
        </p>
      )}
      {error && <p class="problem" role="status">History: {error}. It is asked for again.</p>}
      {!loaded && !error && <p class="loading" role="status">Asking for what was.</p>}
      {loaded && <div class="panels">{timePanels.map((p) => <Timed key={p.id} panel={p} name={name} loaded={loaded} />)}</div>}
    </>
  );
}

function Timed({ panel, name, loaded }: { panel: TimePanel; name: string; loaded: Loaded }) {
  const charts = useMemo(() => chartsOf(panel, loaded.series.get(name) ?? {}), [loaded, panel, name]);
  const r = range.value;
  return (
    <Panel title={panel.title} says={panel.says} id={panel.id} charts={charts} times={loaded.times}
      twin={{ api: `/api/v1/history?dependency=${encodeURIComponent(name)}`, promql: panel.promql(name) }}>
      {charts.map((c) => <Strip key={c.id} chart={c} times={loaded.times} from={r.from} to={r.to} sync="live" wall onZoom={zoom} />)}
    </Panel>
  );
}
