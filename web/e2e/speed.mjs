// How long it takes to refresh twenty-four live charts: below 50 ms, or it fails.
//
//   node e2e/speed.mjs
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { processorTime } from "./harness.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const most = 50;

/** Measures in a browser so many refreshes: the processor time that each takes the
 * page in all, to the pixels, and the median of how long its scripts took by the
 * clock. Processor time, because other programs may want the processor too. */
export async function measure(browser, times = 40) {
  const out = mkdtempSync(join(tmpdir(), "seakeep-speed-"));
  try {
    await build({ root: here, base: "./", configFile: false, logLevel: "warn", oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
      build: { target: "es2022", outDir: out, emptyOutDir: true, rolldownOptions: { input: join(here, "speed.html") } } });
    const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
    const server = createServer((req, res) => {
      try {
        const text = readFileSync(join(out, new URL(req.url, "http://x").pathname));
        res.writeHead(200, { "Content-Type": kinds[extname(req.url)] ?? "text/plain" }).end(text);
      } catch {
        res.writeHead(404).end();
      }
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on("pageerror", (e) => console.log("error", e.message));
    await page.goto(`http://127.0.0.1:${server.address().port}/speed.html`);
    await page.waitForFunction(() => document.querySelectorAll("canvas").length === 24);
    const spent = await processorTime(page);
    const refresh = (n) => page.evaluate(async (n) => {
      const all = [];
      for (let k = 0; k < n; k++) {
        all.push(await window.refresh());
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // it is drawn
      }
      return all.sort((a, b) => a - b);
    }, n);
    await refresh(10); // warms up
    const before = await spent();
    const all = await refresh(times);
    const cpu = (await spent()) - before;
    await page.close();
    server.close();
    return { cpu: cpu / times, scripts: all[Math.floor(all.length / 2)] };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The figure in words; it throws when it is too slow. */
export async function speed(browser) {
  const { cpu, scripts } = await measure(browser);
  const text = `24 charts of 3 lines and 600 points: a refresh takes ${cpu.toFixed(0)} ms of processor time, drawing included; its scripts ${scripts.toFixed(0)} ms by the clock (p50)`;
  if (cpu >= most) throw new Error(`${text}; it must be below ${most} ms`);
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { chromium } = await import("playwright-core");
  const { flags, path } = await import("./browser.mjs");
  const browser = await chromium.launch({ executablePath: path(), args: flags });
  console.log(await speed(browser).finally(() => browser.close()));
}
