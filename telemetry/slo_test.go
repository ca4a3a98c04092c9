package telemetry

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
)

func TestWindowName(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{5 * time.Minute: "5m", 30 * time.Minute: "30m", time.Hour: "1h",
		90 * time.Minute: "1h30m", 10 * time.Hour: "10h", day: "1d", 30 * day: "30d", 36 * time.Hour: "36h",
		5 * time.Second: "5s", 100 * time.Second: "1m40s"} {
		if got := windowName(d); got != want {
			t.Errorf("%v is %s", d, got)
		}
	}
}

// sloSource has one objective.
type sloSource struct{ s *slo.SLO }

func (o sloSource) ReadState(to *State) {
	to.Objectives = append(to.Objectives, ObjectiveState{Name: "checkout", Events: 7, Bad: 2,
		Snapshot: o.s.Snapshot(core.Instant(time.Hour))})
}

func TestObjective(t *testing.T) {
	s, err := slo.New(0, slo.Config{Objective: 0.5, Alerts: slo.Window{}.Pairs()})
	if err != nil {
		t.Fatal(err)
	}
	s.Add(core.Instant(time.Hour), slo.Counts{Bad: 1, Total: 4})
	m := New(Options{})
	m.Watch(sloSource{s})
	m.Observe(core.Event{Kind: core.BurnChanged, Key: "checkout", From: "quiet", To: "burning"})
	m.Observe(core.Event{Kind: core.BudgetChanged, Key: "checkout", From: "2", To: "1"})
	const l = `{slo="checkout"`
	expect(t, m,
		`seakeep_slo_events_total`+l+`} 7`,
		`seakeep_slo_bad_events_total`+l+`} 2`,
		`seakeep_slo_objective_ratio`+l+`} 0.5`,
		`seakeep_slo_budget_left_ratio`+l+`} 0.5`,
		`seakeep_slo_burn_rate`+l+`,window="30m"} 0.5`,
		`seakeep_slo_burn_rate`+l+`,window="3d"} 0.5`,
		`seakeep_slo_changes_total{kind="burn",direction="up"} 1`,
		`seakeep_slo_changes_total{kind="budget",direction="down"} 1`)
}
