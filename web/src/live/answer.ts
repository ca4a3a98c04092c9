// An answer of the API that is asked for again and again, while somebody looks.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";

export interface Answer<T> {
  value: T | null; // the last one
  error: string; // why there is no newer one
}

/** Asks every so many milliseconds, and again at once when what it depends on changes;
 * without a path it does not ask, and has the last value. */
export function useAnswer<T>(path: string | undefined, every: number, changed: unknown = 0): Answer<T> {
  const [answer, set] = useState<Answer<T>>({ value: null, error: "" });
  useEffect(() => {
    if (path === undefined) return;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async () => {
      if (!document.hidden) {
        try {
          const value = await get<T>(path, {}, stop.signal);
          set({ value, error: "" });
        } catch (e) {
          if (stop.signal.aborted) return;
          set((old) => ({ value: old.value, error: e instanceof Error ? e.message : String(e) }));
        }
      }
      if (!stop.signal.aborted) timer = setTimeout(() => void turn(), every);
    };
    void turn();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path, every, changed]);
  return answer;
}
