// A figure in a list of them (dl): what it is, and how much.
import type { ComponentChildren } from "preact";
import type { Latency } from "./schema";
import { ms } from "./words";

/** It is no component, because the wall has thousands. More is of its value. */
export const fact = (name: string, value: ComponentChildren, box?: string | false, more: { [data: `data-${string}`]: string | true | undefined } = {}) => (
  <div class={box || undefined}>
    <dt>{name}</dt>
    <dd {...more}>{value}</dd>
  </div>
);

/** How long calls take: the three that are shown everywhere. */
export const quantiles = (l: Latency | undefined) => [fact("p50", ms(l?.p50_ms)), fact("p99", ms(l?.p99_ms)), fact("p99.9", ms(l?.p999_ms))];
