// The wall as a table: the same numbers, a line each.
import { Table } from "../../ui/table";
import { href } from "../router";
import type { Dependency } from "../schema";
import { breakerWord, ms, number, percent, slotsWord } from "../words";

const head = [
  "dependency",
  "kind",
  "calls/s",
  "success",
  "p50",
  "p99",
  "p99.9",
  "breaker",
  "in flight",
  "retries a call",
  "retry budget left",
  "error budget left",
  "fallback",
];

export function WallTable({ all }: { all: Dependency[] }) {
  return (
    <Table name="The wall as a table" class="scroll tall" head={head} words={["kind", "breaker"]}>
      {all.map((d) => (
        <tr key={d.name}>
          <th scope="row">
            <a href={href("dependency", d.name)}>{d.name}</a>
          </th>
          <td class="words">{d.kind}</td>
          <td>{number(d.rate)}</td>
          <td>{percent(d.success)}</td>
          <td>{ms(d.latency?.p50_ms)}</td>
          <td>{ms(d.latency?.p99_ms)}</td>
          <td>{ms(d.latency?.p999_ms)}</td>
          <td class={d.breaker && d.breaker.state !== "closed" ? "words hot" : "words"}>
            {breakerWord(d.breaker)}
          </td>
          <td>{slotsWord(d.in_flight, d.bulkhead)}</td>
          <td>{number(d.retry_ratio)}</td>
          <td>{d.retry_budget?.left ?? "–"}</td>
          <td>{percent(d.slo_left)}</td>
          <td>{percent(d.fallback_share)}</td>
        </tr>
      ))}
    </Table>
  );
}
