// The tiles in their order, or the same as a table, and what chooses them.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Recent } from "../recent";
import { route, set } from "../router";
import type { Snapshot } from "../schema";
import { beside, calm, ordered, sorts } from "./order";
import { pin, pins } from "./pins";
import { WallTable } from "./table";
import { Tile } from "./tile";

export function Tiles({ s, of, past }: { s: Snapshot; of: ReadonlyMap<string, Recent>; past: boolean }) {
  const { filter = "", sort = "worst", view = "tiles" } = route.value.query;
  const list = useRef<HTMLUListElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const [held, hold] = useState(false);
  const shown = useRef<{ names: string[]; key: string; at: number }>({ names: [], key: "", at: 0 });

  // A new choice is shown at once; otherwise tiles move every three seconds at most,
  // and not at all while they are pointed at or the keyboard is among them.
  const key = `${filter} ${sort} ${[...pins.value].join()}`;
  const wanted = ordered(s.dependencies, sort, filter, pins.value);
  const stays =
    key === shown.current.key && (held || (s.at_ms >= shown.current.at && s.at_ms - shown.current.at < 3000));
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
        <label>
          Filter{" "}
          <input
            ref={box}
            type="search"
            value={filter}
            placeholder="name, kind or open"
            aria-keyshortcuts="/"
            data-testid="filter"
            onInput={(e) => set({ filter: e.currentTarget.value })}
            onKeyDown={(e) => {
              if (e.key === "Escape") set({ filter: undefined });
              if (e.key === "Enter" || e.key === "ArrowDown") list.current?.querySelector<HTMLElement>("h2 a")?.focus();
            }}
          />
        </label>
        <label>
          Order{" "}
          <select
            value={sort}
            onChange={(e) => set({ sort: e.currentTarget.value === "worst" ? undefined : e.currentTarget.value })}
          >
            {sorts.map((o) => (
              <option key={o.id} value={o.id}>
                {o.text}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-pressed={view === "table"}
          onClick={() => set({ view: view === "table" ? undefined : "table" })}
        >
          As a table
        </button>
        <span class="soft note keys">
          <kbd>/</kbd> filters, arrows move, <kbd>Enter</kbd> opens, <kbd>p</kbd> pins
        </span>
      </div>
      <p class="soft" role="status">
        {names.length === 0 ? (
          <>
            Nothing has “{filter}” in its name, kind or state.{" "}
            <button type="button" class="link" onClick={() => set({ filter: undefined })}>
              Show all
            </button>
          </>
        ) : names.length < s.dependencies.length ? (
          `${names.length} of ${s.dependencies.length} are shown`
        ) : (
          ""
        )}
      </p>
      {view === "table" ? (
        <WallTable all={names.map((n) => by.get(n)!)} />
      ) : (
        <ul
          class="tiles"
          ref={list}
          data-testid="wall"
          onKeyDown={walk}
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
          onFocusIn={() => hold(true)}
          onFocusOut={(e) => hold(e.currentTarget.contains(e.relatedTarget as Node | null))}
        >
          {names.map((n) => (
            <Tile
              key={n}
              d={by.get(n)!}
              recent={of.get(n)}
              now={s.at_ms}
              past={past}
              pinned={pins.value.has(n)}
              onPin={pin}
            />
          ))}
        </ul>
      )}
    </>
  );
}
