package board

import "strings"

// chart is a panel in short. JOB stands for the matcher of the job, and DEP for
// that and the one of the dependency; RATE for the range that suits Grafana's step.
type chart struct {
	title, about string
	kind         string // empty: timeseries
	unit         string // Grafana's: s, reqps, percentunit, short
	most         float64
	red          float64     // from here on it is red; 0: nowhere
	queries      [][2]string // expression, legend
}

var matchers = strings.NewReplacer("JOB", `job=~"$job"`, "DEP", `job=~"$job",dependency=~"$dependency"`,
	"RATE", "$__rate_interval")

func (c chart) panel() Panel {
	p := Panel{Type: c.kind, Title: c.title, Description: c.about,
		Datasource: &Source{"prometheus", "${source}"}}
	if p.Type == "" {
		p.Type = "timeseries"
	}
	for i, q := range c.queries {
		p.Targets = append(p.Targets, Target{string(rune('A' + i)), matchers.Replace(q[0]), q[1]})
	}
	zero := 0.0
	d := Defaults{Unit: c.unit, Min: &zero}
	if c.kind == "stat" || c.kind == "state-timeline" {
		d.Min = nil
	}
	if c.most > 0 {
		d.Max = &c.most
	}
	if c.red > 0 {
		red := c.red
		d.Thresholds = &Thresholds{"absolute", []Step{{"green", nil}, {"red", &red}}}
		d.Custom = map[string]any{"thresholdsStyle": map[string]any{"mode": "line"}}
	}
	if c.kind == "stat" {
		low, some := 0.0, 0.2
		d.Thresholds = &Thresholds{"absolute", []Step{{"red", nil}, {"orange", &low}, {"green", &some}}}
	}
	p.Field = &FieldConfig{Defaults: d, Overrides: []any{}}
	return p
}

var objectiveCharts = []chart{
	{title: "Error budget left, of the period", kind: "stat", unit: "percentunit",
		about:   "The least of all instances. A budget's policy goes by this.",
		queries: [][2]string{{`min by (slo) (seakeep_slo_budget_left_of_period_ratio{JOB})`, "{{slo}}"}}},
	{title: "Bad events", unit: "percentunit", about: "Counts are summed up first and divided last.",
		queries: [][2]string{{`sum by (slo) (rate(seakeep_slo_bad_events_total{JOB}[RATE]))
  / (sum by (slo) (rate(seakeep_slo_events_total{JOB}[RATE])) > 0)`, "{{slo}}"}}},
	{title: "Burn rate", unit: "short", red: 14.4,
		about:   "How many times too fast the budget burns. 14.4 over an hour spends 2 % of 30 days.",
		queries: [][2]string{{`max by (slo, window) (seakeep_slo_burn_rate{JOB})`, "{{slo}} over {{window}}"}}},
	{title: "Steps of the budgets' policies", unit: "short",
		queries: [][2]string{{`max by (slo) (seakeep_slo_policy_steps{JOB})`, "{{slo}}"}}},
}

var serveCharts = []chart{
	{title: "Requests", unit: "reqps",
		queries: [][2]string{{`sum by (outcome) (rate(seakeep_requests_total{JOB}[RATE]))`, "{{outcome}}"}}},
	{title: "Answered well and in time", unit: "percentunit", most: 1,
		queries: [][2]string{{`sum by (criticality) (rate(seakeep_requests_good_total{JOB}[RATE]))
  / (sum by (criticality) (rate(seakeep_requests_total{JOB,outcome!="cancelled"}[RATE])) > 0)`, "{{criticality}}"}}},
	{title: "Latency", unit: "s", queries: [][2]string{
		{`histogram_quantile(0.5, sum by (le) (rate(seakeep_request_duration_seconds_bucket{JOB}[RATE])))`, "p50"},
		{`histogram_quantile(0.99, sum by (le) (rate(seakeep_request_duration_seconds_bucket{JOB}[RATE])))`, "p99"}}},
	{title: "In flight, and the limit", unit: "short", about: "The first to rise when a cascade begins.",
		queries: [][2]string{{`sum (seakeep_requests_in_flight{JOB})`, "in flight"},
			{`sum (seakeep_concurrency_limit{JOB})`, "limit"}, {`sum (seakeep_queue_length{JOB})`, "waiting"}}},
	{title: "Turned away", unit: "reqps",
		queries: [][2]string{{`sum by (reason) (rate(seakeep_shed_total{JOB}[RATE]))`, "{{reason}}"}}},
	{title: "Features that are off, and the share let in", unit: "short", queries: [][2]string{
		{`max (seakeep_degrade_level{JOB})`, "features off"}, {`min (seakeep_shed_admitted_ratio{JOB})`, "let in"}}},
}

