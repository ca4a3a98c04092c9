// Drives the page in Chromium, served by the program itself: the numbers that it
// must show, its address, its errors, and who cannot see or cannot click.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { flags, path } from "./browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const lab = spawn(join(root, "bin/seakeep"), ["lab", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
const base = await new Promise((done, failed) => {
  lab.stdout.on("data", (d) => {
    const found = /http:\S+/.exec(String(d));
    if (found) done(found[0]);
  });
  lab.on("exit", (code) => failed(new Error(`seakeep lab ended with ${code}`)));
});
const browser = await chromium.launch({ executablePath: path(), args: flags });
const problems = [];
let passed = 0;

async function open(hash = "", size = { width: 1280, height: 900 }, more = {}) {
  const context = await browser.newContext({ viewport: size, ...more });
  const page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(e.message));
  page.on("request", (r) => new URL(r.url()).origin === new URL(base).origin || r.url().startsWith("blob:") || problems.push(`asks elsewhere: ${r.url()}`));
  await page.goto(base + hash);
  await settled(page);
  return page;
}

/** Waits until a column has made all its runs with the present setting. */
async function settled(page, side = "a") {
  await page.waitForTimeout(60); // for the change to arrive
  await page.waitForSelector(`[data-side="${side}"][data-state="idle"] [data-readout]`, { timeout: 60_000 });
}

/** A readout: its value, its interval and its note. */
async function readout(page, id, side = "a") {
  const text = await page.locator(`[data-side="${side}"] [data-readout="${id}"] dd`).innerText();
  const clean = text.replaceAll("\u00a0", " ");
  const number = /-?\d+(\.\d+)?/.exec(clean);
  const half = /± (\d+(\.\d+)?)/.exec(clean);
  return { text: clean, value: Number(number?.[0]), half: half ? Number(half[1]) : NaN };
}

/** Holds that a figure is what was published, within its interval and rounding. */
async function shows(page, id, want, rounding = 0.5) {
  const r = await readout(page, id);
  assert.ok(Math.abs(r.value - want) <= rounding + (Number.isFinite(r.half) ? r.half : 0), `${id} shows ${r.text}, want ${want}`);
  assert.ok(Number.isFinite(r.half), `${id} shows no interval: ${r.text}`);
}

const toggle = async (page, label) => {
  await page.getByRole("switch", { name: label, exact: true }).first().check();
  await settled(page);
};

const check = async (name, f) => {
  const began = performance.now();
  await f();
  passed++;
  console.log(`ok  ${name} (${Math.round(performance.now() - began)} ms)`);
};

