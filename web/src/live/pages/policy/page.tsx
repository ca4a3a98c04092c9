// The policy in effect: each value with the line that it comes from, what check
// finds in it, what the last reload changed, and why a newer text is not in use.
import { useMemo, useState } from "preact/hooks";
import { clock } from "../../../ui/plot";
import { shellWord } from "../../../ui/quote";
import { Twin } from "../../../ui/twin";
import { usePolicy } from "../../policy";
import { route, set } from "../../router";
import type { Policy as File } from "../../schema";
import { snapshot } from "../../store";
import { Waiting } from "../waiting";
import { Findings } from "./findings";
import { baseOf, found, groups, kindOf, lineOf, type Group } from "./model";
import "../pages.css";

export function Policy() {
  const { value, error } = usePolicy();
  const file = value ? shellWord(value.file) : "FILE";
  return (
    <>
      <h1>Policy</h1>
      <Waiting value={value} error={error} what="Policy" />
      {value && (
        <>
          <p class="said-now"><span><code>{value.file}</code></span>{value.loaded_ms > 0 && <span>in use since {clock(value.loaded_ms, 86_400_000)} {clock(value.loaded_ms, 1000)}</span>}
            <span>{value.findings.length} findings</span></p>
          {value.refused && <div class="problem" role="alert"><b>▲ A newer text of the file is not in use:</b><pre>{value.refused}</pre>What is shown goes on to be used.</div>}
          {value.warnings.length > 0 && <ul class="warn">{value.warnings.map((w) => <li key={w}>{w}</li>)}</ul>}
          <Changes v={value} />
          <Findings v={value} />
          <Values v={value} />
        </>
      )}
      <Twin cli={`seakeep plan ${file}; seakeep check ${file}`} api="/api/v1/policy" />
    </>
  );
}

function Changes({ v }: { v: File }) {
  return (
    <section class="panel" aria-label="The last reload">
      <h2>The last reload</h2>
      {v.changes.length === 0 ? <p class="soft">It has changed nothing, or there was none yet.</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="What the last reload changed">
          <table class="stacks">
            <thead><tr><th scope="col">key</th><th scope="col" /><th scope="col">before</th><th scope="col">after</th><th scope="col">line</th></tr></thead>
            <tbody>
              {v.changes.map((c) => (
                <tr key={c.path}>
                  <th scope="row"><code>{c.path}</code></th><td data-label="it">{kindOf(c)}</td>
                  <td data-label="before"><del>{c.before ?? ""}</del></td><td data-label="after"><ins>{c.after ?? ""}</ins></td><td data-label="line">{c.from ? lineText(c.from) : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const lineText = (from: string) => (lineOf(from) === undefined ? "default" : `${baseOf(from.replace(/:\d+$/, ""))}:${lineOf(from)}`);

/** As many groups are open as can be read at once. */
const fewValues = 60;

function Values({ v }: { v: File }) {
  const { filter = "", own = "" } = route.value.query;
  const shown = useMemo(() => found(v.values, filter, own === "1"), [v, filter, own]);
  const all = useMemo(() => groups(shown, v.findings, (snapshot.peek()?.dependencies ?? []).map((d) => d.name)), [shown, v]);
  return (
    <section class="panel" id="values" aria-label="Values in effect">
      <h2>Values in effect</h2>
      <p class="choose">
        <label>Search <input type="search" value={filter} placeholder="key, value or line" data-testid="search" onInput={(e) => set({ filter: e.currentTarget.value })} /></label>
        <label><input type="checkbox" checked={own === "1"} onChange={(e) => set({ own: e.currentTarget.checked ? "1" : undefined })} /> only what the file says</label>
        <span class="soft" role="status">{shown.length} of {v.values.length} values</span>
      </p>
      {all.length === 0 && <p>Nothing has “{filter}” in it. <button type="button" class="link" onClick={() => set({ filter: undefined, own: undefined })}>Show all</button></p>}
      {all.map((g) => <Part key={`${g.dependency} ${g.name} ${filter}`} g={g} begins={shown.length <= fewValues || all.length === 1} />)}
    </section>
  );
}

/** Its values are drawn while it is open: of many dependencies there are tens of thousands. */
function Part({ g, begins }: { g: Group; begins: boolean }) {
  const [open, set] = useState(begins);
  const prefix = g.dependency ? `dependencies.${g.name}.` : g.name === "the file" ? "" : `${g.name}.`;
  return (
    <details class="part" open={open} onToggle={(e) => set(e.currentTarget.open)}>
      <summary>{g.name} <span class="soft">{g.values.length} {g.values.length === 1 ? "value" : "values"}{g.findings ? `, ▲ ${g.findings} ${g.findings === 1 ? "finding" : "findings"}` : ""}</span></summary>
      {open && <table class="values">
        <thead class="away"><tr><th scope="col">key</th><th scope="col">value</th><th scope="col">from</th></tr></thead>
        <tbody>
          {g.values.map((v) => (
            <tr key={v.path} class={v.from === "default" ? "default" : undefined}>
              <th scope="row"><code>{v.path.startsWith(prefix) ? v.path.slice(prefix.length) : v.path}</code></th><td>{v.value}</td><td class="soft">{lineText(v.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>}
    </details>
  );
}
