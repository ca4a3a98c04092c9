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
