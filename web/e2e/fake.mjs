// A program that is none: the API with as many dependencies as wanted, for what a
// real one seldom is, such as two hundred of them, none at all, or gone.
//
//   node e2e/fake.mjs [HOW MANY] [PORT]
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
const kinds = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".gz": "application/gzip" };
/** The policy of content of the real one, cmd/seakeep/dashboard/api.go. */
const content = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Names that traffic could bring, and that must stay text. */
export const nasty = ['<img src=x onerror="window.hurt=1">', "a/b c?d#e%20&f=\"g'", "x".repeat(128), "имя-供应商"];

/** The same number between 0 and 1 for the same place and time. */
function noise(a, b) {
  const x = Math.sin(a * 127.1 + b * 311.7) * 43758.5453;
  return x - Math.floor(x);
}
const digits = (x) => +x.toPrecision(4);

/** How dependency k does at a time: one in twenty has an open breaker every other minute. */
function now(k, ms) {
  const t = Math.floor(ms / 1000);
  const bad = k % 20 === 3 && Math.floor(t / 60) % 2 === 0;
  const watch = k % 11 === 5;
  const rate = k % 50 === 49 ? 0 : digits(((k * 37) % 900) + 20 + 30 * noise(k, t));
  const success = rate === 0 ? undefined : bad ? 0.1 * noise(k, t) : watch ? 0.9 + 0.05 * noise(k, t) : 1 - 0.001 * noise(k, t);
  const slow = bad ? 12 : watch ? 2 : 1;
  return { t, bad, watch, rate, success, p50: digits((5 + (k % 40)) * slow * (1 + 0.2 * noise(k, t))), p99: digits((30 + (k % 90)) * slow * (1 + 0.4 * noise(k, t + 1))) };
}

function dependency(name, k, ms, full) {
  const n = now(k, ms);
  const state = n.bad ? (n.t % 60 < 50 ? "open" : "half-open") : "closed";
  const limit = 20 + (k % 7) * 10;
  const fallback = n.bad ? 0.9 : 0;
  const good = n.success ?? 0;
  const endpoints = { total: 3, up: n.bad ? 2 : 3, ejected: n.bad ? 1 : 0, panic: false };
  if (full) endpoints.all = [0, 1, 2].map((e) => ({ url: `http://10.0.${k % 250}.${e + 1}:8080`, state: n.bad && e === 1 ? "ejected" : "up", zone: `eu-${"abc"[e]}`, in_flight: e, picked: 1000 * (k + 1),
    mean_latency_ms: n.p50, failing_share: n.bad && e === 1 ? 0.8 : 0, ...(n.bad && e === 1 ? { why: "failure-rate" } : {}) }));
  return {
    name, kind: ["critical", "optional", "degradable"][k % 3], badness: digits((n.bad ? 2.6 : 0) + (n.success === undefined ? 0 : 2 * (1 - good))), rate: n.rate, success: n.success, answered: n.success === undefined ? undefined : Math.min(1, good + fallback),
    outcomes: { success: digits(n.rate * good), failure: digits(n.rate * (1 - good) * 0.2), timeout: digits(n.rate * (1 - good) * 0.1), rejected: digits(n.rate * (1 - good) * 0.7), overloaded: 0, cancelled: 0, ignored: 0 },
    ...(n.bad ? { rejected: { "circuit-open": digits(n.rate * 0.7) } } : {}),
    ...(n.rate > 0 ? { latency: { count: Math.round(n.rate * 10), mean_ms: n.p50 * 1.2, p50_ms: n.p50, p99_ms: n.p99, p999_ms: n.p99 * 1.6, max_ms: n.p99 * 2 } } : {}),
    breaker: { state, mode: k % 60 === 23 ? "force-open" : "auto", since_ms: ms - (n.t % 60) * 1000, calls: Math.round(n.rate), failed: n.bad ? Math.round(n.rate / 2) : 0, slow: 0 },
    in_flight: n.bad ? limit : Math.min(limit, Math.ceil((n.rate * n.p50) / 1000)), bulkhead: { in_use: n.bad ? limit : Math.min(limit, Math.ceil((n.rate * n.p50) / 1000)), limit, queued: n.bad ? 4 : 0, queue_limit: 10 },
    attempts_per_call: 1 + (n.bad ? 0.1 : 0), retry_ratio: n.bad ? 0.1 : n.watch ? 0.04 : 0, hedge_ratio: 0, hedge_wins: 0, retry_budget: { left: n.bad ? 0 : 100, denied: n.bad ? 12 : 0 },
    ...(k % 2 ? {} : { slo_left: n.bad ? -0.1 : 0.9 - (k % 9) / 10 }), fallback_share: fallback, fallback_failed: 0,
    deadline: { left_p1_ms: 300, left_p50_ms: 900, dead_on_arrival: n.bad ? 1.2 : 0, exceeded: n.bad ? { attempt: 4, caller: 0.5 } : {} }, endpoints,
    ...(k % 25 === 3 ? { operations: [{ name: "list", breaker: { state: "closed", mode: "auto", calls: 9, failed: 0, slow: 0 } }, { name: "write", bulkhead: { in_use: 1, limit: 5, queued: 0, queue_limit: 0 } }] } : {}),
  };
}

