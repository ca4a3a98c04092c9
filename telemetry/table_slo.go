package telemetry

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// labelSLO is the name of an objective, of the policy file.
const labelSLO = "slo"

// sloMetrics are about what users were promised. The two counters are there from
// the start, so that a service without an error has a ratio of 0 and not none.
var sloMetrics = map[id]Definition{
	idObjectiveEvents: counter(partSLO, "seakeep_slo_events_total", "seakeep.slo.events", "{event}",
		[]string{labelSLO}, "Events that an objective is about, good and bad."),
	idObjectiveBad: counter(partSLO, "seakeep_slo_bad_events_total", "seakeep.slo.bad_events", "{event}",
		[]string{labelSLO}, "Of those the bad ones: failed, too slow or too old."),
	idObjectiveGoal: gauge(partSLO, "seakeep_slo_objective_ratio", "seakeep.slo.objective", "1",
		[]string{labelSLO}, "The share of events that must be good."),
	idBudgetLeft: gauge(partSLO, "seakeep_slo_budget_left_ratio", "seakeep.slo.budget_left", "1",
		[]string{labelSLO},
		"What this process has left of the error budget, by the events that were; below 0: overspent."),
	idBudgetOfPeriod: gauge(partSLO, "seakeep_slo_budget_left_of_period_ratio",
		"seakeep.slo.budget_left_of_period", "1", []string{labelSLO},
		"The same by the events that the whole period will have had, which its policy goes by."),
	idBurnRate: gauge(partSLO, "seakeep_slo_burn_rate", "seakeep.slo.burn_rate", "{time}",
		[]string{labelSLO, "window"},
		"How many times too fast the budget burns over a window; 1 spends it in one period."),
	idBurning: gauge(partSLO, "seakeep_slo_burning", "seakeep.slo.burning", "", []string{labelSLO, "window"},
		"1 while the alert of this long window fires, else 0."),
	idBudgetSteps: gauge(partSLO, "seakeep_slo_policy_steps", "seakeep.slo.policy_steps", "{step}",
		[]string{labelSLO}, "Steps of the budget's policy that are taken."),
	idObjectiveChanges: counter(partSLO, "seakeep_slo_changes_total", "seakeep.slo.changes", "{change}",
		[]string{labelKind, "direction"},
		"Alerts of all objectives that began to fire (burn, up) or ended, and steps taken (budget, up) or given back."),
}

var sloKinds = []string{"burn", "budget"}

// fromTo is the direction of a change between two words: up is to this one.
func fromTo(e *core.Event, up string) int {
	if e.To == up {
		return 0
	}
	return 1
}

// objective writes what is known of one.
func (c collection) objective(o *ObjectiveState) {
	c.value(idObjectiveEvents, float64(o.Events), o.Name)
	c.value(idObjectiveBad, float64(o.Bad), o.Name)
	c.value(idObjectiveGoal, o.Config.Objective, o.Name)
	c.value(idBudgetLeft, o.Left, o.Name)
	c.value(idBudgetOfPeriod, o.LeftOfPeriod, o.Name)
	told := map[string]bool{}
	for _, b := range o.Burns {
		for _, w := range []struct {
			length time.Duration
			burn   float64
		}{{b.Pair.Long, b.Long}, {b.Pair.Short, b.Short}} {
			if name := windowName(w.length); !told[name] {
				told[name] = true
				c.value(idBurnRate, w.burn, o.Name, name)
			}
		}
		if name := windowName(b.Pair.Long); !told["alert "+name] {
			told["alert "+name] = true
			c.yes(idBurning, b.Firing, o.Name, name)
		}
	}
	c.value(idBudgetSteps, float64(o.Taken), o.Name)
}

// windowName writes a window as rules do: 5m, 1h, 3d.
func windowName(d time.Duration) string {
	const day = 24 * time.Hour
	if d >= day && d%day == 0 {
		return strings.TrimSuffix((d/24).String(), "h0m0s") + "d"
	}
	name := d.String()
	for _, zeros := range []string{"m0s", "h0m"} { // 30m0s is 30m, and that is not 3
		if strings.HasSuffix(name, zeros) {
			name = name[:len(name)-2]
		}
	}
	return name
}
