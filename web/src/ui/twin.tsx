// The same elsewhere: the command, the question to the API and the query that give
// what a view shows.
import { useState } from "preact/hooks";
import { shellWord } from "./quote";

export interface Twins {
  cli?: string;
  api?: string; // beginning with /api
  promql?: string;
}

export function Twin({ cli, api, promql }: Twins) {
  const rows = ([["terminal", cli], ["API", api && `curl -s ${shellWord(location.origin + api)}`], ["PromQL", promql]] as const).filter(([, text]) => text);
  return (
    <details class="twin">
      <summary>Same elsewhere</summary>
      <dl>
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd><code>{text}</code> <Copy text={text!} what={name} /></dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** A button that copies a text, also where the page has no leave to use the clipboard. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [said, say] = useState("");
  return (
    <>
      <button type="button" class="small" aria-label={`Copy for the ${what}`} onClick={async (e) => {
        const button = e.currentTarget;
        say((await copied(text, button)) ? "copied" : "not copied: select it by hand");
        setTimeout(() => say(""), 2000);
      }}>Copy</button>
      <span role="status" class="soft note">{said}</span>
    </>
  );
}

async function copied(text: string, beside: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Plain HTTP to another computer is no secure context: the old way.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "away";
    beside.after(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    beside.focus();
    return done;
  }
}
