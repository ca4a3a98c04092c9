// Asks the engine, in a worker of its own.
import type { Answer, Question } from "./types";
import engineURL from "./built/engine.wasm.gz?url";

let compiled: Promise<WebAssembly.Module> | null = null;

/** The engine is loaded and compiled once for all workers. */
export function load(): Promise<WebAssembly.Module> {
  compiled ??= compile().catch((err: unknown) => {
    compiled = null; // so that another try may do better
    throw err;
  });
  return compiled;
}

async function compile(): Promise<WebAssembly.Module> {
  const answer = await fetch(engineURL);
  if (!answer.ok) throw new Error(`the engine is not there: status ${answer.status}`);
  // A server may have said that the file is compressed, and then it is not any more.
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return WebAssembly.compile(bytes);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
}

export interface Asked {
  answer: Answer;
  took: number; // ms, in the engine
}

export class Engine {
  private worker: Worker | null = null;
  private next = 1;
  private open = new Map<number, (a: Asked) => void>();

  /** Asks one question. What goes wrong is in the answer. */
  async ask(question: Question): Promise<Asked> {
    try {
      const worker = await this.start();
      const id = this.next++;
      return await new Promise<Asked>((done) => {
        this.open.set(id, done);
        worker.postMessage({ id, question: JSON.stringify(question) });
      });
    } catch (err) {
      return { answer: { error: err instanceof Error ? err.message : String(err) }, took: 0 };
    }
  }

  private async start(): Promise<Worker> {
    const module = await load();
    if (this.worker) return this.worker;
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = (e: MessageEvent<{ id: number; answer: string; took: number }>) => {
      const done = this.open.get(e.data.id);
      this.open.delete(e.data.id);
      done?.({ answer: JSON.parse(e.data.answer) as Answer, took: e.data.took });
    };
    worker.onerror = () => this.stop("the engine has stopped; change something to start it again");
    worker.postMessage({ module });
    this.worker = worker;
    return worker;
  }

  /** Ends whatever is under way, at once. */
  stop(why = "stopped"): void {
    this.worker?.terminate();
    this.worker = null;
    const open = [...this.open.values()];
    this.open.clear();
    for (const done of open) done({ answer: { error: why }, took: 0 });
  }
}
