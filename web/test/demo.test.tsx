import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DemoControls } from "../src/live/demo/controls";

let box: HTMLElement;
let orders: unknown[];
let refuses: string;
let latency: string;

beforeEach(() => {
  box = document.body.appendChild(document.createElement("div"));
  [orders, refuses, latency] = [[], "", "20ms"];
  vi.stubGlobal("fetch", async (_url: string, init?: RequestInit) => {
    if (init?.method !== "POST") return Response.json({ dependencies: [{ name: "a", latency, ordered: latency !== "20ms", planned: "20ms" }, { name: "b", latency: "down", ordered: false, planned: "down" }] });
    if (refuses) return Response.json({ error: refuses }, { status: 400 });
    orders.push(JSON.parse(String(init.body)));
    return Response.json({ done: true });
  });
});
afterEach(() => {
  render(null, box);
  box.remove();
  vi.unstubAllGlobals();
});

const settle = () => act(async () => void (await new Promise((done) => setTimeout(done, 20))));
const press = async (name: string) => {
  box.querySelector<HTMLElement>(`[aria-label="${name}"]`)!.click();
  await settle();
};
const said = () => box.querySelector("[role=status]")!.textContent;

describe("the controls of the demo", () => {
  it("say what holds, in words and by what is pressed", async () => {
    render(<DemoControls />, box);
    await settle();
    expect(box.querySelector('[data-slow="a"] [aria-pressed="true"]')!.textContent).toBe("20 ms");
    expect(box.querySelector('[data-slow="b"] [aria-pressed="true"]')!.textContent).toBe("down");
    expect(said()).toBe("Now b resets every connection, as planned.");
  });

  it("order what is pressed, and say so", async () => {
    render(<DemoControls />, box);
    await settle();
    await press("a: 2 s");
    expect(orders).toEqual([{ name: "a", latency: "2s" }]);
    expect(said()).toBe("From now on a answers in 2 s instead of 20 ms.");
  });

  it("offer the way back only from an order, and know latencies of others", async () => {
    latency = "1500ms";
    render(<DemoControls only="a" />, box);
    await settle();
    expect(box.querySelectorAll("[data-slow]").length).toBe(1);
    expect(box.querySelector('[aria-pressed="true"]')!.textContent).toBe("1500ms");
    await press("a: as planned");
    expect(orders).toEqual([{ name: "a", latency: "auto" }]);
  });

  it("say when nothing became of it", async () => {
    refuses = "too many orders; wait a second";
    render(<DemoControls />, box);
    await settle();
    await press("a: down");
    expect(box.querySelector("[role=alert]")!.textContent).toBe("a stays as it is: too many orders; wait a second.");
  });
});
