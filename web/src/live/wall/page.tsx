// The wall: all dependencies, the worst first.
import { useEffect, useRef, useState } from "preact/hooks";
import { Twin } from "../../ui/twin";
import { DemoControls } from "../demo/controls";
import { recent, type Recent } from "../recent";
import { href, route, set } from "../router";
import type { Snapshot } from "../schema";
import { snapshot } from "../store";
import { number, percent } from "../words";
import { beside, calm, ordered, sorts } from "./order";
import { columns } from "./past";
import { pin, pins } from "./pins";
import { Replay, shownAt, usePast } from "./replay";
import { WallTable } from "./table";
import { Tile } from "./tile";
import { totals, wrongNow } from "./wrong";

export function Wall() {
  const now = snapshot.value;
  const at = shownAt();
  const { past, error, oldest } = usePast(at, now);
  if (!now) return <><h1>Wall</h1><p class="loading" role="status">Waiting for the first figures.</p></>;
  const s = at === undefined ? now : past?.wall;
  const blank = past?.known === false && at !== undefined;
  const of = (at === undefined ? recent.value : past?.recent) ?? new Map();
  return (
    <>
      <header class="wall-head">
        <h1>{now.service || "Wall"}{at !== undefined && <span class="soft kind"> as it was</span>}</h1>
        {now.dependencies.length > 0 && <Replay at={at} oldest={oldest} error={error} />}
        {s && !blank && <Summary s={s} past={at !== undefined} />}
      </header>
      {now.demo && at === undefined && <DemoControls />}
      {now.dependencies.length === 0 ? <Empty /> : blank ? <p class="empty">Nothing is known of this moment.</p> : s ? <Tiles s={s} of={of} past={at !== undefined} /> : <p class="loading" role="status">Asking for what was.</p>}
      {at === undefined ? <Twin cli={`seakeep top --admin ${location.host}`} api="/api/v1/snapshot" promql="sum by (dependency, outcome) (rate(seakeep_calls_total[1m]))" />
        : <Twin api={`/api/v1/history?from=${Math.round(at) - 10_000}&to=${Math.round(at)}&columns=${columns}`} promql={`sum by (dependency, outcome) (rate(seakeep_calls_total[1m] @ ${Math.round(at / 1000)}))`} />}
    </>
  );
}

function Summary({ s, past }: { s: Snapshot; past: boolean }) {
  const t = totals(s);
  const wrong = wrongNow(s);
  return (
    <>
      <p class={wrong.length ? "wrong" : "wrong well"} role="status" data-testid="wrong">
        {wrong.length === 0 ? (s.dependencies.length > 0 && <span>● {past ? "Nothing was wrong then." : "Nothing is wrong now."}</span>) : wrong.map((w) => (
          <span key={w.text}>▲ {w.text}{w.names.length > 0 && <>: {w.names.slice(0, 3).map((n, k) => <>{k > 0 && ", "}{s.dependencies.some((d) => d.name === n)
            ? <a href={href("dependency", n)}>{n}</a> : n}</>)}{w.names.length > 3 && ` and ${w.names.length - 3} more`}</>}</span>
        ))}
      </p>
      {s.dependencies.length > 0 && (
        <p class="soft totals">{s.dependencies.length} {s.dependencies.length === 1 ? "dependency" : "dependencies"}, {number(t.rate)} calls/s, {percent(t.success)} success,{" "}
          {number(t.retries)} retries/s, {number(t.fallback)} fallbacks/s, {t.inFlight} in flight
          {s.serve && <>; {number(s.serve.rate)} requests/s come in</>}. Over the last {Math.round(s.window_ms / 1000)} s.</p>
      )}
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <p><b>The policy file names no dependency.</b></p>
      <p>A dependency is what this service calls. <code>seakeep init</code> writes a file with some; the page shows them from the next reload on.</p>
    </div>
  );
}

function Tiles({ s, of, past }: { s: Snapshot; of: ReadonlyMap<string, Recent>; past: boolean }) {
  const { filter = "", sort = "worst", view = "tiles" } = route.value.query;
  const list = useRef<HTMLUListElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [held, hold] = useState(false);
  const shown = useRef<{ names: string[]; key: string; at: number }>({ names: [], key: "", at: 0 });

  // A new choice is shown at once; otherwise tiles move every three seconds at most,
  // and not at all while they are pointed at or the keyboard is among them.
  const key = `${filter} ${sort} ${[...pins.value].join()}`;
  const wanted = ordered(s.dependencies, sort, filter, pins.value);
  const stays = key === shown.current.key && (held || (s.at_ms >= shown.current.at && s.at_ms - shown.current.at < 3000));
  const names = calm(shown.current.names, wanted, stays);
  shown.current = { names, key, at: stays ? shown.current.at : s.at_ms };
  const by = new Map(s.dependencies.map((d) => [d.name, d]));

  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const typing = e.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
      if (e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
        e.preventDefault();
        box.current?.focus();
        box.current?.select();
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);

  const walk = (e: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("h2 a") ?? [])];
    const at = links.indexOf(e.target as HTMLElement);
    if (at < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
    const top = (k: number) => links[k]?.closest("li")?.offsetTop;
    const columns = links.findIndex((_, k) => top(k) !== top(0));
    const to = beside(at, e.key, columns < 0 ? links.length : columns, links.length);
    if (to !== at) {
      e.preventDefault();
      links[to]?.focus();
    } else if (e.key === "p") pin(names[at]!);
  };

  return (
    <>
      <div class="choose">
        <label>Filter{" "}
          <input ref={box} type="search" value={filter} placeholder="name, kind or open" aria-keyshortcuts="/" data-testid="filter"
            onInput={(e) => set({ filter: e.currentTarget.value })}
            onKeyDown={(e) => {
              if (e.key === "Escape") set({ filter: undefined });
              if (e.key === "Enter" || e.key === "ArrowDown") list.current?.querySelector<HTMLElement>("h2 a")?.focus();
            }} />
        </label>
        <label>Order{" "}
          <select value={sort} onChange={(e) => set({ sort: e.currentTarget.value === "worst" ? undefined : e.currentTarget.value })}>
            {sorts.map((o) => <option key={o.id} value={o.id}>{o.text}</option>)}
          </select>
        </label>
        <button type="button" aria-pressed={view === "table"} onClick={() => set({ view: view === "table" ? undefined : "table" })}>As a table</button>
        <span class="soft note keys"><kbd>/</kbd> filters, arrows move, <kbd>Enter</kbd> opens, <kbd>p</kbd> pins</span>
      </div>
      <p class="soft" role="status">{names.length === 0 ? <>Nothing has “{filter}” in its name, kind or state. <button type="button" class="link" onClick={() => set({ filter: undefined })}>Show all</button></>
        : names.length < s.dependencies.length ? `${names.length} of ${s.dependencies.length} are shown` : ""}</p>
      {view === "table" ? <WallTable all={names.map((n) => by.get(n)!)} /> : (
        <ul class="tiles" ref={list} data-testid="wall" onKeyDown={walk} onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}
          onFocusIn={() => hold(true)} onFocusOut={(e) => hold(e.currentTarget.contains(e.relatedTarget as Node | null))}>
          {names.map((n) => <Tile key={n} d={by.get(n)!} recent={of.get(n)} now={s.at_ms} past={past} pinned={pins.value.has(n)} onPin={pin} />)}
        </ul>
      )}
    </>
  );
}
