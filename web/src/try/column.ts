// One column: a world, the engine that runs it, and what came out so far.
import { signal } from "@preact/signals";
import { Engine, type Asked } from "../engine/client";
import type { Fault, Held, Question, Report } from "../engine/types";
import { decode, type Frames } from "../model/frames";
import type { World } from "../model/world";

export interface Result {
  world: World;
  report: Report;
  held: Held[];
  frames: Frames | null;
  runs: number;
  wanted: number;
  firstMs: number; // how long the first run took in the engine
}

export class Column {
  readonly result = signal<Result | null>(null);
  /** Telling is when the figures are whole and the causes are looked for. */
  readonly state = signal<"idle" | "loading" | "running" | "telling">("idle");
  readonly error = signal<string>("");
  readonly faults = signal<Fault[]>([]);
  private engine = new Engine();
  private turn = 0;
  private asked = "";
  private flight: Promise<unknown> = Promise.resolve(); // what the engine is busy with
  private flying: Question["op"] | "" = "";

  /** Runs a world: one run first, then as many as it wants, then the causes. What
   * is asked while a run is under way begins when that run has ended; the search
   * for causes takes longer, and is given up. */
  async run(world: World): Promise<void> {
    const text = JSON.stringify(world);
    if (text === this.asked) return;
    this.asked = text;
    const turn = ++this.turn;
    const stale = () => turn !== this.turn;
    this.state.value = this.result.value ? "running" : "loading";
    if (this.flying === "why") this.engine.stop();
    await this.flight;
    if (stale()) return;
    const { answer, took } = await this.ask({ op: "start", world });
    if (stale()) return;
    if (!answer.report) {
      this.fail(answer.error ?? "the engine gave no answer", answer.faults ?? []);
      return;
    }
    this.error.value = "";
    this.faults.value = [];
    let now: Result = { world, report: answer.report, held: answer.held ?? [],
      frames: answer.threads ? decode(answer.threads) : null, runs: answer.runs ?? 1, wanted: answer.wanted ?? 1, firstMs: took };
    this.result.value = now;
    this.state.value = "running";
    while (now.runs < now.wanted) {
      const { answer: more } = await this.ask({ op: "more" });
      if (stale()) return;
      if (!more.report) break;
      now = { ...now, report: more.report, held: more.held ?? [], runs: more.runs ?? now.runs };
      this.result.value = now;
    }
    this.state.value = "telling";
    const { answer: why } = await this.ask({ op: "why" });
    if (stale()) return;
    if (why.report) this.result.value = { ...now, report: why.report };
    this.state.value = "idle";
  }

  private ask(q: Question): Promise<Asked> {
    const flight = this.engine.ask(q);
    this.flight = flight;
    this.flying = q.op;
    void flight.then(() => {
      if (this.flight === flight) this.flying = "";
    });
    return flight;
  }

  private fail(error: string, faults: Fault[]): void {
    this.asked = ""; // the same may be tried again
    this.error.value = error;
    this.faults.value = faults;
    this.state.value = "idle";
  }

  close(): void {
    this.turn++;
    this.asked = "";
    this.engine.stop();
    this.result.value = null;
    this.state.value = "idle";
  }
}