/** The last changes of dependency k, each with calls where calls cause it. */
function changes(name, k, from, to) {
  const out = [];
  if (k % 20 !== 3) return out;
  for (let begin = Math.floor(from / 120_000) * 120_000; begin <= to; begin += 120_000) {
    const one = (at, a, b, reason, calls) => at >= from && at <= to && out.push({ id: Math.round(at) * 1000 + k, at_ms: at, kind: "breaker-changed", policy: name, from: a, to: b, reason, seq: Math.round(at / 1000), ...(calls ? { calls } : {}) });
    one(begin, "closed", "open", "failure-rate", [...Array(16)].map((_, c) => ({ at_ms: begin - 160 + c * 10, kind: "attempt-ended", policy: name, outcome: c % 3 ? "failure" : "timeout", cause: c % 3 ? "unavailable" : "timeout", took_ms: 40 * c, attempt: c % 2 })));
    one(begin + 50_000, "open", "half-open", "open-elapsed");
    one(begin + 60_000, "half-open", "closed", "trials-passed");
  }
  return out;
}

const bounds = [...Array(21)].map((_, i) => digits(10 ** (i / 4 - 1)));

function series(name, k, times, columns, heat) {
  const at = (f) => times.map((ms) => { const v = f(now(k, ms)); return v === undefined ? null : digits(v); });
  const of = {
    rate: (n) => n.rate, success: (n) => n.success, answered: (n) => (n.bad ? 1 : n.success), p50_ms: (n) => n.p50, p99_ms: (n) => n.p99, p999_ms: (n) => n.p99 * 1.6,
    succeeded: (n) => n.rate * (n.success ?? 0), failed: (n) => n.rate * (1 - (n.success ?? 1)) * 0.2, timed_out: (n) => n.rate * (1 - (n.success ?? 1)) * 0.1, rejected: (n) => n.rate * (1 - (n.success ?? 1)) * 0.7,
    first_attempts: (n) => n.rate, retries: (n) => (n.bad ? n.rate / 10 : 0), hedges: () => 0, budget_denied: (n) => (n.bad ? 12 : 0), retry_ratio: (n) => (n.bad ? 0.1 : n.watch ? 0.04 : 0), hedge_ratio: () => 0,
    fallback_share: (n) => (n.bad ? 0.9 : 0), dead_on_arrival: (n) => (n.bad ? 1.2 : 0), deadline_attempt: (n) => (n.bad ? 4 : 0), refused_circuit_open: (n) => (n.bad ? n.rate * 0.7 : 0), refused_bulkhead_full: (n) => (n.bad ? 3 : 0),
    in_flight: (n) => Math.ceil((n.rate * n.p50) / 1000), slots: (n) => Math.min(20 + (k % 7) * 10, Math.ceil((n.rate * n.p50) / 1000)), limit: () => 20 + (k % 7) * 10, queued: (n) => (n.bad ? 4 : 0), retry_budget: (n) => (n.bad ? 0 : 100), breaker: (n) => (n.bad ? 3 : 1), forced: (n) => (k % 60 === 23 && n.t % 120 < 40 ? 1 : 0),
    endpoints: () => 3, up: (n) => (n.bad ? 2 : 3), ejected: (n) => (n.bad ? 1 : 0),
  };
  const wanted = Object.entries(of).filter(([c]) => !columns || columns.includes(c));
  return { name, columns: Object.fromEntries(wanted.map(([c, f]) => [c, at(f)])),
    ...(heat ? { heat: { bounds_ms: bounds, counts: times.map((ms) => { const n = now(k, ms); return [...bounds, 0].map((b) => Math.round(n.rate * Math.exp(-((Math.log(b || 20_000) - Math.log(n.p50)) ** 2) / 1.2))); }) } } : {}) };
}