var dependencyCharts = []chart{
	{title: "Calls", unit: "reqps",
		queries: [][2]string{{`sum by (dependency, outcome) (rate(seakeep_calls_total{DEP}[RATE]))`,
			"{{dependency}} {{outcome}}"}}},
	{title: "Latency of attempts, as we see it", unit: "s", queries: [][2]string{
		{`histogram_quantile(0.99, sum by (dependency, le)
    (rate(seakeep_attempt_duration_seconds_bucket{DEP}[RATE])))`,
			"{{dependency}} p99"},
		{`histogram_quantile(0.999, sum by (dependency, le)
    (rate(seakeep_attempt_duration_seconds_bucket{DEP}[RATE])))`,
			"{{dependency}} p99.9"}}},
	{title: "Timeouts", unit: "percentunit", red: 0.01,
		about: "A timeout at the p99.9 fails one healthy call in a thousand; much more means " +
			"that it is too short, or the dependency slower.",
		queries: [][2]string{{`sum by (dependency) (rate(seakeep_attempts_total{DEP,outcome="timeout"}[RATE]))
  / (sum by (dependency) (rate(seakeep_attempts_total{DEP}[RATE])) > 0)`, "{{dependency}}"}}},
	{title: "Retries for a first attempt", unit: "percentunit", red: 0.1,
		about: "Over 10 % is the beginning of a storm.",
		queries: [][2]string{{`sum by (dependency) (rate(seakeep_attempts_total{DEP,kind="retry"}[RATE]))
  / (sum by (dependency) (rate(seakeep_attempts_total{DEP,kind="first"}[RATE])) > 0)`, "{{dependency}}"}}},
	{title: "Breakers: the share of time in which they are not closed", unit: "percentunit", most: 1,
		about: "From the time spent in each state, so that what is shorter than a scrape shows too.",
		queries: [][2]string{{`sum by (dependency, state)
    (rate(seakeep_breaker_state_seconds_total{DEP,state!="closed"}[RATE]))
  / on (dependency) group_left () count by (dependency) (seakeep_breaker_state_seconds_total{DEP,state="closed"})`,
			"{{dependency}} {{state}}"}}},
	{title: "Breakers: openings in an hour", unit: "short", red: 4,
		about: "More than a few is flapping. A trial that fails is none.",
		queries: [][2]string{{`sum by (dependency, reason)
    (increase(seakeep_breaker_transitions_total{DEP,from="closed",to="open"}[1h]))`,
			"{{dependency}} {{reason}}"}}},
	{title: "Bulkheads: slots taken", unit: "percentunit", most: 1, red: 0.9,
		queries: [][2]string{{`max by (dependency) (seakeep_bulkhead_in_flight{DEP} / seakeep_bulkhead_limit{DEP})`,
			"{{dependency}}"}}},
	{title: "Refused before any attempt", unit: "reqps",
		queries: [][2]string{{`sum by (dependency, reason) (rate(seakeep_calls_rejected_total{DEP}[RATE]))`,
			"{{dependency}} {{reason}}"}}},
	{title: "Answered by a fallback", unit: "percentunit",
		about: "When this rises the product is worse than it looks.",
		queries: [][2]string{{`sum by (dependency) (rate(seakeep_fallback_total{DEP,outcome="answered"}[RATE]))
  / (sum by (dependency) (rate(seakeep_calls_total{DEP}[RATE])) > 0)`, "{{dependency}}"}}},
	{title: "Where time runs out", unit: "reqps",
		queries: [][2]string{{`sum by (dependency, hop, phase) (rate(seakeep_deadline_exceeded_total{JOB}[RATE]))`,
			"{{dependency}} {{hop}} {{phase}}"}}},
	{title: "Calls under way", unit: "short", about: "Rate times duration: what each dependency holds of ours.",
		queries: [][2]string{{`sum by (dependency) (seakeep_calls_in_flight{DEP})`, "{{dependency}}"}}},
	{title: "Endpoints that are out", unit: "short", queries: [][2]string{
		{`sum by (dependency, state) (seakeep_endpoints{DEP,state!="up"})`, "{{dependency}} {{state}}"}}},
}
