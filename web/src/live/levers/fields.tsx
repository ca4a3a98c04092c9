// What each order has to say.
import { snapshot } from "../store";
import { number } from "../words";
import { breakersOf, hurts, kinds, type AdmitDraft, type BreakerDraft, type DegradeDraft, type Draft, type StartDraft, type StopDraft } from "./draft";

interface Props<D> {
  draft: D;
  change: (d: Draft) => void;
}

export function Fields({ draft, change }: Props<Draft>) {
  switch (draft.what) {
    case "breaker":
      return <BreakerFields draft={draft} change={change} />;
    case "degrade":
      return <DegradeFields draft={draft} change={change} />;
    case "admit":
      return <AdmitFields draft={draft} change={change} />;
    case "start":
      return <StartFields draft={draft} change={change} />;
    case "stop":
      return <StopFields draft={draft} />;
  }
}

const modes = [["force-open", "hold it open: every call is refused"], ["force-closed", "hold it closed: every call goes through"],
  ["auto", "let it be: it decides again"], ["reset", "begin anew: closed, with an empty window"]] as const;

function BreakerFields({ draft, change }: Props<BreakerDraft>) {
  const s = snapshot.value;
  const all = breakersOf(s);
  const of = s?.dependencies.find((d) => d.name === draft.policy.split("/")[0]);
  return (
    <fieldset class="fields">
      <legend>Which breaker, and what of it</legend>
      <label>Dependency
        <select value={draft.policy} onChange={(e) => change({ ...draft, policy: e.currentTarget.value })}>
          <option value="">choose one</option>
          {!all.includes(draft.policy) && draft.policy && <option value={draft.policy}>{draft.policy}</option>}
          {all.map((n) => <option key={n} value={n}>{n}</option>)}
        </select>
      </label>
      {modes.map(([mode, text]) => (
        <label key={mode} class="choice"><input type="radio" name="mode" checked={draft.mode === mode} onChange={() => change({ ...draft, mode })} /> {text}</label>
      ))}
      {of?.breaker?.keys && <label>Key, if it is one of those kept by key <input type="text" value={draft.key} onInput={(e) => change({ ...draft, key: e.currentTarget.value })} /></label>}
      {of?.breaker && <p class="soft note">Now it is {of.breaker.state}{of.breaker.mode === "auto" ? "" : `, held by hand (${of.breaker.mode})`}.</p>}
    </fieldset>
  );
}

function DegradeFields({ draft, change }: Props<DegradeDraft>) {
  const now = snapshot.value?.serve?.degrade;
  return (
    <fieldset class="fields">
      <legend>How many features are left out, the first of the list first</legend>
      <label class="choice"><input type="radio" name="level" checked={draft.level !== "auto"} onChange={() => change({ ...draft, level: String(now?.level ?? 1) })} /> a number</label>
      {draft.level !== "auto" && <label>Features <input type="number" min={0} max={64} value={draft.level} onInput={(e) => change({ ...draft, level: e.currentTarget.value })} /></label>}
      <label class="choice"><input type="radio" name="level" checked={draft.level === "auto"} onChange={() => change({ ...draft, level: "auto" })} /> leave it to the pressure</label>
      {now && <p class="soft note">Now {now.level} {now.level === 1 ? "is" : "are"} off{now.off.length ? `: ${now.off.join(", ")}` : ""}{now.forced ? ", by hand" : ""}.</p>}
    </fieldset>
  );
}

function AdmitFields({ draft, change }: Props<AdmitDraft>) {
  return (
    <fieldset class="fields">
      <legend>How much of the demand is let in, the most important first</legend>
      <label>Share, in % <input type="number" min={0} max={100} step="any" value={draft.share} onInput={(e) => change({ ...draft, share: e.currentTarget.value })} /></label>
      <label>The rest over <input type="text" value={draft.ramp} placeholder="until the next order" onInput={(e) => change({ ...draft, ramp: e.currentTarget.value })} /></label>
      <p class="soft note">At once, and everything again over that time, such as 60s. 100 % ends it.</p>
    </fieldset>
  );
}

const settings = { delay: "Delay", jitter: "More or less", status: "Status", bytes: "Bytes" };

function StartFields({ draft, change }: Props<StartDraft>) {
  const s = snapshot.value;
  const names = (s?.dependencies ?? []).map((d) => d.name).sort();
  const rate = hurts(draft, s);
  const text = (key: "name" | "length" | "operation" | "path" | keyof typeof settings, label: string, placeholder = "") => (
    <label key={key}>{label} <input type="text" value={draft[key]} placeholder={placeholder} onInput={(e) => change({ ...draft, [key]: e.currentTarget.value })} /></label>
  );
  return (
    <fieldset class="fields">
      <legend>What is hurt, and how</legend>
      <label>Where
        <select value={draft.dependency} onChange={(e) => change({ ...draft, dependency: e.currentTarget.value })}>
          <option value="">behind the door</option>
          {!names.includes(draft.dependency) && draft.dependency && <option value={draft.dependency}>{draft.dependency}</option>}
          {names.map((n) => <option key={n} value={n}>{n}</option>)}
        </select>
      </label>
      <label>Fault <select value={draft.kind} onChange={(e) => change({ ...draft, kind: e.currentTarget.value })}>{Object.keys(kinds).map((k) => <option key={k} value={k}>{k}</option>)}</select></label>
      {kinds[draft.kind]?.map((key) => text(key, settings[key], key === "bytes" ? "such as 16KiB" : key === "jitter" ? "none" : ""))}
      <label>Share of requests, in % <input type="number" min={0} max={100} step="any" value={draft.share} onInput={(e) => change({ ...draft, share: e.currentTarget.value })} /></label>
      {text("length", "For", "5m")}
      {text("name", "Name", draft.kind)}
      <details class="more">
        <summary>Only some requests</summary>
        <div class="fields">
          {text("operation", "Operation", "any")}
          {text("path", "Path", "any; /a/* is all below /a/")}
          <label class="choice"><input type="checkbox" checked={draft.marked} onChange={(e) => change({ ...draft, marked: e.currentTarget.checked })} /> only those whose X-Seakeep-Fault names it</label>
          <label class="choice"><input type="checkbox" checked={draft.force} onChange={(e) => change({ ...draft, force: e.currentTarget.checked })} /> beyond the share that the file allows</label>
        </div>
      </details>
      {rate !== undefined && <p class="soft note">By what comes now, about {number(rate)} {draft.dependency ? "attempts" : "requests"} a second would be hurt.</p>}
    </fieldset>
  );
}

function StopFields({ draft }: { draft: StopDraft }) {
  const where = draft.dependency === undefined ? "everywhere" : draft.dependency === "" ? "behind the door" : `of ${draft.dependency}`;
  return <p>{draft.name ? <>The fault <b>{draft.name}</b> {where} ends, and whoever hangs is let go.</> : <>All faults {where} end, and whoever hangs is let go.</>}</p>;
}
