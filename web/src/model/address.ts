// The state of the page in its address, so that a link shows the same to
// everybody. What is as it was at the beginning is left out.
import { fields, fitted, initial, shared, type Key, type Setting } from "./setting";
import { usual } from "./world";

export interface State {
  a: Setting;
  b: Setting | null; // the second column
  policy: string; // a file of one's own; empty: none
  slow: string; // the slow dependency
  preset: string; // a scenario that is shown instead; empty: none
  at: number; // the moment that is shown, in seconds
  more: boolean; // the second row is open
}

export const begin = (): State => ({ a: initial(), b: null, policy: "", slow: usual[2], preset: "", at: 60, more: false });

const text = (v: Setting[Key]): string => (v === Infinity ? "none" : v === true ? "on" : v === false ? "off" : String(v));

function put(p: URLSearchParams, prefix: string, s: Setting, from: Setting, skip: readonly Key[]): void {
  for (const f of fields) {
    if (!skip.includes(f.key) && s[f.key] !== from[f.key]) p.set(prefix + f.short, text(s[f.key]));
  }
}

export function write(s: State): string {
  const p = new URLSearchParams();
  if (s.preset) p.set("scenario", s.preset);
  put(p, "", s.a, initial(), []);
  if (s.b) {
    p.set("compare", "on");
    put(p, "b.", s.b, s.a, shared);
  }
  if (s.policy && s.policy.length <= maxPolicy) p.set("policy", s.policy);
  if (s.slow !== usual[2]) p.set("slow", s.slow);
  if (s.more) p.set("more", "on");
  if (s.at !== begin().at) p.set("t", String(Math.round(s.at * 100) / 100));
  return p.toString();
}

/** Reads what write has written, and of anything else what makes sense. */
export function read(address: string): State {
  const p = new URLSearchParams(address.replace(/^#?\/?(try)?\??/, ""));
  const s = begin();
  take(p, "", s.a);
  s.policy = (p.get("policy") ?? "").slice(0, maxPolicy);
  s.slow = p.get("slow") || s.slow;
  s.preset = p.get("scenario") ?? "";
  s.more = p.get("more") === "on";
  const at = Number(p.get("t") ?? NaN);
  if (at >= 0 && at <= 3600) s.at = at;
  if (p.get("compare") === "on") {
    s.b = { ...s.a };
    take(p, "b.", s.b, shared);
  }
  return s;
}

/** A policy file may be a megabyte; an address may not. Longer ones are not in it. */
export const maxPolicy = 24_000;

function take(p: URLSearchParams, prefix: string, s: Setting, skip: readonly Key[] = []): void {
  const all = s as unknown as Record<string, number | boolean | string>;
  for (const f of fields) {
    const v = p.get(prefix + f.short);
    if (v === null || skip.includes(f.key)) continue;
    if (f.kind === "switch") all[f.key] = v === "on";
    else if (f.kind === "choice") {
      if (f.options.some(([o]) => o === v)) all[f.key] = v;
    } else if (f.key === "latency" && v === "none") all[f.key] = Infinity;
    else if (v.trim() !== "" && Number.isFinite(Number(v))) all[f.key] = fitted(f, Number(v));
  }
}
