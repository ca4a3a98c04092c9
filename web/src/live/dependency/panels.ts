// The panels of a dependency over time: which columns of its history each draws,
// and the same as a query.
import type { Chart } from "../../ui/plot";
import type { Columns } from "../history";
import { lines, shareOf, type Context } from "./columns";

export interface TimePanel {
  id: string;
  title: string;
  half: 1 | 2; // of a wide page
  says: (x: Context) => string;
  promql: (d: string) => string; // of the dependency, quoted
  charts: (c: Columns, x: Context) => Chart[];
}

const byTime = "[1m]";

export const timePanels: TimePanel[] = [
  {
    id: "calls",
    half: 2,
    title: "Calls and how they ended",
    says: () => "Calls a second, one outcome on top of the other. Refused ones never left this process.",
    promql: (d) => `sum by (outcome) (rate(seakeep_calls_total{dependency=${d}}${byTime}))`,
    charts: (c) => [
      {
        id: "outcomes",
        title: "Outcomes",
        unit: "/s",
        stacked: true,
        lines: lines(
          c,
          1,
          ["succeeded", "success", 1],
          ["failed", "failure", "bad"],
          ["timed_out", "timeout", 2],
          ["overloaded", "overloaded", 4],
          ["rejected", "refused here", 3],
          ["cancelled", "cancelled", 5],
          ["ignored", "ignored", "soft"],
        ),
      },
      {
        id: "success",
        title: "Share",
        unit: "",
        percent: true,
        most: 1.02,
        lines: lines(c, 2, ["success", "success", 0], ["answered", "answered, with fallbacks", 1]),
      },
    ],
  },
  {
    id: "refusals",
    half: 1,
    title: "Refusals and fallbacks",
    says: ({ d }) =>
      (d?.throttle_refusal ? `The client throttle refuses ${Math.round(d.throttle_refusal * 100)} % now. ` : "") +
      "Calls a second that were refused, by the rule, one on top of the other.",
    promql: (d) => `sum by (reason) (rate(seakeep_calls_rejected_total{dependency=${d}}${byTime}))`,
    charts: (c) => [
      {
        id: "refused",
        title: "Refused",
        unit: "/s",
        stacked: true,
        lines: lines(
          c,
          1,
          ["refused_circuit_open", "breaker open", 3],
          ["refused_bulkhead_full", "bulkhead full", 2],
          ["refused_throttled", "throttled", 0],
          ["refused_deadline", "no time left", 4],
          ["refused_other", "other", 5],
        ),
      },
      {
        id: "fallback",
        title: "Fallback",
        unit: "",
        percent: true,
        lines: lines(c, 1, ["fallback_share", "of calls answered by a fallback", 1]),
      },
      {
        id: "nofallback",
        title: "No fallback answered",
        unit: "/s",
        lines: lines(c, 0, ["fallback_failed", "calls", "bad"]),
      },
    ],
  },
  {
    id: "retries",
    half: 2,
    title: "Retries and hedges, against their budgets",
    says: ({ d, policy }) => {
      const ratio = policy("retry.budget.ratio");
      const more =
        d && d.attempts_per_call > 2
          ? `▲ Each call makes ${d.attempts_per_call.toFixed(1)} attempts: below it the load is multiplied. `
          : "";
      const left = d?.retry_budget
        ? `${d.retry_budget.left} retries would be granted now${d.retry_budget.denied > 0 ? `, ${d.retry_budget.denied.toFixed(1)} a second are denied` : ""}.`
        : "";
      return (
        `${more}${ratio && ratio !== "off" ? `The budget grants ${ratio} of calls and ${policy("retry.budget.floor") ?? "a floor"}. ` : ""}${left}` ||
        "Nothing is tried again."
      );
    },
    promql: (d) => `sum by (kind) (rate(seakeep_attempts_total{dependency=${d}}${byTime}))`,
    charts: (c, { policy }) => {
      const ratio = shareOf(policy("retry.budget.ratio"));
      return [
        {
          id: "again",
          title: "A second",
          unit: "/s",
          most: 1,
          lines: lines(
            c,
            1,
            ["retries", "retries", 2],
            ["hedges", "hedges", 3],
            ["hedge_wins", "hedges that won", 1],
            ["budget_denied", "denied by the budget", "bad"],
          ),
        },
        {
          id: "ratio",
          title: "For each call",
          unit: "",
          percent: true,
          limit: ratio ? { value: ratio, label: `budget ${Math.round(ratio * 100)} %` } : undefined,
          lines: lines(c, 1, ["retry_ratio", "retries", 2], ["hedge_ratio", "hedges", 3]),
        },
        {
          id: "tokens",
          title: "Retries that would be granted",
          unit: "",
          most: 1,
          lines: lines(c, 0, ["retry_budget", "left in the budget", 0]),
        },
      ];
    },
  },
  {
    id: "concurrency",
    half: 1,
    title: "Concurrency and queue",
    says: ({ d }) => {
      const b = d?.bulkhead;
      if (!b) return "There is no bulkhead: nothing limits how many calls are under way.";
      return `Now ${b.in_use} of ${b.limit} slots are in use${b.queue_limit > 0 ? `, and ${b.queued} of ${b.queue_limit} calls that may wait do` : "; calls do not wait for one"}. The most of each moment is drawn.`;
    },
    promql: (d) => `seakeep_bulkhead_in_flight{dependency=${d}} / seakeep_bulkhead_limit{dependency=${d}}`,
    charts: (c, { d }) => [
      {
        id: "slots",
        title: "Under way",
        unit: "",
        most: 1,
        lines: lines(
          c,
          1,
          ["in_flight", "calls in flight", 0],
          ["slots", "slots in use", 1],
          ["limit", "limit", "soft"],
        ),
      },
      {
        id: "queue",
        title: "Waiting",
        unit: "",
        most: 1,
        limit: d?.bulkhead?.queue_limit
          ? { value: d.bulkhead.queue_limit, label: `limit ${d.bulkhead.queue_limit}` }
          : undefined,
        lines: lines(c, d?.bulkhead?.queue_limit ? 1 : 0, ["queued", "calls that wait for a slot", 2]),
      },
    ],
  },
  {
    id: "deadlines",
    half: 2,
    title: "Deadlines",
    says: () => "Limits that passed, a second, by who was waiting for what, one on top of the other.",
    promql: (d) => `sum by (hop, phase) (rate(seakeep_deadline_exceeded_total{dependency=${d}}${byTime}))`,
    charts: (c) => [
      {
        id: "passed",
        title: "Passed",
        unit: "/s",
        most: 1,
        stacked: true,
        lines: lines(
          c,
          2,
          ["dead_on_arrival", "dead on arrival", "bad"],
          ["deadline_attempt", "in an attempt", 2],
          ["deadline_before", "before it was sent", 3],
          ["deadline_retry", "before a retry", 0],
          ["deadline_caller", "the caller gave up", 5],
        ),
      },
    ],
  },
  {
    id: "endpoints-over-time",
    half: 1,
    title: "Endpoints over time",
    says: () => "",
    promql: (d) => `sum by (state) (seakeep_endpoints{dependency=${d}})`,
    charts: (c) =>
      c.endpoints?.some((v) => v)
        ? [
            {
              id: "up",
              title: "Endpoints",
              unit: "",
              most: 1,
              lines: lines(
                c,
                2,
                ["endpoints", "all", "soft"],
                ["up", "up", 1],
                ["ejected", "ejected as outliers", "bad"],
              ),
            },
          ]
        : [],
  },
];

/** Charts of a panel, over the columns that came; those without a line are left out. */
export const chartsOf = (p: TimePanel, c: Columns, x: Context): Chart[] =>
  p.charts(c, x).filter((one) => one.lines.length > 0);
