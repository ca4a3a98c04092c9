// Drives Try it in Chromium, served by the program itself: the numbers that it
// must show, its address, its errors, and who cannot see or cannot click. The
// numbers are of the full size; whatever else is checked has a tenth of the load.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { drawn, root, serious, serve, start, tooWide } from "./harness.mjs";

const program = join(root, "bin/seakeep");
const lab = await serve(program, ["lab", "--listen", "127.0.0.1:0"]);
const web = await start();
const { check, problems } = web;
const small = "rate=100&th=20&runs=2";
const plain = (text) => text.replaceAll("\u00a0", " ");
const folder = mkdtempSync(join(tmpdir(), "seakeep-try-"));

async function open(hash = "", size, more) {
  const page = await web.open(lab.base + hash, size, more);
  await settled(page);
  return page;
}

/** Waits until a column has made all its runs with the present setting. */
async function settled(page, side = "a") {
  await drawn(page);
  await page.waitForSelector(["idle", "telling"].map((s) => `[data-side="${side}"][data-state="${s}"] [data-readout]`).join(),
    { timeout: 60_000 });
}

let full; // the page of the full size
const took = [];
const processes = await web.browser.newBrowserCDPSession();

/** What the pages have had of the processor, in ms. */
async function spent() {
  const { processInfo } = await processes.send("SystemInfo.getProcessInfo");
  return 1000 * processInfo.filter((p) => p.type === "renderer").reduce((sum, p) => sum + p.cpuTime, 0);
}

/** Notes what one of the three runs costs that a change asks for, drawing included.
 * Processor time, because other programs may want the processor too. */
async function timed(page, change) {
  const before = await spent();
  await change();
  await settled(page);
  took.push(Math.round(((await spent()) - before) / 3));
}

/** A readout: its value, its interval and its note. */
async function readout(page, id, side = "a") {
  const text = plain(await page.locator(`[data-side="${side}"] [data-readout="${id}"] dd`).innerText());
  return { text, value: Number(/-?\d+(\.\d+)?/.exec(text)?.[0]), half: Number(/± (\d+(\.\d+)?)/.exec(text)?.[1] ?? NaN) };
}

/** Holds that a figure is what was published, within its interval and rounding. */
async function shows(page, id, want, rounding = 0.5) {
  const r = await readout(page, id);
  assert.ok(Math.abs(r.value - want) <= rounding + r.half, `${id} shows ${r.text}, want ${want}`);
  assert.ok(r.half < 6, `${id} shows an interval that says nothing: ${r.text}`);
}

/** Holds that two texts are the same, and shows the first line that is not. */
function same(got, want) {
  const [a, b] = [got.split("\n"), want.split("\n")];
  const k = b.findIndex((line, k) => line !== a[k]);
  if (got !== want) assert.fail(`line ${k + 1} is ${a[k]}, want ${b[k]}`);
}

const toggle = async (page, label, side = "a") => {
  const click = () => page.locator(`[data-side="${side}"]`).getByRole("switch", { name: label, exact: true }).click();
  await (page === full ? timed(page, click) : click());
  await settled(page, side);
};

