// Server-sent events over fetch: unlike EventSource it says why a connection
// failed, sees one that is silent, and begins after the event that it had last.

export interface Message {
  event: string;
  data: string;
  id: string; // the last one that was told, also by an earlier message
}

/** Reads a text that comes in pieces, which may end anywhere. */
export function parser(tell: (m: Message) => void, lastID = ""): (piece: string) => void {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let id = lastID;
  const line = (s: string) => {
    if (s === "") {
      if (data.length) tell({ event: event || "message", data: data.join("\n"), id });
      event = "";
      data = [];
      return;
    }
    const colon = s.indexOf(":");
    const field = colon < 0 ? s : s.slice(0, colon);
    let value = colon < 0 ? "" : s.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
  };
  return (piece) => {
    rest += piece;
    let from = 0;
    for (let at = rest.indexOf("\n"); at >= 0; at = rest.indexOf("\n", from)) {
      line(rest.slice(from, rest[at - 1] === "\r" && at > from ? at - 1 : at));
      from = at + 1;
    }
    rest = rest.slice(from);
  };
}

export interface Listener {
  message(m: Message): void;
  opened(): void;
  lost(why: string): void;
}
export interface Wire {
  fetch: typeof fetch;
  url: string;
  silence: number; // ms after which a connection that says nothing is given up
  retry: number; // ms until the next attempt; up to eight times that after failures
  last?: string; // the event to begin after
}

/** Listens until the function that it returns is called, and connects again and again. */
export function listen(wire: Wire, to: Listener): () => void {
  let last = wire.last ?? "";
  let failures = 0;
  let ended = false;
  let current = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const again = (why: string) => {
    if (ended) return;
    to.lost(why);
    timer = setTimeout(() => void run(), wire.retry * Math.min(8, 2 ** failures++));
  };
  const run = async () => {
    current = new AbortController();
    let silent = false;
    let watch: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => {
        silent = true;
        current.abort();
      }, wire.silence);
    };
    try {
      heard();
      const r = await wire.fetch(wire.url, { signal: current.signal, cache: "no-store",
        headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) } });
      if (!r.ok || !r.body) {
        again(await whyOf(r));
        return;
      }
      to.opened();
      const read = parser((m) => {
        failures = 0;
        last = m.id;
        to.message(m);
      }, last);
      const text = new TextDecoder();
      const body = r.body.getReader();
      for (;;) {
        const { done, value } = await body.read();
        if (done) break;
        heard();
        read(text.decode(value, { stream: true }));
      }
      again("the program ended the connection");
    } catch {
      again(silent ? `nothing was heard for ${wire.silence / 1000} s` : "the program cannot be reached");
    } finally {
      clearTimeout(watch);
    }
  };
  void run();
  return () => {
    ended = true;
    clearTimeout(timer);
    current.abort();
  };
}

async function whyOf(r: Response): Promise<string> {
  const body: unknown = await r.json().catch(() => null);
  const said = typeof body === "object" && body !== null && "error" in body ? String(body.error) : "";
  return said ? `${said} (${r.status})` : `the program answered ${r.status}`;
}
