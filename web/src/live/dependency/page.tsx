// A page for each dependency: all that is known of it, over one time.
import { clock } from "../../ui/plot";
import { DemoControls } from "../demo/controls";
import { useHistory } from "../history";
import { DependencyLevers } from "../levers/levers";
import { policyValue, usePolicy } from "../policy";
import { range } from "../range";
import { href } from "../router";
import { connection, events, snapshot } from "../store";
import { Breakers } from "./breaker";
import { Facts } from "./facts";
import type { Context } from "./columns";
import { timePanels } from "./panels";
import { Endpoints, Operations } from "./parts";
import { Latency, Timed, useOver } from "./timed";

export function DependencyPage({ rest: name }: { rest: string }) {
  const { loaded, error } = useHistory(name);
  usePolicy();
  const d = snapshot.value?.dependencies.find((d) => d.name === name);
  const r = range.value;
  const over = useOver(name, r);
  if (snapshot.value && !d)
    return (
      <>
        <h1>{name || "No name"}</h1>
        <p>
          The policy file has no such dependency. <a href={href("wall")}>The wall</a> has all that there are.
        </p>
      </>
    );
  const context: Context = { d, policy: (path) => policyValue(`dependencies.${name}.${path}`) };
  return (
    <>
      <h1>
        {name} <span class="soft kind">{d?.kind}</span>
      </h1>
      {d && <Facts d={d} />}
      {snapshot.value?.demo && <DemoControls only={name} />}
      {d && <DependencyLevers d={d} />}
      {!r.live && <p class="soft note">The figures above are of now; the charts are of the time that was chosen.</p>}
      {error && (!loaded || connection.value.state !== "lost") && (
        <p class="problem" role="status">
          {loaded ? "The charts are not renewed" : "What was is not known"}: {error}. It is asked for again.
        </p>
      )}
      {loaded && loaded.oldest > r.from + 2 * loaded.step && (
        <p class="soft note" role="status">
          There is nothing from before {clock(loaded.oldest, 86_400_000)} {clock(loaded.oldest, 1000)}.
        </p>
      )}
      <Breakers name={name} d={d} events={events.value} range={r} loaded={loaded} />
      {!loaded && !error && (
        <p class="loading" role="status">
          Asking for what was.
        </p>
      )}
      {loaded && (
        <div class="halves">
          <div class="panels">
            <Latency name={name} loaded={loaded} over={over} />
            {timePanels
              .filter((p) => p.half === 1)
              .map((p) => (
                <Timed key={p.id} panel={p} name={name} loaded={loaded} over={over} context={context} />
              ))}
            <Operations all={d?.operations} name={name} />
          </div>
          <div class="panels">
            {timePanels
              .filter((p) => p.half === 2)
              .map((p) => (
                <Timed key={p.id} panel={p} name={name} loaded={loaded} over={over} context={context} />
              ))}
          </div>
        </div>
      )}
      {d && <Endpoints d={d} />}
    </>
  );
}
