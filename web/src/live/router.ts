// The address says what is shown: #/PAGE/REST?key=value. It can be sent to others.
import { computed, signal } from "@preact/signals";

export interface Route {
  page: string;
  rest: string; // such as the name of a dependency
  query: Record<string, string>;
}

/** Reads what is behind the # of an address. */
export function parse(hash: string): Route {
  const [path = "", search = ""] = split(hash.replace(/^#?\/?/, ""), "?");
  const [page = "", rest = ""] = split(path, "/");
  const query: Record<string, string> = {};
  new URLSearchParams(search).forEach((v, k) => (query[k] = v));
  return { page: page || "wall", rest: decode(rest), query };
}

function split(s: string, at: string): string[] {
  const k = s.indexOf(at);
  return k < 0 ? [s] : [s.slice(0, k), s.slice(k + 1)];
}

function decode(s: string): string {
  try {
    return decodeURIComponent(s);
  } catch {
    return s; // no encoding of anything: as it is
  }
}

/** Writes an address. Empty values are left out. */
export function write(r: Route): string {
  const q = new URLSearchParams(Object.entries(r.query).filter(([, v]) => v !== "")).toString();
  return `#/${r.page}${r.rest ? `/${encodeURIComponent(r.rest)}` : ""}${q ? `?${q}` : ""}`;
}

export const route = signal<Route>(parse(typeof location === "undefined" ? "" : location.hash));

/** What stays in the address from page to page: the time that is shown. */
const shared = ["from", "to"];
const kept = computed(() => Object.fromEntries(Object.entries(route.value.query).filter(([k]) => shared.includes(k))));

/** The address of a page, with the time that is shown now. */
export const href = (page: string, rest = "", query: Record<string, string> = {}): string =>
  write({ page, rest, query: { ...kept.value, ...query } });

/** Goes to a page, so that "back" leads to this one. */
export function go(page: string, rest = "", query: Record<string, string> = {}): void {
  location.hash = href(page, rest, query);
}

/** Changes the query of this page; undefined removes a key. "Back" skips it, unless it is a step of its own. */
export function set(change: Record<string, string | undefined>, isStep = false): void {
  const query = { ...route.value.query };
  for (const [k, v] of Object.entries(change)) {
    if (v === undefined || v === "") delete query[k];
    else query[k] = v;
  }
  const next = { ...route.value, query };
  if (write(next) === write(route.value)) return;
  if (isStep) history.pushState(null, "", write(next));
  else history.replaceState(null, "", write(next));
  route.value = next;
}

/** Follows the address from now on. */
export function follows(): void {
  const read = () => (route.value = parse(location.hash));
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}
