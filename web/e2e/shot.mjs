// Takes a picture of a page: node e2e/shot.mjs URL FILE [WIDTH] [light|dark]
import { chromium } from "playwright-core";
import { flags, path } from "./browser.mjs";

const [url, file, width = "1280", scheme = "light"] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: path(), args: flags });
const page = await browser.newPage({ viewport: { width: Number(width), height: 900 }, colorScheme: scheme });
page.on("console", (m) => console.log(m.type(), m.text()));
page.on("pageerror", (e) => console.log("error", e.message));
await page.goto(url);
await page.waitForSelector('[data-state="idle"] [data-readout], [data-connection="live"]', { timeout: 60_000 }).catch(() => {});
await page.waitForTimeout(500);
await page.screenshot({ path: file, fullPage: true });
await browser.close();
