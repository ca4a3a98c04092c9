// What is wrong, and all dependencies added up.
import { href } from "../router";
import type { Snapshot } from "../schema";
import { number, percent } from "../words";
import { totals, wrongNow } from "./wrong";

export function Summary({ s, past }: { s: Snapshot; past: boolean }) {
  const t = totals(s);
  const wrong = wrongNow(s);
  return (
    <>
      <p class={wrong.length ? "wrong" : "wrong well"} role="status" data-testid="wrong">
        {wrong.length === 0
          ? s.dependencies.length > 0 && <span>● {past ? "Nothing was wrong then." : "Nothing is wrong now."}</span>
          : wrong.map((w) => (
              <span key={w.text}>
                ▲ {w.text}
                {w.names.length > 0 && (
                  <>
                    :{" "}
                    {w.names.slice(0, 3).map((n, k) => (
                      <>
                        {k > 0 && ", "}
                        {s.dependencies.some((d) => d.name === n) ? <a href={href("dependency", n)}>{n}</a> : n}
                      </>
                    ))}
                    {w.names.length > 3 && ` and ${w.names.length - 3} more`}
                  </>
                )}
              </span>
            ))}
      </p>
      {s.dependencies.length > 0 && (
        <p class="soft totals">
          {s.dependencies.length} {s.dependencies.length === 1 ? "dependency" : "dependencies"}, {number(t.rate)}{" "}
          calls/s, {percent(t.success)} success, {number(t.retries)} retries/s, {number(t.fallback)} fallbacks/s,{" "}
          {t.inFlight} in flight
          {s.serve && <>; {number(s.serve.rate)} requests/s come in</>}. Over the last {Math.round(s.window_ms / 1000)}{" "}
          s.
        </p>
      )}
    </>
  );
}
