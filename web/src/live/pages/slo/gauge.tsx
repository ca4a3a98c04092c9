// One alert: its two windows against its threshold.
import { Track } from "../track";
import { gaugeOf, durationText, type Burn, type Objective } from "./model";

export function Pair({ a, o }: { a: Burn; o: Objective }) {
  const g = gaugeOf(a, o);
  const sign = { bad: "▲", half: "△", good: "●", none: "○" }[g.tone];
  return (
    <div class={`pair ${g.tone}`} data-pair={durationText(a.window_s)}>
      <div class="head"><b>{durationText(a.window_s)} and {durationText(a.short_s)}</b> <span class="soft">{a.page ? "pages" : "ticket"}, over {a.factor}</span></div>
      <div class="tracks">
        <Track label={durationText(a.window_s)} text={burnText(a.burn)} at={g.long} mark={g.threshold} />
        <Track label={durationText(a.short_s)} text={burnText(a.burn_short)} at={g.short} mark={g.threshold} />
      </div>
      <p class="judged"><span aria-hidden="true">{sign}</span> {g.says}</p>
    </div>
  );
}

const burnText = (v: number): string => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(1) : v.toFixed(2));
