// A policy file's values, by what they are about, and what is found in it.
import type { Finding, Policy } from "../../schema";

export type Value = Policy["values"][number];
export interface Group {
  name: string; // a dependency, or a part of the file
  dependency: boolean;
  values: Value[];
  findings: number;
}

/** What a path is about: dependencies.pricing.timeout.request is pricing's. Names may have dots, so that they must be known. */
export function about(path: string, names: readonly string[] = []): { name: string; dependency: boolean } {
  const [first = "", second] = path.split(".");
  if (first === "dependencies" && second !== undefined) {
    const its = names.filter((n) => n.includes(".") && `${path}.`.startsWith(`dependencies.${n}.`)).sort((a, b) => b.length - a.length);
    return { name: its[0] ?? second, dependency: true };
  }
  return { name: second === undefined ? "the file" : first, dependency: false };
}

/** The values in which a text is, in path, value or line; those of the file alone, if so wanted. */
export function found(all: readonly Value[], text: string, ownOnly: boolean): Value[] {
  const want = text.trim().toLowerCase();
  return all.filter((v) => (!ownOnly || v.from !== "default") && (!want || `${v.path} ${v.value} ${v.from}`.toLowerCase().includes(want)));
}

/** Values by what they are about: the parts of the file first, then dependencies by name. */
export function groups(all: readonly Value[], findings: readonly Finding[], names: readonly string[] = []): Group[] {
  const by = new Map<string, Group>();
  for (const v of all) {
    const a = about(v.path, names);
    const key = `${a.dependency ? 1 : 0} ${a.name}`;
    const g = by.get(key) ?? { name: a.name, dependency: a.dependency, values: [], findings: 0 };
    g.values.push(v);
    by.set(key, g);
  }
  for (const f of findings) {
    const a = about(f.path, names);
    const g = by.get(`${a.dependency ? 1 : 0} ${a.name}`);
    if (g) g.findings++;
  }
  return [...by.values()].sort((x, y) => Number(x.dependency) - Number(y.dependency) || (x.dependency ? x.name.localeCompare(y.name) : 0));
}

/** The line of "seakeep.yaml:12"; undefined: the default. */
export function lineOf(from: string): number | undefined {
  const found = /:(\d+)$/.exec(from);
  return found ? Number(found[1]) : undefined;
}

/** The file's name without its folder. */
export const baseOf = (file: string): string => file.slice(file.lastIndexOf("/") + 1);

/** The part of a finding's path that values have: what is not in the file has none of its own. */
export function valuesAt(all: readonly Value[], path: string): string {
  for (let at = path; at.includes("."); at = at.slice(0, at.lastIndexOf("."))) if (all.some((v) => v.path.startsWith(at))) return at;
  return path;
}

const weights: Record<string, number> = { error: 0, warning: 1, note: 2, info: 2 };

/** Findings, the worst first, then by line. */
export function sorted(all: readonly Finding[]): Finding[] {
  return [...all].sort((a, b) => (weights[a.severity] ?? 3) - (weights[b.severity] ?? 3) || a.line - b.line);
}

/** The rules that find something, and how often, those with the worst findings first. */
export function rulesOf(all: readonly Finding[]): { rule: string; count: number }[] {
  const by = new Map<string, number>();
  for (const f of sorted(all)) by.set(f.rule, (by.get(f.rule) ?? 0) + 1);
  return [...by].map(([rule, count]) => ({ rule, count }));
}

export type Kind = "came" | "went" | "changed";
export const kindOf = (c: Policy["changes"][number]): Kind => (c.before === undefined ? "came" : c.after === undefined ? "went" : "changed");
