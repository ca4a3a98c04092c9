// How bad a moment of the past was: what the program says of the present, from the
// same rules (Badness in cmd/seakeep/dashboard/schema).
import type { Dependency } from "./schema";

const ofState = (d: Dependency): number =>
  d.breaker?.state === "open" ? 1 : d.breaker && (d.breaker.state === "half-open" || (d.breaker.keys?.open ?? 0) > 0) ? 0.5 : 0;

export function badness(d: Dependency): number {
  let b = ofState(d);
  if (d.success !== undefined) b += 1 - d.success;
  if (d.answered !== undefined) b += 1 - d.answered;
  if (d.failover === "second") b += 1;
  if (d.failover === "returning") b += 0.5;
  if (d.bulkhead && d.bulkhead.limit > 0) b += Math.min(Math.max(d.bulkhead.in_use / d.bulkhead.limit - 0.8, 0) * 5, 1);
  if (d.endpoints && d.endpoints.total > 0) b += (d.endpoints.total - d.endpoints.up) / d.endpoints.total;
  if (d.slo_left !== undefined) b += Math.min(Math.max(1 - d.slo_left, 0), 1);
  if ((d.faults ?? 0) > 0 || (d.breaker && d.breaker.mode !== "auto")) b += 0.25;
  return b;
}
