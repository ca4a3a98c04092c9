// Who pulled which lever, why, and what became of it.
import { clock } from "../../../ui/plot";
import { Twin } from "../../../ui/twin";
import { admitDraft, breakerDraft, degradeDraft, startDraft, stopDraft } from "../../levers/draft";
import { asked, Lever, ReadOnly } from "../../levers/levers";
import { route, set } from "../../router";
import type { Event } from "../../schema";
import { events, snapshot } from "../../store";
import { useAnswer } from "../../answer";
import { found, resultOf, whatOf } from "./words";
import { Waiting } from "../waiting";

export function Audit() {
  // Orders are among the events, so that a new one shows at once; those refused for being too many too.
  const last = events.value.findLast((e) => e.kind === "lever")?.id;
  const { value, error } = useAnswer<Event[]>("audit", 5000, `${last} ${asked.value === null}`);
  const { filter = "" } = route.value.query;
  const shown = found(value ?? [], filter);
  const s = snapshot.value;
  return (
    <>
      <h1>Audit log</h1>
      <p class="soft">Each attempt to use a lever, carried out or not: the last 500, the newest first.</p>
      <div class="levers">
        <Lever draft={breakerDraft()}>Breaker…</Lever>
        {s?.serve?.degrade && <Lever draft={degradeDraft()}>Features…</Lever>}
        {s?.serve && <Lever draft={admitDraft()}>Admission…</Lever>}
        <Lever draft={startDraft(s?.dependencies[0]?.name)}>Start a fault…</Lever>
        <Lever draft={stopDraft()}>Stop all faults…</Lever>
      </div>
      <ReadOnly />
      <Waiting value={value} error={error} what="The audit log" />
      {value && value.length > 0 && (
        <p class="choose"><label>Filter <input type="search" value={filter} placeholder="name, lever, reason, refused" onInput={(e) => set({ filter: e.currentTarget.value })} /></label>
          <span class="soft" role="status">{shown.length === value.length ? `${value.length} orders` : `${shown.length} of ${value.length}`}</span></p>
      )}
      {value && (value.length === 0 ? <p class="empty">Nobody has tried to use a lever since the audit log began.</p> : <Orders all={shown} />)}
      <Twin cli="tail -f FILE, that of --audit-log" api="/api/v1/audit" />
    </>
  );
}

function Orders({ all }: { all: Event[] }) {
  return (
    <div class="scroll tall orders" tabIndex={0} role="region" aria-label="Audit log">
      <table class="stacks">
        <thead><tr><th scope="col">when</th><th scope="col">lever</th><th scope="col">what</th><th scope="col">why</th><th scope="col">who</th><th scope="col">result</th></tr></thead>
        <tbody>
          {all.map((e, k) => (
            <tr key={e.id ?? k} class={e.accepted ? undefined : "refused"}>
              <th scope="row">{clock(e.at_ms, 86_400_000)} {clock(e.at_ms, 1000)}</th>
              <td data-label="lever">{e.lever ?? "–"}</td><td data-label="what">{whatOf(e) || "–"}</td><td data-label="why">{e.why || "–"}</td>
              <td data-label="who">{e.by || "–"}</td><td data-label="result"><b>{e.accepted ? "●" : "▲"}</b> {resultOf(e)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
