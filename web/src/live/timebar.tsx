// Chooses the time that all charts show.
import { clock } from "../ui/plot";
import { connection } from "./store";
import { lengthOf, lengthText, live, move, range, widen } from "./range";

const choices = ["1m", "5m", "15m", "1h", "6h", "24h"];

export function TimeBar() {
  const r = range.value;
  const length = lengthText(r.span);
  const list = !r.live || choices.includes(length) ? choices : [...choices, length].sort((a, b) => lengthOf(a)! - lengthOf(b)!);
  const apart = r.span >= 86_400_000 * 2 ? 86_400_000 : 1000;
  return (
    <div class="timebar" role="group" aria-label="Time that is shown">
      <label>Last{" "}
        <select value={r.live ? length : ""} onChange={(e) => live(lengthOf(e.currentTarget.value)!)}>
          {!r.live && <option value="">a time that stands still</option>}
          {list.map((c) => <option key={c} value={c}>{c}</option>)}
        </select>
      </label>
      <button type="button" aria-label="Earlier" onClick={() => move(-0.5)}>‹</button>
      <button type="button" aria-label="Later" disabled={r.live} onClick={() => move(0.5)}>›</button>
      <button type="button" aria-label="Shorter time" onClick={() => widen(0.5)}>+</button>
      <button type="button" aria-label="Longer time" onClick={() => widen(2)}>−</button>
      <button type="button" disabled={r.live} onClick={() => live(Math.min(r.span, 3_600_000))}>{!r.live ? "Back to live" : connection.value.state === "live" ? "● Live" : "○ Nothing new"}</button>
      <span class="soft shown-time">{day(r.from)} {clock(r.from, apart)} to {clock(r.to, apart)}</span>
    </div>
  );
}

const day = (ms: number) => (new Date(ms).toDateString() === new Date().toDateString() ? "" : clock(ms, 86_400_000));
