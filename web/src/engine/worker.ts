// The engine in a worker: it takes the compiled module once, and then one
// question after another.
import "./built/wasm_exec.js";

declare const Go: new () => { importObject: WebAssembly.Imports; run(i: WebAssembly.Instance): Promise<void> };
declare function seakeepLab(question: string): string;

const scope = self as unknown as DedicatedWorkerGlobalScope;

let ready: Promise<unknown> = Promise.resolve();

async function boot(module: WebAssembly.Module): Promise<void> {
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  void go.run(instance); // it stays for as long as the worker does
}

scope.onmessage = async (e: MessageEvent<{ module?: WebAssembly.Module; id?: number; question?: string }>) => {
  const { module, id, question } = e.data;
  if (module) {
    ready = boot(module);
    return;
  }
  try {
    await ready;
    const began = performance.now();
    const answer = seakeepLab(question!);
    scope.postMessage({ id, answer, took: performance.now() - began });
  } catch (err) {
    scope.postMessage({ id, answer: JSON.stringify({ error: `the engine cannot run here: ${String(err)}` }), took: 0 });
  }
};
