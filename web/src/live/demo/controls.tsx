// Slows the demo's dependencies, which really are slow then.
import { useState } from "preact/hooks";
import "./demo.css";
import { useAnswer } from "../answer";
import { href } from "../router";
import { connection } from "../store";
import { choices, doing, lastOrder, orderSlow, usual, type SlowState } from "./api";

/** What holds for each dependency, asked anew when somebody orders something and now and then. */
export function useSlow(): SlowState[] {
  const lost = connection.value.state === "lost";
  const { value } = useAnswer<{ dependencies: SlowState[] }>(lost ? undefined : "demo/slow", 2000, lastOrder.value);
  return value?.dependencies ?? [];
}

/** The controls of all dependencies, or of one. */
export function DemoControls({ only, link = true }: { only?: string; link?: boolean }) {
  const all = useSlow();
  const [said, say] = useState("");
  const [failed, fail] = useState("");
  const shown = only === undefined ? all : all.filter((s) => s.name === only);
  const order = async (name: string, latency: string) => {
    fail("");
    try {
      await orderSlow(name, latency);
      say(latency === "auto" ? `${name} is as planned again.` : `From now on ${name} ${doing(latency)}.`);
    } catch (e) {
      fail(`${name} stays as it is: ${e instanceof Error ? e.message : String(e)}.`);
    }
  };
  if (shown.length === 0) return null;
  const any = all.some((s) => s.ordered);
  const wrong = shown.filter((s) => s.latency !== usual).map((s) => `${s.name} ${doing(s.latency)}${s.ordered ? "" : ", as planned"}`);
  return (
    <section class="demo" aria-label="The demo: how slow its dependencies are">
      <p class="soft note">This is the demo: real servers on real sockets.{" "}
        {only === undefined ? "Make one of them slow, and watch." : "Make it slow, and watch."}
        {link && <> <a href={href("predict", "", only ? { dependency: only } : {})}>What the simulator predicts</a> is drawn over what is measured.</>}</p>
      {shown.map((s) => <Row key={s.name} state={s} order={order} />)}
      <p class="said" role="status">{said || (wrong.length > 0 ? `Now ${wrong.join("; ")}.` : "Now all is well.")}{only === undefined && any && <> <button type="button" class="link" onClick={() => void well(all, order)}>All as planned</button></>}</p>
      {failed && <p class="problem" role="alert">{failed}</p>}
    </section>
  );
}

async function well(all: SlowState[], order: (name: string, latency: string) => Promise<void>): Promise<void> {
  for (const s of all) if (s.ordered) await order(s.name, "auto");
}

function Row({ state: s, order }: { state: SlowState; order: (name: string, latency: string) => Promise<void> }) {
  const known = choices.some((c) => c.latency === s.latency);
  const all = known ? choices : [...choices, { latency: s.latency, text: s.latency }];
  return (
    <div class="slow" role="group" aria-label={`How ${s.name} answers`} data-slow={s.name}>
      <b>{s.name}</b>
      {all.map((c) => (
        <button key={c.latency} type="button" class={c.latency === usual ? "small" : "small bad-choice"} aria-pressed={s.latency === c.latency}
          aria-label={`${s.name}: ${c.text}`} onClick={() => void order(s.name, c.latency)}>{c.text}</button>
      ))}
      {s.ordered && <button type="button" class="small" aria-label={`${s.name}: as planned`} onClick={() => void order(s.name, "auto")}>as planned</button>}
    </div>
  );
}
