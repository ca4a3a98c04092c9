// Puts compressed copies beside what was built, for servers that hand them out,
// and holds each page to its size: what a first visit loads, engine left out.
// node scripts/pack.mjs [FOLDER]
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const dist = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../dist");
const most = 200_000; // bytes, by gzip
const sizes = new Map();
for (const name of readdirSync(dist, { recursive: true })) {
  const path = join(dist, name);
  if (!statSync(path).isFile() || !/\.(html|js|css|svg)$/.test(name)) continue;
  const text = readFileSync(path);
  const gz = gzipSync(text, { level: 9 });
  sizes.set(name, gz.length);
  if (text.length < 1000) continue;
  writeFileSync(`${path}.gz`, gz);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
}

/** Everything that a page names, and what that imports before it runs. */
function first(name, seen = new Set()) {
  if (seen.has(name) || !sizes.has(name)) return seen;
  seen.add(name);
  const text = readFileSync(join(dist, name), "utf8");
  const found = name.endsWith(".html") ? text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)
    : text.matchAll(/(?:\bfrom|\bimport)\s*"\.\/([^"]+)"|new Worker\(new URL\([^)]*?"([^"]*worker[^"]*)"/g);
  for (const [, a, b] of found) first(name.endsWith(".html") ? a : `assets/${(a ?? b).replace(/^.*\//, "")}`, seen);
  return seen;
}

let fits = sizes.size > 0;
for (const page of [...sizes.keys()].filter((n) => n.endsWith(".html"))) {
  const total = [...first(page)].reduce((sum, n) => sum + sizes.get(n), 0);
  console.log(`${page}: ${(total / 1000).toFixed(1)} kB compressed at the first visit, engine left out`);
  fits &&= total < most;
}
if (!fits) {
  console.error(`a page must be below ${most / 1000} kB compressed`);
  process.exit(1);
}
