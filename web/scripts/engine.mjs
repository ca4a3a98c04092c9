// Builds the engine: the simulator as WebAssembly, compressed, and beside it the
// glue that this version of Go brings for it.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";

const web = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = join(web, "src/engine/built");
const wasm = join(built, "engine.wasm");
mkdirSync(built, { recursive: true });

const go = (args, env = {}) =>
  execFileSync("go", args, { cwd: join(web, ".."), env: { ...process.env, ...env }, encoding: "utf8" });

go(["build", "-trimpath", "-ldflags=-s -w", "-o", wasm, "./cmd/seakeep/lab/engine"], { GOOS: "js", GOARCH: "wasm" });
const text = readFileSync(wasm);
const small = gzipSync(text, { level: constants.Z_BEST_COMPRESSION });
writeFileSync(`${wasm}.gz`, small);
rmSync(wasm);
copyFileSync(join(go(["env", "GOROOT"]).trim(), "lib/wasm/wasm_exec.js"), join(built, "wasm_exec.js"));

const most = 3_000_000;
const say = (n) => `${(n / 1e6).toFixed(2)} MB`;
console.log(`engine: ${say(text.length)}, ${say(small.length)} compressed`);
if (small.length > most) {
  console.error(`the engine must be below ${say(most)} compressed: see what it imports`);
  process.exit(1);
}
