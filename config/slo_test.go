package config

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestPeriods(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 30 * day, "4w": 28 * day, "1w2d3h": 9*day + 3*time.Hour,
		"90m": 90 * time.Minute, "365d": longest} {
		if d, problem := parsePeriod(text); d != want || problem != "" {
			t.Errorf("%s: %v %s", text, d, problem)
		}
	}
	for _, text := range []string{"", "d", "1.5d", "30", "-1d", "1d 2h", "2h1d", "9223372036854775808d", "53w1d", "1D", "366d"} {
		if d, problem := parsePeriod(text); problem == "" {
			t.Errorf("%q is %v", text, d)
		}
	}
	for d, want := range map[time.Duration]string{30 * day: "30d", 36 * time.Hour: "36h", time.Hour: "1h"} {
		if got := showPeriod(d); got != want {
			t.Errorf("%v is shown as %s", d, got)
		}
	}
}

// An alert that cannot fire, or that fires although all is well, is told.
func TestWarningsOfObjectives(t *testing.T) {
	const head = "version: 1\nservice: s\nserve: {}\nslo:\n- {name: a, "
	for body, want := range map[string]string{
		"objective: 99.9%":             "",
		"objective: 95%":               "",
		"objective: 50%":               "number 1 can never fire",
		"objective: 50%, alerts: none": "",
		"objective: 99.9%, window: 7d": "",
		"objective: 99.9%, window: 7d, alerts: {pairs: [{share: 10%, window: 3d}]}": "burn rate of 0.2333",
	} {
		all := mustParse(t, head+body+"}\n").Warnings()
		if want == "" && len(all) > 0 {
			t.Errorf("%s: %v", body, all)
		}
		if want != "" && (len(all) == 0 || !strings.Contains(all[0].String(), want) || all[0].Line != 5) {
			t.Errorf("%s: %v", body, all)
		}
	}
}

func TestObjectiveCounts(t *testing.T) {
	all := Objective{}
	some := Objective{Paths: []string{"/checkout", "/api/*"}, Classes: []core.Criticality{core.Critical}}
	for _, tc := range []struct {
		path  string
		class core.Criticality
		want  bool
	}{
		{"/checkout", core.Critical, true}, {"/api/x", core.Critical, true}, {"/api", core.Critical, false},
		{"/checkout/2", core.Critical, false}, {"/checkout", core.Sheddable, false},
	} {
		if !all.Counts(tc.path, tc.class) || some.Counts(tc.path, tc.class) != tc.want {
			t.Errorf("%+v", tc)
		}
	}
}
