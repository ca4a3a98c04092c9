import { render } from "preact";
import "../style.css";
import "./live.css";
import { follows } from "./router";
import { Shell } from "./shell";
import { begins, pauses } from "./store";

follows();
begins();
pauses();
render(<Shell />, document.getElementById("app")!);
