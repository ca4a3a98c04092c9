// The states of breakers as lines over time, and a triangle for each change.
import { useEffect, useRef } from "preact/hooks";
import { clock, rightOf, type Segment } from "../../ui/plot";
import { drawOn, px, useSize } from "../../ui/size";
import { useTheme, type Theme } from "../../ui/theme";
import { zoom, type Range } from "../range";
import { set } from "../router";
import type { Event } from "../schema";
import { telling } from "../telling";
import { clusters, type Row } from "./timeline";
import { usePointerZoom } from "./zoom";

const height = 26;
/** What the charts below leave free for their axis, so that moments are below each other. */
const left = 58;
const right = rightOf(true);

/** Shows a change and what caused it. */
export const choose = (e: Event) => set({ event: e.id === undefined ? undefined : String(e.id) });

export function Lanes({
  rows,
  held,
  others,
  range,
  chosen,
}: {
  rows: Row[];
  held: readonly Segment[]; // of the dependency itself
  others: Event[];
  range: Range;
  chosen: Event | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = Math.max(0, useSize(box) - left - right);
  const x = (ms: number) => ((ms - range.from) / range.span) * width;
  const drag = usePointerZoom(range, width, left);
  return (
    <div ref={box} class="lanes" {...drag.on}>
      {rows.map((r) => (
        <Lane key={r.label} row={r} held={r.label ? [] : held} width={width} x={x} chosen={chosen} />
      ))}
      {others.length > 0 && (
        <div class="lane other">
          <span class="lane-name" title="Other changes">
            other
          </span>
          <div class="lane-in" style={{ left: px(left), width: px(width) }}>
            <Marks events={[...others].sort((a, b) => a.at_ms - b.at_ms)} x={x} chosen={chosen} />
          </div>
        </div>
      )}
      {drag.shade && <div class="lane-shade" style={drag.shade} />}
    </div>
  );
}

function Lane({
  row,
  held,
  width,
  x,
  chosen,
}: {
  row: Row;
  held: readonly Segment[];
  width: number;
  x: (ms: number) => number;
  chosen: Event | undefined;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const g = width ? drawOn(canvas.current, width, height) : null;
    if (!g) return;
    for (const s of row.segments) draw(g, s, x, theme);
    for (const s of held) outline(g, s, x, theme);
  });
  const words = [...row.segments, ...held].map((s) => `${s.state} from ${clock(s.from, 1000)}`);
  return (
    <div class="lane">
      <span class="lane-name" title={row.label || "breaker"}>
        {row.label || "breaker"}
      </span>
      <div class="lane-in" style={{ left: px(left), width: px(width) }}>
        <canvas
          ref={canvas}
          role="img"
          style={{ width: px(width), height: px(height) }}
          aria-label={`Breaker${row.label ? ` of ${row.label}` : ""}: ${words.length > 20 ? `${words.length} times in a state, the last ` : ""}${words.slice(-20).join(", ")}`}
        />
        <Marks events={row.changes} x={x} chosen={chosen} />
      </div>
    </div>
  );
}

function draw(g: CanvasRenderingContext2D, s: Segment, x: (ms: number) => number, t: Theme): void {
  const from = x(s.from);
  const w = Math.max(1.5, x(s.to) - from);
  const base = height - 2;
  if (s.state === "open") {
    g.fillStyle = t.open;
    g.fillRect(from, 4, w, base - 4);
  } else if (s.state === "half-open") {
    g.fillStyle = t.half;
    g.fillRect(from, 14, w, base - 14);
    g.fillStyle = t.ground;
    for (let k = from + 3; k < from + w - 1; k += 5) g.fillRect(k, 14, 1.5, base - 14);
  } else {
    g.fillStyle = t.routes[1]!;
    g.fillRect(from, base - 4, w, 4);
  }
  if (w > 46 && s.state !== "closed") {
    g.fillStyle = s.state === "open" ? t.onRoute : t.ink;
    g.font = "600 12px system-ui, sans-serif";
    g.fillText(s.state, from + 6, s.state === "open" ? base - 6 : 12);
  }
}

/** A line above a state that somebody holds. */
function outline(g: CanvasRenderingContext2D, s: Segment, x: (ms: number) => number, t: Theme): void {
  g.strokeStyle = t.ink;
  g.lineWidth = 3;
  g.setLineDash([6, 3]);
  g.beginPath();
  g.moveTo(x(s.from), 1.5);
  g.lineTo(Math.max(x(s.to), x(s.from) + 2), 1.5);
  g.stroke();
  g.setLineDash([]);
}

function Marks({ events, x, chosen }: { events: Event[]; x: (ms: number) => number; chosen: Event | undefined }) {
  return (
    <>
      {clusters(events, x, 16).map((c) => {
        const one = c.events.length === 1 ? c.events[0]! : undefined;
        const name = one
          ? `${clock(one.at_ms, 1000)} ${telling(one)}`
          : `${c.events.length} changes from ${clock(c.events[0]!.at_ms, 1000)}: show them larger`;
        return (
          <button
            type="button"
            key={c.events[0]!.id ?? c.at}
            class="change"
            style={{ left: px(c.at) }}
            title={name}
            aria-label={name}
            data-to={one?.to}
            aria-pressed={one ? one === chosen : undefined}
            onClick={() => {
              if (one) choose(one);
              else {
                const [a, b] = [c.events[0]!.at_ms, c.events[c.events.length - 1]!.at_ms];
                // What is closer than this cannot be told apart: the last one then.
                if (b - a < 500) choose(c.events[c.events.length - 1]!);
                else zoom(a - (b - a), b + (b - a));
              }
            }}
          >
            ▾{one ? "" : c.events.length}
          </button>
        );
      })}
    </>
  );
}
