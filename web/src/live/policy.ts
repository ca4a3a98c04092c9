// The policy in effect. It is large, so that it is asked for when there is a newer
// one, and now and then.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useAnswer, type Answer } from "./answer";
import type { Policy } from "./schema";
import { snapshot } from "./store";

const policy = signal<Policy | null>(null);
const values = computed(() => new Map(policy.value?.values.map((v) => [v.path, v.value])));

/** Asks for it while a page needs it. What fails keeps what is known. */
export function usePolicy(): Answer<Policy> {
  const now = snapshot.value?.policy;
  const answer = useAnswer<Policy>("policy", 60_000, `${now?.loaded_ms} ${now?.refused}`);
  useEffect(() => {
    if (answer.value) policy.value = answer.value;
  }, [answer.value]);
  return answer;
}

/** A value in effect, such as dependencies.pricing.retry.budget.ratio. */
export const policyValue = (path: string): string | undefined => values.value.get(path);
