// The dialog in which an order is written, tried and given.
import { useEffect, useRef, useState } from "preact/hooks";
import { Copy } from "../../ui/twin";
import { Refused } from "../api";
import { snapshot } from "../store";
import { commandOf, missing, orderOf, titles, type Draft } from "./draft";
import { Fields } from "./fields";
import { asked } from "./levers";
import { adviceOn, keep, kept, send } from "./order";
import "./levers.css";

type Said = { good: boolean; text: string; advice?: string } | null;

export function LeverDialog() {
  const box = useRef<HTMLDialogElement>(null);
  const draft = asked.value;
  useEffect(() => {
    const d = box.current;
    if (draft && d && !d.open) d.showModal();
    if (!draft && d?.open) d.close();
  }, [draft !== null]);
  return (
    <dialog ref={box} class="order" aria-labelledby="order-title" onClose={() => (asked.value = null)}>
      {draft && <OrderForm draft={draft} />}
    </dialog>
  );
}

function OrderForm({ draft }: { draft: Draft }) {
  const [by, setBy] = useState(kept("by"));
  const [token, setToken] = useState(kept("token"));
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [said, say] = useState<Said>(null);
  const [tried, setTried] = useState(""); // the order that a dry run found possible
  const change = (d: Draft) => {
    asked.value = d;
    say(null);
    setDone(false);
  };
  const wrong = missing(draft);
  const text = JSON.stringify(orderOf(draft).order);
  const first = draft.what === "start" && tried !== text;
  const give = async () => {
    setBusy(true);
    say(null);
    keep("by", by.trim());
    keep("token", token.trim());
    try {
      await send(orderOf(draft, first), { token, by, reason });
      if (first) setTried(text);
      setDone(!first);
      say({ good: true, text: first ? "It could begin now. Nothing was begun." : "Done." });
    } catch (e) {
      const status = e instanceof Refused ? e.status : 0;
      if (status === 401) keep("token", "");
      say({ good: false, text: e instanceof Error ? e.message : String(e), advice: adviceOn(status) });
    }
    setBusy(false);
  };
  const close = () => (asked.value = null);
  return (
    <form onSubmit={(e) => {
      e.preventDefault();
      if (!busy && !wrong) void give();
    }}>
      <h2 id="order-title">{titles[draft.what]}</h2>
      {!snapshot.value?.levers && <p class="problem">The program takes no orders.</p>}
      <Fields draft={draft} change={change} />
      <fieldset class="fields">
        <legend>Who and why, for the audit log</legend>
        <label>Reason <input type="text" required maxLength={500} value={reason} onInput={(e) => setReason(e.currentTarget.value)} /></label>
        <label>Your name <input type="text" maxLength={100} autocomplete="username" value={by} onInput={(e) => setBy(e.currentTarget.value)} /></label>
        <label>Token <input type="password" required autocomplete="off" spellcheck={false} value={token} onInput={(e) => setToken(e.currentTarget.value)} /></label>
      </fieldset>
      <p class="soft note">The token is kept until this tab is closed. The time and a number that counts once go with the order.</p>
      {!wrong && <p class="twin-line soft note">The same in a terminal: <code>{commandOf(draft, location.host)}</code> <Copy text={commandOf(draft, location.host)} what="terminal" /></p>}
      <div role="status" class="said">
        {wrong && <p class="soft">{wrong}</p>}
        {said && <p class={said.good ? "good" : "problem"}><b>{said.good ? "●" : "▲"} {said.text}</b> {said.advice}</p>}
      </div>
      <div class="row">
        <button type="submit" class={done ? undefined : "primary"} disabled={busy || wrong !== ""}>{busy ? "Asking" : first ? "Try it without starting" : done ? "Again" : "Do it"}</button>
        <button type="button" class={done ? "primary" : undefined} onClick={close}>{done ? "Close" : "Cancel"}</button>
        {draft.what === "start" && first && <span class="soft note">Then it can be started.</span>}
      </div>
    </form>
  );
}
