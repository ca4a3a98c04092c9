// What check finds: allowed, and will hurt in an incident.
import { useState } from "preact/hooks";
import { route, set } from "../../router";
import type { Policy } from "../../schema";
import { baseOf, rulesOf, sorted, valuesAt } from "./model";

/** So many are shown at once, unless all are but a few more. */
const few = 8;

export function Findings({ v }: { v: Policy }) {
  const { rule = "" } = route.value.query;
  const rules = rulesOf(v.findings);
  const all = sorted(rule ? v.findings.filter((f) => f.rule === rule) : v.findings);
  const [more, setMore] = useState(false);
  const shown = more || all.length <= 2 * few ? all : all.slice(0, few);
  return (
    <section class="panel" aria-label="Findings">
      <h2>Findings</h2>
      {v.findings.length === 0 && <p class="soft">● Nothing in the file is known to hurt in an incident.</p>}
      {v.findings.length > few && (
        <div class="levers" role="group" aria-label="Only those of a rule">
          {rules.map((r) => <button type="button" key={r.rule} class="small" aria-pressed={rule === r.rule} onClick={() => set({ rule: rule === r.rule ? undefined : r.rule })}>{r.rule} {r.count}</button>)}
        </div>
      )}
      {all.length > 0 && (
        <ul class="findings">
          {shown.map((f) => (
            <li key={`${f.rule} ${f.line} ${f.column} ${f.path}`} class={f.severity}>
              <p class="head"><b>{{ error: "▲", warning: "△" }[f.severity] ?? "○"} {f.severity}</b> <code>{f.rule}</code>{" "}
                <button type="button" class="link" onClick={() => show(valuesAt(v.values, f.path))}>{baseOf(v.file)}:{f.line}:{f.column}<span class="away">, show the values</span></button> <code>{f.path}</code></p>
              <p>{f.why}</p>
              {f.number && <p class="number">{f.number}</p>}
              <p><b>Mend it:</b> {f.fix}</p>
              {f.bites && <p class="soft note"><b>When it bites:</b> {f.bites}</p>}
            </li>
          ))}
        </ul>
      )}
      {shown.length < all.length && <button type="button" onClick={() => setMore(true)}>Show all {all.length}</button>}
    </section>
  );
}

/** Shows values, with the lines that they come from. */
function show(path: string): void {
  set({ filter: path, own: undefined }, true);
  document.getElementById("values")?.scrollIntoView({ block: "start" });
  document.querySelector<HTMLElement>("#values input")?.focus({ preventScroll: true });
}
