// The way to the levers, from any page: a button opens the dialog with an order
// that can still be changed.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { policyValue } from "../policy";
import type { Dependency } from "../schema";
import { snapshot } from "../store";
import { breakerDraft, breakersOf, startDraft, stopDraft, type Draft } from "./draft";

/** The order that the dialog shows; null: it is closed. */
export const asked = signal<Draft | null>(null);

/** A button for an order. Where the program takes none it is not there. */
export function Lever({ draft, children }: { draft: Draft; children: ComponentChildren }) {
  if (!snapshot.value?.levers) return null;
  return <button type="button" class="lever" aria-haspopup="dialog" onClick={() => (asked.value = draft)}>{children}</button>;
}

/** What can be ordered of one dependency. */
export function DependencyLevers({ d }: { d: Dependency }) {
  const s = snapshot.value;
  if (!s?.levers) return null;
  return (
    <div class="levers" role="group" aria-label="Orders">
      {breakersOf({ ...s, dependencies: [d] }).length > 0 && <Lever draft={breakerDraft(d.breaker ? d.name : "")}>Breaker…</Lever>}
      {policyValue(`dependencies.${d.name}.faults.allow`) === "true" && <Lever draft={startDraft(d.name)}>Start a fault…</Lever>}
      {d.faults !== undefined && d.faults > 0 && <Lever draft={stopDraft("", d.name)}>Stop its faults…</Lever>}
    </div>
  );
}

/** Says why there are no levers, if there are none. */
export function ReadOnly() {
  const s = snapshot.value;
  if (!s || s.levers) return null;
  return (
    <p class="soft note read-only">
      Nothing can be changed from this page: the program was started without <code>--dashboard-token-file FILE</code>. With it breakers, degradation, admission and faults have buttons here.
    </p>
  );
}
