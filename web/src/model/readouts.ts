// The six readouts, each with its interval, from a report.
import type { Figure, Held, Report } from "../engine/types";
import { figureText, millis, percent, perSecond, pm } from "./format";
import type { Setting } from "./setting";
import type { Cast } from "./world";

export interface Readout {
  id: string;
  label: string;
  value: string;
  half: string;
  note: string;
  tone: "good" | "bad" | "plain";
}

const get = (r: Report, key: string): Figure | undefined => r.figures[key];

/** One share of two or more endpoints together, by what each was sent. The
 * interval is the widest of them, which is wider than need be. */
export function together(parts: { share: Figure; sent: Figure }[]): { mean: number; half: number | null } {
  let some = 0;
  let all = 0;
  let half: number | null = 0;
  for (const { share, sent } of parts) {
    some += (share.mean ?? 0) * (sent.mean ?? 0);
    all += sent.mean ?? 0;
    half = half === null || share.half === null ? null : Math.max(half, share.half);
  }
  return { mean: all > 0 ? some / all : NaN, half };
}

export function letterOf(cast: Cast, name: string): string {
  const k = cast.dependencies.indexOf(name);
  return k < 0 ? "?" : String.fromCharCode(65 + (k % 26));
}

export function readouts(r: Report, held: Held[], cast: Cast, s: Setting): Readout[] {
  const workers = s.workers;
  const others = cast.dependencies.filter((d) => d !== cast.slow);
  const slow = letterOf(cast, cast.slow);
  const rest = others.length === 0 ? "" : others.length <= 3 ? others.map((d) => letterOf(cast, d)).join(" and ") : "The others";
  const parts = others
    .map((d) => ({ share: get(r, `endpoints.${d}.success`), sent: get(r, `endpoints.${d}.sent`) }))
    .filter((p): p is { share: Figure; sent: Figure } => p.share !== undefined && p.sent !== undefined);
  const ok = together(parts);
  const slowest = others
    .map((d) => get(r, `endpoints.${d}.p99`))
    .filter((f): f is Figure => f !== undefined && f.mean !== null)
    .sort((a, b) => b.mean! - a.mean!)[0];
  const busy = get(r, "services.checkout.busy");
  const mine = held.find((h) => h.route === cast.slow);
  const success = get(r, `endpoints.${cast.slow}.success`);
  const fallback = get(r, `endpoints.${cast.slow}.fallback`);
  const dep = `dependencies.checkout.${cast.slow}`;
  const attempts = get(r, `${dep}.attempts`);
  const calls = get(r, `${dep}.calls`);
  const open = get(r, `${dep}.open`);
  const changes = get(r, `${dep}.transitions`);
  const changed = r.breakers.some((b) => b.dependency === cast.slow) || (open?.mean ?? 0) > 0;
  const has = cast.policy !== "" || s.breaker;

  const out: Readout[] = [];
  const add = (id: string, label: string, v: { value: string; half: string }, note: string, tone: Readout["tone"] = "plain") =>
    out.push({ id, label, ...v, note, tone });
  if (rest) {
    add("others", `${rest} ${others.length === 1 ? "succeeds" : "succeed"}`, percent(ok.mean, ok.half), "answered within the users' patience",
      ok.mean >= 0.99 ? "good" : "bad");
    add("p99", `${rest} p99`, millis(slowest?.mean ?? null, slowest?.half ?? null), "of answers");
  }
  add("busy", "Threads busy", pm(busy?.mean, busy?.half), mine ? `of ${workers}; ${slow} holds ${pm(mine.mean, mine.half).value}${mine.half === null ? "" : " " + pm(mine.mean, mine.half).half}` : `of ${workers}`,
    (busy?.mean ?? 0) > 0.95 * workers ? "bad" : "plain");
  const real = { mean: (success?.mean ?? NaN) - (fallback?.mean ?? 0), half: success?.half ?? null };
  const stand = percent(fallback?.mean ?? null, fallback?.half ?? null);
  add("answers", `${slow} answers itself`, percent(real.mean, wider(success, fallback)), `a fallback answers ${stand.value} ${stand.half}`);
  add("calls", `Calls to ${slow}`, perSecond(attempts?.mean ?? null, attempts?.half ?? null),
    `for ${perSecond(calls?.mean ?? null, calls?.half ?? null).value} that want one`);
  add("breaker", `Breaker on ${slow}`, changed ? percent(open?.mean ?? null, open?.half ?? null) : { value: has ? "closed" : "none", half: "" },
    changed ? `of the time not closed; ${pm(changes?.mean, changes?.half).value} changes a run` : has ? "all the time" : "every call goes through");
  return out;
}

function wider(a?: Figure, b?: Figure): number | null {
  if (!a || a.half === null) return null;
  return Math.max(a.half, b?.half ?? 0);
}

/** Of a scenario that is run as it is: what its users see, and what its busiest
 * dependency bears. */
export function plainReadouts(r: Report): Readout[] {
  const out: Readout[] = [];
  const keys = Object.keys(r.figures);
  const add = (key: string, label: string, note: string) => {
    const f = r.figures[key];
    if (!f || f.mean === null) return;
    const tone = key.endsWith(".success") ? (f.mean >= 0.99 ? "good" : "bad") : "plain";
    out.push({ id: key, label, ...figureText(f.unit, f.mean, f.half), note, tone });
  };
  for (const k of keys.filter((k) => k.startsWith("endpoints.") && k.endsWith(".success")).slice(0, 3)) {
    add(k, `${k.slice("endpoints.".length, -".success".length)} succeeds`, "answered in time");
  }
  const p99 = keys.find((k) => k.startsWith("endpoints.") && k.endsWith(".p99"));
  if (p99) add(p99, `${p99.slice("endpoints.".length, -".p99".length)} p99`, "of answers");
  const loud = keys
    .filter((k) => k.endsWith(".amplification") && r.figures[k]!.mean !== null)
    .sort((a, b) => r.figures[b]!.mean! - r.figures[a]!.mean!)[0];
  if (loud) add(loud, "Attempts for a call", `of ${loud.slice("dependencies.".length, -".amplification".length)}, the most there is`);
  const changed = keys
    .filter((k) => k.endsWith(".transitions") && (r.figures[k]!.mean ?? 0) > 0)
    .sort((a, b) => r.figures[b]!.mean! - r.figures[a]!.mean!)[0];
  if (changed) add(changed, "Changes of breakers", `of ${changed.slice("dependencies.".length, -".transitions".length)}, in a run`);
  return out.slice(0, 6);
}
