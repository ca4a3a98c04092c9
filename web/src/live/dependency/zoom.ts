// Choosing a part of the time with a pointer, where there is no chart that does it.
import { useState } from "preact/hooks";
import { px } from "../../ui/size";
import { zoom, type Range } from "../range";

export function usePointerZoom(range: Range, width: number, left: number) {
  const [drag, set] = useState<{ a: number; b: number } | null>(null);
  const at = (e: PointerEvent) =>
    Math.max(0, Math.min(width, e.clientX - (e.currentTarget as HTMLElement).getBoundingClientRect().left - left));
  const time = (px: number) => range.from + (px / width) * range.span;
  const wide = drag ? Math.abs(drag.a - drag.b) : 0;
  return {
    shade: wide > 5 && drag ? { left: px(left + Math.min(drag.a, drag.b)), width: px(wide) } : undefined,
    on: {
      onPointerDown: (e: PointerEvent) => {
        if (e.button !== 0 || (e.target as HTMLElement).closest("button")) return;
        (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
        set({ a: at(e), b: at(e) });
      },
      onPointerMove: (e: PointerEvent) => drag && set({ a: drag.a, b: at(e) }),
      onPointerUp: (e: PointerEvent) => {
        if (!drag) return;
        const b = at(e);
        set(null);
        if (Math.abs(b - drag.a) > 5) zoom(time(Math.min(drag.a, b)), time(Math.max(drag.a, b)));
      },
      onPointerCancel: () => set(null),
    },
  };
}
