// The breaker over time, and for each change the calls that caused it.
import { Panel } from "../../ui/panel";
import { promString } from "../../ui/quote";
import type { Loaded } from "../history";
import type { Range } from "../range";
import { route } from "../router";
import type { Dependency, Event } from "../schema";
import { shownNow } from "../store";
import { isAbout } from "../telling";
import { ago, breakerWord } from "../words";
import { Calls } from "./calls";
import { Changes } from "./changes";
import { Lanes } from "./lanes";
import { heldIn, lasted, rowsOf, type Row } from "./timeline";

interface Props {
  name: string;
  d: Dependency | undefined;
  events: readonly Event[];
  range: Range;
  loaded: Loaded | null; // its history, once it is there
}

export function Breakers({ name, d, events, range, loaded }: Props) {
  const about = events.filter((e) => isAbout(e, name));
  // Nothing is known of the time before the oldest step.
  const from = Math.min(range.to, Math.max(range.from, loaded?.oldest ?? range.from));
  const { rows, more } = rowsOf(about, name, from, range.to, d?.breaker?.state ?? "");
  const forced = loaded?.series.get(name)?.forced;
  const isHeld = range.live && d?.breaker !== undefined && d.breaker.mode !== "auto";
  const held = heldIn(loaded?.times ?? [], forced, loaded?.step ?? 0, range.to, isHeld);
  const list = about.filter((e) => e.at_ms >= range.from && e.at_ms <= range.to).sort((a, b) => b.at_ms - a.at_ms);
  const others = list.filter((e) => e.kind !== "breaker-changed");
  const chosen = list.find((e) => e.id !== undefined && String(e.id) === route.value.query.event);
  const b = d?.breaker;
  return (
    <Panel
      title="Breaker and what changed"
      id="breaker"
      wide
      twin={{
        api: `/api/v1/dependencies/${encodeURIComponent(name)}`,
        cli: `seakeep top --admin ${location.host}`,
        promql: `sum by (from, to, reason) (increase(seakeep_breaker_transitions_total{dependency=${promString(name)}}[5m]))`,
      }}
      says={
        b ? (
          <>
            Now <b>{breakerWord(b)}</b>
            {b.since_ms !== undefined && ` for ${ago(shownNow.value - b.since_ms)}`};
            its window has {b.calls} calls, {b.failed} failed, {b.slow} slow.{" "}
            {b.retry_after_ms !== undefined && `It tries again in ${ago(b.retry_after_ms)}. `}
            {summary(rows[0])}
          </>
        ) : (
          "It has no breaker of its own."
        )
      }
    >
      <Lanes
        rows={b || rows[0]!.changes.length || rows.length > 1 ? rows : []}
        held={held}
        others={others}
        range={range}
        chosen={chosen}
      />
      <p class="soft note legend-line">
        <span>
          <i class="state closed" /> closed
        </span>{" "}
        <span>
          <i class="state half-open" /> half-open
        </span>{" "}
        <span>
          <i class="state open" /> open
        </span>{" "}
        <span>
          <i class="state held" /> held by somebody
        </span>{" "}
        <span>▾ a change: choose it to see the calls that caused it</span>
      </p>
      {more > 0 && <p class="soft note">{more} more operations and keys changed: they are among the changes below.</p>}
      {chosen && <Calls event={chosen} />}
      <Changes list={list} chosen={chosen} name={name} />
    </Panel>
  );
}

function summary(row: Row | undefined): string {
  if (!row?.changes.length) return "It did not change in this time.";
  const open = lasted(row.segments).open ?? 0;
  return `In this time it changed ${row.changes.length === 1 ? "once" : `${row.changes.length} times`} and was open for ${ago(open)}.`;
}
