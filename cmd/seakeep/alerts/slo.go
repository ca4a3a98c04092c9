package alerts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/slo"
)

// The series of objectives, as a program offers them. Both are there from the
// start: a service without an error has a ratio of 0, and not none.
const (
	EventsMetric = "seakeep_slo_events_total"
	BadMetric    = "seakeep_slo_bad_events_total"
)

// Options say what the rules are to look like.
type Options struct {
	Match      string // more matchers for every series, such as job="checkout"
	SlothNames bool   // also record what Sloth would, under its names
}

// Series of recording rules. Their names say at which level, what and how; the
// window is at the end.
const (
	eventsRecord = "slo:seakeep_slo_events:increase"
	badRecord    = "slo:seakeep_slo_bad_events:increase"
	ratioRecord  = "slo:seakeep_slo_bad_per_events:ratio_increase"
	leftRecord   = "slo:seakeep_slo_budget_left:ratio"
	goalRecord   = "slo:seakeep_slo_objective:ratio"
)

// objective is one of a file's while its rules are made.
type objective struct {
	Options
	service string
	*config.Objective
}

func (o objective) labels(more ...Pair) []Pair {
	return append([]Pair{{"service", o.service}, {"slo", o.Name}}, more...)
}

// of is a series of this objective.
func (o objective) of(name string) string {
	match := `slo="` + o.Name + `"`
	if o.Match != "" {
		match += "," + o.Match
	}
	return name + "{" + match + "}"
}

// made is a series that a rule here has made.
func (o objective) made(name string) string {
	return name + `{service="` + o.service + `",slo="` + o.Name + `"}`
}

// Window writes a time as PromQL has it.
func Window(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d%day == 0:
		return strconv.Itoa(int(d/day)) + "d"
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return strconv.Itoa(int(math.Ceil(d.Seconds()))) + "s"
}

