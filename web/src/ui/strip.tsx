// Charts over virtual time, one below the other, with one cursor.
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { BreakerChange } from "../engine/types";
import { useSize } from "./size";
import { useTheme, type Theme } from "./theme";

export interface Line {
  label: string;
  color: number; // of the palette
  dash: number[];
  values: (number | null)[];
}
export interface Chart {
  id: string;
  title: string;
  unit: string;
  most?: number; // the top of the scale, at least
  percent?: boolean;
  limit?: { value: number; label: string };
  lines: Line[];
}
export interface Mark {
  at: number;
  label: string;
}
interface Props {
  chart: Chart;
  times: number[];
  at: number;
  marks: Mark[];
  breaker?: BreakerChange[];
  length: number;
  onPick: (at: number) => void;
}

export function Strip({ chart, times, at, marks, breaker, length, onPick }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const now = useRef({ at, marks, breaker, length });
  now.current = { at, marks, breaker, length };
  const width = useSize(box);
  const theme = useTheme();
  const shape = chart.lines.map((l) => l.label + l.color).join() + chart.id;
  const data = useMemo(() => [times, ...chart.lines.map((l) => l.values)] as uPlot.AlignedData, [times, chart]);

  useEffect(() => {
    if (!box.current || width < 50) return;
    const host = box.current;
    const u = new uPlot(options(chart, theme, width, () => now.current), data, host);
    plot.current = u;
    const pick = (e: MouseEvent) => {
      const r = u.over.getBoundingClientRect();
      onPick(Math.max(0, Math.min(now.current.length, u.posToVal(e.clientX - r.left, "x"))));
    };
    u.over.addEventListener("click", pick);
    return () => {
      u.destroy();
      plot.current = null;
    };
    // A chart is made anew when its lines, its size or its colours change; its
    // numbers alone are set below.
  }, [shape, width, theme, chart.most]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data]);
  useEffect(() => {
    plot.current?.redraw(false);
  }, [at, marks, breaker]);

  return (
    <figure class="strip">
      <figcaption>
        <b>{chart.title}</b>
        {chart.lines.map((l) => (
          <span key={l.label} class="line-key">
            <svg width="26" height="8" aria-hidden="true"><line x1="1" y1="4" x2="25" y2="4" stroke={theme.routes[l.color % theme.routes.length]} stroke-width="2.5" stroke-dasharray={l.dash.join(" ")} /></svg>
            {l.label}
          </span>
        ))}
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${chart.title} over time, also as a table below`} />
    </figure>
  );
}

function options(chart: Chart, t: Theme, width: number, now: () => { at: number; marks: Mark[]; breaker?: BreakerChange[]; length: number }): uPlot.Options {
  const axis = { stroke: t.soft, grid: { stroke: t.line, width: 0.5 }, ticks: { stroke: t.line, width: 0.5 }, font: "12px system-ui, sans-serif" };
  return {
    width,
    height: 132,
    legend: { show: false },
    cursor: { sync: { key: "try" }, drag: { x: false, y: false }, points: { size: 6 } },
    padding: [10, 12, 0, 0],
    scales: {
      x: { time: false, range: () => [0, now().length] },
      y: { range: (_u, _min, max) => [0, Math.max((max ?? 0) * 1.05, chart.most ?? 0, 1e-6)] },
    },
    axes: [
      { ...axis, size: 24, values: (_u, v) => v.map((x) => `${x} s`) },
      { ...axis, size: 58, values: (_u, v) => v.map((y) => (chart.percent ? `${Math.round(y * 100)} %` : short(y))) },
    ],
    series: [{}, ...chart.lines.map((l) => ({ label: l.label, stroke: t.routes[l.color % t.routes.length]!, width: 2, dash: l.dash,
      spanGaps: false, points: { show: false } }))],
    hooks: { draw: [(u) => overlay(u, chart, t, now())] },
  };
}

const short = (y: number) => (y >= 1000 ? `${+(y / 1000).toFixed(1)}k` : String(+y.toFixed(2)));

/** What lies over the lines: a limit, the moments at which something changes, the
 * breaker's state as a ribbon, and the moment that is shown. */
function overlay(u: uPlot, chart: Chart, t: Theme, n: { at: number; marks: Mark[]; breaker?: BreakerChange[]; length: number }): void {
  const g = u.ctx;
  const { left, top, width, height } = u.bbox;
  const x = (s: number) => Math.round(u.valToPos(s, "x", true));
  const px = devicePixelRatio || 1;
  g.save();
  if (chart.limit) {
    const y = Math.round(u.valToPos(chart.limit.value, "y", true));
    g.strokeStyle = t.soft;
    g.setLineDash([2 * px, 3 * px]);
    g.lineWidth = px;
    line(g, left, y, left + width, y);
    g.setLineDash([]);
    g.fillStyle = t.soft;
    g.font = `${11 * px}px system-ui, sans-serif`;
    g.textAlign = "right";
    g.fillText(chart.limit.label, left + width - 4 * px, y + 12 * px);
  }
  g.strokeStyle = t.soft;
  g.lineWidth = px;
  g.setLineDash([4 * px, 3 * px]);
  for (const m of n.marks) line(g, x(m.at), top, x(m.at), top + height);
  g.setLineDash([]);
  if (n.breaker && n.breaker.length) ribbon(g, t, segments(n.breaker, n.length), x, top - 6 * px, 5 * px);
  g.strokeStyle = t.ink;
  g.lineWidth = 2 * px;
  line(g, x(n.at), top - 4 * px, x(n.at), top + height);
  g.restore();
}

function line(g: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  g.beginPath();
  g.moveTo(x1, y1);
  g.lineTo(x2, y2);
  g.stroke();
}

export interface Segment {
  from: number;
  to: number;
  state: string;
}

export function segments(changes: readonly BreakerChange[], length: number): Segment[] {
  const out: Segment[] = [];
  let from = 0;
  let state = changes[0]?.from ?? "closed";
  for (const c of changes) {
    out.push({ from, to: c.at_s, state });
    from = c.at_s;
    state = c.to;
  }
  out.push({ from, to: length, state });
  return out;
}

function ribbon(g: CanvasRenderingContext2D, t: Theme, all: Segment[], x: (s: number) => number, y: number, h: number): void {
  for (const s of all) {
    if (s.state === "closed") continue;
    g.fillStyle = s.state === "open" ? t.open : t.half;
    g.fillRect(x(s.from), y, Math.max(1, x(s.to) - x(s.from)), s.state === "open" ? h : h / 2);
  }
}
