// What comes in: who is let in, who waits, who is refused, and for what.
import { useMemo } from "preact/hooks";
import { Panel } from "../../../ui/panel";
import { Table } from "../../../ui/table";
import { Twin } from "../../../ui/twin";
import { useHistory, type Loaded } from "../../history";
import { admitDraft, degradeDraft } from "../../levers/draft";
import { Lever, ReadOnly } from "../../levers/levers";
import type { Serve as State } from "../../schema";
import { snapshot } from "../../store";
import { LiveStrip } from "../../strip";
import { ms, number, percent } from "../../words";
import { Track } from "../track";
import { partsOf, reasons, stateOf, type Part } from "./model";
import "../pages.css";

export function Serve() {
  const s = snapshot.value;
  if (!s) return <><h1>Serve: what comes in</h1><p class="loading" role="status">Waiting for the first figures.</p></>;
  return (
    <>
      <h1>Serve: what comes in</h1>
      {s.serve ? <Door s={s.serve} /> : <Empty />}
      <Twin cli={`seakeep top --admin ${location.host}`} api="/api/v1/snapshot" promql="sum by (criticality, outcome) (rate(seakeep_requests_total[1m]))" />
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p><b>The policy file has no <code>serve</code>.</b></p>
      <p>With it the program stands before the service too: it lets in as much as can be served, the most important first, and this page shows whom.</p>
    </div>
  );
}

function Door({ s }: { s: State }) {
  const { loaded, error } = useHistory(undefined, "rate");
  const state = stateOf(s);
  return (
    <>
      <p class={state.well ? "wrong well" : "wrong"} role="status"><span>{state.well ? "●" : "▲"} {state.text}</span></p>
      <p class="said-now">
        <span>{number(s.rate)} requests/s</span><span>p99 {ms(s.latency?.p99_ms)}</span>
        {s.slots && <span>{s.slots.in_use} of {s.slots.limit} under way, {s.slots.queued} of {s.slots.queue_limit} wait</span>}
        {s.limit && <span>limit found by {s.limit.algorithm}{s.limit.last_move && `, last move ${s.limit.last_move}`}: {ms(s.limit.latency_ms)} now, {ms(s.limit.baseline_ms)} at its best</span>}
        {s.recovery && <span>{s.recovery}</span>}
      </p>
      <div class="levers">
        {s.degrade && <Lever draft={degradeDraft(String(s.degrade.level || 1))}>Leave features out…</Lever>}
        <Lever draft={admitDraft()}>Let in a share…</Lever>
      </div>
      <ReadOnly />
      <Now s={s} />
      {error && <p class="problem" role="status">History: {error}. It is asked for again.</p>}
      {loaded?.serve && <div class="cards charts">{partsOf(loaded.serve).map((p) => <Timed key={p.id} p={p} loaded={loaded} />)}</div>}
    </>
  );
}

function Now({ s }: { s: State }) {
  const why = reasons(s);
  return (
    <div class="cards">
      <section class="panel" aria-label="By class">
        <h2>By class, a second</h2>
        <Table name="By class, a second" class="scroll tall bare" head={["class", "offered", "let in", "shed", "left", "in time", "waiting"]}>
          {s.classes.map((c) => (
            <tr key={c.name}><th scope="row">{c.name}</th><td>{number(c.offered)}</td><td>{number(c.admitted)}</td><td>{number(c.shed)}</td><td>{number(c.left)}</td>
              <td>{number(c.answered_in_time)}</td><td>{c.queued}</td></tr>
          ))}
        </Table>
      </section>
      <section class="panel" aria-label="Refused for">
        <h2>Refused for, a second</h2>
        {why.length === 0 ? <p class="soft">Nobody is refused.</p> : <div class="tracks">{why.map((r) => <Track key={r.name} label={r.name} at={r.of} text={number(r.rate)} />)}</div>}
      </section>
      {s.degrade && (
        <section class="panel" aria-label="Degradation">
          <h2>Left out</h2>
          <div class="tracks"><Track label="pressure" at={Math.min(1, s.degrade.pressure)} text={percent(s.degrade.pressure)} /></div>
          <p>{s.degrade.level === 0 ? "Nothing is left out." : `${s.degrade.off.join(", ")}${s.degrade.forced ? ", by hand" : ""}`}</p>
        </section>
      )}
      <Tenants s={s} />
    </div>
  );
}

/** Their keys come from traffic: text, whatever it is. */
function Tenants({ s }: { s: State }) {
  if (!s.tenants) return null;
  const most = Math.max(1, ...s.tenants.map((t) => t.here));
  return (
    <section class="panel" aria-label="Tenants">
      <h2>Tenants with the most</h2>
      <p class="soft note">{s.tenant_keys} are known. Bars are requests that are here now.</p>
      {s.tenants.length === 0 ? <p class="soft">Nobody is here.</p>
        : <div class="tracks">{s.tenants.map((t) => <Track key={t.key} label={t.key || "without a name"} at={t.here / most} text={`${t.here}, ${t.entered} in all`} />)}</div>}
    </section>
  );
}

function Timed({ p, loaded }: { p: Part; loaded: Loaded }) {
  const charts = useMemo(() => p.charts, [loaded, p.id]);
  return (
    <Panel title={p.title} says={p.says} id={p.id} wide={charts.length > 2} charts={charts} times={loaded.times} twin={{ api: "/api/v1/history?columns=rate", promql: p.promql }}>
      <div class={charts.length > 2 ? "beside" : undefined}>
        {charts.map((c) => <LiveStrip key={c.id} chart={c} loaded={loaded} height={110} />)}
      </div>
    </Panel>
  );
}
