// What users were promised, and how much of it may still fail.
import { useMemo } from "preact/hooks";
import { Panel } from "../../../ui/panel";
import { clock, type Chart } from "../../../ui/plot";
import { promString, shellWord } from "../../../ui/quote";
import { Strip } from "../../../ui/strip";
import { Twin } from "../../../ui/twin";
import { href } from "../../router";
import { programNow } from "../../store";
import { useAnswer } from "../../answer";
import { Waiting } from "../waiting";
import { Pair } from "./gauge";
import { about, burnNow, doneNow, exhaustion, goal, goodIs, overWhat, periodOf, stepDoes, timesOf, type Objective, type Objectives } from "./model";
import "../pages.css";

export function SLO() {
  const { value, error } = useAnswer<Objectives>("slo", 5000);
  const done = value ? doneNow(value) : [];
  return (
    <>
      <h1>SLOs</h1>
      <Waiting value={value} error={error} what="Objectives" />
      {value && value.objectives.length === 0 && <Empty />}
      {value && value.objectives.length > 0 && (
        <>
          <p class={done.length ? "wrong" : "wrong well"} role="status">
            {done.length ? <span>▲ {value.observe ? "Only told, because of mode: observe: " : ""}{done.join(" ")}</span> : <span>● No budget asks for anything now.</span>}
          </p>
          {value.objectives.map((o) => <Promise key={o.name} o={o} at={Date.parse(value.at)} />)}
        </>
      )}
      <Twin cli={`seakeep slo FILE --admin ${location.host}`} api="/api/v1/slo" promql="seakeep_slo_budget_left_ratio" />
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p><b>The policy file promises nothing.</b></p>
      <p>With a section such as <code>slo: {"{"}objectives: [{"{"}name: checkout, objective: 99.9%, latency: 1s{"}"}]{"}"}</code> this page shows the budget, how fast it burns, and when an alert fires.</p>
    </div>
  );
}

function Promise({ o, at }: { o: Objective; at: number }) {
  const key = `${o.curve_begin} ${at}`;
  const times = useMemo(() => timesOf(o, at), [key]);
  const charts = useMemo<Chart[]>(() => [{ id: `curve-${o.name}`, title: "Budget left", unit: "", percent: true, most: 1, least: Math.min(0, ...o.curve),
    lines: [{ label: "left", color: 0, dash: [], values: o.curve }] }], [key]);
  const firing = o.alerts.filter((a) => a.firing);
  const out = exhaustion(o, programNow());
  const burn = burnNow(o);
  const total = o.good + o.bad;
  const begin = Date.parse(o.since) > Date.parse(o.begin) ? Date.parse(o.since) : undefined;
  return (
    <Panel title={o.name} id={`slo-${o.name}`} wide charts={charts} times={times}
      says={<>{goal(o.objective)} of {goodIs(o)}, over {overWhat(o)}{o.dependency && <>; <a href={href("dependency", o.dependency)}>{o.dependency}</a></>}</>}
      twin={{ cli: `seakeep slo test FILE --slo ${shellWord(o.name)} --errors 2% --for 1h`, promql: `seakeep_slo_budget_left_ratio{slo=${promString(o.name)}}` }}>
      <p class={firing.length ? "wrong" : "wrong well"}>
        {firing.length ? <span>▲ {firing.length} of {o.alerts.length} alerts {firing.length === 1 ? "fires" : "fire"}{firing.some((a) => a.page) ? ": somebody is paged" : ""}</span> : <span>● No alert fires.</span>}
      </p>
      <dl class="readouts slo-readouts">
        <Readout label="Budget left of the period" value={goal(+o.left_of_period.toFixed(4))} note={`${goal(+o.left.toFixed(3))} by the events so far alone`} bad={o.left_of_period <= 0.2} />
        <Readout label="Good" value={o.ratio === undefined ? "–" : goal(+o.ratio.toFixed(6))} note={`${total} events, ${o.bad} bad${o.excluded ? `, ${o.excluded} in maintenance left out` : ""}`} bad={o.ratio !== undefined && o.ratio < o.objective} />
        <Readout label="Until it is spent" value={out.text} note={out.at ? `if it goes on as in the last ${about(burn!.short_s)}` : `by the last ${burn ? about(burn.short_s) : "minutes"}`} bad={out.text === "spent" || (out.at !== undefined && out.at - at < 86_400_000)} />
      </dl>
      {begin !== undefined && <p class="soft note">Counted since {clock(begin, 86_400_000)} {clock(begin, 1000)}, {about((at - begin) / 1000)} of {about(periodOf(o))}: what was before is taken as good.</p>}
      {times.length > 1 && <Strip chart={charts[0]!} times={times} from={times[0]!} to={at} sync="slo" wall height={140} />}
      <h3>How fast it burns</h3>
      <p class="soft note">In budgets a period: 1 spends all of it by the end of the period. An alert fires when both of its windows are over the mark, with {o.min_events} events or more in the long one and {o.min_errors} bad ones.</p>
      {o.alerts.length === 0 ? <p>There are no alerts for so short a time.</p> : <div class="pairs">{o.alerts.map((a) => <Pair key={a.window_s} a={a} o={o} />)}</div>}
      <Steps o={o} />
    </Panel>
  );
}

function Readout({ label, value, note, bad }: { label: string; value: string; note: string; bad: boolean }) {
  return (
    <div class={bad ? "readout bad" : "readout good"}>
      <dt>{label}</dt>
      <dd><span class="value">{bad && <span class="sign" role="img" aria-label="bad:">▼ </span>}{value}</span><span class="note">{note}</span></dd>
    </div>
  );
}

function Steps({ o }: { o: Objective }) {
  if (o.policy.length === 0) return <p class="soft note">No <code>policy</code> says what happens as the budget shrinks.</p>;
  return (
    <>
      <h3>As the budget shrinks</h3>
      <ul class="steps">
        {o.policy.map((s) => (
          <li key={s.left} class={s.taken ? "taken" : undefined}>
            <span class="sign" aria-hidden="true">{s.taken ? "▲" : "○"}</span> {s.taken ? <b>taken: </b> : ""}{s.left === 0 ? "when it is spent" : `from ${goal(s.left)} on`}: {stepDoes(s)}
          </li>
        ))}
      </ul>
      {o.back !== undefined && <p class="soft note">A step is taken back when {goal(o.back)} more is left than it asks for.</p>}
    </>
  );
}