try {
  const page = await open();

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
    assert.ok(Math.abs(Number(held[1]) - 75) <= 1, `C holds ${held[1]}`);
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
    await page.getByRole("switch", { name: "Fallback" }).check();
    await settled(page);
    const answered = await page.locator('[data-readout="answers"] .note').innerText();
    assert.match(answered, /answers (99|100)/);
  });

  await check("the address shows the same", async () => {
    await page.waitForTimeout(400);
    const hash = new URL(page.url()).hash;
    assert.match(hash, /latency=1000/);
    const before = await page.locator(".readouts").innerText();
    const other = await open(hash);
    assert.equal(await other.locator(".readouts").innerText(), before);
    await other.reload();
    await settled(other);
    assert.equal(await other.locator(".readouts").innerText(), before);
    await other.context().close();
  });

  await check("time can be played, paused, stepped and scrubbed", async () => {
    const moment = page.locator(".moment");
    const was = await moment.innerText();
    await page.getByRole("button", { name: "One step back" }).click();
    assert.notEqual(await moment.innerText(), was);
    await page.getByLabel("Moment that is shown").fill("2");
    const early = await page.locator('[data-side="a"] .squares canvas').getAttribute("aria-label");
    await page.getByLabel("Moment that is shown").fill("5.4");
    assert.notEqual(await page.locator('[data-side="a"] .squares canvas').getAttribute("aria-label"), early);
    await page.getByRole("button", { name: "Play" }).click();
    await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Pause" }).click();
    assert.ok(parseFloat(await moment.innerText()) > 5.5);
  });

  await check("two columns have the same arrivals", async () => {
    await page.getByRole("button", { name: "Add a second column" }).click();
    await settled(page, "b");
    await page.locator('[data-side="b"]').getByRole("switch", { name: "Circuit breaker" }).uncheck();
    await settled(page, "b");
    const [x, y] = [await readout(page, "busy", "a"), await readout(page, "busy", "b")];
    assert.ok(y.value > x.value + 20, `${x.text} and ${y.text}`);
    await page.getByRole("button", { name: "Compare request by request" }).click();
    await page.getByText("requests of one run").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "One column" }).click();
  });

  await check("the edge of the latency is found", async () => {
    const edge = await open("#/try?latency=1000");
    await edge.locator(".latency").getByRole("button", { name: "Find the edge" }).click();
    const status = edge.locator(".latency [role=status]");
    await edge.waitForFunction(() => /falls under/.test(document.querySelector(".latency [role=status]")?.textContent ?? ""), null, { timeout: 120_000 });
    const ms = Number(/above (\d+(\.\d+)?)ms/.exec(await status.innerText())?.[1]);
    assert.ok(ms > 450 && ms < 650, await status.innerText()); // 200 threads are full at 555 ms
    await edge.context().close();
  });

  await check("a policy file of one's own", async () => {
    const mine = await open("#/try?latency=1000");
    const text = readFileSync(join(root, "testdata/scenarios/policies/checkout-timeout.yaml"), "utf8");
    await mine.locator("input[type=file]").setInputFiles({ name: "mine.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
    await mine.getByText("A policy file of your own is in use").waitFor();
    await settled(mine);
    await shows(mine, "others", 100);
    await mine.locator("input[type=file]").setInputFiles({ name: "bad.yaml", mimeType: "text/yaml", buffer: Buffer.from("version: 1\nservice: <img src=x onerror=alert(1)>\ndependencies: {a: {kin: 1}}\n") });
    await mine.getByRole("alert").waitFor();
    assert.equal(await mine.locator("img[src=x]").count(), 0);
    await mine.context().close();
  });

  await check("files to take along", async () => {
    for (const name of ["Policy", "Scenario", "CSV", "Picture"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
      assert.equal(await download.failure(), null);
    }
  });

  await check("scenarios of the repository run as they are", async () => {
    for (const id of ["retry-storm", "one-bad-host"]) {
      const other = await open(`#/try?scenario=${id}`);
      assert.ok((await other.locator("[data-readout]").count()) > 1);
      await other.context().close();
    }
  });

  await check("65 s are simulated in less than 2 s", async () => {
    const ms = Number(/One run took (\d+) ms/.exec(await page.locator('[data-side="a"] [data-runs]').innerText())[1]);
    console.log(`    ${ms} ms`);
    assert.ok(ms < 2000);
  });

  for (const [name, size, more] of [
    ["light", { width: 1280, height: 900 }, { colorScheme: "light" }],
    ["dark", { width: 1280, height: 900 }, { colorScheme: "dark" }],
    ["on a phone", { width: 375, height: 740 }, { colorScheme: "light", reducedMotion: "reduce" }],
  ]) {
    await check(`${name}: no serious problem for anybody, nothing too wide`, async () => {
      const p = await open("#/try?latency=1000&timeout=on&retries=on&compare=on&b.budget=on", size, more);
      await settled(p, "b");
      for (const d of await p.locator("details").all()) await d.evaluate((e) => (e.open = true));
      await p.evaluate(axe); // not as a script of the page, which its policy forbids
      const found = await p.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      const serious = found.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
      assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join("; ")}`), []);
      const wide = await p.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `the page is ${wide} px too wide`);
      await p.context().close();
    });
  }

  await check("no errors, and nothing from elsewhere", async () => assert.deepEqual(problems, []));
  console.log(`${passed} checks hold`);
} finally {
  await browser.close();
  lab.removeAllListeners("exit");
  lab.kill("SIGTERM");
}
