// The pages that there are. To add one is a line here.
import type { ComponentType } from "preact";
import { DependencyPage } from "./dependency/page";
import { Wall } from "./wall/page";

export interface Page {
  id: string; // of its address: #/id
  title: string;
  view: ComponentType<{ rest: string }>;
  nav: boolean; // it is in the list of pages
  timed: boolean; // it has the bar that chooses the time
}

export const pages: Page[] = [
  { id: "wall", title: "Wall", view: Wall, nav: true, timed: false },
  { id: "dependency", title: "Dependency", view: DependencyPage, nav: false, timed: true },
];
