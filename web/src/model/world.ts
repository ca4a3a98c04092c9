// The world that is simulated: a scenario file and a policy file, as text, such
// as "seakeep sim" takes them.
import type { Setting } from "./setting";

export interface World {
  scenario: string;
  files: Record<string, string>;
  sets: string[];
}

export const usual = ["pricing", "inventory", "recommendations"] as const;

/** The parts of a world that a policy file of one's own decides. */
export interface Cast {
  dependencies: readonly string[];
  slow: string; // one of them
  policy: string; // the file, or empty: made of the switches
}

export const usualCast: Cast = { dependencies: usual, slow: usual[2], policy: "" };

const ms = (n: number) => `${n}ms`;
// A name that YAML would read as something else is quoted.
const name = (s: string) => (/^[A-Za-z][A-Za-z0-9_-]*$/.test(s) && !/^(true|false|null|yes|no|on|off)$/i.test(s) ? s : JSON.stringify(s));

export function policyOf(s: Setting, cast: Cast = usualCast): string {
  if (cast.policy) return cast.policy;
  const lines = ["version: 1", "service: checkout"];
  if (s.shed) {
    lines.push("serve:", `  deadline: {default: ${ms(s.patienceMs)}}`, `  concurrency: {max: ${s.workers}}`,
      "  queue: {length: 20, wait: 200ms, discipline: codel-lifo}", "  shed: {target: 20ms}");
  }
  lines.push("dependencies:");
  for (const d of cast.dependencies) {
    if (d !== cast.slow) {
      lines.push(`  ${name(d)}: {kind: critical}`);
      continue;
    }
    lines.push(`  ${name(d)}:`, "    kind: optional");
    if (s.timeout) lines.push(`    timeout: {request: ${ms(s.timeoutMs)}}`);
    if (s.retries) {
      const budget = s.budget ? `{ratio: ${s.budgetPercent}%, floor: 0/s}` : "none";
      lines.push("    retry:", `      attempts: ${s.attempts}`,
        `      backoff: {base: ${ms(s.backoffMs)}, cap: 10s, jitter: full}`, `      budget: ${budget}`,
        "      idempotent: always");
    }
    if (s.breaker) {
      const trials = 3;
      lines.push("    breaker:", `      window: ${s.window} calls`, `      calls: ${Math.min(10, s.window)}`,
        "      failures: 50%", `      open: {for: ${s.openS}s, jitter: 0%, growth: 1}`, `      trials: ${trials}`);
      if (s.counts !== "attempts") lines.push(`      counts: ${s.counts}`);
    }
    if (s.bulkhead) lines.push(`    bulkhead: {limit: ${s.limit}}`);
    if (s.hedge) lines.push(`    hedge: {after: ${ms(s.hedgeMs)}, same: true}`);
    if (s.fallback) lines.push("    fallback: [omit: {}]");
  }
  return lines.join("\n") + "\n";
}

export const floorMs = 5; // no answer is quicker
const sigma = 1; // of lognormal times
/** What a lognormal distribution's median is of its mean. */
export const medianOfMean = Math.exp((-sigma * sigma) / 2);

/** A distribution with a mean, as a scenario file has it. */
export function timesOf(shape: string, mean: number): string {
  const floor = Math.min(floorMs, mean);
  switch (shape) {
    case "constant":
      return ms(mean);
    case "uniform":
      return `{uniform: [${ms(floor)}, ${ms(2 * mean - floor)}]}`;
    case "lognormal":
      return `{median: ${Math.round(mean * medianOfMean * 1e6)}ns, sigma: ${sigma}}`;
  }
  return `{floor: ${ms(floor)}, mean: ${ms(mean)}}`;
}

const slowFrom = 5; // seconds into the run
export const healthy = (s: Setting) => s.latency <= s.healthyMs;

export function scenarioOf(s: Setting, cast: Cast = usualCast): string {
  const routes = cast.dependencies.map(name);
  const lines = [
    "version: 1", "name: try-it", "for: 65s", "warmup: 10s", `seed: ${s.seed}`, `runs: ${s.runs}`,
    "clients:", "  users:", "    to: checkout", `    rate: ${s.rate}/s`, `    patience: ${ms(s.patienceMs)}`,
    ...(s.arrivals === "even" ? ["    arrivals: even"] : []),
    `    routes: {${routes.map((r) => `${r}: 1`).join(", ")}}`,
    "services:", "  checkout:", "    policy: policy.yaml", `    workers: ${s.workers}`,
    `    queue: ${queueOf(s)}`,
    "    ignore-deadline: true",
    ...(s.release ? ["    release-while-waiting: true"] : []),
    ...(s.abandoned !== "runs-on" ? [`    abandoned: ${s.abandoned}`] : []),
    "    routes:", ...routes.map((r) => `      ${r}: {work: 2ms, calls: [${r}]}`),
    ...routes.map((r) => `  ${r}: {work: ${timesOf(s.shape, s.healthyMs)}}`),
  ];
  if (!healthy(s)) {
    lines.push("changes:");
    const of = `at: ${slowFrom}s, service: ${name(cast.slow)}`;
    if (s.latency === Infinity) lines.push(`  - {${of}, silent: true}`);
    else lines.push(`  - {${of}, work: ${timesOf(s.shape, s.latency)}}`);
    if (s.capacity > 0) lines.push(`  - {${of}, capacity: {rate: ${s.capacity}/s, over: ${s.over}}}`);
  }
  return lines.join("\n") + "\n";
}

function queueOf(s: Setting): string {
  if (s.rule === "refuse") return "refuse";
  const parts = [`rule: ${s.rule}`];
  if (s.length > 0) parts.push(`length: ${s.length}`);
  if (s.dropExpired) parts.push("drop-expired: true");
  return `{${parts.join(", ")}}`;
}

export const worldOf = (s: Setting, cast: Cast = usualCast): World => ({
  scenario: scenarioOf(s, cast),
  files: { "policy.yaml": policyOf(s, cast) },
  sets: [],
});
