// Runs the engine in Node.js and asks it what stands on standard input, a
// question a line: node ask.cjs wasm_exec.js ENGINE
const fs = require("fs");
globalThis.require = require;
globalThis.fs = fs;
require(process.argv[2]);

(async () => {
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(process.argv[3]), go.importObject);
  go.run(instance);
  for (const line of fs.readFileSync(0, "utf8").split("\n")) {
    if (line === "") continue;
    const began = performance.now();
    fs.writeFileSync(1, seakeepLab(line));
    fs.writeSync(2, `${JSON.parse(line).op}: ${Math.round(performance.now() - began)} ms\n`);
  }
  process.exit(0);
})();
