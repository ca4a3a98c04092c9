// The wall: all dependencies, the worst first.
import { Twin } from "../../ui/twin";
import { DemoControls } from "../demo/controls";
import { recent } from "../recent";
import { snapshot } from "../store";
import { columns } from "./past";
import { Replay, shownAt, usePast } from "./replay";
import { Summary } from "./summary";
import { Tiles } from "./tiles";

export function Wall() {
  const now = snapshot.value;
  const at = shownAt();
  const { past, error, oldest } = usePast(at, now);
  if (!now)
    return (
      <>
        <h1>Wall</h1>
        <p class="loading" role="status">
          Waiting for the first figures.
        </p>
      </>
    );
  const s = at === undefined ? now : past?.wall;
  const blank = past?.known === false && at !== undefined;
  const of = (at === undefined ? recent.value : past?.recent) ?? new Map();
  return (
    <>
      <header class="wall-head">
        <h1>
          {now.service || "Wall"}
          {at !== undefined && <span class="soft kind"> as it was</span>}
        </h1>
        {now.dependencies.length > 0 && <Replay at={at} oldest={oldest} error={error} />}
        {s && !blank && <Summary s={s} past={at !== undefined} />}
      </header>
      {now.demo && at === undefined && <DemoControls />}
      {now.dependencies.length === 0 ? (
        <Empty />
      ) : blank ? (
        <p class="empty">Nothing is known of this moment.</p>
      ) : s ? (
        <Tiles s={s} of={of} past={at !== undefined} />
      ) : (
        <p class="loading" role="status">
          Asking for what was.
        </p>
      )}
      {at === undefined ? (
        <Twin
          cli={`seakeep top --admin ${location.host}`}
          api="/api/v1/snapshot"
          promql="sum by (dependency, outcome) (rate(seakeep_calls_total[1m]))"
        />
      ) : (
        <Twin
          api={`/api/v1/history?from=${Math.round(at) - 10_000}&to=${Math.round(at)}&columns=${columns}`}
          promql={`sum by (dependency, outcome) (rate(seakeep_calls_total[1m] @ ${Math.round(at / 1000)}))`}
        />
      )}
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p>
        <b>The policy file names no dependency.</b>
      </p>
      <p>
        A dependency is what this service calls. <code>seakeep init</code> writes a file with some; the page shows them
        from the next reload on.
      </p>
    </div>
  );
}
