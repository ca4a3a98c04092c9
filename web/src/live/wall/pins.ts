// Tiles that were pinned, kept by the browser.
import { signal } from "@preact/signals";

const key = "seakeep-pins";

function read(): string[] {
  try {
    const v: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(v) ? v.filter((n): n is string => typeof n === "string").slice(0, 100) : [];
  } catch {
    return []; // no store, or something else in it
  }
}

export const pins = signal<ReadonlySet<string>>(new Set(read()));

export function pin(name: string): void {
  const next = new Set(pins.value);
  if (!next.delete(name)) next.add(name);
  pins.value = next;
  try {
    localStorage.setItem(key, JSON.stringify([...next]));
  } catch {
    // they hold for this visit
  }
}
