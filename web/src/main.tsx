import { render } from "preact";
import "./style.css";
import { Frame } from "./ui/frame";
import { TryIt } from "./try/page";
import { begins } from "./try/store";

begins();
render(<Frame><TryIt /></Frame>, document.getElementById("app")!);
