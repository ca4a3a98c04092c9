// Puts compressed copies beside what was built, for servers that hand them out,
// and holds the page to its size: what a first visit loads, engine left out.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const most = 200_000;
let total = 0;
for (const name of readdirSync(dist, { recursive: true })) {
  const path = join(dist, name);
  if (!statSync(path).isFile() || !/\.(html|js|css|svg)$/.test(name)) continue;
  const text = readFileSync(path);
  const gz = gzipSync(text, { level: 9 });
  total += gz.length;
  if (text.length < 1000) continue;
  writeFileSync(`${path}.gz`, gz);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
}
console.log(`page: ${(total / 1000).toFixed(1)} kB compressed, engine left out`);
if (total > most) {
  console.error(`the page must be below ${most / 1000} kB compressed`);
  process.exit(1);
}
