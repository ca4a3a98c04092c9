// The slider, the switches, and the second row.
import { useId } from "preact/hooks";
import { applies, fields, fitted, isPolicy, shared, stopOf, stops, timeText, type Amount, type Field, type Group, type Key, type Setting } from "../model/setting";
import { letterOf } from "../model/readouts";
import { castOf, change, own, putAway, state } from "./store";
import { cliOf, edgeOf, edgeText, findEdge, stopEdge } from "./edge";

interface Props {
  side: "a" | "b";
  setting: Setting;
}

const labelled = [20, 100, 300, 1000, Infinity];

export function Latency({ side, setting }: Props) {
  const id = useId();
  const f = fields[0] as Amount;
  const cast = castOf(side);
  const letter = letterOf(cast, cast.slow);
  return (
    <div class="latency">
      <label for={id}>
        <b>{letter} {cast.slow}</b> answers after <output for={id} class="big">{timeText(setting.latency)}</output>
        <span class="soft"> on average, from 5 s on</span>
      </label>
      <input id={id} type="range" min={0} max={stops.length - 1} step={1} value={stopOf(setting.latency)} list={`${id}-stops`}
        aria-valuetext={timeText(setting.latency)}
        onInput={(e) => change(side, "latency", stops[Number(e.currentTarget.value)]!)} />
      <div class="scale" aria-hidden="true">
        {labelled.map((ms) => <span key={ms} style={{ left: `${(100 * stopOf(ms)) / (stops.length - 1)}%` }}>{timeText(ms)}</span>)}
      </div>
      <EdgeButton side={side} f={f} />
    </div>
  );
}

export function EdgeButton({ side, f }: { side: "a" | "b"; f: Amount }) {
  if (!f.edge) return null;
  const e = edgeOf(side, f.key);
  return (
    <div class="edge">
      {e?.busy ? <button type="button" class="small" onClick={stopEdge}>Stop</button>
        : <button type="button" class="small" aria-label={`Find the edge of ${f.label}`} title="Looks for the value at which fewer than 99 % of the healthy requests succeed"
          onClick={() => void findEdge(side, f)}>Find the edge</button>}
      <span role="status" class="soft">{e ? (e.busy ? "Bisecting…" : edgeText(e)) : ""}</span>
      {e?.search && !e.busy && <details class="twin"><summary>On the command line</summary><code>{cliOf(e.search)}</code>{e.search.with && <p>The scenario is the one with {e.search.with}.</p>}</details>}
    </div>
  );
}

export function Switches({ side, setting }: Props) {
  const mine = side === "a" && state.value.policy !== "";
  if (mine) {
    return (
      <div class="own">
        <p><b>A policy file of your own is in use</b>{own.value ? `, that of ${own.value.service}` : ""}. The switches are off while it is.</p>
        {own.value && (
          <label>The dependency that gets slow{" "}
            <select value={castOf(side).slow} onChange={(e) => (state.value = { ...state.value, slow: e.currentTarget.value })}>
              {own.value.dependencies.map((d) => <option key={d} value={d}>{d}</option>)}
            </select>
          </label>
        )}
        {own.value?.warnings.length ? <ul class="warn">{own.value.warnings.map((w) => <li key={w.path + w.line}>Line {w.line}: {w.problem}. {w.fix}</li>)}</ul> : null}
        <button type="button" onClick={putAway}>Back to the switches</button>
      </div>
    );
  }
  return (
    <fieldset class="switches">
      <legend>Protections</legend>
      {fields.filter((f) => f.group === "protect").map((f) => <Toggle key={f.key} f={f} side={side} setting={setting} />)}
    </fieldset>
  );
}

function Toggle({ f, side, setting }: Props & { f: Field }) {
  const id = useId();
  const needs = f.needs && !setting[f.needs];
  return (
    <div class="toggle">
      <input type="checkbox" role="switch" id={id} data-key={f.key} checked={Boolean(setting[f.key])} aria-describedby={`${id}-help`}
        onChange={(e) => change(side, f.key, e.currentTarget.checked)} />
      <label for={id}>{f.label}</label>
      <span id={`${id}-help`} class="help">{f.help}{needs ? ` Needs ${fields.find((x) => x.key === f.needs)!.label.toLowerCase()}.` : ""}</span>
    </div>
  );
}

const groups: readonly [Group, string][] = [
  ["values", "Values of the protections"],
  ["assume", "Assumptions"],
  ["load", "Load"],
  ["spread", "Distributions"],
];

export function SecondRow({ side, setting }: Props) {
  const mine = side === "a" && state.value.policy !== "";
  return (
    <details class="second" open={state.value.more} onToggle={(e) => {
      const more = e.currentTarget.open;
      if (more !== state.value.more) state.value = { ...state.value, more };
    }}>
      <summary>Assumptions, load and distributions</summary>
      <p class="soft">Most disagreements about overload are disagreements about these. Try the other value.</p>
      <div class="groups">
        {groups.map(([g, title]) => {
          const of = fields.filter((f) => f.group === g && applies(f, setting) && !(side === "b" && shared.includes(f.key)) && !(mine && isPolicy(f)));
          if (of.length === 0) return null;
          return (
            <fieldset key={g}>
              <legend>{title}{side === "b" && g === "load" ? ": the rest is A's" : ""}</legend>
              {of.map((f) => <Control key={f.key} f={f} side={side} setting={setting} />)}
            </fieldset>
          );
        })}
      </div>
    </details>
  );
}

function Control({ f, side, setting }: Props & { f: Field }) {
  const id = useId();
  if (f.kind === "switch") return <Toggle f={f} side={side} setting={setting} />;
  const set = (v: Setting[Key]) => change(side, f.key, v);
  return (
    <div class="control">
      <label for={id}>{f.label}</label>
      {f.kind === "choice" ? (
        <select id={id} value={String(setting[f.key])} onChange={(e) => set(e.currentTarget.value)} aria-describedby={`${id}-help`}>
          {f.options.map(([v, label]) => <option key={v} value={v}>{label}</option>)}
        </select>
      ) : (
        <span class="amount">
          {f.edge && <input type="range" aria-label={`${f.label}, as a slider`} min={f.min} max={f.max} step={f.step} value={Number(setting[f.key])}
            onInput={(e) => set(Number(e.currentTarget.value))} />}
          <input id={id} type="number" min={f.min} max={f.max} step={f.step} value={Number(setting[f.key])} aria-describedby={`${id}-help`}
            onChange={(e) => {
              const v = Number(e.currentTarget.value);
              if (e.currentTarget.value !== "" && Number.isFinite(v)) set(fitted(f, v));
              else e.currentTarget.value = String(setting[f.key]);
            }} />
          <span class="unit">{f.unit}</span>
        </span>
      )}
      <span id={`${id}-help`} class="help">{f.help}</span>
      {f.kind === "number" && <EdgeButton side={side} f={f} />}
    </div>
  );
}
