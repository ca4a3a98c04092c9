// Light and dark, as the system has it or as was chosen, and the colours that
// canvases need.
import { computed, signal } from "@preact/signals";

export type Choice = "auto" | "light" | "dark";
const kept = (() => {
  try {
    return localStorage.getItem("seakeep-theme");
  } catch {
    return null; // no store: nothing is kept
  }
})();
export const choice = signal<Choice>(kept === "light" || kept === "dark" ? kept : "auto");

const media = matchMedia("(prefers-color-scheme: dark)");
const system = signal(media.matches);
media.addEventListener("change", (e) => (system.value = e.matches));

export const dark = computed(() => (choice.value === "auto" ? system.value : choice.value === "dark"));
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export function pick(c: Choice): void {
  choice.value = c;
  try {
    if (c === "auto") localStorage.removeItem("seakeep-theme");
    else localStorage.setItem("seakeep-theme", c);
  } catch {
    // the choice holds for this visit
  }
}

// The palette is told apart by people who are colour-blind, and its text has a
// contrast of 4.5 on both grounds.
const light = { routes: ["#1f6fb2", "#177a5b", "#b4500f", "#7a4fb5", "#a4356b", "#5d6470"], ink: "#1b2733", soft: "#566573",
  line: "#c9d3dc", ground: "#ffffff", onRoute: "#ffffff", bad: "#b3261e", open: "#b3261e", half: "#8a6100" };
const night = { routes: ["#6fb6f2", "#57c9a0", "#f59b5b", "#b99bf0", "#ef8db9", "#aab4c0"], ink: "#e6edf3", soft: "#a3b1bf",
  line: "#3b4854", ground: "#151d25", onRoute: "#0d141a", bad: "#ff8a80", open: "#ff8a80", half: "#f0c14b" };
export type Theme = typeof light;
export const theme = computed<Theme>(() => (dark.value ? night : light));
export const useTheme = (): Theme => theme.value;
