// A dependency in figures, as of now.
import type { Dependency } from "../schema";
import { snapshot } from "../store";
import { fact, quantiles } from "../fact";
import { ms, number, percent, slotsWord } from "../words";

const providers: Record<string, string> = { first: "the first provider", second: "▲ the second provider" };

export function Facts({ d }: { d: Dependency }) {
  const of = snapshot.value!;
  const slo = of.slo.filter((o) => o.dependency === d.name);
  const faults = of.faults.filter((f) => f.dependency === d.name);
  return (
    <>
      <dl class="facts">
        {fact("calls/s", number(d.rate))}
        {fact("success", percent(d.success))}
        {fact("answered", percent(d.answered))}
        {quantiles(d.latency)}
        {fact("in flight", slotsWord(d.in_flight, d.bulkhead))}
        {fact("fallback", percent(d.fallback_share), "", { "data-fallback": true })}
        {d.slo_left !== undefined && fact("error budget left", percent(d.slo_left))}
        {d.failover && fact("calls go to", providers[d.failover] ?? "the first again")}
      </dl>
      {slo.map((o) => (
        <p key={o.name} class={o.firing > 0 ? "hot" : "soft"}>
          {o.firing > 0 && "▲ "}Objective {o.name}: {percent(o.ratio)} of {percent(o.objective)}, {percent(o.left)} of
          its budget left, burns {number(o.burn)} budgets a period.
        </p>
      ))}
      {faults.map((f) => (
        <p key={f.name} class="hot">
          ▲ A fault runs here: {f.name} ({f.kind}) for {percent(f.share)} of calls
          {f.left_ms ? `, ${ms(f.left_ms)} more` : ""}; {f.hurt} were hurt.
        </p>
      ))}
    </>
  );
}
