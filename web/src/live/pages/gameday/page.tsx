// Game days: what hurts on purpose, within which bounds, and what comes of it.
import { useMemo } from "preact/hooks";
import { Panel } from "../../../ui/panel";
import { Twin } from "../../../ui/twin";
import { useHistory } from "../../history";
import { startDraft, stopDraft } from "../../levers/draft";
import { asked, Lever, ReadOnly } from "../../levers/levers";
import { href, route, set } from "../../router";
import { events, snapshot } from "../../store";
import { LiveStrip } from "../../strip";
import { ago, number } from "../../words";
import { useAnswer } from "../../answer";
import { Track } from "../track";
import { Waiting } from "../waiting";
import { abortState, effectCharts, marksOf, placesOf, reach, scopeOf, watched, where, type Bounds, type Fault, type Faults } from "./model";
import "../pages.css";

export function GameDay() {
  const last = events.value.findLast((e) => e.kind === "fault-changed")?.id;
  const { value, error } = useAnswer<Faults>("faults", 2000, `${last} ${asked.value === null}`);
  const running = value?.faults.filter((f) => f.running) ?? [];
  const over = value?.faults.filter((f) => !f.running) ?? [];
  const who = value ? watched(value, route.value.query.of) : undefined;
  const allowed = value?.bounds.filter((b) => b.allow) ?? [];
  return (
    <>
      <h1>Game days</h1>
      <Waiting value={value} error={error} what="Faults" />
      {value && (
        <>
          <p class={running.length ? "wrong" : "wrong well"} role="status">
            <span>{running.length ? `▲ ${running.length} ${running.length === 1 ? "fault runs" : "faults run"} now` : "● Nothing is hurt on purpose now."}</span>
          </p>
          <div class="levers">
            {allowed.length > 0 && <Lever draft={startDraft(who && allowed.some((b) => b.dependency === who) ? who : allowed[0]!.dependency)}>Start a fault…</Lever>}
            {running.length > 0 && <Lever draft={stopDraft()}>Stop all…</Lever>}
          </div>
          <ReadOnly />
          <Running all={running} />
          {value.bounds.length > 0 ? <Reach v={value} who={who} /> : <Nothing />}
          {who && <Effect name={who} />}
          <Over all={over} />
        </>
      )}
      <Twin cli={`seakeep fault list --admin ${location.host}`} api="/api/v1/faults" promql="seakeep_faults_active" />
    </>
  );
}

function Nothing() {
  return (
    <div class="empty">
      <p><b>The policy file lets nothing be hurt.</b></p>
      <p>With <code>faults: {"{"}allow: true, share: 10%, abort: {"{"}success: 90%{"}"}{"}"}</code> in a dependency, or in <code>serve</code>, faults can be started there, within these bounds.</p>
    </div>
  );
}

