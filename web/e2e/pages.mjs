// Drives the pages of a proxy that runs, in Chromium: what comes in, objectives, the
// policy, game days and orders; levers by keyboard, with a wrong token and the right
// one; names from traffic that are markup; and what is said when there is nothing.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, get as ask, Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, serious, start, tooWide } from "./harness.mjs";

const evil = "<img src=x onerror=alert(1)>";
const token = "a-token-of-enough-letters-for-this";
const folder = mkdtempSync(join(tmpdir(), "seakeep-pages-"));
const file = join(folder, "seakeep.yaml");
writeFileSync(join(folder, "token"), `${token}\n`);

// What the proxy is in front of: it fails for /bad, and takes its time for /slow, so
// that six at once, every 30 ms, are too many for the door however quick the machine is.
const upstream = createServer((q, s) => {
  s.statusCode = q.url.includes("bad") ? 500 : 200;
  setTimeout(() => s.end("ok"), q.url.includes("slow") ? 100 : 0);
}).listen(0, "127.0.0.1");
await new Promise((done) => upstream.once("listening", done));
const origin = `http://127.0.0.1:${upstream.address().port}`;

const policy = (request = "250ms") => `version: 1
service: shop
admin: {listen: 127.0.0.1:0}
serve:
  listen: 127.0.0.1:0
  upstream: ${origin}
  concurrency: {max: 8}
  tenants: {header: X-Tenant, limit: 4}
  degrade: [prefetch, personalization]
dependencies:
  pricing:
    kind: critical
    listen: 127.0.0.1:0
    endpoints: [${origin}]
    timeout: {request: ${request}}
    breaker: {window: 10s, calls: 20, failures: 50%, open: {for: 5s}}
    bulkhead: {limit: 60}
    faults: {allow: true, share: 50%, abort: {success: 10%}}
  stock:
    listen: 127.0.0.1:0
    endpoints: [${origin}]
    timeout: {request: 1s}
    breaker: {window: 10s, calls: 4, failures: 50%, per: key, key: X-Tenant}
slo:
  objectives:
    - {name: pricing, objective: 99%, dependency: pricing, policy: [{left: 50%, retries: 50%}, {left: 0%, freeze-drills: true}]}
`;

