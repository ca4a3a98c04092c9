// A tile of the wall. Only tiles that are seen are made anew when numbers come.
import { Component } from "preact";
import { href } from "../router";
import type { Recent } from "../recent";
import type { Dependency } from "../schema";
import { fact, quantiles } from "../fact";
import { ago, breakerWord, number, percent, slotsWord } from "../words";
import { tone } from "./order";
import { Spark } from "./spark";

interface Props {
  d: Dependency;
  recent: Recent | undefined;
  now: number;
  past: boolean; // it is a moment of the past, and its page shows the minutes around it
  pinned: boolean;
  onPin: (name: string) => void;
}

const signs = {
  bad: ["▲", "look at this"],
  watch: ["◆", "to be watched"],
  calm: ["●", "well"],
  idle: ["○", "no calls"],
} as const;

export class Tile extends Component<Props> {
  private seen = true;
  private item: HTMLElement | null = null;

  private hold = (el: HTMLElement | null) => {
    if (this.item) forget(this.item);
    this.item = el;
    if (el) {
      watch(el, (seen) => {
        const was = this.seen;
        this.seen = seen;
        if (seen && !was) this.forceUpdate();
      });
    }
  };

  override shouldComponentUpdate(next: Props): boolean {
    return this.seen || next.pinned !== this.props.pinned;
  }

  override render({ d, recent, now, past, pinned, onPin }: Props) {
    const how = tone(d);
    const b = d.breaker;
    const out = b !== undefined && b.state !== "closed";
    const since = out && b.since_ms !== undefined ? ` for ${ago(now - b.since_ms)}` : "";
    const full = d.bulkhead !== undefined && d.bulkhead.limit > 0 && d.bulkhead.in_use >= 0.8 * d.bulkhead.limit;
    const left = d.slo_left;
    return (
      <li class={`tile ${how}`} ref={this.hold} data-tile={d.name}>
        <div class="head">
          <span class="sign" role="img" aria-label={signs[how][1]}>
            {signs[how][0]}
          </span>
          <h2>
            <a
              href={
                past
                  ? href("dependency", d.name, {
                      from: String(Math.round(now - 150_000)),
                      to: String(Math.round(now + 150_000)),
                    })
                  : href("dependency", d.name)
              }
              title={d.name}
            >
              {d.name}
            </a>
          </h2>
          <span class="soft kind">{d.kind}</span>
          <button
            type="button"
            class="pin"
            aria-pressed={pinned}
            aria-label={`Pin ${d.name}`}
            onClick={() => onPin(d.name)}
          >
            {pinned ? "★" : "☆"}
          </button>
        </div>
        <div class="first">
          <span>
            <b>{number(d.rate)}</b> <small>calls/s</small>
          </span>
          <span>
            <b>{percent(d.success)}</b> <small>success</small>
          </span>
        </div>
        <Spark of={recent} now={now} />
        <dl class="three">{quantiles(d.latency)}</dl>
        <dl>
          {fact("breaker", breakerWord(b) + since, out ? "whole hot" : "whole", { "data-breaker": b?.state })}
          {fact("in flight", slotsWord(d.in_flight, d.bulkhead), full && "hot")}
          {fact("fallback", percent(d.fallback_share), d.fallback_share >= 0.01 && "hot", { "data-fallback": true })}
          {fact("retries/call", number(d.retry_ratio), d.retry_ratio >= 0.1 && "hot")}
          {fact("retries left", d.retry_budget?.left ?? "–", (d.retry_budget?.denied ?? 0) > 0 && "hot")}
          {fact("answered", percent(d.answered), (d.answered ?? 1) < 0.99 && "hot")}
          {fact("budget left", left === undefined ? "–" : `${Math.round(100 * left)}\u00a0%`, (left ?? 1) < 0.25 && "hot")}
        </dl>
      </li>
    );
  }
}

// One observer for all tiles.
const watched = new Map<Element, (seen: boolean) => void>();
let observer: IntersectionObserver | undefined;

function watch(el: Element, tell: (seen: boolean) => void): void {
  if (typeof IntersectionObserver === "undefined") return; // all are taken to be seen
  observer ??= new IntersectionObserver(
    (all) => {
      for (const e of all) watched.get(e.target)?.(e.isIntersecting);
    },
    { rootMargin: "200px" },
  );
  watched.set(el, tell);
  observer.observe(el);
}

function forget(el: Element): void {
  watched.delete(el);
  observer?.unobserve(el);
}
