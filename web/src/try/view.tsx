// A column: its controls, its squares, its readouts, and its charts.
import { useMemo, useRef, useState } from "preact/hooks";
import { describe } from "../model/frames";
import { plainReadouts, readouts, type Readout } from "../model/readouts";
import { onText, timeText, type Setting } from "../model/setting";
import { usualCast, type Cast } from "../model/world";
import { Squares } from "../ui/squares";
import { segments, Strip } from "../ui/strip";
import { useTheme } from "../ui/theme";
import { breakerOf, marksOf, plainCharts, tableOf, timesOf, tryCharts } from "./charts";
import type { Column, Result } from "./column";
import { Latency, SecondRow, Switches } from "./controls";
import { csvOf, filesOf, save } from "./export";
import { picture } from "./picture";
import { at, castOf, isFile } from "./store";

interface Props {
  side: "a" | "b";
  title: string;
  column: Column;
  setting: Setting;
}

export function ColumnView({ side, title, column, setting }: Props) {
  const root = useRef<HTMLElement>(null);
  const r = column.result.value;
  return (
    <section class="column" ref={root} aria-label={title || "Setting"} data-side={side} data-state={column.state.value}>
      {title && <h2>{title}</h2>}
      {!isFile.value && (
        <div class="controls">
          <Latency side={side} setting={setting} />
          <Switches side={side} setting={setting} />
        </div>
      )}
      <Problems column={column} />
      {r ? <Shown side={side} r={r} setting={setting} busy={column.state.value === "loading" || column.state.value === "running"} root={root} /> : !column.error.value && <Loading />}
      {!isFile.value && <SecondRow side={side} setting={setting} />}
    </section>
  );
}

function Loading() {
  return <p class="loading" role="status">Loading the simulator: 2.6 MB, once.</p>;
}

function Problems({ column }: { column: Column }) {
  if (!column.error.value) return null;
  const faults = column.faults.value;
  return (
    <div class="problem" role="alert">
      <b>This cannot be run.</b>
      {faults.length ? <ul>{faults.map((f) => <li key={`${f.file}${f.line}${f.path}`}><code>{f.file}:{f.line}</code> {f.path}: {f.problem}. {f.fix}</li>)}</ul> : <p>{column.error.value}</p>}
    </div>
  );
}

function Shown({ side, r, setting, busy, root }: { side: "a" | "b"; r: Result; setting: Setting; busy: boolean; root: { current: HTMLElement | null } }) {
  const cast = isFile.value ? { ...usualCast, slow: "" } : castOf(side);
  const theme = useTheme();
  const plain = isFile.value !== "";
  const out = useMemo(() => (plain ? plainReadouts(r.report) : readouts(r.report, r.held, cast, setting)), [r, plain]);
  const charts = useMemo(() => (plain ? plainCharts(r.report) : tryCharts(r.report, cast, setting.workers)), [r, plain]);
  const times = useMemo(() => timesOf(r.report), [r]);
  const marks = useMemo(() => marksOf(r.report), [r]);
  const changes = useMemo(() => breakerOf(r.report, cast.slow), [r]);
  const ribbon = useMemo(() => segments(changes, r.report.for_s), [changes]);
  const files = useMemo(() => filesOf(r.world), [r.world]);
  const now = Math.min(at.value, r.report.for_s);
  return (
    <div class={busy ? "shown busy" : "shown"}>
      <Readouts all={out} busy={busy} />
      {r.frames && <Squares frames={r.frames} at={now} slow={cast.slow} />}
      {charts.map((c, k) => (
        <Strip key={c.id} chart={c} times={times} at={now} marks={marks} ribbon={k === 0 ? ribbon : undefined}
          to={r.report.for_s} sync="try" onPick={(s) => (at.value = s)} />
      ))}
      {changes.length > 0 && <p class="soft note">The ribbon over the first chart is the breaker in the first run: full height is open, half is half-open, none is closed.</p>}
      <Method r={r} busy={busy} />
      <Tables r={r} charts={charts} times={times} />
      <div class="row">
        {files.policies.length > 0 && <button type="button" onClick={() => files.policies.forEach(([name, text]) => save(name, text))}>{files.policies.length > 1 ? "Policies" : "Policy"}</button>}
        <button type="button" onClick={() => save("scenario.yaml", files.scenario)}>Scenario</button>
        <button type="button" onClick={() => save("figures.csv", csvOf(r.report), "text/csv")}>CSV</button>
        <button type="button" onClick={() => save("report.json", JSON.stringify(r.report, null, 2) + "\n", "application/json")}>Report</button>
        <button type="button" onClick={() => void picture(root.current!, { title: "Seakeep: Try it", lines: [
          plain ? r.report.scenario : told(setting, cast),
          ...out.map((o) => `${o.label}: ${o.value}${o.half ? ` ${o.half}` : ""}, ${o.note}`), ...(r.frames ? [describe(r.frames, now)] : [])] }, charts, theme).then((b) => b && save("try-it.png", b))}>Picture</button>
        <span class="soft">to take along. <code>seakeep sim {plain ? `testdata/scenarios/${isFile.value}.yaml` : "scenario.yaml"} --why</code> gives the same numbers.</span>
      </div>
    </div>
  );
}

