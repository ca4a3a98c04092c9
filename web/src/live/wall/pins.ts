// Tiles that were pinned, kept by the browser: the last hundred.
import { signal } from "@preact/signals";

const key = "seakeep-pins";
const most = 100;

function read(): string[] {
  try {
    const v: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(v) ? v.filter((n): n is string => typeof n === "string").slice(-most) : [];
  } catch {
    return []; // no store, or something else in it
  }
}

export const pins = signal<ReadonlySet<string>>(new Set(read()));

export function pin(name: string): void {
  const others = [...pins.value].filter((n) => n !== name);
  const next = new Set(pins.value.has(name) ? others : [...others, name].slice(-most));
  pins.value = next;
  try {
    localStorage.setItem(key, JSON.stringify([...next]));
  } catch {
    // they hold for this visit
  }
}
