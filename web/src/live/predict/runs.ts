// Keeps a prediction of the demo as it is ordered now, and what is measured.
import { useEffect, useState } from "preact/hooks";
import { Engine } from "../../engine/client";
import type { Curves } from "../../engine/types";
import { useAnswer } from "../answer";
import { foretold, lastOrder, type Foretold, type Measured } from "../demo/api";
import { connection, programNow } from "../store";

/** How many runs make a band. */
export const wanted = 10;
/** How much of the prediction must still be to come, in ms. */
const ahead = 30_000;

export interface Prediction {
  of: Foretold;
  runs: Curves[];
}

/** The prediction of what is ordered now; null until the first run has ended. */
export function usePrediction(): { prediction: Prediction | null; error: string } {
  const [prediction, set] = useState<Prediction | null>(null);
  const [error, fail] = useState("");
  const order = lastOrder.value;
  const since = connection.value.state === "live" ? connection.value.since : 0;
  const [engine] = useState(() => new Engine());
  useEffect(() => () => engine.stop(), [engine]);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (ms: number) => (timer = setTimeout(() => void turn(), ms));
    const turn = async () => {
      try {
        const f = await foretold(stop.signal);
        const runs: Curves[] = [];
        while (runs.length < wanted && !stop.signal.aborted) {
          const { answer, took } = await engine.ask({ op: "predict", world: f.world, seed: runs.length, step_s: 1 });
          if (stop.signal.aborted) return;
          if (!answer.curves) throw new Error(answer.error ?? "the engine gave no answer");
          runs.push(answer.curves);
          set({ of: f, runs: [...runs] });
          fail("");
          // The demo may be on this very computer: it needs its processors too.
          if (runs.length < wanted) await new Promise((done) => setTimeout(done, took));
        }
        later(Math.max(1000, f.from_ms + f.for_s * 1000 - ahead - programNow()));
      } catch (e) {
        if (stop.signal.aborted) return;
        fail(e instanceof Error ? e.message : String(e));
        later(3000);
      }
    };
    void turn();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [order, since, engine]);
  return { prediction, error };
}

/** What is measured, second by second. */
export const useMeasured = (): Measured | null => useAnswer<Measured>("demo/measured?over=90s", 1000).value;
