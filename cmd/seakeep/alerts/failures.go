package alerts

import (
	"errors"
	"regexp"
	"strings"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
)

// failure is one of the ways in which a protected service still fails.
type failure struct {
	alert, severity string
	expr            string // $match is where more matchers go
	hold, keep      string
	summary, text   string
	anchor          string // in docs/alerts.md
	labels          []Pair // beside severity
}

// Each expression keeps the labels dependency and operation, where it has them.
// Whatever compares with "before" looks ten minutes back: longer than it takes an
// incident to begin, and short enough that a day's ebb and flow do not matter.
var failures = []failure{
	{alert: "SeakeepPoolExhausted", severity: "page", hold: "1m", anchor: "pool-exhausted",
		expr: `max without (instance, pod) (seakeep_bulkhead_in_flight{$match} / seakeep_bulkhead_limit{$match}) > 0.9
or
sum without (instance, pod, reason)
    (rate(seakeep_calls_rejected_total{reason=~"bulkhead-full|queue-timeout"$and}[2m]))
  / (sum without (instance, pod, outcome) (rate(seakeep_calls_total{$match}[2m])) > 0) > 0.05`,
		summary: "the slots for {{ $labels.dependency }} are taken",
		text: "Calls wait for a slot or are refused. It is slower than the bulkhead was sized " +
			"for, or gets more calls."},
	{alert: "SeakeepDependencyHoldsCalls", severity: "page", hold: "1m", keep: "2m", anchor: "dependency-holds-calls",
		expr: `sum without (instance, pod) (seakeep_calls_in_flight{$match})
  > 4 * sum without (instance, pod) (avg_over_time(seakeep_calls_in_flight{$match}[5m] offset 10m)) + 20`,
		summary: "calls of {{ $labels.dependency }} pile up",
		text: "Far more calls are under way than ten minutes ago. They hold threads, " +
			"connections and memory of everything else."},
	{alert: "SeakeepServiceOverloaded", severity: "page", hold: "2m", anchor: "service-overloaded",
		expr: `sum without (instance, pod, criticality, reason)
    (rate(seakeep_shed_total{reason!="tenant-limit"$and}[2m]))
  / (sum without (instance, pod, criticality, outcome) (rate(seakeep_requests_total{$match}[2m])) > 0) > 0.05`,
		summary: "more comes in than can be served",
		text:    "{{ $value | humanizePercentage }} of the requests are turned away."},
	{alert: "SeakeepRetryRatioHigh", severity: "ticket", hold: "2m", anchor: "retry-ratio-high",
		expr: `sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="retry"$and}[2m]))
  / (sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="first"$and}[2m])) > 0) > 0.1`,
		summary: "more than a tenth of the calls of {{ $labels.dependency }} are tried again",
		text:    "{{ $value | humanizePercentage }} retries for each first attempt. It is the beginning of a storm."},
	{alert: "SeakeepRetryStorm", severity: "page", hold: "1m", keep: "5m", anchor: "retry-storm",
		expr: `sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="retry"$and}[2m]))
  / (sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="first"$and}[2m])) > 0) > 0.1
and
sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{$match}[2m]))
  > 1.2 * sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{$match}[5m] offset 10m))
and
sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="first"$and}[2m]))
  < 1.2 * sum without (instance, pod, kind, outcome) (rate(seakeep_attempts_total{kind="first"$and}[5m] offset 10m))`,
		summary: "a storm of retries hits {{ $labels.dependency }}",
		text:    "Calls rise while the traffic that causes them is flat: what is added are retries."},
	{alert: "SeakeepDeadlinesOutOfOrder", severity: "ticket", hold: "2m", anchor: "deadlines-out-of-order",
		expr: `sum without (instance, pod, dependency, operation, hop, phase)
    (rate(seakeep_deadline_exceeded_total{hop="serve",phase="work"$and}[2m]))
  / (sum without (instance, pod, criticality, outcome) (rate(seakeep_requests_total{$match}[2m])) > 0) > 0.02
or
sum without (instance, pod, hop, phase) (rate(seakeep_deadline_exceeded_total{hop="call",phase="caller"$and}[2m]))
  / (sum without (instance, pod, outcome) (rate(seakeep_calls_total{$match}[2m])) > 0) > 0.02`,
		summary: "work goes on for callers who have given up",
		text: "{{ $value | humanizePercentage }} end after the caller's deadline, so the inner " +
			"limits are longer than the outer one."},
	{alert: "SeakeepRecoveryInLockstep", severity: "ticket", anchor: "recovery-in-lockstep", expr: lockstep,
		summary: "breakers of {{ $labels.dependency }} come back at the same moment",
		text: "They were open for the same time, to a twentieth of one opening, so all try again " +
			"together. Give open.jitter."},
	{alert: "SeakeepBreakerFlapping", severity: "ticket", hold: "0s", anchor: "breaker-flapping",
		expr: `max without (instance, pod) (
  sum without (from, to, reason)
    (increase(seakeep_breaker_transitions_total{from="closed",to="open"$and}[1h]))
  / (
    sum without (state) (seakeep_breaker_keys{$match}) > 1
    or 1 + 0 * sum without (from, to, reason)
      (increase(seakeep_breaker_transitions_total{from="closed",to="open"$and}[1h]))
  )
) > 4`,
		summary: "the breaker of {{ $labels.dependency }} flaps",
		text: "It has opened {{ $value | humanize }} times in an hour. Its window is tiny, its " +
			"threshold is near the normal rate of errors, or retries make the failures."},
	{alert: "SeakeepMetastable", severity: "page", hold: "3m", keep: "2m", anchor: "metastable",
		expr: `sum without (instance, pod, criticality) (rate(seakeep_requests_good_total{$match}[2m]))
  / (sum without (instance, pod, criticality, outcome) (rate(seakeep_requests_total{$match}[2m])) > 0) < 0.5
and
sum without (instance, pod, dependency, operation, hop, phase)
    (rate(seakeep_deadline_exceeded_total{hop="serve"$and}[2m]))
  > 0.3 * sum without (instance, pod, criticality, outcome) (rate(seakeep_requests_total{$match}[2m]))
and
sum without (instance, pod, criticality) (rate(seakeep_requests_good_total{$match}[2m]))
  < 0.5 * max_over_time((
    sum without (instance, pod, criticality) (rate(seakeep_requests_good_total{$match}[5m]))
  )[6h:5m] offset 1m)`,
		summary: "the service works and nobody gets an answer in time",
		text: "Half of what was useful once is not, and what is done is too late. If the " +
			"trigger is gone, it will not end by itself: admit less."},
}

