// How much time callers gave, at each hop where it is known, and where it ran out.
import { href } from "../router";
import type { Deadline, Dependency, Serve } from "../schema";
import { ms, number } from "../words";

interface Hop {
  name: string;
  says: string;
  at: Deadline;
}

/** The hops of a call: the door of this program, and the call to the dependency. */
function hopsOf(d: Dependency | undefined, serve: Serve | undefined): Hop[] {
  const out: Hop[] = [];
  if (serve?.deadline) out.push({ name: "at the door", says: "a request came in", at: serve.deadline });
  if (d?.deadline) out.push({ name: d.name, says: "the call to it began", at: d.deadline });
  return out;
}

const phases: Record<string, string> = {
  before: "before it was sent",
  attempt: "in an attempt",
  retry: "before a retry",
  caller: "the caller gave up",
  arrival: "on arrival",
  queue: "in the queue",
  work: "at work",
};

export function Hops({
  d,
  serve,
  others,
}: {
  d: Dependency | undefined;
  serve: Serve | undefined;
  others: readonly Dependency[];
}) {
  const hops = hopsOf(d, serve);
  if (!hops.length) return <p class="soft">In the last ten seconds nothing came with a deadline, and none passed.</p>;
  const most = Math.max(...hops.map((h) => h.at.left_p50_ms), 1);
  const dead = others.filter((o) => o.name !== d?.name && (o.deadline?.dead_on_arrival ?? 0) > 0);
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label="Deadlines by hop">
        <table class="hops" aria-label="Deadlines by hop, over the last ten seconds">
          <thead>
            <tr>
              <th scope="col">hop</th>
              <th scope="col" class="words">
                left when
              </th>
              <th scope="col">half had more than</th>
              <th scope="col">99 of 100 had more than</th>
              <th scope="col">dead on arrival</th>
              <th scope="col" class="words">
                passed, a second
              </th>
            </tr>
          </thead>
          <tbody>
            {hops.map((h) => (
              <tr key={h.name}>
                <th scope="row">{h.name}</th>
                <td class="words">
                  {h.says}
                  <span class="left-bar" aria-hidden="true">
                    <i style={{ width: `${(100 * h.at.left_p50_ms) / most}%` }} />
                    <b style={{ left: `${Math.min(100, Math.max(0, (100 * h.at.left_p1_ms) / most))}%` }} />
                  </span>
                </td>
                <td>{ms(h.at.left_p50_ms)}</td>
                <td>{ms(h.at.left_p1_ms)}</td>
                <td class={h.at.dead_on_arrival > 0 ? "hot" : ""}>
                  {h.at.dead_on_arrival > 0 && "▲ "}
                  {number(h.at.dead_on_arrival)} /s
                </td>
                <td class="words">
                  {Object.entries(h.at.exceeded ?? {})
                    .map(([k, v]) => `${phases[k] ?? k} ${number(v)}`)
                    .join(", ") || "none"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {dead.length > 0 && (
        <p class="soft note">
          Dead on arrival elsewhere:{" "}
          {dead.slice(0, 5).map((o) => (
            <span key={o.name}>
              <a href={href("dependency", o.name)}>{o.name}</a> {number(o.deadline!.dead_on_arrival)} /s{" "}
            </span>
          ))}
        </p>
      )}
    </>
  );
}
