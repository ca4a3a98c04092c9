// A square for each thread. What it does is told by its letter, its filling and
// its colour, and below in numbers.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { counts, describe, frame, routeOf, whatOf, type Frames } from "../model/frames";
import { drawOn, px, useSize } from "./size";
import { useTheme } from "./theme";

interface Props {
  frames: Frames;
  at: number;
  slow: string;
}

/** How many squares a row has, and how wide each is. Full rows, if they fit well. */
export function layout(width: number, n: number): { columns: number; side: number } {
  const most = Math.max(10, Math.min(n, 40 * Math.ceil(n / 400), Math.floor(width / (n > 400 ? 12 : width < 480 ? 16 : 24))));
  let columns = most;
  while (columns > 0.6 * most && n % columns !== 0) columns--;
  if (n % columns !== 0) columns = most;
  return { columns, side: Math.min(36, width / columns) };
}

export function Squares({ frames, at, slow }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSize(box);
  const theme = useTheme();
  const now = frame(frames, at);
  const { columns, side } = layout(width || 600, frames.workers);
  const rows = Math.ceil(frames.workers / columns);

  useEffect(() => {
    const g = width ? drawOn(canvas.current, columns * side, rows * side) : null;
    if (g) draw(g, now, { columns, side, colors: theme.routes, faint: theme.line, ink: theme.onRoute, slow: frames.routes.indexOf(slow) });
  }, [frames, at, width, theme, columns, side, rows, slow]);

  const sum = useMemo(() => counts(frames, now), [frames, now]);
  return (
    <div class="squares">
      <div ref={box} class="canvas-box">
        <canvas ref={canvas} role="img" aria-label={describe(frames, at)} style={{ width: px(columns * side), height: px(rows * side) }} />
      </div>
      <table class="legend" aria-label="What the threads do">
        <thead>
          <tr><th scope="col">held for</th><th scope="col">threads</th><th scope="col"><span aria-hidden="true">⋯ </span>wait to retry</th><th scope="col"><span aria-hidden="true">☒ </span>for nobody</th></tr>
        </thead>
        <tbody>
          {sum.routes.map((r, k) => (
            <tr key={r.route}>
              <th scope="row"><i class={`key key-${k % 6}${r.route === slow ? " striped" : ""}`} aria-hidden="true">{letter(k)}</i> {r.route}{r.route === slow ? " (slow)" : ""}</th>
              <td>{r.works + r.waits + r.orphaned}</td><td>{r.waits}</td><td>{r.orphaned}</td>
            </tr>
          ))}
          <tr><th scope="row"><i class="key key-idle" aria-hidden="true" /> idle</th><td>{sum.idle}</td><td /><td /></tr>
        </tbody>
      </table>
    </div>
  );
}

const letter = (k: number) => String.fromCharCode(65 + (k % 26));

interface Look {
  columns: number;
  side: number;
  colors: string[];
  faint: string;
  ink: string;
  slow: number;
}

export function draw(g: CanvasRenderingContext2D, now: Uint8Array, look: Look): void {
  const { columns, side } = look;
  const gap = side > 14 ? 2 : 1;
  const size = side - gap;
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.font = `600 ${Math.round(size * 0.56)}px system-ui, sans-serif`;
  now.forEach((byte, k) => {
    const x = (k % columns) * side + gap / 2;
    const y = Math.floor(k / columns) * side + gap / 2;
    if (byte === 0) {
      g.strokeStyle = look.faint;
      g.lineWidth = 1;
      g.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
      return;
    }
    const route = routeOf(byte);
    const color = look.colors[route % look.colors.length]!;
    const what = whatOf(byte);
    if (what === "works") {
      g.fillStyle = color;
      g.fillRect(x, y, size, size);
    } else {
      g.strokeStyle = color;
      g.lineWidth = 2;
      g.strokeRect(x + 1, y + 1, size - 2, size - 2);
    }
    if (what === "orphaned") {
      g.beginPath();
      g.moveTo(x + 2, y + 2);
      g.lineTo(x + size - 2, y + size - 2);
      g.moveTo(x + size - 2, y + 2);
      g.lineTo(x + 2, y + size - 2);
      g.stroke();
    } else if (size >= 9) {
      g.fillStyle = what === "works" ? look.ink : color;
      g.fillText(what === "waits" ? "…" : letter(route), x + size / 2, y + size / 2 + (what === "waits" ? -size * 0.1 : 0.5));
    }
    if (route === look.slow && what === "works") {
      g.strokeStyle = look.ink;
      g.globalAlpha = 0.45;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, y + size * 0.35);
      g.lineTo(x + size * 0.35, y);
      g.moveTo(x + size * 0.65, y + size);
      g.lineTo(x + size, y + size * 0.65);
      g.stroke();
      g.globalAlpha = 1;
    }
  });
}
