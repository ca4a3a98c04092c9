// What is wrong now, in a line: what to look at first.
import type { Dependency, Snapshot } from "../schema";
import { number, percent } from "../words";

export interface Wrong {
  text: string;
  names: string[]; // of dependencies
}

const named = (text: string, all: readonly Dependency[], is: (d: Dependency) => boolean): Wrong => ({
  text,
  names: all
    .filter(is)
    .map((d) => d.name)
    .sort(),
});

/** What to look at; empty when all is well. */
export function wrongNow(s: Snapshot): Wrong[] {
  const all = s.dependencies;
  const firing = s.slo.filter((o) => o.firing > 0);
  const out = [
    named("breaker open", all, (d) => d.breaker?.state === "open" || (d.breaker?.keys?.open ?? 0) > 0),
    named("breaker half-open", all, (d) => d.breaker?.state === "half-open"),
    named("breaker held by somebody", all, (d) => d.breaker !== undefined && d.breaker.mode !== "auto"),
    named(
      "slots all in use",
      all,
      (d) => d.bulkhead !== undefined && d.bulkhead.limit > 0 && d.bulkhead.in_use >= d.bulkhead.limit,
    ),
    named("success below 95 %", all, (d) => d.success !== undefined && d.success < 0.95),
    named("at the second provider", all, (d) => d.failover === "second"),
    named("endpoints out", all, (d) => d.endpoints !== undefined && d.endpoints.up < d.endpoints.total),
    named("error budget spent", all, (d) => d.slo_left !== undefined && d.slo_left <= 0),
    named("a fault runs", all, (d) => (d.faults ?? 0) > 0),
    {
      text: firing.length === 1 ? "an objective's alert fires" : `${firing.length} objectives' alerts fire`,
      names: firing.map((o) => o.name),
    },
  ].filter((w) => w.names.length > 0);
  const shed = (s.serve?.classes ?? []).reduce((sum, c) => sum + c.shed, 0);
  if (shed > 0) out.push({ text: `${number(shed)} requests a second are shed`, names: [] });
  if (s.serve && s.serve.allowed_share < 1)
    out.push({ text: `only ${percent(s.serve.allowed_share)} of the demand is let in`, names: [] });
  if ((s.serve?.degrade?.level ?? 0) > 0)
    out.push({ text: `degraded by ${s.serve!.degrade!.level}`, names: s.serve!.degrade!.off });
  if (s.policy?.refused) out.push({ text: "a newer policy file is refused, and not in use", names: [] });
  if (!s.ready) out.push({ text: "takes no new work", names: [] });
  return out;
}

export interface Totals {
  rate: number;
  success: number | null; // of the calls that tell something
  retries: number; // a second
  fallback: number; // a second
  inFlight: number;
}

export function totals(s: Snapshot): Totals {
  const t = { rate: 0, good: 0, telling: 0, retries: 0, fallback: 0, inFlight: 0 };
  for (const d of s.dependencies) {
    const telling = d.rate - (d.outcomes.cancelled ?? 0) - (d.outcomes.ignored ?? 0);
    t.rate += d.rate;
    t.inFlight += d.in_flight;
    t.retries += d.retry_ratio * d.rate;
    t.fallback += d.fallback_share * d.rate;
    if (d.success !== undefined) {
      t.good += d.success * telling;
      t.telling += telling;
    }
  }
  return {
    rate: t.rate,
    success: t.telling > 0 ? t.good / t.telling : null,
    retries: t.retries,
    fallback: t.fallback,
    inFlight: t.inFlight,
  };
}
