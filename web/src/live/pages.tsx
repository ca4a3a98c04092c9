// The pages that there are. To add one is a line here.
import type { ComponentType } from "preact";
import { DependencyPage } from "./dependency/page";
import { Audit } from "./pages/audit/page";
import { GameDay } from "./pages/gameday/page";
import { Policy } from "./pages/policy/page";
import { Serve } from "./pages/serve/page";
import { SLO } from "./pages/slo/page";
import { Predict } from "./predict/page";
import { Wall } from "./wall/page";

export interface Page {
  id: string; // of its address: #/id
  title: string;
  view: ComponentType<{ rest: string }>;
  nav: boolean; // it is in the list of pages
  timed: boolean; // it has the bar that chooses the time
  demo?: boolean; // it is of the demo, and in the list only there
}

export const pages: Page[] = [
  { id: "wall", title: "Wall", view: Wall, nav: true, timed: false },
  { id: "dependency", title: "Dependency", view: DependencyPage, nav: false, timed: true },
  { id: "serve", title: "Serve", view: Serve, nav: true, timed: true },
  { id: "slo", title: "SLOs", view: SLO, nav: true, timed: false },
  { id: "policy", title: "Policy", view: Policy, nav: true, timed: false },
  { id: "gameday", title: "Game days", view: GameDay, nav: true, timed: true },
  { id: "audit", title: "Audit log", view: Audit, nav: true, timed: false },
  { id: "predict", title: "Predicted", view: Predict, nav: true, timed: false, demo: true },
];
