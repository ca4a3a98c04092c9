// What the second setting is worth, request by request.
import { signal } from "@preact/signals";
import { Engine } from "../engine/client";
import type { CompareAnswer } from "../engine/types";
import { worldOf, type World } from "../model/world";
import { castOf, state } from "./store";

const found = signal<{ of: string; answer: CompareAnswer | null; error: string } | null>(null);
const busy = signal(false);
const engine = new Engine();

/** The worlds of both columns, as they are set now. */
function worlds(): [World, World] | null {
  const { a, b } = state.value;
  return b && [worldOf(a, castOf("a")), worldOf(b, castOf("b"))];
}

async function run(): Promise<void> {
  const both = worlds();
  if (!both) return;
  const [world, other] = both;
  busy.value = true;
  const { answer } = await engine.ask({ op: "compare", world, other, runs: 3 });
  busy.value = false;
  found.value = { of: JSON.stringify(both), answer: answer.compare ?? null, error: answer.error ?? "" };
}

export function Compare() {
  const f = found.value?.of === JSON.stringify(worlds()) ? found.value : null; // it is no difference of other settings
  const a = f?.answer;
  return (
    <section class="compare" aria-label="Difference">
      <h2>What is the difference?</h2>
      <p>Both columns have the same arrivals and the same service times, request by request.{" "}
        <button type="button" disabled={busy.value} onClick={() => void run()}>{busy.value ? "Comparing…" : "Compare request by request"}</button></p>
      {f?.error && <p role="alert">{f.error}</p>}
      {a && (
        <>
          <p role="status">Of {a.requests.toLocaleString("en")} requests of one run <b>{a.saved.toLocaleString("en")}</b> are answered in B only, and <b>{a.lost.toLocaleString("en")}</b> in A only.
            {a.diverged_s === null ? " Nothing differs." : ` The first one that differs ends at ${a.diverged_s.toFixed(2)} s.`}</p>
          <details>
            <summary>Differences of the figures, and requests that fared differently</summary>
            <div class="scroll" tabIndex={0} role="region" aria-label="Differences">
              <table>
                <thead><tr><th scope="col">figure</th><th scope="col">A</th><th scope="col">B</th><th scope="col">difference</th><th scope="col">interval</th></tr></thead>
                <tbody>{a.differences.map((d) => <tr key={d.key}><th scope="row"><code>{d.key}</code></th><td>{num(d.a)}</td><td>{num(d.b)}</td><td>{num(d.difference)}</td><td>{num(d.low)} to {num(d.high)}</td></tr>)}</tbody>
              </table>
              <table>
                <thead><tr><th scope="col">request for</th><th scope="col">at</th><th scope="col">A</th><th scope="col">B</th></tr></thead>
                <tbody>{(a.examples ?? []).map((x, k) => <tr key={k}><th scope="row">{x.endpoint}</th><td>{x.at_s.toFixed(2)} s</td><td>{x.a}, {Math.round(x.a_ms)} ms</td><td>{x.b}, {Math.round(x.b_ms)} ms</td></tr>)}</tbody>
              </table>
            </div>
          </details>
        </>
      )}
    </section>
  );
}

const num = (x: number) => String(+x.toPrecision(4));
