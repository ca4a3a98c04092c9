// What can be taken along: the files, the figures, a picture.
import { csvCell, csvNumber } from "../model/format";
import type { Report } from "../engine/types";
import type { World } from "../model/world";

export function save(name: string, content: string | Blob, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A world as files of one folder: the scenario, and the policies that it names. */
export function filesOf(w: World): { scenario: string; policies: [name: string, text: string][] } {
  const policies = new Map<string, string>();
  const scenario = w.scenario.replace(/(\bpolicy:\s*)([^\s,}]+\.yaml)/g, (all, key: string, path: string) => {
    const text = w.files[path];
    if (text === undefined) return all;
    const name = path.replace(/^.*\//, "");
    policies.set(name, text);
    return key + name;
  });
  return { scenario, policies: [...policies] };
}

/** The figures as "seakeep sim --csv" has them. */
export function csvOf(r: Report): string {
  const head = ["key", "unit", "mean", "half", "low", "high", "runs"];
  const rows = Object.entries(r.figures).map(([key, f]) => [key, f.unit, ...[f.mean, f.half, f.low, f.high].map(csvNumber), f.runs.length]);
  return [head, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}
