// An order as somebody is writing it, before it is one.
import { shellWord } from "../../ui/quote";
import type { Dependency, Snapshot } from "../schema";
import type { Order } from "./order";

export interface BreakerDraft {
  what: "breaker";
  policy: string; // a dependency, or dependency/operation
  mode: "force-open" | "force-closed" | "auto" | "reset";
  key: string; // of a breaker that is kept by key
}
export interface DegradeDraft {
  what: "degrade";
  level: string; // a number, or auto
}
export interface AdmitDraft {
  what: "admit";
  share: string; // percent
  ramp: string; // such as 60s; empty: until the next order
}
export interface StartDraft {
  what: "start";
  dependency: string; // empty: behind the door
  kind: string;
  name: string; // empty: as the kind
  share: string; // percent
  length: string;
  delay: string;
  jitter: string;
  status: string;
  bytes: string;
  operation: string;
  path: string;
  marked: boolean; // only requests that ask for it
  force: boolean;
}
export interface StopDraft {
  what: "stop";
  dependency?: string; // undefined: everywhere; empty: behind the door
  name: string; // empty: all
}
export type Draft = BreakerDraft | DegradeDraft | AdmitDraft | StartDraft | StopDraft;

export const breakerDraft = (policy = ""): BreakerDraft => ({ what: "breaker", policy, mode: "force-open", key: "" });
export const degradeDraft = (level = "1"): DegradeDraft => ({ what: "degrade", level });
export const admitDraft = (): AdmitDraft => ({ what: "admit", share: "40", ramp: "60s" });
export const startDraft = (dependency = ""): StartDraft => ({ what: "start", dependency, kind: "latency", name: "", share: "10", length: "5m",
  delay: "200ms", jitter: "", status: "503", bytes: "", operation: "", path: "", marked: false, force: false });
export const stopDraft = (name = "", dependency?: string): StopDraft => ({ what: "stop", name, dependency });

export const titles: Record<Draft["what"], string> = { breaker: "Hold a breaker, or let it be", degrade: "Leave features out",
  admit: "Let in a share of the demand", start: "Start a fault", stop: "Stop a fault" };

/** Which settings a kind of fault has, as docs/policies/fault.md has them. */
export const kinds: Record<string, ("delay" | "jitter" | "status" | "bytes")[]> = {
  latency: ["delay", "jitter"], error: ["status"], refused: [], reset: ["delay"], "no-answer": [], "slow-body": ["bytes", "delay"], bandwidth: ["bytes"],
};

const share = (text: string): number | undefined => {
  const n = Number(text.trim().replace(/%$/, ""));
  return text.trim() !== "" && n >= 0 && n <= 100 ? n / 100 : undefined;
};

const shareText = (text: string): string => `${+((share(text) ?? 0) * 100).toFixed(4)}%`;

/** What is missing or wrong before the program need be asked; empty: nothing. */
export function missing(d: Draft): string {
  switch (d.what) {
    case "breaker":
      return d.policy ? "" : "Choose whose breaker.";
    case "degrade":
      return d.level === "auto" || /^\d+$/.test(d.level) ? "" : "Give a number of features, or leave it to the pressure.";
    case "admit":
      return share(d.share) === undefined ? "Give a share from 0 to 100 %." : "";
    case "start":
      return share(d.share) ? "" : "Give a share of the requests, over 0 and up to 100 %.";
  }
  return "";
}

/** The order that a draft stands for. */
export function orderOf(d: Draft, dryRun = false): Order {
  switch (d.what) {
    case "breaker":
      return { lever: "breaker", order: { policy: d.policy, ...(d.mode === "reset" ? { reset: true } : { mode: d.mode }), ...(d.key && { key: d.key }) } };
    case "degrade":
      return { lever: "degrade", order: d.level === "auto" ? { auto: true } : { level: Number(d.level) } };
    case "admit":
      return { lever: "admit", order: { share: share(d.share) ?? 0, ...(d.ramp.trim() && { ramp: d.ramp.trim() }) } };
    case "start":
      return { lever: "fault", order: { start: { ...(d.dependency && { dependency: d.dependency }), ...(d.force && { force: true }),
        ...(dryRun && { dry_run: true }), fault: faultOf(d) } } };
    case "stop":
      return { lever: "fault", order: { stop: { ...(d.dependency !== undefined && { dependency: d.dependency }), name: d.name } } };
  }
}

/** A fault with the keys and words of the policy file. */
export function faultOf(d: StartDraft): Record<string, string | number | boolean> {
  const f: Record<string, string | number | boolean> = { name: d.name.trim() || d.kind, kind: d.kind, share: shareText(d.share) };
  if (d.length.trim()) f.for = d.length.trim();
  for (const key of kinds[d.kind] ?? []) {
    const text = d[key].trim();
    if (text) f[key] = key === "status" ? Number(text) : text;
  }
  if (d.operation.trim()) f.operation = d.operation.trim();
  if (d.path.trim()) f.path = d.path.trim();
  if (d.marked) f.marked = true;
  return f;
}

/** The same on a command line, of a draft that misses nothing. */
export function commandOf(d: Draft, host: string): string {
  const admin = ` --admin ${shellWord(host)}`;
  switch (d.what) {
    case "breaker":
      return `seakeep breaker ${shellWord(d.policy)} ${d.mode}${d.key ? ` --key=${shellWord(d.key)}` : ""}${admin}`;
    case "degrade":
      return `seakeep degrade ${shellWord(d.level || "auto")}${admin}`;
    case "admit":
      return `seakeep admit ${shareText(d.share)}${d.ramp.trim() ? ` --ramp ${shellWord(d.ramp.trim())}` : ""}${admin}`;
    case "start": {
      const { kind, ...rest } = faultOf(d);
      const flags = Object.entries(rest).filter(([k, v]) => k !== "name" || v !== kind).map(([k, v]) => (v === true ? `--${k}` : `--${k} ${shellWord(String(v))}`));
      return ["seakeep fault start", kind, ...(d.dependency ? [`--dependency ${shellWord(d.dependency)}`] : []), ...flags, ...(d.force ? ["--force"] : [])].join(" ") + admin;
    }
    case "stop":
      return `seakeep fault stop${d.name ? ` ${shellWord(d.name)}` : ""}${d.dependency === undefined ? "" : ` --dependency ${shellWord(d.dependency)}`}${admin}`;
  }
}

/** All policies that have a breaker, in the order of the alphabet. */
export function breakersOf(s: Snapshot | null): string[] {
  const of = (d: Dependency) => [...(d.breaker ? [d.name] : []), ...(d.operations ?? []).filter((o) => o.breaker).map((o) => `${d.name}/${o.name}`)];
  return (s?.dependencies ?? []).flatMap(of).sort();
}

/** How many requests a second a fault would hurt, by what comes now; undefined: not known. */
export function hurts(d: StartDraft, s: Snapshot | null): number | undefined {
  if (!s || d.operation.trim() || d.path.trim() || d.marked) return undefined;
  const part = share(d.share);
  const of = d.dependency ? s.dependencies.find((x) => x.name === d.dependency) : undefined;
  const rate = d.dependency ? of && of.rate * of.attempts_per_call : s.serve?.classes.reduce((sum, c) => sum + c.admitted, 0);
  return part === undefined || rate === undefined ? undefined : rate * part;
}
