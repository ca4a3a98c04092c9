// What uPlot is told, and what is drawn over and under its lines.
import type uPlot from "uplot";
import type { Theme } from "./theme";

export type Tone = "bad" | "half" | "ink" | "soft";
export interface Line {
  label: string;
  color: number | Tone; // a number is one of the palette
  dash: number[];
  values: (number | null)[];
}
export interface Chart {
  id: string;
  title: string;
  unit: string;
  most?: number; // the top of the scale, at least
  least?: number; // its bottom, if that is below 0
  percent?: boolean;
  log?: [number, number]; // a logarithmic scale, always from and to these
  stacked?: boolean; // each line on top of the one before
  limit?: { value: number; label: string };
  lines: Line[];
}
export interface Mark {
  at: number;
  label: string;
}
export interface Segment {
  from: number;
  to: number;
  state: string;
}
/** What a chart shows at this moment; its own state that changes without it being made anew. */
export interface Now {
  chart: Chart;
  from: number;
  to: number;
  at?: number;
  marks: Mark[];
  ribbon: Segment[];
  under?: (u: uPlot, t: Theme) => void;
}
export interface Kind {
  sync: string; // charts with the same have one cursor
  wall: boolean; // times are ms of Unix time, otherwise seconds of virtual time
  height: number;
  zooms: boolean;
  thin: boolean; // there are so many points that a thick line would hide them, and costs five times as much to draw
}

export const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2]];
export const colorOf = (l: Line, t: Theme): string => (typeof l.color === "number" ? t.routes[l.color % t.routes.length]! : t[l.color]);

/** The columns that are drawn: of a stack each is the sum of those up to it. */
export function dataOf(chart: Chart, times: number[]): uPlot.AlignedData {
  if (!chart.stacked) return [times, ...chart.lines.map((l) => l.values)];
  const sum: (number | null)[] = times.map(() => null);
  return [times, ...chart.lines.map((l) => {
    l.values.forEach((v, k) => {
      if (v !== null) sum[k] = (sum[k] ?? 0) + v;
    });
    return sum.slice();
  })];
}

/** How far apart the lines of a time axis may be, in ms. */
const apart = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800].map((s) => s * 1000);

/** The room on the right of a chart: half a time of day needs more than half a number. */
export const rightOf = (wall: boolean): number => (wall ? 28 : 12);

/** A number of the axis on the left. */
function tickText(chart: Chart, y: number): string {
  if (chart.percent) return `${Math.round(y * 100)} %`;
  return chart.unit === "ms" ? (y >= 1000 ? `${+(y / 1000).toFixed(1)} s` : `${+y.toPrecision(1)} ms`) : short(y);
}

/** A time of day for an axis whose lines are so far apart, in ms. */
export function clock(ms: number, apart: number): string {
  const d = new Date(Math.round(ms)); // an axis may come to a little less than a whole minute
  const two = (n: number) => String(n).padStart(2, "0");
  if (apart >= 86_400_000) return `${two(d.getMonth() + 1)}-${two(d.getDate())}`;
  const time = `${two(d.getHours())}:${two(d.getMinutes())}`;
  return apart < 60_000 ? `${time}:${two(d.getSeconds())}` : time;
}

export function options(t: Theme, width: number, kind: Kind, now: () => Now, picked: (u: uPlot) => void, moved: (u: uPlot) => void): uPlot.Options {
  const { chart } = now();
  const axis = { stroke: t.soft, grid: { stroke: t.line, width: 0.5 }, ticks: { stroke: t.line, width: 0.5 }, font: "12px system-ui, sans-serif" };
  const fill = (l: Line) => `${colorOf(l, t)}55`;
  return {
    width,
    height: kind.height,
    ms: 1,
    legend: { show: false },
    cursor: { sync: { key: kind.sync, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
      drag: { x: kind.zooms, y: false, setScale: false, dist: 6 }, points: { size: 6 } },
    padding: [10, rightOf(kind.wall), 0, 0],
    scales: {
      // uPlot's axis of time counts whole milliseconds.
      x: { time: kind.wall, range: () => (kind.wall ? [Math.round(now().from), Math.round(now().to)] : [now().from, now().to]) },
      y: chart.log ? { distr: 3, range: () => chart.log! }
        : { range: (_u, _min, max) => [Math.min(0, now().chart.least ?? 0), Math.max((max ?? 0) * 1.05, now().chart.most ?? (chart.percent ? 0.02 : 1), now().chart.limit?.value ?? 0)] },
    },
    axes: [
      { ...axis, size: 24, space: kind.wall ? 70 : 50, incrs: kind.wall ? apart : undefined, values: (_u, v, _a, _s, apart) => v.map((x) => (kind.wall ? clock(x, apart) : `${x} s`)) },
      { ...axis, size: 58, values: (_u, v) => v.map((y) => (y === null ? "" : tickText(chart, y))) },
    ],
    series: [{}, ...chart.lines.map((l, k) => ({ label: l.label, stroke: colorOf(l, t), width: kind.thin ? 1 : 2, dash: l.dash, spanGaps: false,
      points: { show: false }, fill: chart.stacked && k === 0 ? fill(l) : undefined }))],
    bands: chart.stacked ? chart.lines.slice(1).map((l, k) => ({ series: [k + 2, k + 1] as [number, number], fill: fill(l) })) : undefined,
    hooks: { drawClear: [(u) => now().under?.(u, t)], draw: [(u) => overlay(u, t, now())], setSelect: [picked], setCursor: [moved] },
  };
}

export const short = (y: number): string => (Math.abs(y) >= 1000 ? `${+(y / 1000).toFixed(1)}k` : String(+y.toFixed(2)));

/** What lies over the lines: a limit, the moments at which something changes, the
 * breaker's state as a ribbon, and the moment that is shown. */
function overlay(u: uPlot, t: Theme, n: Now): void {
  const g = u.ctx;
  const { left, top, width, height } = u.bbox;
  const x = (s: number) => Math.round(u.valToPos(s, "x", true));
  const px = devicePixelRatio || 1;
  g.save();
  const limit = n.chart.limit;
  if (limit) {
    const y = Math.round(u.valToPos(limit.value, "y", true));
    g.strokeStyle = t.soft;
    g.setLineDash([2 * px, 3 * px]);
    g.lineWidth = px;
    line(g, left, y, left + width, y);
    g.setLineDash([]);
    g.fillStyle = t.soft;
    g.font = `${11 * px}px system-ui, sans-serif`;
    g.textAlign = "right";
    g.fillText(limit.label, left + width - 4 * px, y + 12 * px);
  }
  g.strokeStyle = t.soft;
  g.lineWidth = px;
  g.setLineDash([4 * px, 3 * px]);
  for (const m of n.marks) if (m.at >= n.from && m.at <= n.to) line(g, x(m.at), top, x(m.at), top + height);
  g.setLineDash([]);
  for (const s of n.ribbon) {
    if (s.state === "closed" || s.to < n.from || s.from > n.to) continue;
    const from = x(Math.max(s.from, n.from));
    g.fillStyle = s.state === "open" ? t.open : t.half;
    g.fillRect(from, top - 6 * px, Math.max(1, x(Math.min(s.to, n.to)) - from), (s.state === "open" ? 5 : 2.5) * px);
  }
  if (n.at !== undefined) {
    g.strokeStyle = t.ink;
    g.lineWidth = 2 * px;
    line(g, x(n.at), top - 4 * px, x(n.at), top + height);
  }
  g.restore();
}

function line(g: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}
