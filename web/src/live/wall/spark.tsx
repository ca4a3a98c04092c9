// Two minutes of a dependency, drawn small: calls a second as a line, and the part
// of them that was no success as an area. Its numbers are those of the tile.
import { useEffect, useRef } from "preact/hooks";
import { drawOn, px, useSize } from "../../ui/size";
import { useTheme, type Theme } from "../../ui/theme";
import { span, type Recent } from "../recent";

const height = 36;

export function Spark({ of, now }: { of: Recent | undefined; now: number }) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSize(box);
  const theme = useTheme();
  useEffect(() => {
    const g = width ? drawOn(canvas.current, width, height) : null;
    if (g && of) draw(g, of, now, width, theme);
  });
  return (
    <div ref={box} class="spark">
      <canvas ref={canvas} aria-hidden="true" style={{ width: px(width), height: px(height) }} />
    </div>
  );
}

function draw(g: CanvasRenderingContext2D, r: Recent, now: number, width: number, t: Theme): void {
  const top = Math.max(...r.rate, 1e-9);
  const x = (ms: number) => width - ((now - ms) / span) * width;
  const y = (v: number) => height - 1 - (v / top) * (height - 3);
  g.strokeStyle = t.line;
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(0, height - 0.5);
  g.lineTo(width, height - 0.5);
  g.stroke();
  if (!r.times.length) return;
  g.fillStyle = t.bad;
  g.beginPath();
  g.moveTo(x(r.times[0]!), height - 1);
  r.times.forEach((ms, k) => g.lineTo(x(ms), y((1 - (r.success[k] ?? 1)) * r.rate[k]!)));
  g.lineTo(x(r.times[r.times.length - 1]!), height - 1);
  g.fill();
  g.strokeStyle = t.routes[0]!;
  g.lineWidth = 1.5;
  g.beginPath();
  r.times.forEach((ms, k) => (k === 0 ? g.moveTo(x(ms), y(r.rate[k]!)) : g.lineTo(x(ms), y(r.rate[k]!))));
  g.stroke();
}