const told = (s: Setting, cast: Cast): string =>
  `${cast.slow} answers after ${timeText(s.latency)}; ${cast.policy ? "a policy file of one's own" : onText(s)}`;

/** They are read aloud when all runs are made, not after each. */
export function Readouts({ all, busy }: { all: Readout[]; busy: boolean }) {
  return (
    <dl class="readouts" aria-live="polite" aria-busy={busy}>
      {all.map((o) => (
        <div key={o.id} class={`readout ${o.tone}`} data-readout={o.id}>
          <dt>{o.label}</dt>
          <dd>
            <span class="value">{o.tone === "bad" && <span class="sign" role="img" aria-label="bad:">▼ </span>}{o.value}</span> <span class="half">{o.half}</span>
            <span class="note">{o.note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Method({ r, busy }: { r: Result; busy: boolean }) {
  return (
    <p class="soft note" role="status" data-runs={r.runs}>
      {r.runs} of {r.wanted} runs of {r.report.for_s} s from seed {r.report.seed}, the first {r.report.warmup_s} s left out of the figures
      {busy ? "; more are on their way" : "; ± holds the truth in 95 of 100 cases"}. The squares are of the first run. One run took {Math.round(r.firstMs)} ms.
    </p>
  );
}

function Tables({ r, charts, times }: { r: Result; charts: ReturnType<typeof tryCharts>; times: number[] }) {
  return (
    <>
      <details open>
        <summary>Why</summary>
        {r.report.why ? (
          <ol class="why">
            {r.report.why.map((w, k) => (
              <li key={k}><button type="button" class="link" onClick={() => (at.value = w.at_s)} aria-label={`Show ${w.at_s.toFixed(1)} s`}>{w.at_s.toFixed(1)} s</button> {w.text}</li>
            ))}
          </ol>
        ) : <p class="soft">Told when all runs are made.</p>}
      </details>
      {r.report.notes.length > 0 && (
        <details open>
          <summary>Notes</summary>
          <ul class="facts">{r.report.notes.map((n) => <li key={n}>{n}</li>)}</ul>
        </details>
      )}
      {r.report.expect.length > 0 && (
        <details open>
          <summary>What the scenario expects</summary>
          <ul class="facts">{r.report.expect.map((e) => (
            <li key={e.text}><b class={e.holds ? "good" : "bad"}>{e.holds ? "✓ holds" : "✗ does not hold"}</b>{e.sure ? "" : ", within the interval"}: <code>{e.text}</code></li>
          ))}</ul>
        </details>
      )}
      <Table title="What this assumes" of={() => ({ head: ["key", "value", "which means"], rows: r.report.assumptions.map((a) => [a.key, a.value, a.text]) })} />
      <Table title="Numbers over time" of={() => tableOf(charts, times)} />
      <Table title="All figures" of={() => ({ head: ["figure", "mean", "from", "to", "unit"],
        rows: Object.entries(r.report.figures).filter(([, f]) => f.mean !== null).map(([k, f]) => [k, tidy(f.mean), tidy(f.low), tidy(f.high), f.unit]) })} />
    </>
  );
}

/** A table that is made while somebody looks at it. */
function Table({ title, of }: { title: string; of: () => { head: string[]; rows: (string | number | null)[][] } }) {
  const [open, set] = useState(false);
  const t = open ? of() : null;
  return (
    <details onToggle={(e) => set(e.currentTarget.open)}>
      <summary>{title}</summary>
      {t && (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead><tr>{t.head.map((h) => <th key={h} scope="col">{h}</th>)}</tr></thead>
            <tbody>{t.rows.map((row, k) => <tr key={k}>{row.map((v, n) => (n === 0 ? <th key={n} scope="row">{v}</th> : <td key={n}>{v ?? "–"}</td>))}</tr>)}</tbody>
          </table>
        </div>
      )}
    </details>
  );
}

const tidy = (x: number | null) => (x === null ? "–" : String(+x.toPrecision(4)));
