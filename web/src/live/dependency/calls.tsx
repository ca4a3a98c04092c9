// What is known of a change: the calls that caused it.
import { clock } from "../../ui/plot";
import { Table } from "../../ui/table";
import { set } from "../router";
import type { Event } from "../schema";
import { telling } from "../telling";
import { ms } from "../words";

export function Calls({ event }: { event: Event }) {
  const calls = event.calls ?? [];
  return (
    <section class="calls" aria-label="The chosen change" data-testid="calls">
      <h3>
        {clock(event.at_ms, 1000)} {telling(event)}{" "}
        <button type="button" class="small" onClick={() => set({ event: undefined })}>
          Close
        </button>
      </h3>
      {calls.length === 0 ? (
        <p class="soft">{why(event)}</p>
      ) : (
        <>
          <p class="soft note">
            {event.to === "open"
              ? "The latest attempts that counted against it, which opened it:"
              : "The latest attempts of the minute before that counted against it:"}
          </p>
          <Table name="Calls that caused it" head={["time", "before", "outcome", "cause", "took", "attempt"]} words={["outcome", "cause"]}>
            {calls.map((c, k) => (
              <tr key={k}>
                <th scope="row">
                  {clock(c.at_ms, 1000)}.{String(Math.floor(c.at_ms % 1000)).padStart(3, "0")}
                </th>
                <td>{ms(Math.max(0, event.at_ms - c.at_ms))}</td>
                <td class="words">{c.outcome ?? "–"}</td>
                <td class="words">{c.cause ?? "–"}</td>
                <td>{ms(c.took_ms)}</td>
                <td>{(c.attempt ?? 0) + 1}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </section>
  );
}

function why(e: Event): string {
  if (e.kind === "lever") return "Somebody ordered it.";
  if (e.kind !== "breaker-changed") return "Which calls were behind it is kept of changes of breakers only.";
  if (e.reason === "open-elapsed")
    return "No call caused it: it was open for as long as it had to be, and lets some calls try.";
  if (e.reason === "operator") return "No call caused it: somebody ordered it.";
  return "The calls that caused it are not known any more.";
}
