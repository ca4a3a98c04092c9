// "Try it": one slow dependency, two hundred threads.
import { useEffect, useRef, useState } from "preact/hooks";
import { presets } from "../model/presets";
import { ColumnView } from "./view";
import { Compare } from "./compare";
import { a, b, bring, choose, compare, isFile, notice, reset, state } from "./store";
import { Timeline } from "./timeline";

export function TryIt() {
  const s = state.value;
  const [over, setOver] = useState(false);
  const [bad, setBad] = useState("");
  const file = useRef<HTMLInputElement>(null);

  const take = async (f: File | undefined) => {
    if (!f) return;
    setBad(f.size > 1 << 20 ? "The file is larger than a policy can be." : await bring(await f.text()));
  };
  useEffect(() => {
    const drag = (e: DragEvent) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      setOver(e.type === "dragover");
      if (e.type === "drop") void take(e.dataTransfer.files[0]);
    };
    for (const t of ["dragover", "drop", "dragleave"] as const) addEventListener(t, drag);
    return () => {
      for (const t of ["dragover", "drop", "dragleave"] as const) removeEventListener(t, drag);
    };
  }, []);

  const preset = presets.find((p) => p.id === s.preset);
  return (
    <main class={s.b && !isFile.value ? "try two" : "try"} id="main">
      <header class="intro">
        <h1>Try it</h1>
        {isFile.value ? <p><b>{preset?.title}.</b> {preset?.says} This is <code>testdata/scenarios/{isFile.value}.yaml</code> as it is.</p>
          : <p>Checkout has {s.a.workers} threads and {s.a.rate.toLocaleString("en")} requests a second, in equal parts for each dependency. One gets slow. Each request holds a thread until it is answered.</p>}
        <div class="row">
          <label>Situation{" "}
            <select value={s.preset} data-testid="preset" onChange={(e) => choose(e.currentTarget.value)}>
              <option value="">choose…</option>
              <optgroup label="Checkout">{presets.filter((p) => !p.file).map((p) => <option key={p.id} value={p.id}>{p.title}</option>)}</optgroup>
              <optgroup label="Other outages">{presets.filter((p) => p.file).map((p) => <option key={p.id} value={p.id}>{p.title}</option>)}</optgroup>
            </select>
          </label>
          {!isFile.value && <button type="button" aria-pressed={s.b !== null} onClick={() => compare(s.b === null)}>{s.b ? "One column" : "Add a second column"}</button>}
          <button type="button" onClick={() => file.current?.click()}>Your policy file…</button>
          <input ref={file} type="file" accept=".yaml,.yml" hidden onChange={(e) => void take(e.currentTarget.files?.[0])} aria-label="Your policy file" />
          <button type="button" onClick={reset}>Reset</button>
        </div>
        <p role="status" class="soft notice">{notice.value}</p>
        {bad && <p role="alert" class="problem">{bad}</p>}
      </header>
      <Timeline />
      <div class="columns">
        <ColumnView side="a" title={s.b && !isFile.value ? "A" : ""} column={a} setting={s.a} />
        {s.b && !isFile.value && <ColumnView side="b" title="B" column={b} setting={s.b} />}
      </div>
      {s.b && !isFile.value && <Compare />}
      {over && <div class="drop" aria-hidden="true">Drop a policy file</div>}
    </main>
  );
}