/** Starts a proxy, and finds where its addresses are. */
async function proxy(text, path, ...args) {
  writeFileSync(path, text);
  const child = spawn(join(root, "bin/seakeep"), ["proxy", "-c", path, "--grace", "100ms", "--log", "json", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  process.on("exit", () => child.kill());
  let said = "";
  const at = {};
  await new Promise((done, failed) => {
    child.stderr.on("data", (d) => {
      said += d;
      for (const [, name, address] of said.matchAll(/"msg":"listening","for":"([^"]+)","address":"([^"]+)"/g)) at[name] = address;
      if (at.admin && said.includes(`"for":"admin"`)) setTimeout(done, 50); // all are open before the first is told
    });
    child.on("exit", (code) => failed(new Error(`the proxy ended with ${code}: ${said}`)));
  });
  return { at, base: `http://${at.admin}/`, end: () => (child.removeAllListeners("exit"), child.kill("SIGTERM")) };
}

const running = await proxy(policy(), file, "--dashboard-token-file", join(folder, "token"), "--audit-log", join(folder, "audit.jsonl"));
const bare = await proxy(`version: 1\nservice: bare\nadmin: {listen: 127.0.0.1:0}\ndependencies: {idle: {listen: 127.0.0.1:0, endpoints: [${origin}]}}\n`, join(folder, "bare.yaml"));

// Users, some of whom call themselves by what is markup.
const agent = new Agent({ keepAlive: true, maxSockets: 50 });
const call = (name, path, tenant) => {
  const [host, port] = running.at[name].split(":");
  ask({ host, port, path, agent, headers: { "X-Tenant": tenant } }, (s) => s.resume()).on("error", () => {});
};
let n = 0;
const users = setInterval(() => {
  n++;
  call("pricing", "/", "acme");
  call("stock", n % 2 ? "/bad" : "/", n % 2 ? evil : "acme");
  for (let k = 0; k < (n % 40 < 20 ? 1 : 6); k++) call("serve", "/slow", k % 2 ? evil : "acme");
}, 30);

const web = await start();
const { check, problems } = web;
const home = running.base;
const json = async (path) => (await fetch(home + path)).json();
const until = async (what, holds) => {
  for (let k = 0; k < 200; k++) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`waited in vain for: ${what}`);
};
const mode = async () => (await json("api/v1/snapshot")).dependencies.find((d) => d.name === "pricing").breaker.mode;
const goTo = async (page, hash) => {
  await page.evaluate((h) => (location.hash = h), hash);
  await page.locator("h1").first().waitFor();
};
/** Nothing that came as a word has become an element. */
const onlyText = async (page) => assert.equal(await page.locator("img[src=x], [onerror]").count(), 0);

try {
  const page = await web.open(`${home}#/dependency/pricing`);
  const dialog = page.getByRole("dialog");
  const order = page.getByRole("button", { name: "Breaker…" });
  const said = dialog.getByRole("status").filter({ hasText: /[●▲]/ });

  await check("a lever's dialog holds the keyboard, and gives it back", async () => {
    await order.focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    for (let k = 0; k < 15; k++) {
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement === document.body || document.querySelector("dialog").contains(document.activeElement)), `after ${k + 1} tabs the page has it`);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Breaker…");
  });

  await check("without a reason nothing is sent, with a wrong token nothing is done", async () => {
    await order.click();
    await dialog.getByLabel("Token").fill("another-token-of-enough-letters");
    await dialog.getByRole("button", { name: "Do it" }).click();
    assert.ok(await dialog.getByLabel("Reason").evaluate((e) => !e.validity.valid));
    await dialog.getByLabel("Reason").fill("pricing answers nonsense");
    await dialog.getByRole("button", { name: "Do it" }).click();
    await said.waitFor();
    assert.match(await said.innerText(), /The token is wrong/);
    assert.equal(await mode(), "auto");
  });

  await check("with the token a breaker is held open, and the wall shows it", async () => {
    await dialog.getByLabel("Token").fill(token);
    await dialog.getByLabel("Your name").fill(evil);
    await dialog.getByLabel("Reason").fill(`nonsense ${evil}`);
    await dialog.getByRole("button", { name: "Do it" }).click();
    await dialog.getByText("Done.").waitFor();
    assert.equal(await mode(), "force-open");
    await dialog.getByRole("button", { name: "Close" }).click();
    await goTo(page, "#/wall");
    await page.locator('[data-tile="pricing"]').getByText("force-open").waitFor();
    const kept = await page.evaluate(() => [Object.values(localStorage).join(), Object.values(sessionStorage).join(), document.cookie]);
    assert.ok(!kept[0].includes("token-of-enough") && !kept[2].includes("token-of-enough") && kept[1].includes("token-of-enough"));
  });

  await check("both attempts are among the orders, and what was typed is text", async () => {
    await goTo(page, "#/audit");
    const rows = page.locator(".orders tbody tr");
    await until("two orders", async () => (await rows.count()) === 2);
    assert.match(await rows.nth(0).innerText(), /force-open: pricing\s+nonsense <img src=x onerror=alert\(1\)>\s+<img/);
    assert.match(await rows.nth(0).innerText(), /done/);
    assert.match(await rows.nth(1).innerText(), /without the token/);
    await onlyText(page);
    await page.getByRole("button", { name: "Breaker…" }).click();
    await dialog.getByLabel("Dependency").selectOption("pricing");
    await dialog.getByText("it decides again").click();
    await dialog.getByLabel("Reason").fill("well again");
    await dialog.getByRole("button", { name: "Do it" }).click();
    await dialog.getByText("Done.").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await mode(), "auto");
  });

  await check("a fault is tried first, then started, seen and stopped", async () => {
    await goTo(page, "#/gameday");
    await page.getByRole("button", { name: "Start a fault…" }).click();
    await dialog.getByLabel("Share of requests").fill("60");
    await dialog.getByLabel("Reason").fill("a game day");
    const first = dialog.getByRole("button", { name: "Try it without starting" });
    await first.click();
    await said.waitFor();
    assert.match(await said.innerText(), /limit is 50%/);
    await dialog.getByLabel("Share of requests").fill("40");
    await first.click();
    await dialog.getByText("Nothing was begun").waitFor();
    assert.equal((await json("api/v1/faults")).faults.length, 0);
    await dialog.getByRole("button", { name: "Do it" }).click();
    await dialog.getByText("Done.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("1 fault runs now").waitFor();
    await until("some are hurt", async () => /[1-9]\d* of \d+/.test(await page.locator('[data-label="hurt of seen"]').first().innerText()));
    assert.equal(await page.locator(".strip canvas").count(), 4);
    await page.getByRole("button", { name: /Stop\s+latency/ }).click();
    await dialog.getByLabel("Reason").fill("seen enough");
    await dialog.getByRole("button", { name: "Do it" }).click();
    await dialog.getByText("Done.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("stopped by hand").waitFor();
  });

  await check("features are left out by hand, and tenants are text whatever they are", async () => {
    await goTo(page, "#/serve");
    await page.getByRole("region", { name: "Tenants" }).getByText(evil).waitFor();
    await page.getByRole("button", { name: "Leave features out…" }).click();
    await dialog.getByLabel("Features").fill("2");
    await dialog.getByLabel("Reason").fill("too much comes in");
    await dialog.getByRole("button", { name: "Do it" }).click();
    await dialog.getByText("Done.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("2 features are off by hand").waitFor();
    await until("somebody is refused", async () => /tenant-limit|shed/.test(await page.getByRole("region", { name: "Refused for", exact: true }).innerText()));
    await onlyText(page);
  });

  await check("a key of a breaker is text on its timeline", async () => {
    await until("the breaker of a key opens", async () => (await json("api/v1/dependencies/stock")).events.some((e) => e.key === evil && e.to === "open"));
    await goTo(page, "#/dependency/stock");
    await page.getByText(evil).first().waitFor();
    await onlyText(page);
  });

  await check("an objective has its four pairs, and what happens as its budget shrinks", async () => {
    await goTo(page, "#/slo");
    await page.locator("[data-pair]").first().waitFor();
    assert.deepEqual(await page.locator("[data-pair]").evaluateAll((all) => all.map((e) => e.dataset.pair)), ["1h", "6h", "1d", "3d"]);
    assert.match(await page.locator(".steps").innerText(), /from 50.% on: retries and hedges have 50.%/);
  });

  await check("the policy says where a value comes from, what a reload changed, and why one is refused", async () => {
    await goTo(page, "#/policy");
    await page.getByTestId("search").fill("pricing.timeout.request");
    await page.locator(".values").getByText("250ms").waitFor();
    assert.match(await page.locator(".values tr", { hasText: "timeout.request" }).innerText(), /250ms\s+seakeep.yaml:15/);
    assert.match(page.url(), /filter=pricing\.timeout\.request/);
    await page.locator(".findings button").first().click();
    await page.locator(".values tbody tr").first().waitFor();
    writeFileSync(file, policy("200ms"));
    await until("the reload", async () => (await json("api/v1/policy")).changes.length > 0);
    await page.locator("ins", { hasText: "200ms" }).waitFor();
    writeFileSync(file, policy("fast"));
    await until("the refusal", async () => (await json("api/v1/policy")).refused);
    await page.getByRole("alert").waitFor();
    assert.match(await page.getByRole("alert").innerText(), /seakeep.yaml:15:\d+: dependencies.pricing.timeout.request/);
    writeFileSync(file, policy("200ms"));
  });

  await check("a program that has none of it says so, and takes no orders", async () => {
    const other = await web.open(`${bare.base}#/serve`);
    for (const [hash, says] of [["serve", "has no serve"], ["slo", "promises nothing"], ["gameday", "lets nothing be hurt"], ["audit", "Nobody has tried"], ["policy", "Values in effect"]]) {
      await goTo(other, `#/${hash}`);
      await other.getByText(says).first().waitFor();
    }
    await goTo(other, "#/audit");
    await other.getByText("--dashboard-token-file FILE").waitFor();
    assert.equal(await other.locator("button.lever").count(), 0);
    await other.context().close();
  });

  const all = ["serve", "slo", "policy?own=1", "gameday", "audit"];
  for (const [name, hashes, size, more] of [["light", all, { width: 1280, height: 900 }, {}], ["dark", ["slo", "policy?own=1", "audit"], { width: 1280, height: 900 }, { colorScheme: "dark" }],
    ["on a phone", all, { width: 375, height: 740 }, { reducedMotion: "reduce" }]]) {
    await check(`${name}: no serious problem for anybody, nothing too wide`, async () => {
      const other = await web.open(`${home}#/serve`, size, more);
      for (const hash of hashes) {
        await goTo(other, `#/${hash}`);
        await other.locator(".panel, .orders").first().waitFor();
        if (hash === "audit") await other.getByRole("button", { name: "Start a fault…" }).click(); // the dialog too
        assert.deepEqual(await serious(other), [], hash);
        assert.ok((await tooWide(other)) <= 0, `${hash} is ${await tooWide(other)} px too wide`);
      }
      await other.context().close();
    });
  }

  // What is refused is an error for the browser's console, which is as it should be.
  await check("no other errors, and nothing from elsewhere", async () =>
    assert.deepEqual(problems.filter((p) => !/status of (401|409)/.test(p)), []));
  assert.ok(!readFileSync(join(folder, "audit.jsonl"), "utf8").includes(token), "the token is in the audit log");
} finally {
  clearInterval(users);
  await web.end();
  agent.destroy();
  upstream.close();
  running.end();
  bare.end();
  rmSync(folder, { recursive: true, force: true });
}
