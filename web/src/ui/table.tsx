// A table in a box that scrolls, also by keyboard.
import type { ComponentChildren } from "preact";

interface Props {
  name: string; // what it is a table of
  head: readonly string[];
  words?: readonly string[]; // the columns whose cells are words; those of numbers are on the right
  class?: string; // of the box
  children: ComponentChildren; // rows
}

export function Table({ name, head, words = [], class: box = "scroll", children }: Props) {
  return (
    <div class={box} tabIndex={0} role="region" aria-label={name}>
      <table>
        <thead><tr>{head.map((h) => <th key={h} scope="col" class={words.includes(h) ? "words" : undefined}>{h}</th>)}</tr></thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