// lockstep compares for how long breakers were open that are closed again, which
// is exact: the time of breakers that are open now is as old as their last scrape.
// With jitter the times differ by a good part of one opening, however long the
// outage was. Values are subtracted, because increase() would guess at the edges.
var lockstep = strings.NewReplacer(
	"OPENED", `
  seakeep_breaker_state_seconds_total{state="open"$and}
    - seakeep_breaker_state_seconds_total{state="open"$and} offset 10m > 1
  and ignoring (state) seakeep_breaker_state{state="closed"$and} == 1
`, "OPENINGS", `
      seakeep_breaker_transitions_total{to="open"$and}
        - seakeep_breaker_transitions_total{to="open"$and} offset 10m
    `).Replace(`stddev without (instance, pod, state) (OPENED)
  < 0.05 * avg without (instance, pod, state) (OPENED)
  / avg without (instance, pod) (
    sum without (from, to, reason) (OPENINGS) > 0
  )
and
count without (instance, pod, state) (OPENED) >= 5
and
avg without (instance, pod, state) (seakeep_breaker_state{state="closed"$and}) > 0.9`)

// overload is the alert of a fallback to another dependency, which the file knows
// of: of a dependency, or of one of its operations.
func overload(from, operation, to string) failure {
	name, match := from, `dependency="`+from+`"`
	if operation != "" {
		name += "/" + operation
		match += `,operation="` + operation + `"`
	}
	return failure{alert: "SeakeepFallbackOverload", severity: "page", hold: "1m", keep: "2m",
		anchor: "fallback-overload",
		expr: strings.ReplaceAll(`sum without (instance, pod, outcome, operation) (rate(seakeep_calls_total{TO}[2m]))
  > 2 * (
    sum without (instance, pod, outcome, operation) (rate(seakeep_calls_total{TO}[5m] offset 10m))
    or 0 * sum without (instance, pod, outcome, operation) (rate(seakeep_calls_total{TO}[2m]))
  ) + 1
and on ()
sum (rate(seakeep_calls_total{`+match+`,outcome!~"success|cancelled|ignored"$and}[2m]))
  > 0.2 * sum (rate(seakeep_calls_total{`+match+`$and}[2m]))`,
			"{TO}", `{dependency="`+to+`"$and}`),
		labels:  []Pair{{"fallback_of", name}},
		summary: to + " gets the load of " + name,
		text:    "The fallback of " + name + " asks " + to + ", which has more than twice its load of ten minutes ago."}
}

