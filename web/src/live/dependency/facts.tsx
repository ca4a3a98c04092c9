// A dependency in figures, as of now.
import type { Dependency } from "../schema";
import { snapshot } from "../store";
import { ms, number, percent, slotsWord } from "../words";

export function Facts({ d }: { d: Dependency }) {
  const of = snapshot.value!;
  const slo = of.slo.filter((o) => o.dependency === d.name);
  const faults = of.faults.filter((f) => f.dependency === d.name);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>calls/s</dt>
          <dd>{number(d.rate)}</dd>
        </div>
        <div>
          <dt>success</dt>
          <dd>{percent(d.success)}</dd>
        </div>
        <div>
          <dt>answered</dt>
          <dd>{percent(d.answered)}</dd>
        </div>
        <div>
          <dt>p50</dt>
          <dd>{ms(d.latency?.p50_ms)}</dd>
        </div>
        <div>
          <dt>p99</dt>
          <dd>{ms(d.latency?.p99_ms)}</dd>
        </div>
        <div>
          <dt>p99.9</dt>
          <dd>{ms(d.latency?.p999_ms)}</dd>
        </div>
        <div>
          <dt>in flight</dt>
          <dd>{slotsWord(d.in_flight, d.bulkhead)}</dd>
        </div>
        <div>
          <dt>fallback</dt>
          <dd data-fallback>{percent(d.fallback_share)}</dd>
        </div>
        {d.slo_left !== undefined && (
          <div>
            <dt>error budget left</dt>
            <dd>{percent(d.slo_left)}</dd>
          </div>
        )}
        {d.failover && (
          <div>
            <dt>calls go to</dt>
            <dd>
              {d.failover === "first"
                ? "the first provider"
                : d.failover === "second"
                  ? "▲ the second provider"
                  : "the first again"}
            </dd>
          </div>
        )}
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
