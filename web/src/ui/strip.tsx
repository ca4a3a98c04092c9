// Charts over time, one below the other, with one cursor: over virtual time in
// "Try it", over the time of day on the live page.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { BreakerChange } from "../engine/types";
import { clock, colorOf, dataOf, options, short, type Chart, type Mark, type Now, type Segment } from "./plot";
import { px, useSize } from "./size";
import { useTheme, type Theme } from "./theme";

export type { Chart, Line, Mark, Segment } from "./plot";

interface Props {
  chart: Chart;
  times: number[]; // the x of each value
  from?: number;
  to: number;
  sync: string; // charts with the same have one cursor
  wall?: boolean; // times are ms of Unix time
  at?: number; // the moment that is shown
  marks?: Mark[];
  ribbon?: Segment[]; // the state of a breaker
  height?: number;
  under?: (u: uPlot, t: Theme) => void; // draws below the lines
  onPick?: (at: number) => void;
  onZoom?: (from: number, to: number) => void; // a part of the time was chosen
}
const none: never[] = [];

export function Strip({ chart, times, from = 0, to, sync, wall = false, at, marks = none, ribbon = none, height = 132, under, onPick, onZoom }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const made = useRef(""); // the shape that the plot was made for
  const keys = useRef<HTMLElement>(null);
  const now = useRef<Now & Pick<Props, "onPick" | "onZoom" | "times">>(null!);
  now.current = { chart, from, to, at, marks, ribbon, under, onPick, onZoom, times };
  const width = useSize(box);
  const theme = useTheme();
  const shape = chart.id + chart.lines.map((l) => l.label + l.color).join() + (chart.log ?? "") + (chart.stacked ?? "");
  const thin = wall && times.length > width * 0.75;
  const data = useMemo(() => dataOf(chart, times), [times, chart]);

  useEffect(() => {
    if (!box.current || width < 50) return;
    const zooms = now.current.onZoom !== undefined;
    const tell = (u: uPlot) => values(keys.current, now.current, u.cursor.idx, wall);
    const u = new uPlot(options(theme, width, { sync, wall, height, zooms, thin }, () => now.current, (u) => {
      if (u.select.width < 6) return;
      const [a, b] = [u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")];
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      now.current.onZoom?.(a, b);
    }, tell), data, box.current);
    plot.current = u;
    made.current = shape;
    u.over.addEventListener("click", (e) => {
      const r = u.over.getBoundingClientRect();
      const { from, to, onPick } = now.current;
      onPick?.(Math.max(from, Math.min(to, u.posToVal(e.clientX - r.left, "x"))));
    });
    return () => {
      u.destroy();
      plot.current = null;
    };
    // A chart is made anew when its lines, its size or its colours change; its
    // numbers alone are set below.
  }, [shape, width, theme, height, sync, thin]);

  // Before the next picture, so that all charts move at once. A plot for other lines
  // is about to be made anew, and cannot take these.
  useLayoutEffect(() => {
    if (made.current === shape) plot.current?.setData(data);
    values(keys.current, now.current, plot.current?.cursor.idx, wall);
  }, [data, from, to, shape]);
  useLayoutEffect(() => {
    plot.current?.redraw(false);
  }, [at, marks, ribbon, under]);

  return (
    <figure class="strip">
      <figcaption ref={keys}>
        <b>{chart.title}</b>
        {chart.lines.map((l) => (
          <span key={l.label} class="line-key">
            <svg width="26" height="8" aria-hidden="true"><line x1="1" y1="4" x2="25" y2="4" stroke={colorOf(l, theme)} stroke-width="2.5" stroke-dasharray={l.dash.join(" ")} /></svg>
            {l.label}{wall && <span class="at" data-at />}
          </span>
        ))}
        {wall && <span class="when" data-when />}
      </figcaption>
      <div ref={box} class="plot" role="img" aria-label={`${chart.title} over time, also as a table`} style={{ minHeight: px(height) }} />
    </figure>
  );
}

/** Writes each line's value beside its name: that under the cursor, or that of the moment that is shown, or the last. */
function values(el: HTMLElement | null, { chart, times, at: shown }: Now & Pick<Props, "times">, idx: number | null | undefined, wall: boolean): void {
  if (!el || !wall) return;
  const at = idx ?? null;
  const end = shown === undefined ? times.length : times.filter((t) => t <= shown).length;
  el.querySelectorAll("[data-at]").forEach((span, k) => {
    const list = chart.lines[k]?.values ?? none;
    span.textContent = valueText(chart, (at === null ? lastOf(list, end, shown === undefined ? 3 : 6) : list[at]) ?? null);
  });
  const when = el.querySelector("[data-when]");
  if (when) when.textContent = at === null ? "" : clock(times[at] ?? 0, 1000);
}

/** The value at an end, unless it is older than the last few. */
function lastOf(list: readonly (number | null)[], end: number, few: number): number | null {
  for (let k = Math.min(end, list.length) - 1; k >= Math.max(0, end - few); k--) if (list[k] !== null && list[k] !== undefined) return list[k]!;
  return null;
}

/** A value of a chart, in its unit. */
export function valueText(chart: Pick<Chart, "percent" | "unit">, v: number | null): string {
  if (v === null) return "–";
  if (chart.percent) return `${(v * 100).toFixed(1)}\u00a0%`;
  if (chart.unit === "ms") return v >= 1000 ? `${+(v / 1000).toPrecision(3)}\u00a0s` : `${+v.toPrecision(3)}\u00a0ms`;
  return short(v) + (chart.unit ? `\u00a0${chart.unit}` : "");
}

/** What state a breaker had when, up to a time. */
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
