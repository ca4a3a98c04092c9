// Asks the program. Its answers are JSON; a mistake is {"error": "..."}.
import type { History } from "./schema";

/** Where the API is: beside the page, whatever path that has. */
export const root = "./api/v1/";

/** What the program says is wrong, or why it cannot be reached. */
export class Refused extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

type Query = Record<string, string | number | undefined>;

/** The address of a question, without parameters that are undefined. */
export function address(path: string, query: Query = {}): string {
  const q = Object.entries(query).filter(([, v]) => v !== undefined).map(([k, v]) => `${k}=${encodeURIComponent(String(v))}`);
  return root + path + (q.length ? `?${q.join("&")}` : "");
}

async function ask<T>(url: string, init: RequestInit): Promise<T> {
  let r: Response;
  try {
    r = await fetch(url, { cache: "no-store", ...init });
  } catch (e) {
    if (e instanceof DOMException && e.name === "AbortError") throw e;
    throw new Refused("the program cannot be reached", 0);
  }
  const body: unknown = await r.json().catch(() => null);
  if (!r.ok) throw new Refused(errorIn(body) ?? `the program answered ${r.status}`, r.status);
  if (body === null) throw new Refused("the answer is no JSON", r.status);
  return body as T;
}

/** The "error" of an answer. */
function errorIn(body: unknown): string | undefined {
  return typeof body === "object" && body !== null && "error" in body ? String(body.error) : undefined;
}

export const get = <T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> => ask<T>(address(path, query), { signal });

/** Sends an order. Headers are those of a lever: its token. */
export const post = <T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> =>
  ask<T>(address(path), { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });

export interface HistoryQuery {
  from?: number | string; // milliseconds of Unix time, or such as -15m
  to?: number | string;
  step?: string; // whole seconds, such as 10s
  dependency?: string;
  columns?: string;
}
export const historyOf = (q: HistoryQuery, s?: AbortSignal) => get<History>("history", { ...q }, s);
