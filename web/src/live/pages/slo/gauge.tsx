// One alert: its two windows against its threshold.
import { gaugeOf, lengthOf, type Burn, type Objective } from "./model";

export function Pair({ a, o }: { a: Burn; o: Objective }) {
  const g = gaugeOf(a, o);
  const sign = { bad: "▲", half: "△", good: "●", none: "○" }[g.tone];
  return (
    <div class={`pair ${g.tone}`} data-pair={lengthOf(a.window_s)}>
      <div class="head"><b>{lengthOf(a.window_s)} and {lengthOf(a.short_s)}</b> <span class="soft">{a.page ? "pages" : "ticket"}, over {a.factor}</span></div>
      <div class="tracks">
        <Track label={lengthOf(a.window_s)} text={burnText(a.burn)} at={g.long} mark={g.threshold} />
        <Track label={lengthOf(a.short_s)} text={burnText(a.burn_short)} at={g.short} mark={g.threshold} />
      </div>
      <p class="judged"><span aria-hidden="true">{sign}</span> {g.says}</p>
    </div>
  );
}

/** A bar with a mark. Its value is beside it as a number; the bar says nothing more. */
export function Track({ label, at, mark, text }: { label: string; at: number; mark?: number; text: string }) {
  return (
    <div class="track-row">
      <span class="label">{label}</span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: `${at * 100}%` }} />
        {mark !== undefined && <span class="mark" style={{ left: `${mark * 100}%` }} />}
      </span>
      <span class="value">{text}</span>
    </div>
  );
}

export const burnText = (v: number): string => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2));