/** Serves the built page and the API. */
export async function fake(count, { port = 0, files = dist } = {}) {
  const names = [...Array(count)].map((_, k) => (k < nasty.length && count >= 50 ? nasty[k] : `service-${String(k).padStart(3, "0")}`));
  const streams = new Set();
  const snapshot = (ms) => ({ version: 1, at_ms: ms, window_ms: 10_000, service: "fake", ready: true, dependencies: names.map((n, k) => dependency(n, k, ms)).sort((a, b) => b.badness - a.badness), slo: [], faults: [], levers: false });
  const moment = (text, now, usual) => (!text ? usual : /^-\d+[smhd]$/.test(text) ? now - parseInt(text.slice(1), 10) * { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.at(-1)] : Number(text));
  const answers = {
    snapshot: () => snapshot(Date.now()),
    policy: () => ({ version: 1, file: "fake.yaml", loaded_ms: Date.now(), values: names.map((n) => ({ path: `dependencies.${n}.retry.budget.ratio`, value: "10%", from: "fake.yaml:3" })), findings: [], warnings: [], changes: [] }),
    slo: () => ({ at: new Date().toISOString(), service: "fake", retries: 1, degrade: 0, objectives: [] }), audit: () => [], faults: () => ({ faults: [], bounds: [] }),
    history(q) {
      const ms = Date.now();
      const [from, to] = [moment(q.get("from"), ms, ms - 900_000), moment(q.get("to"), ms, ms)];
      const step = parseInt(q.get("step") || "10s", 10) * 1000;
      const times = [];
      for (let t = Math.floor(from / step) * step + step; t <= to && times.length < 1500; t += step) times.push(t);
      const columns = q.get("columns")?.split(",");
      const one = q.get("dependency");
      const all = names.map((n, k) => [n, k]).filter(([n]) => !one || n === one);
      return { version: 1, step_ms: step, oldest_ms: ms - 86_400_000, times, dependencies: all.map(([n, k]) => series(n, k, times, columns, one !== null)), events: all.flatMap(([n, k]) => changes(n, k, from, to)).sort((a, b) => a.at_ms - b.at_ms).slice(-4096) };
    },
  };
  const server = createServer((req, res) => {
    const url = new URL(req.url, "http://x");
    res.setHeader("Content-Security-Policy", content);
    const path = decodeURI(url.pathname);
    if (path === "/api/v1/events") {
      res.writeHead(200, { "Content-Type": "text/event-stream" });
      const say = () => res.write(`event: snapshot\ndata: ${JSON.stringify(snapshot(Date.now()))}\n\n`);
      say();
      const timer = setInterval(say, 1000 / Number(url.searchParams.get("hz") || 1));
      streams.add(res);
      res.on("close", () => {
        clearInterval(timer);
        streams.delete(res);
      });
      return;
    }
    const json = (status, v) => res.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(v));
    if (path.startsWith("/api/v1/dependencies/")) {
      const k = names.indexOf(decodeURIComponent(url.pathname.slice("/api/v1/dependencies/".length)));
      const ms = Date.now();
      return k < 0 ? json(404, { error: "the policy file has no such dependency" }) : json(200, { version: 1, at_ms: ms, window_ms: 10_000, dependency: dependency(names[k], k, ms, true), events: [] });
    }
    const answer = path.startsWith("/api/v1/") && answers[path.slice("/api/v1/".length)];
    if (answer) return json(200, answer(url.searchParams));
    const file = join(files, normalize(path === "/" ? "/index.html" : path));
    if (!file.startsWith(files) || !existsSync(file) || !statSync(file).isFile()) return res.writeHead(404).end();
    res.writeHead(200, { "Content-Type": kinds[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const address = server.address().port;
  const stop = () => new Promise((done) => {
    for (const s of streams) s.destroy();
    server.close(done);
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${address}/`, names, stop, again: () => new Promise((done) => server.listen(address, "127.0.0.1", done)) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const f = await fake(Number(process.argv[2] ?? 200), { port: Number(process.argv[3] ?? 0) });
  console.log(f.url);
}
