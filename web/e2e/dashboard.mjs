// Drives the live page in Chromium against a program that is none: two hundred
// dependencies, none, names that would hurt, and a connection that drops.
import assert from "node:assert/strict";
import { fake, nasty } from "./fake.mjs";
import { processorTime, serious, start, tooWide } from "./harness.mjs";
import { speed } from "./speed.mjs";

const full = await fake(200);
const empty = await fake(0);
const browser = await start();
const { check } = browser;

/** A page with its first figures. */
async function open(url, size, more) {
  const page = await browser.open(url, size, more);
  await page.waitForSelector('[data-connection="live"]', { timeout: 30_000 });
  return page;
}

/** The page of a dependency whose breaker opens every other minute. */
const bad = `${full.url}#/dependency/service-023?from=-5m`;
const charts = (page) => page.waitForFunction(() => document.querySelectorAll(".strip canvas").length >= 10, null, { timeout: 30_000 });

try {
  const page = await open(full.url);
  const tiles = page.locator("[data-tile]");

  await check("200 dependencies: all have a tile, the worst first", async () => {
    assert.equal(await tiles.count(), 200);
    const tones = await tiles.evaluateAll((all) => all.map((e) => (e.classList.contains("bad") ? 2 : e.classList.contains("watch") ? 1 : 0)));
    assert.deepEqual(tones, [...tones].sort((a, b) => b - a));
  });

  await check("names from traffic stay text", async () => {
    for (const name of nasty) assert.equal(await page.locator(`[data-tile=${JSON.stringify(name)}] h2`).textContent(), name);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.locator("main img, main script").count(), 0);
    await page.locator(`[data-tile=${JSON.stringify(nasty[0])}] h2 a`).click();
    await charts(page);
    assert.equal(await page.locator("h1").innerText().then((t) => t.startsWith(nasty[0])), true);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    await page.goBack();
    await tiles.first().waitFor();
  });

  await check("the wall draws what is seen, and costs little", async () => {
    const spent = await processorTime(page);
    const look = () => tiles.evaluateAll((all) => Object.fromEntries(all.map((e) => [e.dataset.tile, { text: e.textContent, top: e.getBoundingClientRect().top }])));
    const [before, first] = [await spent(), await look()];
    await page.waitForTimeout(5000);
    const ms = ((await spent()) - before) / 5;
    const then = await look();
    const changed = (is) => Object.keys(first).filter((n) => is(first[n].top) && is(then[n].top)).map((n) => first[n].text !== then[n].text);
    const [seen, unseen] = [changed((top) => top > 0 && top < 700), changed((top) => Math.abs(top) > 2000)];
    assert.ok(seen.filter(Boolean).length > seen.length / 2 && unseen.length > 100 && !unseen.some(Boolean), `seen ${seen}, unseen ${unseen}`);
    assert.ok(ms < 250, `it takes ${ms.toFixed(0)} ms of each second`);
    return `${ms.toFixed(0)} ms of processor time a second with 200 dependencies, twice a second`;
  });

  await check("filter, order, pin, keyboard", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("service-15");
    await page.waitForFunction(() => document.querySelectorAll("[data-tile]").length === 10);
    assert.match(page.url(), /filter=service-15/);
    await page.keyboard.press("Enter");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const first = await focused();
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await focused(), first);
    await page.keyboard.press("p");
    const pinned = await focused();
    await page.waitForFunction((n) => document.querySelector("[data-tile]").dataset.tile === n, pinned);
    await page.locator(`[data-tile="${pinned}"] h2 a`).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((n) => document.querySelector("h1")?.textContent.startsWith(n), pinned);
    await page.goBack();
    await tiles.first().waitFor();
    assert.equal(await tiles.count(), 10);
    await page.getByTestId("filter").fill("nothing has this");
    await page.getByText("Nothing has").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByLabel("Order").selectOption("name");
    await page.waitForFunction(() => document.querySelectorAll("[data-tile]").length === 200);
    await page.getByRole("button", { name: "As a table" }).click();
    assert.equal(await page.locator("tbody tr").count(), 200);
    await page.reload();
    await page.waitForSelector("tbody tr");
    assert.equal(await page.getByLabel("Order").inputValue(), "name");
  });

  await check("no tile moves under the pointer", async () => {
    await page.goto(full.url);
    await tiles.first().waitFor();
    await tiles.nth(1).hover();
    const order = () => tiles.evaluateAll((all) => all.map((e) => e.dataset.tile).join());
    await page.waitForTimeout(700);
    const before = await order();
    await page.waitForTimeout(5000);
    assert.equal(await order(), before);
  });
  await page.context().close();

  await check("a change shows the calls that caused it, from its address too", async () => {
    const p = await open(bad);
    await charts(p);
    await p.locator('.change[data-to="open"]').first().click();
    await p.getByTestId("calls").getByText("failure-rate").waitFor();
    assert.equal(await p.getByTestId("calls").locator("tbody tr").count(), 16);
    assert.match(p.url(), /event=\d+/);
    await p.reload();
    await p.getByTestId("calls").waitFor();
    await p.context().close();
  });

  await check("a drag on any chart zooms all; back to live", async () => {
    const p = await open(bad);
    await charts(p);
    const over = p.locator("#retries .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await p.mouse.move(box.x + box.width * 0.25, box.y + 40);
    await p.mouse.down();
    await p.mouse.move(box.x + box.width * 0.5, box.y + 40, { steps: 5 });
    await p.mouse.up();
    await p.waitForFunction(() => /from=\d{13}&to=\d{13}/.test(location.hash));
    const [from, to] = /from=(\d+)&to=(\d+)/.exec(p.url()).slice(1).map(Number);
    assert.ok(Math.abs(to - from - 75_000) < 4000, `${to - from} ms`);
    await p.getByRole("button", { name: "Back to live" }).click();
    await p.waitForFunction(() => !/to=/.test(location.hash));
    await p.goBack();
    await p.waitForFunction(() => /to=\d{13}/.test(location.hash));
    await p.locator(".lanes").scrollIntoViewIfNeeded();
    const lanes = await p.locator(".lanes").boundingBox();
    await p.mouse.move(lanes.x + 200, lanes.y + 35);
    await p.mouse.down();
    await p.mouse.move(lanes.x + 500, lanes.y + 35, { steps: 5 });
    await p.mouse.up();
    await p.waitForFunction((from) => Number(/from=(\d+)/.exec(location.hash)?.[1]) > from, from);
    await p.context().close();
  });

  await check("yesterday can be replayed, and charts have their numbers", async () => {
    const p = await open(`${full.url}#/dependency/service-023?from=-24h`);
    await charts(p);
    for (const d of await p.locator("details.numbers").all()) await d.locator("summary").click();
    const rows = await p.locator("details.numbers table").evaluateAll((all) => all.map((t) => t.querySelectorAll("tbody tr").length));
    assert.ok(rows.length >= 6 && rows.every((n) => n > 0), String(rows));
    await p.context().close();
  });

  await check("the wall as it was, from change to change, and back to now", async () => {
    const p = await open(full.url);
    await p.getByRole("button", { name: "Replay what was" }).click();
    await p.getByRole("button", { name: "The breaker change before" }).click();
    await p.waitForFunction(() => /at=\d{13}/.test(location.hash) && document.querySelector("[data-tile]"));
    const moment = () => p.getByTestId("moment").locator("b").innerText();
    const before = await moment();
    await p.getByRole("button", { name: "The breaker change before" }).click();
    assert.notEqual(await moment(), before);
    await p.reload();
    await p.locator("[data-tile]").first().waitFor();
    await p.getByLabel("Speed").selectOption("1");
    const stood = await moment();
    await p.getByRole("button", { name: "Play" }).click();
    await p.waitForFunction((m) => document.querySelector("[data-testid=moment] b").textContent !== m, stood);
    await p.getByRole("button", { name: "Back to now" }).click();
    await p.getByRole("button", { name: "Replay what was" }).waitFor();
    await p.context().close();
  });

  await check("no dependency", async () => {
    const p = await open(empty.url);
    await p.getByText("The policy file names no dependency.").waitFor();
    await p.goto(`${empty.url}#/dependency/none`);
    await p.getByText("no such dependency").waitFor();
    for (const [hash, says] of [["slo", "promises nothing"], ["gameday", "lets nothing be hurt"], ["audit", "Nobody has tried"]]) {
      await p.goto(`${empty.url}#/${hash}`);
      await p.getByText(says).first().waitFor();
    }
    await p.goto(`${empty.url}#/nonsense`);
    await p.getByText("No such page").first().waitFor();
    await p.context().close();
  });

  for (const [name, size, more] of [
    ["light", { width: 1280, height: 900 }, { colorScheme: "light" }],
    ["dark", { width: 1280, height: 900 }, { colorScheme: "dark" }],
    ["on a phone", { width: 375, height: 740 }, { colorScheme: "light", reducedMotion: "reduce" }],
  ]) {
    await check(`${name}: no serious problem for anybody, nothing too wide`, async () => {
      for (const hash of ["#/wall?filter=service-02", "#/wall?filter=service-0&view=table", "#/dependency/service-023?from=-30s", `#/dependency/${encodeURIComponent(nasty[2])}?from=-30s`]) {
        const p = await open(full.url + hash, size, more);
        if (hash.includes("dependency")) await charts(p);
        else await p.waitForSelector("[data-tile], tbody tr");
        for (const d of await p.locator("details").all()) await d.evaluate((e) => (e.open = true));
        await p.waitForTimeout(300);
        assert.deepEqual(await serious(p), [], hash);
        const wide = await tooWide(p);
        assert.ok(wide <= 0, `${hash} is ${wide} px too wide`);
        await p.context().close();
      }
    });
  }

  await check("no errors, and nothing from elsewhere", async () => assert.deepEqual(browser.problems, []));

  await check("a lost connection is told, with the last figures; then it goes on", async () => {
    const p = await open(full.url);
    await p.locator("[data-tile]").first().waitFor();
    await full.stop();
    await p.getByText("Nothing is heard of the program since").waitFor();
    assert.equal(await p.locator("[data-tile]").count(), 200);
    await full.again();
    await p.waitForSelector('[data-connection="live"]', { timeout: 30_000 });
    assert.equal(await p.getByText("Nothing is heard").count(), 0);
    await p.context().close();
  });

  await check("speed", () => speed(browser.browser));
} finally {
  await browser.end();
  await full.stop().catch(() => undefined);
  await empty.stop();
}
