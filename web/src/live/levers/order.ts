// What a lever is sent, and how: as docs/dashboard-api.md has it.
import { post } from "../api";
import { programNow } from "../store";

export type Lever = "breaker" | "degrade" | "admit" | "fault";
export interface Order {
  lever: Lever;
  order: unknown;
}

/** Who orders, why, and what the program knows them by. */
export interface Who {
  token: string;
  by: string;
  reason: string;
}

/** A number that was not used before: 32 random hexadecimal digits. */
export function nonce(random: (into: Uint8Array<ArrayBuffer>) => Uint8Array = (into) => crypto.getRandomValues(into)): string {
  return Array.from(random(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

/** What is posted. The time is the program's, so that a computer whose clock is wrong can order too. */
export function requestOf(order: unknown, who: Pick<Who, "by" | "reason">, now = programNow(), once = nonce()) {
  const by = who.by.trim();
  return { reason: who.reason.trim(), ...(by && { by }), nonce: once, at_ms: Math.round(now), order };
}

/** Sends an order. It throws what the program says against it. */
export const send = (o: Order, who: Who): Promise<unknown> =>
  post(`levers/${o.lever}`, requestOf(o.order, who), { Authorization: `Bearer ${who.token.trim()}` });

/** What a refusal means for whoever reads it, beside the program's own words. */
export function adviceOn(status: number): string {
  switch (status) {
    case 0:
      return "Nothing was ordered, or its answer was lost: look at the audit log before you try again.";
    case 401:
      return "The token is wrong. It is the first line of the file that --dashboard-token-file names.";
    case 403:
      return "This page may not order here.";
    case 421:
      return "Open this page under a name that the program knows.";
    case 429:
      return "Nothing was changed; wait a second.";
  }
  return "Nothing was changed.";
}

// The token is kept for this tab and until it is closed, and nowhere else.
const keys = { token: "seakeep-token", by: "seakeep-by" };
export function kept(what: keyof typeof keys): string {
  try {
    return sessionStorage.getItem(keys[what]) ?? "";
  } catch {
    return ""; // no store: it is typed each time
  }
}
export function keep(what: keyof typeof keys, value: string): void {
  try {
    if (value) sessionStorage.setItem(keys[what], value);
    else sessionStorage.removeItem(keys[what]);
  } catch {
    // as above
  }
}
