package demo

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
)

// sentence says what a breaker did and why. c is its settings.
func (t transition) sentence(c *breaker.Config) string {
	return fmt.Sprintf("%6.2fs  breaker of %s: %s to %s, because %s", t.at.Seconds(), t.policy,
		t.from, t.to, why(t.reason, c))
}

func why(r core.Reason, c *breaker.Config) string {
	switch r {
	case core.FailureRate:
		return fmt.Sprintf("%.0f%% or more of the calls of the last %s failed",
			c.Failures*100, live.Short(c.Window.Over))
	case core.SlowRate:
		return fmt.Sprintf("%.0f%% or more of the calls of the last %s took %s or longer",
			c.Slow.Share*100, live.Short(c.Window.Over), live.Short(c.Slow.Over))
	case core.OpenElapsed:
		return fmt.Sprintf("it has been open long enough to let %d calls try", c.Trials.Calls)
	case core.TrialFailed:
		return "a trial call failed or was slow"
	case core.TrialLost:
		return "a trial call never came back"
	case core.TrialsPassed:
		return fmt.Sprintf("all %d trial calls went well", c.Trials.Calls)
	}
	return "of " + r.String()
}

// standing says in a few words where a breaker is.
func standing(b breaker.Snapshot) string {
	switch {
	case b.State == breaker.Open && b.RetryAfter > 0:
		return fmt.Sprintf("open %.1fs", b.RetryAfter.Seconds())
	case b.State == breaker.Closed && b.Ramp < 1:
		return fmt.Sprintf("ramping %.0f%%", b.Ramp*100)
	}
	return b.State.String()
}

// news says what is going wrong at a moment, one line for each dependency that
// is not well, or what will go wrong next. What is ordered at the dashboard comes
// first, and instead of what was planned.
func news(plan []Slow, ordered []*Slow, at time.Duration) (lines []string) {
	var next *Slow
	isOrdered := map[string]bool{}
	for _, s := range ordered {
		isOrdered[s.Name] = true
		if s.wrong() {
			lines = append(lines, s.what()+", ordered at the wall")
		}
	}
	for i, s := range plan {
		switch {
		case isOrdered[s.Name]:
		case s.holds(at):
			lines = append(lines, fmt.Sprintf("%s, for %.1fs more", s.what(),
				(s.end()-at).Seconds()))
		case s.Start > at && (next == nil || s.Start < next.Start):
			next = &plan[i]
		}
	}
	switch {
	case len(lines) > 0:
		return lines
	case next != nil:
		return []string{fmt.Sprintf("all is well; in %.1fs %s", (next.Start - at).Seconds(),
			next.what())}
	}
	return []string{"all is well"}
}
