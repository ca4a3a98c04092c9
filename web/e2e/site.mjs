// The folder that "make site" writes, behind a server that knows nothing of it,
// below a path of its own; and what a first visit to "seakeep lab" loads.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { root, serve, start } from "./harness.mjs";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const server = createServer((q, a) => {
  const path = new URL(q.url, "http://x").pathname.replace(/^\/some\/path\//, "");
  const file = join(root, "site", path === "" ? "index.html" : path);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return a.writeHead(404).end();
  a.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const lab = await serve(join(root, "bin/seakeep"), ["lab", "--listen", "127.0.0.1:0"]);
const web = await start();
const hash = "#/try?rate=50&th=20&runs=1";
const ready = (page) => page.waitForSelector('[data-state="idle"] [data-readout="busy"]', { timeout: 60_000 });

try {
  await web.check("the folder of make site runs behind any web server", async () => {
    const page = await web.open(`http://127.0.0.1:${server.address().port}/some/path/${hash}`);
    await ready(page);
    assert.equal(await page.locator("nav").count(), 0); // there is no wall to go to
    await page.context().close();
  });

  await web.check("a first visit is small", async () => {
    const page = await web.page(lab.base);
    let rest = 0;
    let engine = 0;
    const asked = [];
    page.on("requestfinished", (r) => asked.push(r.sizes().then((s) => {
      if (r.url().includes("engine")) engine += s.responseBodySize;
      else rest += s.responseBodySize;
    })));
    await page.goto(lab.base + hash);
    await ready(page);
    await Promise.all(asked);
    assert.ok(rest > 20_000 && rest < 200_000 && engine > 1e6 && engine < 3e6);
    await page.context().close();
    return `${(rest / 1000).toFixed(1)} kB, and ${(engine / 1e6).toFixed(2)} MB for the engine`;
  });

  await web.check("no errors, and nothing from elsewhere", async () => assert.deepEqual(web.problems, []));
} finally {
  await web.end();
  lab.end();
  server.close();
}