// rule makes the alert, with more matchers.
func (f failure) rule(match string) Rule {
	expr := strings.ReplaceAll(f.expr, "{$match}", "{"+match+"}")
	if match == "" {
		expr = strings.ReplaceAll(expr, "{}", "")
	}
	and := ""
	if match != "" {
		and = "," + match
	}
	hold := f.hold
	if hold == "0s" {
		hold = ""
	}
	return Rule{Alert: f.alert, Expr: strings.ReplaceAll(expr, "$and", and), For: hold, Keep: f.keep,
		Labels:      append([]Pair{{"severity", f.severity}}, f.labels...),
		Annotations: []Pair{{"summary", f.summary}, {"description", f.text}, runbook(f.anchor)}}
}

// Failures returns the alerts of what still fails.
func Failures(f *config.File, opt Options) Group {
	g := Group{Name: "seakeep-failures-" + f.Service, Interval: "30s"}
	for _, one := range failures {
		g.Rules = append(g.Rules, one.rule(opt.Match))
	}
	for _, d := range f.Dependencies {
		asked := map[string]bool{}
		add := func(operation string, order []config.Answer) {
			for _, a := range order {
				if a.Dependency != "" && !asked[a.Dependency] {
					asked[a.Dependency] = operation == "" // operations have those of their dependency
					g.Rules = append(g.Rules, overload(d.Name, operation, a.Dependency).rule(opt.Match))
				}
			}
		}
		add("", d.Fallback.Order)
		for _, op := range d.Operations {
			add(op.Name, op.Fallback.Order)
		}
	}
	return g
}

// Rules returns everything that there is to say of a file.
func Rules(f *config.File, opt Options) *File {
	out := &File{Head: []string{"Rules of " + f.Service + ", made by seakeep export prometheus.",
		"What to do about each alert: docs/alerts.md."}}
	if len(f.Dependencies) > 0 || f.Serve != nil {
		out.Groups = append(out.Groups, Failures(f, opt))
	}
	out.Groups = append(out.Groups, Objectives(f, "", opt)...)
	return out
}

const matcher = `[a-zA-Z_][a-zA-Z0-9_]*(=|!=|=~|!~)"[^"\\]*"`

var matchForm = regexp.MustCompile("^" + matcher + "(," + matcher + ")*$")

// CheckMatch says what is wrong with more matchers.
func CheckMatch(match string) error {
	if match == "" {
		return nil
	}
	if _, err := promrules.Format("up{" + match + "}"); err != nil || !matchForm.MatchString(match) {
		return errors.New(`--match is ` + match + `; give matchers such as job="checkout",env="prod"`)
	}
	return nil
}
