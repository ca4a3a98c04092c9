// The policy in effect, as it was when the page was opened or the file was last
// reloaded.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { policyOf } from "./api";
import type { Policy } from "./schema";

export const policy = signal<Policy | null>(null);
const values = computed(() => new Map(policy.value?.values.map((v) => [v.path, v.value])));

/** Asks for it again, once a minute while a page needs it. What fails keeps what is known. */
export function usePolicy(): void {
  useEffect(() => {
    const ask = () => void policyOf().then((p) => (policy.value = p)).catch(() => undefined);
    ask();
    const timer = setInterval(ask, 60_000);
    return () => clearInterval(timer);
  }, []);
}

/** A value in effect, such as dependencies.pricing.retry.budget.ratio. */
export const policyValue = (path: string): string | undefined => values.value.get(path);
