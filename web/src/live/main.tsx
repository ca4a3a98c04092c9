import { render } from "preact";
import "../style.css";
import "./live.css";
import { follows } from "./router";
import { Shell } from "./shell";
import { begins } from "./store";

follows();
begins();
render(<Shell />, document.getElementById("app")!);
