// Orders, in words.
import type { Event } from "../../schema";

/** Why an order was refused, by the word that the audit log has. */
const refusals: Record<string, string> = {
  "no-levers": "the program takes no orders",
  "no-token": "without the token, or with another",
  "foreign-origin": "from a page of somebody else",
  "foreign-host": "under a name that is not the program's",
  "no-json": "not sent as JSON",
  unreadable: "cannot be read",
  "no-reason": "without a reason",
  "no-nonce": "without a number of its own",
  "too-old": "not of this moment",
  replayed: "given before",
  "too-many": "too many in a second",
  "not-possible": "cannot be carried out",
};

export function resultOf(e: Event): string {
  if (e.accepted) return isDryRun(e) ? "tried, nothing begun" : "done";
  return `refused: ${refusals[e.detail ?? ""] ?? e.detail ?? "for no reason told"}`;
}

const record = (v: unknown): Record<string, unknown> | undefined => (typeof v === "object" && v !== null ? (v as Record<string, unknown>) : undefined);

function isDryRun(e: Event): boolean {
  return record(record(e.order)?.start)?.dry_run === true;
}

/** What was ordered, in words; what is not known is shown as it came. */
export function whatOf(e: Event): string {
  const o = record(e.order);
  const text = (v: unknown) => (typeof v === "string" || typeof v === "number" ? String(v) : "");
  if (!o) return e.order === undefined ? "" : JSON.stringify(e.order);
  const key = o.key ? `, key ${text(o.key)}` : "";
  if (e.lever === "breaker") return o.reset ? `begin anew: ${text(o.policy)}${key}` : `${text(o.mode)}: ${text(o.policy)}${key}`;
  if (e.lever === "degrade") return o.auto ? "leave it to the pressure" : `${text(o.level)} off`;
  if (e.lever === "admit") return `${percentOf(o.share)}${o.ramp ? `, the rest over ${text(o.ramp)}` : ""}`;
  const start = record(o.start);
  const fault = record(start?.fault);
  if (start && fault) return `start ${text(fault.name)}: ${text(fault.kind)} for ${text(fault.share)} ${text(start.dependency) || "behind the door"}`;
  const stop = record(o.stop);
  if (stop) return `stop ${text(stop.name) || "all"}${stop.dependency === undefined ? "" : ` ${text(stop.dependency) || "behind the door"}`}`;
  return JSON.stringify(o);
}

const percentOf = (v: unknown) => (typeof v === "number" ? `${+(v * 100).toFixed(2)} %` : "");

/** Those in which a text is, in any of their words; the newest first. */
export function found(all: readonly Event[], text: string): Event[] {
  const want = text.trim().toLowerCase();
  const has = (e: Event) => [e.lever, e.by, e.why, e.policy, whatOf(e), resultOf(e)].some((s) => s?.toLowerCase().includes(want));
  return (want ? all.filter(has) : [...all]).reverse();
}
