// A tile of the wall. Only tiles that are seen are made anew when numbers come.
import { Component } from "preact";
import { href } from "../router";
import type { Recent } from "../recent";
import type { Dependency } from "../schema";
import { ago, breakerWord, ms, number, percent, slotsWord } from "../words";
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
        <dl class="three">
          <div>
            <dt>p50</dt>
            <dd>{ms(d.latency?.p50_ms)}</dd>
          </div>
          <div>
            <dt>p99</dt>
            <dd>{ms(d.latency?.p99_ms)}</dd>
          </div>
          <div>
            <dt>p99.9</dt>
            <dd>{ms(d.latency?.p999_ms)}</dd>
          </div>
        </dl>
        <dl>
          <div class={b && b.state !== "closed" ? "whole hot" : "whole"}>
            <dt>breaker</dt>
            <dd data-breaker={b?.state}>
              {breakerWord(b)}
              {b && b.state !== "closed" && b.since_ms !== undefined ? ` for ${ago(now - b.since_ms)}` : ""}
            </dd>
          </div>
          <div class={d.bulkhead && d.bulkhead.limit > 0 && d.bulkhead.in_use >= 0.8 * d.bulkhead.limit ? "hot" : ""}>
            <dt>in flight</dt>
            <dd>{slotsWord(d.in_flight, d.bulkhead)}</dd>
          </div>
          <div class={d.fallback_share >= 0.01 ? "hot" : ""}>
            <dt>fallback</dt>
            <dd data-fallback>{percent(d.fallback_share)}</dd>
          </div>
          <div class={d.retry_ratio >= 0.1 ? "hot" : ""}>
            <dt>retries/call</dt>
            <dd>{number(d.retry_ratio)}</dd>
          </div>
          <div class={d.retry_budget && d.retry_budget.denied > 0 ? "hot" : ""}>
            <dt>retries left</dt>
            <dd>{d.retry_budget?.left ?? "–"}</dd>
          </div>
          <div class={d.answered !== undefined && d.answered < 0.99 ? "hot" : ""}>
            <dt>answered</dt>
            <dd>{percent(d.answered)}</dd>
          </div>
          <div class={d.slo_left !== undefined && d.slo_left < 0.25 ? "hot" : ""}>
            <dt>budget left</dt>
            <dd>{d.slo_left === undefined ? "–" : `${Math.round(100 * d.slo_left)}\u00a0%`}</dd>
          </div>
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