function Running({ all }: { all: Fault[] }) {
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-label="Running">
      <h2>Running</h2>
      <table class="stacks">
        <thead><tr><th scope="col">fault</th><th scope="col">where</th><th scope="col">requests</th><th scope="col">share</th><th scope="col">hurt of seen</th><th scope="col">spared</th><th scope="col">ends in</th><th scope="col"><span class="away">stop</span></th></tr></thead>
        <tbody>
          {all.map((f) => (
            <tr key={`${f.dependency} ${f.name}`}>
              <th scope="row">{f.name} <span class="soft">{f.kind}, {f.order ? "by order" : "of the file"}</span></th>
              <td data-label="where">{f.dependency ? <a href={href("dependency", f.dependency)}>{f.dependency}</a> : "the door"}</td>
              <td data-label="requests">{scopeOf(f)}</td><td data-label="share">{+(f.share * 100).toFixed(2)} %</td>
              <td data-label="hurt of seen">{f.hurt} of {f.seen}</td><td data-label="spared">{f.spared}</td><td data-label="ends in">{ago(f.left_ms ?? 0)}</td>
              <td><Lever draft={stopDraft(f.name, f.dependency ?? "")}>Stop<span class="away"> {f.name}</span>…</Lever></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How far faults may reach in each place, and when they end by themselves. */
function Reach({ v, who }: { v: Faults; who?: string }) {
  const { first, rest } = placesOf(v, who);
  const show = (all: Bounds[]) => (
    <div class="pairs">{all.map((b) => <Place key={b.dependency ?? ""} b={b} used={reach(v.faults, b.dependency)} here={b.dependency !== undefined && b.dependency === who} />)}</div>
  );
  return (
    <section class="panel" aria-label="Bounds">
      <h2>How far it may go</h2>
      {show(first)}
      {rest.length > 0 && <details><summary>{rest.length} more, where nothing runs</summary>{show(rest)}</details>}
    </section>
  );
}

function Place({ b, used, here }: { b: Bounds; used: number; here: boolean }) {
  const abort = abortState(b);
  const calls = b.dependency ? snapshot.value?.dependencies.find((d) => d.name === b.dependency) : undefined;
  const most = calls ? calls.rate * calls.attempts_per_call * b.share : undefined;
  return (
    <div class={`pair ${abort.tone}`}>
      <div class="head"><b>{where(b.dependency)}</b>{" "}
        {b.dependency && !here && <button type="button" class="link" onClick={() => set({ of: b.dependency })}>show its effect</button>}
        {here && <span class="soft">shown below</span>}
      </div>
      {!b.allow && <p class="judged">○ The file allows no orders here; <code>allow: true</code> does.</p>}
      <div class="tracks">
        <Track label="share" at={b.share > 0 ? Math.min(1, used / b.share) : 0} text={`${+(used * 100).toFixed(1)} of ${+(b.share * 100).toFixed(1)} %`} />
        <Track label="at once" at={b.concurrent > 0 ? Math.min(1, b.hurting / b.concurrent) : 0} text={`${b.hurting} of ${b.concurrent}`} />
        {b.abort && <Track label="success" at={abort.at ?? 0} mark={b.abort.success} text={abort.at === undefined ? "–" : `${(abort.at * 100).toFixed(1)} %`} />}
      </div>
      {most !== undefined && b.allow && <p class="soft note">At most about {number(most)} attempts a second, by what comes now.</p>}
      <p class="judged"><span aria-hidden="true">{abort.tone === "good" ? "●" : abort.tone === "half" ? "△" : "○"}</span> {abort.says}</p>
    </div>
  );
}

/** What it does to whom, under the same time as all charts. */
function Effect({ name }: { name: string }) {
  const { loaded, error } = useHistory(name);
  const charts = useMemo(() => effectCharts(loaded?.series.get(name) ?? {}), [loaded, name]);
  const marks = useMemo(() => marksOf(events.value, name), [events.value, name]);
  return (
    <Panel title={`What it does to ${name}`} wide charts={charts} times={loaded?.times}
      says={<>Broken lines are where a fault begins or ends. <a href={href("dependency", name)}>All of {name}</a></>}
      twin={{ api: `/api/v1/history?dependency=${encodeURIComponent(name)}` }}>
      {error && <p class="problem" role="status">History: {error}. It is asked for again.</p>}
      {loaded && <div class="beside">{charts.map((c) => <LiveStrip key={c.id} chart={c} loaded={loaded} marks={marks} height={110} />)}</div>}
    </Panel>
  );
}

function Over({ all }: { all: Fault[] }) {
  if (all.length === 0) return null;
  return (
    <section class="panel" aria-label="Over">
      <h2>Over</h2>
      <table class="stacks">
        <thead><tr><th scope="col">fault</th><th scope="col">where</th><th scope="col">requests</th><th scope="col">share</th><th scope="col">hurt of seen</th><th scope="col">why it has ended</th></tr></thead>
        <tbody>
          {all.map((f) => (
            <tr key={`${f.dependency} ${f.name}`}>
              <th scope="row">{f.name} <span class="soft">{f.kind}</span></th><td data-label="where">{where(f.dependency)}</td><td data-label="requests">{scopeOf(f)}</td>
              <td data-label="share">{+(f.share * 100).toFixed(2)} %</td><td data-label="hurt of seen">{f.hurt} of {f.seen}</td><td data-label="ended">{f.over}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
