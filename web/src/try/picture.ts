// A picture to take along: what is set, the readouts, the squares, and the charts
// with their titles and keys.
import { colorOf, type Chart } from "../ui/plot";
import type { Theme } from "../ui/theme";

export interface Told {
  title: string;
  lines: string[];
}

export async function picture(root: HTMLElement, told: Told, charts: Chart[], theme: Theme): Promise<Blob | null> {
  const canvases = [...root.querySelectorAll<HTMLCanvasElement>(".squares canvas, .strip canvas")].filter((c) => c.width > 0 && c.height > 0);
  const strips = canvases.filter((c) => c.closest(".strip"));
  const scale = Math.min(devicePixelRatio || 1, 3);
  const margin = 24 * scale;
  const step = 22 * scale;
  const out = document.createElement("canvas");
  out.width = Math.max(860 * scale, ...canvases.map((c) => c.width)) + 2 * margin;
  out.height = canvases.reduce((sum, c) => sum + c.height + margin / 2, 0) + (told.lines.length + strips.length + 2) * step + 2 * margin;
  const g = out.getContext("2d");
  if (!g) return null;
  const text = (t: string, x: number, y: number, weight = 400, px = 14, color = theme.ink) => {
    g.font = `${weight} ${px * scale}px system-ui, sans-serif`;
    g.fillStyle = color;
    g.fillText(t, x, y);
    return x + g.measureText(t).width;
  };
  g.fillStyle = theme.ground;
  g.fillRect(0, 0, out.width, out.height);
  g.textBaseline = "top";
  let y = margin;
  text(told.title, margin, y, 600, 17);
  y += step * 1.5;
  for (const line of told.lines) {
    text(line, margin, y);
    y += step;
  }
  for (const c of canvases) {
    y += margin / 2;
    const chart = charts[strips.indexOf(c)];
    if (chart) {
      let x = text(chart.title, margin, y, 600);
      for (const l of chart.lines) {
        x = key(g, x + 18 * scale, y + 8 * scale, scale, colorOf(l, theme), l.dash);
        x = text(l.label, x + 6 * scale, y, 400, 14, theme.soft);
      }
      y += step;
    }
    g.drawImage(c, margin, y);
    y += c.height;
  }
  return new Promise((done) => out.toBlob(done, "image/png"));
}

/** A piece of a line as the chart draws it. Returns where it ends. */
function key(g: CanvasRenderingContext2D, x: number, y: number, scale: number, color: string, dash: number[]): number {
  g.strokeStyle = color;
  g.lineWidth = 2 * scale;
  g.setLineDash(dash.map((d) => d * scale));
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x + 26 * scale, y);
  g.stroke();
  g.setLineDash([]);
  return x + 26 * scale;
}
