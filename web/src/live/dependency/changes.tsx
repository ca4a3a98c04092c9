// The changes of a time, as a list.
import { clock } from "../../ui/plot";
import { Table } from "../../ui/table";
import type { Event } from "../schema";
import { telling } from "../telling";
import { choose } from "./lanes";

export function Changes({ list, chosen, name }: { list: Event[]; chosen: Event | undefined; name: string }) {
  if (!list.length) return <p class="soft">Nothing changed in this time.</p>;
  const shown = list.slice(0, 50);
  return (
    <details class="numbers">
      <summary>Changes: {list.length}</summary>
      <Table name="Changes" head={["time", "what", "of", "calls"]} words={["what", "of"]}>
        {shown.map((e) => (
          <tr key={e.id ?? `${e.at_ms}${e.kind}`} class={e === chosen ? "chosen" : undefined}>
            <th scope="row">
              {clock(e.at_ms, 86_400_000)} {clock(e.at_ms, 1000)}
            </th>
            <td class="words">{telling(e)}</td>
            <td class="words">{e.policy && e.policy !== name ? e.policy : ""}</td>
            <td>
              {e.id !== undefined && (
                <button
                  type="button"
                  class="link"
                  aria-label={`${e.calls?.length ?? "show"}: what caused ${telling(e)} at ${clock(e.at_ms, 1000)}`}
                  onClick={() => choose(e)}
                >
                  {e.calls?.length ?? "show"}
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {list.length > shown.length && (
        <p class="soft note">
          The newest {shown.length} of {list.length}; a shorter time shows others.
        </p>
      )}
    </details>
  );
}
