import { render } from "preact";
import "./style.css";
import { Frame, type Way } from "./ui/frame";
import { TryIt } from "./try/page";
import { begins } from "./try/store";

// A program that runs serves its wall at the root and this page at try.html. Alone,
// from "seakeep lab" or as a folder, this page is at the root.
const beside = location.pathname.endsWith("/try.html");
const ways: Way[] = beside ? [{ href: "./", text: "Live", here: false }, { href: "#/try", text: "Try it", here: true }] : [];

begins();
render(<Frame ways={ways}><TryIt /></Frame>, document.getElementById("app")!);
