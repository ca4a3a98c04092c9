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

/** A picture of a column: its canvases, one below the other, with the readouts
 * above them. */
export async function picture(root: HTMLElement, title: string, lines: string[], look: { ground: string; ink: string }): Promise<Blob | null> {
  const parts = [...root.querySelectorAll("canvas")].filter((c) => c.width > 0 && c.height > 0);
  const scale = Math.min(devicePixelRatio || 1, 3);
  const margin = 24 * scale;
  const step = 22 * scale;
  const width = Math.max(600 * scale, ...parts.map((c) => c.width)) + 2 * margin;
  const height = parts.reduce((sum, c) => sum + c.height + margin / 2, 0) + (lines.length + 2) * step + 2 * margin;
  const out = document.createElement("canvas");
  out.width = width;
  out.height = height;
  const g = out.getContext("2d");
  if (!g) return null;
  g.fillStyle = look.ground;
  g.fillRect(0, 0, width, height);
  g.fillStyle = look.ink;
  g.textBaseline = "top";
  let y = margin;
  g.font = `600 ${17 * scale}px system-ui, sans-serif`;
  g.fillText(title, margin, y);
  y += step * 1.5;
  g.font = `${14 * scale}px system-ui, sans-serif`;
  for (const line of lines) {
    g.fillText(line, margin, y);
    y += step;
  }
  for (const c of parts) {
    y += margin / 2;
    g.drawImage(c, margin, y);
    y += c.height;
  }
  return new Promise((done) => out.toBlob(done, "image/png"));
}
