package seakeeptest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

// Figures are what the runs of a scenario came to. Their keys are those of the
// report of seakeep sim, such as endpoints.pricing.success, services.checkout.busy
// or dependencies.checkout.pricing.attempts.
type Figures struct {
	t        testing.TB
	name     string
	scenario *config.Scenario
	summary  *study.Summary
}

// Figure is a figure over all runs with its 95 % interval: a share as a
// fraction, a time in seconds, a rate a second.
type Figure = study.Figure

// Get returns a figure. A key that there is no figure of ends the test.
func (f *Figures) Get(key string) Figure {
	f.t.Helper()
	v, err := f.summary.Get(key)
	if err != nil {
		f.t.Fatalf("%s: %v", f.name, err)
	}
	return v
}

// Keys returns the keys of all figures.
func (f *Figures) Keys() []string { return f.summary.Keys() }

// Holds reports whether a statement such as "endpoints.pricing.success > 99%"
// holds: by the mean over all runs, and with = by the interval. What is no such
// statement ends the test.
func (f *Figures) Holds(statement string) bool {
	f.t.Helper()
	return f.findings(statement)[0].Holds
}

// Want fails the test for each statement that does not hold, and tells how it
// came about. A statement that holds by less than the interval is logged: more
// runs might turn it. Without a statement Want is about those that the scenario
// has under expect.
func (f *Figures) Want(statements ...string) {
	f.t.Helper()
	var failed []string
	for _, r := range f.findings(statements...) {
		line := fmt.Sprintf("want %s, got %s", r.Expectation.Text, r.Figure.Text())
		switch {
		case !r.Holds:
			failed = append(failed, line)
		case !r.Sure:
			f.t.Logf("%s: holds, but not surely: %s", f.name, line)
		}
	}
	if len(failed) > 0 {
		f.t.Errorf("%s\n%s:\n    %s\n%s", strings.Join(failed, "\n"), "in "+f.title(),
			strings.Join(f.overview(), "\n    "), f.why())
	}
}

// findings holds statements against the figures.
func (f *Figures) findings(statements ...string) []study.Finding {
	f.t.Helper()
	var all []config.Expectation
	for _, text := range statements {
		e, err := config.ParseExpectation(text)
		if err != nil {
			f.t.Fatalf("%s: %v", f.name, err)
		}
		all = append(all, e)
	}
	if len(statements) == 0 {
		all = f.scenario.Expect
	}
	if len(all) == 0 {
		f.t.Fatalf("%s: there is nothing to want: give a statement, or have one under expect in "+
			"the scenario", f.name)
	}
	found, err := f.summary.Check(all)
	if err != nil {
		f.t.Fatalf("%s: %v", f.name, err)
	}
	return found
}

func (f *Figures) title() string {
	runs := "1 run"
	if n := f.summary.Runs; n > 1 {
		runs = fmt.Sprintf("%d runs", n)
	}
	return fmt.Sprintf("%s, %s of %v", f.name, runs, f.summary.For)
}

// String returns the figures that people ask for first, one line for each
// endpoint, service and dependency.
func (f *Figures) String() string {
	return f.title() + ":\n    " + strings.Join(f.overview(), "\n    ")
}

func (f *Figures) overview() (lines []string) {
	row := func(r *study.Row, names ...string) {
		text := r.Key + ":"
		for i, name := range names {
			if i > 0 {
				text += ","
			}
			v := r.Figure(name)
			text += " " + name + " " + v.Text()
		}
		lines = append(lines, text)
	}
	for i := range f.summary.Endpoints {
		row(&f.summary.Endpoints[i], study.Success, study.Fallback, study.P50, study.P99)
	}
	for i := range f.summary.Services {
		row(&f.summary.Services[i], study.Rate, study.Busy, study.MostBusy, study.Refused)
	}
	for i := range f.summary.Dependencies {
		row(&f.summary.Dependencies[i], study.Attempts, study.Amplification, study.Rejected,
			study.Open)
	}
	return lines
}

// mostCauses bounds how much of a story is told.
const mostCauses = 15

// why tells how the first run went: what led to what.
func (f *Figures) why() string {
	log := study.NewLog(f.scenario.For)
	r, err := sim.Run(f.scenario, sim.Options{Trace: log.Observe})
	if err != nil {
		return err.Error() // it has run before
	}
	var b strings.Builder
	causes := study.Why(f.scenario, r, log)
	b.WriteString("how it came about, in the first run:")
	for i, c := range causes {
		if i == mostCauses {
			fmt.Fprintf(&b, "\n    ... and %d more", len(causes)-i)
			break
		}
		fmt.Fprintf(&b, "\n    %8s  %s", study.At(c.At, f.scenario.For), c.Text)
	}
	return b.String()
}
