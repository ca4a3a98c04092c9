// The endpoints of a dependency, and its operations.
import { Panel } from "../../ui/panel";
import { promString } from "../../ui/quote";
import { Table } from "../../ui/table";
import { useAnswer } from "../answer";
import type { Dependency, DependencyPage, Operation } from "../schema";
import { breakerWord, ms, percent, slotsWord } from "../words";

export function Endpoints({ d }: { d: Dependency }) {
  const e = d.endpoints;
  const path = `dependencies/${encodeURIComponent(d.name)}`;
  const { value } = useAnswer<DependencyPage>(e && path, 2000); // the connection says why there is none
  if (!e) return null;
  const all = value?.dependency.endpoints?.all ?? [];
  const shown = [...all]
    .sort((a, b) => Number(a.state === "up") - Number(b.state === "up") || b.failing_share - a.failing_share)
    .slice(0, 100);
  return (
    <Panel
      title="Endpoints"
      id="endpoints"
      wide
      twin={{
        api: `/api/v1/${path}`,
        promql: `seakeep_endpoints{dependency=${promString(d.name)}}`,
      }}
      says={
        <>
          {e.up} of {e.total} are up{e.ejected > 0 && `, ${e.ejected} ejected as outliers`}.
          {e.panic && <b class="hot"> ▲ Panic: so few are up that all are used.</b>}
        </>
      }
    >
      <Table
        name="Endpoints"
        head={["endpoint", "state", "why", "zone", "in flight", "picked", "mean latency", "failing"]}
        words={["state", "why", "zone"]}
      >
        {shown.map((p) => (
          <tr key={p.url}>
            <th scope="row">{p.url}</th>
            <td class={p.state === "up" ? "words" : "words hot"}>{p.state === "up" ? "up" : `▲ ${p.state}`}</td>
            <td class="words">{p.why ?? ""}</td>
            <td class="words">{p.zone ?? ""}</td>
            <td>{p.in_flight}</td>
            <td>{p.picked.toLocaleString("en")}</td>
            <td>{ms(p.mean_latency_ms)}</td>
            <td>{percent(p.failing_share)}</td>
          </tr>
        ))}
      </Table>
      {all.length > shown.length && <p class="soft note">100 of {all.length}, those that are not up first.</p>}
    </Panel>
  );
}

export function Operations({ all, name }: { all: Operation[] | undefined; name: string }) {
  if (!all?.length) return null;
  return (
    <Panel
      title="Operations"
      id="operations"
      says="Parts that have settings of their own. What says “shared” is that of the dependency."
      twin={{ api: `/api/v1/dependencies/${encodeURIComponent(name)}`, cli: "seakeep plan FILE" }}
    >
      <Table name="Operations" head={["operation", "breaker", "in flight"]} words={["breaker"]}>
        {all.map((o) => (
          <tr key={o.name}>
            <th scope="row">{o.name}</th>
            <td class={o.breaker && o.breaker.state !== "closed" ? "words hot" : "words"}>
              {o.breaker ? breakerWord(o.breaker) : "shared"}
            </td>
            <td>{o.bulkhead ? slotsWord(o.bulkhead.in_use, o.bulkhead) : "shared"}</td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
