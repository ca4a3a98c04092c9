import { useEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** A length for a style: Preact takes numbers as they are. */
export const px = (n: number): string => `${n}px`;

/** The width of an element, as it changes. 0 until it is known. */
export function useSize(ref: RefObject<HTMLElement | null>): number {
  const [width, set] = useState(0);
  useEffect(() => {
    const el = ref.current;
    if (!el) return;
    const look = () => set(Math.floor(el.clientWidth));
    look();
    if (typeof ResizeObserver === "undefined") return;
    const seen = new ResizeObserver(look);
    seen.observe(el);
    return () => seen.disconnect();
  }, [ref]);
  return width;
}

/** Makes a canvas empty, so large, and as sharp as the screen is; what draws on it counts in px. */
export function drawOn(canvas: HTMLCanvasElement | null, width: number, height: number): CanvasRenderingContext2D | null {
  const g = canvas?.getContext("2d");
  if (!canvas || !g) return null;
  const dpr = Math.min(devicePixelRatio || 1, 3);
  const [w, h] = [Math.round(width * dpr), Math.round(height * dpr)];
  // To set a size makes a new picture, also where it is the same.
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  g.setTransform(1, 0, 0, 1, 0, 0);
  g.clearRect(0, 0, w, h);
  g.setTransform(dpr, 0, 0, dpr, 0, 0);
  return g;
}
