// Lines of charts from the columns of a history, and what else panels know.
import { dashes, type Line, type Tone } from "../../ui/plot";
import type { Columns } from "../history";
import type { Dependency } from "../schema";

/** What is known besides the columns. */
export interface Context {
  d: Dependency | undefined;
  policy: (path: string) => string | undefined; // a value in effect, below the dependency
}
/** Lines of those columns that have something to tell, the first few always. */
export function lines(c: Columns, always: number, ...all: (readonly [string, string, (number | Tone)?])[]): Line[] {
  return all.flatMap(([key, label, color], k) => {
    const values = c[key];
    if (!values || (k >= always && !values.some((v) => v !== null && v !== 0))) return [];
    return [{ label, color: color ?? k, dash: dashes[k % dashes.length]!, values }];
  });
}

/** A share of the policy file, such as 10%. */
export function shareOf(text: string | undefined): number | undefined {
  const found = /^(\d+(?:\.\d+)?)%$/.exec(text ?? "");
  return found ? Number(found[1]) / 100 : undefined;
}
