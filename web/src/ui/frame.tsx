// What is around every page: the name, the way to other pages, and light or dark.
import { useEffect } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { choice, dark, pick, type Choice } from "./theme";

export interface Way {
  href: string;
  text: string;
  here: boolean;
}

export function Frame({ ways = [], children }: { ways?: Way[]; children: ComponentChildren }) {
  useEffect(() => {
    document.documentElement.dataset.theme = dark.value ? "dark" : "light";
  }, [dark.value]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => {
        e.preventDefault(); // the address is the state of the page
        const main = document.getElementById("main");
        main?.setAttribute("tabindex", "-1");
        main?.focus();
      }}>To the content</a>
      <div class="bar" role="banner">
        <span class="brand"><img src="./icon.svg" alt="" width="22" height="22" /> Seakeep</span>
        {ways.length > 0 && (
          <nav aria-label="Pages">
            {ways.map((w) => <a key={w.href} href={w.href} aria-current={w.here ? "page" : undefined}>{w.text}</a>)}
          </nav>
        )}
        <label class="theme">Colours{" "}
          <select value={choice.value} onChange={(e) => pick(e.currentTarget.value as Choice)}>
            <option value="auto">as the system</option><option value="light">light</option><option value="dark">dark</option>
          </select>
        </label>
      </div>
      {children}
    </>
  );
}
