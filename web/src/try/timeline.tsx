// Virtual time: play, pause, step, scrub.
import { useEffect } from "preact/hooks";
import { seconds } from "../model/format";
import { calm } from "../ui/theme";
import { a, at, playing, speed } from "./store";

export function Timeline() {
  const r = a.result.value;
  const length = r?.report.for_s ?? 65;
  const step = r?.frames?.step ?? 0.05;
  const on = playing.value;

  useEffect(() => {
    if (!on) return;
    let last = performance.now();
    let id = 0;
    const tick = (now: number) => {
      if (!playing.value) return; // it was paused since the last picture
      // Who wants little motion sees two pictures a second.
      if (!calm.matches || now - last > 500) {
        const next = at.value + ((now - last) / 1000) * speed.value;
        last = now;
        at.value = Math.min(next, length);
        if (next >= length) playing.value = false;
      }
      id = requestAnimationFrame(tick);
    };
    id = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(id);
  }, [on, length]);

  const play = () => {
    if (!playing.value && at.value >= length) at.value = 0;
    playing.value = !playing.value;
  };
  useEffect(() => {
    // The space bar, unless it means something to what has the focus.
    const key = (e: KeyboardEvent) => {
      const on = e.target instanceof Element && e.target.closest("button, input, select, summary, a, [tabindex='0']");
      if (e.key !== " " || on || e.ctrlKey || e.altKey || e.metaKey) return;
      e.preventDefault();
      play();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [length]);

  const go = (to: number) => {
    playing.value = false;
    at.value = Math.max(0, Math.min(length, Math.round(to / step) * step));
  };
  return (
    <div class="timeline" role="group" aria-label="Virtual time">
      <button type="button" title="or the space bar" onClick={play}>{on ? "Pause" : "Play"}</button>
      <button type="button" aria-label="One step back" onClick={() => go(at.value - step)}>‹</button>
      <button type="button" aria-label="One step on" onClick={() => go(at.value + step)}>›</button>
      <input type="range" aria-label="Moment that is shown" min={0} max={length} step={step} value={at.value} aria-valuetext={seconds(at.value)}
        onInput={(e) => go(Number(e.currentTarget.value))} />
      <output class="moment">{seconds(at.value)}</output>
      <label class="speed"><span>Speed </span>
        <select value={String(speed.value)} onChange={(e) => (speed.value = Number(e.currentTarget.value))}>
          {[0.1, 1, 5, 20].map((s) => <option key={s} value={s}>{s}×</option>)}
        </select>
      </label>
    </div>
  );
}