// number writes a number as short as it goes; an expression must not have 1e-05.
func number(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// groups returns the rules of one objective.
func (o objective) groups() []Group {
	base := "seakeep-slo-" + o.service + "-" + o.Name
	counts := Group{Name: base + "-counts", Interval: "30s"}
	for _, w := range o.windows() {
		counts.Rules = append(counts.Rules, o.count(w)...)
	}
	period := Group{Name: base + "-period", Interval: "5m", Rules: o.period()}
	groups := []Group{counts, period}
	if o.SlothNames {
		groups = append(groups, o.sloth(base))
	}
	alerts := Group{Name: base + "-alerts", Interval: "30s"}
	for _, p := range o.Alerts {
		alerts.Rules = append(alerts.Rules, o.burn(p))
	}
	if len(o.Alerts) > 0 {
		alerts.Rules = append(alerts.Rules, o.absent(), o.impossible())
		groups = append(groups, alerts)
	}
	return groups
}

// windows are those of the alerts and the five minutes of the period, the
// shortest first.
func (o objective) windows() (all []time.Duration) {
	seen := map[time.Duration]bool{}
	add := func(d time.Duration) {
		if !seen[d] {
			seen[d] = true
			at := len(all)
			for at > 0 && all[at-1] > d {
				at--
			}
			all = append(all[:at], append([]time.Duration{d}, all[at:]...)...)
		}
	}
	add(5 * time.Minute)
	if o.SlothNames {
		for _, d := range slothWindows {
			add(d)
		}
	}
	for _, p := range o.Alerts {
		add(p.Short)
		add(p.Long)
	}
	return all
}

// count records what happened in a window, and which share of it was bad. Without
// events there is no share.
func (o objective) count(d time.Duration) []Rule {
	w := Window(d)
	sum := func(metric string) string {
		return "sum without (instance, pod) (increase(" + o.of(metric) + "[" + w + "]))"
	}
	return []Rule{
		{Record: eventsRecord + w, Expr: sum(EventsMetric), Labels: o.labels()},
		{Record: badRecord + w, Expr: sum(BadMetric), Labels: o.labels()},
		{Record: ratioRecord + w, Expr: o.made(badRecord+w) + " / (" + o.made(eventsRecord+w) + " > 0)",
			Labels: o.labels()},
	}
}

// period sums up the counts of five minutes, one after another.
func (o objective) period() []Rule {
	w := Window(o.Window.Length())
	sum := func(record string) string {
		return "sum_over_time(" + o.made(record+"5m") + "[" + w + ":5m])"
	}
	budget := number(o.Budget())
	return []Rule{
		{Record: goalRecord, Expr: "vector(" + number(o.Config.Objective) + ")", Labels: o.labels()},
		{Record: eventsRecord + w, Expr: sum(eventsRecord), Labels: o.labels()},
		{Record: badRecord + w, Expr: sum(badRecord), Labels: o.labels()},
		{Record: ratioRecord + w, Expr: o.made(badRecord+w) + " / (" + o.made(eventsRecord+w) + " > 0)",
			Labels: o.labels()},
		{Record: leftRecord, Expr: "1 - " + o.made(ratioRecord+w) + " / " + budget, Labels: o.labels()},
	}
}

// burn is the alert of a pair of windows.
func (o objective) burn(p slo.Pair) Rule {
	long, short := Window(p.Long), Window(p.Short)
	limit := number(o.Factor(p)) + " * " + number(o.Budget())
	severity := "ticket"
	if p.Page {
		severity = "page"
	}
	expr := strings.Join([]string{
		o.made(ratioRecord+long) + " > " + limit,
		"and " + o.made(ratioRecord+short) + " > " + limit,
		"and " + o.made(eventsRecord+long) + " >= " + strconv.FormatUint(o.Guard.Events, 10),
		"and " + o.made(badRecord+long) + " >= " + strconv.FormatUint(o.Guard.Bad, 10),
	}, "\n")
	labels := o.labels(Pair{"severity", severity}, Pair{"window", long})
	if o.SlothNames {
		labels = append(labels, o.slothLabels(Pair{"sloth_severity", severity})...)
	}
	return Rule{Alert: "SeakeepErrorBudgetBurn", Expr: expr,
		Labels: labels,
		Annotations: []Pair{
			{"summary", fmt.Sprintf("%s burns its error budget %.3g times too fast", o.Name, o.Factor(p))},
			{"description", fmt.Sprintf("%.3g %% of the budget of %s were spent in %s, and it goes on: "+
				"{{ $value | humanizePercentage }} of the events were bad, %s %% may be.",
				100*p.Share, Window(o.Window.Length()), long, number(100*o.Budget()))},
			runbook("error-budget-burn")}}
}

// absent fires when the counters are gone for as long as it would take the
// fastest alert if nothing worked.
func (o objective) absent() Rule {
	fastest := time.Duration(math.MaxInt64)
	for _, p := range o.Alerts {
		at := time.Duration(float64(p.Long) * o.Factor(p) * o.Budget())
		fastest = min(fastest, at)
	}
	fastest = max(fastest.Truncate(time.Minute)+time.Minute, 2*time.Minute)
	return Rule{Alert: "SeakeepObjectiveAbsent", For: Window(fastest),
		Expr:   "absent(" + o.of(EventsMetric) + ")",
		Labels: o.labels(Pair{"severity", "page"}),
		Annotations: []Pair{{"summary", "nothing counts the events of " + o.Name},
			{"description", "The counters are gone, and a budget that nobody counts looks full."},
			runbook("objective-absent")}}
}

// impossible fires when more was bad than there was.
func (o objective) impossible() Rule {
	return Rule{Alert: "SeakeepObjectiveImpossible", For: "5m",
		Expr:   o.made(badRecord+"5m") + " > 1.01 * " + o.made(eventsRecord+"5m"),
		Labels: o.labels(Pair{"severity", "ticket"}),
		Annotations: []Pair{{"summary", "more events of " + o.Name + " were bad than there were"},
			{"description", "The two counters do not belong together: different targets, or a filter on one of them."},
			runbook("objective-impossible")}}
}

func runbook(anchor string) Pair {
	return Pair{"runbook_url", "https://github.com/seakeep/seakeep/blob/main/docs/alerts.md#" + anchor}
}

// Objectives returns the rules of the objectives of a file; of one, if a name is
// given.
func Objectives(f *config.File, name string, opt Options) (groups []Group) {
	if f.SLO == nil {
		return nil
	}
	for i := range f.SLO.Objectives {
		if o := (objective{opt, f.Service, &f.SLO.Objectives[i]}); name == "" || name == o.Name {
			groups = append(groups, o.groups()...)
		}
	}
	return groups
}