try {
  const page = (full = await open("#/try?runs=3"));

  await check("healthy: nothing is wrong", async () => {
    await shows(page, "others", 100);
    await shows(page, "busy", 22);
  });

  await check("1 s: 57 %", async () => {
    const slider = page.locator('[data-side="a"] .latency input[type=range]');
    await slider.focus();
    for (let k = 0; k < 14; k++) await page.keyboard.press("ArrowRight"); // by keyboard alone
    assert.equal(await slider.getAttribute("aria-valuetext"), "1 s");
    await settled(page);
    await shows(page, "others", 57);
    await shows(page, "busy", 200);
  });

  await check("timeout: 75 threads, 100 %, 22 %", async () => {
    await toggle(page, "Timeout");
    await shows(page, "others", 100);
    await shows(page, "answers", 22);
    await shows(page, "p99", 76, 2);
    const held = /C holds (\d+(\.\d+)?)/.exec((await readout(page, "busy")).text);
    assert.ok(Math.abs(Number(held[1]) - 75) <= 1.5, `C holds ${held[1]}`);
  });

  await check("retries: 740 and 83 %", async () => {
    await toggle(page, "Retries");
    await shows(page, "calls", 740, 5);
    await shows(page, "others", 83);
  });

  await check("budget: 367", async () => {
    await toggle(page, "Retry budget");
    await shows(page, "calls", 367, 0.01 * 367); // the formula; the budget's window rounds down
    await shows(page, "others", 100);
  });

  await check("breaker: an almost empty pool", async () => {
    await toggle(page, "Circuit breaker");
    const busy = await readout(page, "busy");
    assert.ok(busy.value < 20, `${busy.text} are busy`);
    const calls = await readout(page, "calls");
    assert.ok(calls.value < 10, `${calls.text} reach C`);
    await toggle(page, "Fallback");
    assert.match((await readout(page, "answers")).text, /answers (99|100)/);
  });

  await check("65 s are simulated in less than 2 s", async () => {
    assert.ok(took.length === 5 && Math.min(...took) > 50 && Math.max(...took) < 2000, took.join());
    return `${took.join(", ")} ms of processor time, switch by switch, drawing included`;
  });

  await page.context().close();
  const little = await open(`#/try?latency=1000&timeout=on&retries=on&breaker=on&fallback=on&${small}`);

  await check("files to take along give the same on a command line", async () => {
    await little.waitForSelector('[data-side="a"][data-state="idle"]'); // the causes are in the report
    const text = {};
    for (const name of ["Policy", "Scenario", "CSV", "Report", "Picture"]) {
      const [file] = await Promise.all([little.waitForEvent("download"), little.getByRole("button", { name, exact: true }).click()]);
      await file.saveAs(join(folder, file.suggestedFilename()));
      text[name] = readFileSync(join(folder, file.suggestedFilename()));
    }
    const sim = (...args) => execFileSync(program, ["sim", "scenario.yaml", ...args], { cwd: folder, encoding: "utf8" });
    same(text.CSV.toString(), sim("--csv"));
    same(JSON.stringify(JSON.parse(text.Report), null, 1), JSON.stringify(JSON.parse(sim("--json", "--why")), null, 1));
    assert.equal(text.Picture.subarray(1, 4).toString(), "PNG");
  });

  await check("the address shows the same", async () => {
    await toggle(little, "Retry budget");
    await little.waitForFunction(() => location.hash.includes("budget=on"));
    const hash = new URL(little.url()).hash;
    assert.match(hash, /latency=1000/);
    const before = await little.locator(".readouts").innerText();
    await little.reload();
    await settled(little);
    assert.equal(await little.locator(".readouts").innerText(), before);
    await little.goto("about:blank");
    await little.goto(lab.base + hash);
    await settled(little);
    assert.equal(await little.locator(".readouts").innerText(), before);
  });

  await check("time can be played, paused, stepped and scrubbed", async () => {
    const moment = little.locator(".moment");
    const squares = little.locator('[data-side="a"] .squares canvas');
    const was = await moment.innerText();
    await little.getByRole("button", { name: "One step back" }).click();
    assert.notEqual(await moment.innerText(), was);
    await little.getByLabel("Moment that is shown").fill("2");
    const early = await squares.getAttribute("aria-label");
    await little.getByLabel("Moment that is shown").fill("7.4");
    assert.notEqual(await squares.getAttribute("aria-label"), early);
    await little.getByRole("button", { name: "Play" }).click();
    await little.waitForFunction(() => parseFloat(document.querySelector(".moment").textContent) > 7.6);
    await little.getByRole("button", { name: "Pause" }).click();
    const held = await moment.innerText();
    await drawn(little);
    assert.equal(await moment.innerText(), held);
  });

  await check("everything can be done by keyboard, and shows where one is", async () => {
    const focus = () => little.evaluate(() => {
      const e = document.activeElement;
      return { name: e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent, outline: getComputedStyle(e).outlineStyle };
    });
    await little.evaluate(() => document.activeElement.blur());
    const was = parseFloat(await little.locator(".moment").innerText());
    await little.keyboard.press("Space"); // plays, since nothing has the focus
    await little.waitForFunction((was) => parseFloat(document.querySelector(".moment").textContent) > was, was);
    await little.keyboard.press("Space");
    const met = [];
    for (let k = 0; k < 60 && !met.at(-1)?.includes("Fallback"); k++) {
      await little.keyboard.press("Tab");
      const now = await focus();
      assert.notEqual(now.outline, "none", `the focus on ${now.name} is not seen`);
      met.push(now.name);
    }
    for (const name of ["One step on", "Moment that is shown", "answers after", "Find the edge", "Timeout", "Load shedding"]) {
      assert.ok(met.some((m) => m.includes(name)), `${name} is not reached: ${met}`);
    }
    await little.keyboard.press("Space");
    await little.waitForFunction(() => !location.hash.includes("fallback=on"));
    await settled(little);
  });

  await check("two columns have the same arrivals", async () => {
    await little.getByRole("button", { name: "Add a second column" }).click();
    await settled(little, "b");
    await toggle(little, "Circuit breaker", "b");
    const [x, y] = [await readout(little, "busy", "a"), await readout(little, "busy", "b")];
    assert.ok(y.value > x.value + 5, `${x.text} and ${y.text}`);
    await little.getByRole("button", { name: "Compare request by request" }).click();
    await little.getByText("requests of one run").waitFor({ timeout: 60_000 });
    await toggle(little, "Bulkhead", "b"); // the difference was one of other settings
    await little.getByText("requests of one run").waitFor({ state: "detached" });
    await little.context().close();
  });

  await check("the edge of the latency is found", async () => {
    const edge = await open(`#/try?latency=1000&${small}`);
    await edge.locator(".latency").getByRole("button", { name: "Find the edge" }).click();
    const status = edge.locator(".latency [role=status]");
    await edge.waitForFunction(() => /falls under/.test(document.querySelector(".latency [role=status]")?.textContent ?? ""), null, { timeout: 60_000 });
    const ms = Number(/above (\d+) ms/.exec(await status.innerText())?.[1]);
    assert.ok(ms > 350 && ms < 700, await status.innerText()); // all threads are full at 555 ms
    await toggle(edge, "Timeout"); // with which it is elsewhere
    await edge.waitForFunction(() => document.querySelector(".latency [role=status]")?.textContent === "");
    await edge.context().close();
  });

  await check("a policy file of one's own, dropped on the page", async () => {
    const mine = await open(`#/try?latency=1000&${small}`);
    const drop = (text) => mine.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "mine.yaml", { type: "text/yaml" }));
      for (const type of ["dragover", "drop"]) dispatchEvent(new DragEvent(type, { dataTransfer: data, cancelable: true }));
    }, text);
    await drop(readFileSync(join(root, "testdata/scenarios/policies/checkout-timeout.yaml"), "utf8"));
    await mine.getByText("A policy file of your own is in use").waitFor();
    await settled(mine);
    await shows(mine, "others", 100);
    await drop("version: 1\nservice: <img src=x onerror=alert(1)>\ndependencies: {a: {kin: 1}}\n");
    await mine.getByRole("alert").waitFor();
    assert.equal(await mine.locator("img[src=x]").count(), 0);
    await mine.context().close();
  });

  await check("a scenario of the repository runs as it is", async () => {
    const other = await open("#/try?scenario=retry-storm");
    assert.ok((await other.locator("[data-readout]").count()) > 1);
    await other.context().close();
  });

  for (const [name, inspected, size, more] of [
    ["light", "details", { width: 1280, height: 900 }, { colorScheme: "light" }],
    ["dark", ".second", { width: 1280, height: 900 }, { colorScheme: "dark" }],
    ["on a phone", ".second", { width: 375, height: 740 }, { colorScheme: "light", reducedMotion: "reduce" }],
  ]) {
    await check(`${name}: no serious problem for anybody, nothing too wide`, async () => {
      const p = await open(`#/try?latency=1000&timeout=on&retries=on&compare=on&b.budget=on&${small}`, size, more);
      await settled(p, "b");
      const unfold = async (which) => {
        await p.evaluate((which) => document.querySelectorAll(which).forEach((e) => (e.open = true)), which);
        await drawn(p);
      };
      await unfold(inspected);
      assert.deepEqual(await serious(p), []);
      await unfold("details");
      assert.ok((await tooWide(p)) <= 0, `the page is ${await tooWide(p)} px too wide`);
      await p.context().close();
    });
  }

  await check("no errors, and nothing from elsewhere", async () => assert.deepEqual(problems, []));
} finally {
  await web.end();
  lab.end();
  rmSync(folder, { recursive: true });
}
