// What every check in the browser needs: a program that serves, a page that is
// watched for errors, and a list of what holds.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { flags, path } from "./browser.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts a program and waits until it prints the address that it serves. */
export async function serve(command, args, cwd = root) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const base = await new Promise((done, failed) => {
    const look = (d) => {
      const found = /https?:\/\/[^\s)]+/.exec((said += d));
      if (found) done(found[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("error", failed);
    child.on("exit", (code) => failed(new Error(`${command} ended with ${code}: ${said}`)));
  });
  return { base, end: () => (child.removeAllListeners("exit"), child.kill("SIGTERM")) };
}

export async function start() {
  const browser = await chromium.launch({ executablePath: path(), args: flags });
  const problems = []; // errors of the page, and what it asked of others
  let passed = 0;
  return {
    problems,
    browser,
    /** A page that is watched, and may ask the server of url only. */
    async page(url, size = { width: 1280, height: 900 }, more = {}) {
      const context = await browser.newContext({ viewport: size, ...more });
      const page = await context.newPage();
      const home = new URL(url).origin;
      page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
      page.on("pageerror", (e) => problems.push(e.stack ?? e.message));
      page.on("request", (r) => {
        if (new URL(r.url()).origin !== home && !/^(blob|data):/.test(r.url())) problems.push(`asks elsewhere: ${r.url()}`);
      });
      return page;
    },
    async open(url, size, more) {
      const page = await this.page(url, size, more);
      await page.goto(url);
      return page;
    },
    async check(name, f) {
      const began = performance.now();
      const said = await f(); // a figure, if it has one
      passed++;
      console.log(`ok  ${name}${said ? `: ${said}` : ""} (${Math.round(performance.now() - began)} ms)`);
    },
    async end() {
      console.log(`${passed} checks hold`);
      await browser.close();
    },
  };
}

/** What axe-core finds serious, in a line each. */
export async function serious(page) {
  await page.evaluate(axe); // not as a script of the page, which its policy forbids
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
    .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(" ")).join("; ")}`);
}

/** By how many pixels the page is wider than its window. */
export const tooWide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** A clock of the processor time that a page has had, in ms: other programs may want the processor too. */
export async function processorTime(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
}

/** Until the next picture is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
