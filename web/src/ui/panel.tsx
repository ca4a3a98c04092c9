// A part of a page: what it is called, what it shows, and below it the numbers and
// where else there is the same.
import type { ComponentChildren } from "preact";
import { Numbers } from "./numbers";
import type { Chart } from "./plot";
import { Twin, type Twins } from "./twin";

interface Props {
  title: string;
  says?: ComponentChildren;
  charts?: readonly Chart[]; // whose numbers are shown as a table
  times?: readonly number[];
  twin?: Twins;
  id?: string;
  wide?: boolean;
  children: ComponentChildren;
}

export function Panel({ title, says, charts, times = [], twin, id, wide, children }: Props) {
  return (
    <section class={wide ? "panel wide" : "panel"} id={id} aria-label={title}>
      <h2>{title}</h2>
      {says && <p class="soft note">{says}</p>}
      {children}
      {(charts || twin) && (
        <div class="below">
          {charts && <Numbers charts={charts} times={times} name={title} />}
          {twin && <Twin {...twin} />}
        </div>
      )}
    </section>
  );
}
