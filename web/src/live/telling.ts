// Events, in words.
import type { Event } from "./schema";

const what: Record<string, string> = {
  "breaker-changed": "breaker", "failover-changed": "calls go to", "endpoint-changed": "endpoint", "panic-changed": "panic, so few endpoints are up",
  "limit-changed": "limit", "shed-changed": "shedding", "degrade-changed": "degradation", "recovery-changed": "recovery",
  "fault-changed": "fault", "endpoints-found": "endpoints found", "resolve-failed": "name not resolved", "certificates-read": "certificates read",
  "burn-changed": "error budget burns", "budget-changed": "steps for the error budget",
};

/** Says what happened, without who it happened to. */
export function telling(e: Event): string {
  if (e.kind === "lever")
    return `lever ${e.lever ?? ""} by ${e.by || "somebody"}: ${e.why || "no reason"}${e.accepted ? "" : ` (refused: ${e.detail ?? ""})`}`;
  const key = e.key ? ` of ${e.key}` : "";
  const change = e.from || e.to ? ` ${e.from || "nothing"} → ${e.to || "nothing"}` : "";
  const because = [e.reason, e.detail].filter(Boolean).join(", ");
  return `${what[e.kind] ?? e.kind}${key}${change}${because ? `: ${because}` : ""}`;
}

/** Whether an event is about a dependency: its own, of one of its operations, or of everything. */
export function isAbout(e: Event, name: string): boolean {
  return !e.policy || e.policy === name || e.policy.startsWith(`${name}/`);
}
