// The state of the page, and what follows from it.
import { batch, computed, effect, signal } from "@preact/signals";
import { Engine } from "../engine/client";
import type { PolicyAnswer } from "../engine/types";
import { begin, maxPolicy, read, write, type State } from "../model/address";
import { presetOf, scenarioFiles } from "../model/presets";
import { initial, shared, type Key, type Setting } from "../model/setting";
import { usual, usualCast, worldOf, type Cast, type World } from "../model/world";
import { Column } from "./column";

export const state = signal<State>(read(location.hash));
export const own = signal<PolicyAnswer | null>(null); // what is in the policy of one's own
export const notice = signal(""); // said aloud
export const a = new Column();
export const b = new Column();
export const playing = signal(false);
export const speed = signal(5); // virtual seconds a second

/** The moment that is shown. It is not in state, because it changes many times a second. */
export const at = signal(state.value.at);

export const castOf = (side: "a" | "b"): Cast => {
  const s = state.value;
  const deps = s.policy && own.value ? own.value.dependencies : [...usual];
  const slow = deps.includes(s.slow) ? s.slow : (deps[deps.length - 1] ?? usualCast.slow);
  return { dependencies: deps, slow, policy: side === "a" ? s.policy : "" };
};

export const isFile = computed(() => presetOf(state.value.preset)?.file ?? "");

export async function worldFor(side: "a" | "b"): Promise<World | null> {
  const s = state.value;
  if (isFile.value) {
    const files = await scenarioFiles();
    const scenario = files[`${isFile.value}.yaml`];
    return scenario === undefined ? null : { scenario, files, sets: [] };
  }
  const setting = side === "a" ? s.a : s.b;
  return setting && worldOf(setting, castOf(side));
}

export function change(side: "a" | "b", key: Key, value: Setting[Key]): void {
  const s = state.value;
  const next = { ...s, preset: "" };
  const both = shared.includes(key);
  if (side === "a" || both) next.a = { ...s.a, [key]: value };
  if (s.b && (side === "b" || both)) next.b = { ...s.b, [key]: value };
  state.value = next;
}

export function choose(id: string): void {
  const p = presetOf(id);
  if (!p) return;
  if (p.file) {
    state.value = { ...begin(), preset: p.id, at: at.value, more: state.value.more };
  } else {
    const keep = Object.fromEntries(shared.map((k) => [k, state.value.a[k]])) as Partial<Setting>;
    const next = { ...initial(), ...keep, ...p.set };
    state.value = { ...state.value, preset: "", policy: "", a: next };
  }
  own.value = null;
  notice.value = `${p.title}: ${p.says}`;
}

export function reset(): void {
  batch(() => {
    own.value = null;
    at.value = begin().at;
    state.value = begin();
    notice.value = "Everything is as it was at the beginning.";
  });
}

export function compare(on: boolean): void {
  const s = state.value;
  state.value = { ...s, b: on ? { ...s.a } : null };
  if (!on) b.close();
}

const reader = new Engine();

/** Takes a policy file of one's own, if it is one. */
export async function bring(text: string): Promise<string> {
  const { answer } = await reader.ask({ op: "inspect", policy: text });
  if (!answer.policy) return answer.error ?? "the file cannot be read";
  if (answer.policy.dependencies.length === 0) return "the policy has no dependencies; one of them is to get slow";
  batch(() => {
    own.value = answer.policy!;
    const slow = answer.policy!.dependencies.includes(state.value.slow) ? state.value.slow : answer.policy!.dependencies.at(-1)!;
    state.value = { ...state.value, policy: text, slow, preset: "" };
    notice.value = `The policy of ${answer.policy!.service} is in use.` +
      (text.length > maxPolicy ? " It is too long for the address, so that a link does not show it." : "");
  });
  return "";
}

/** A situation that an address names must be one of the list. */
function known(): void {
  const id = state.value.preset;
  if (!id || presetOf(id)?.file) return;
  state.value = { ...state.value, preset: "" };
  notice.value = `There is no scenario "${id}" here; this is checkout.`;
}

async function bringFromAddress(text: string): Promise<void> {
  const err = await bring(text);
  if (err) notice.value = `The policy in the address cannot be used: ${err}`;
}

export function putAway(): void {
  own.value = null;
  state.value = { ...state.value, policy: "", slow: usual[2] };
}

/** Keeps the runs and the address in step with the state. */
export function begins(): void {
  known();
  if (state.value.policy) {
    const text = state.value.policy;
    state.value = { ...state.value, policy: "" };
    void bringFromAddress(text);
  }
  effect(() => {
    void state.value;
    void own.value;
    void worldFor("a").then((w) => w && a.run(w));
    if (state.value.b && !isFile.value) void worldFor("b").then((w) => w && b.run(w));
  });
  let timer = 0;
  effect(() => {
    const query = write({ ...state.value, at: at.value });
    const hash = query ? `#/try?${query}` : "#/try";
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (location.hash !== hash) history.replaceState(null, "", hash);
    }, 200);
  });
  addEventListener("hashchange", () => {
    const next = read(location.hash);
    if (write(next) === write({ ...state.value, at: at.value })) return;
    batch(() => {
      at.value = next.at;
      const policy = next.policy;
      state.value = { ...next, policy: policy === state.value.policy ? policy : "" };
      known();
      if (policy && policy !== state.value.policy) void bringFromAddress(policy);
    });
  });
}
