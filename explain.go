package seakeep

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/throttle"
)

// Explain says in a few sentences why a call was refused: which rung, with
// which numbers, what was tried, and when to come back. The numbers are those
// of the moment it is asked. For an error that is no Rejection it returns the
// error's own text.
func Explain(err error) string {
	var r *Rejection
	if !errors.As(err, &r) {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	var b strings.Builder
	if r.door != nil {
		fmt.Fprintf(&b, "%s refused the request: %s.", r.Policy, r.Reason)
		if why := doorBecause(r.door, r.Reason); why != "" {
			b.WriteString(" " + why)
		}
		comeBack(&b, r.RetryAfter)
		return b.String()
	}
	fmt.Fprintf(&b, "%s refused the call: %s.", r.Policy, r.Reason)
	if r.plan != nil {
		if why := because(r.plan, r.key, r.Reason); why != "" {
			b.WriteString(" " + why)
		}
	}
	if r.Last == nil {
		b.WriteString(" Nothing was sent.")
	} else {
		fmt.Fprintf(&b, " The attempt before failed: %v.", r.Last)
	}
	comeBack(&b, r.RetryAfter)
	return b.String()
}

func comeBack(b *strings.Builder, after time.Duration) {
	if after > 0 {
		fmt.Fprintf(b, " Come back in %v.", after.Round(time.Millisecond))
	}
}

// doorBecause gives the numbers behind a door's reason.
func doorBecause(d *serve.Door, r core.Reason) string {
	s := d.Snapshot(Now())
	switch r {
	case core.Shed:
		return fmt.Sprintf("Requests waited %v in the mean, so of %v those of the cohorts from %d "+
			"up are let in, and what is above: %.0f %% of all.", s.Shed.Wait.Round(time.Microsecond),
			s.Shed.Cut.Class(), s.Shed.Cut.Cohort(), 100*s.Shed.Share)
	case core.AdmissionReduced:
		return fmt.Sprintf("%.0f %% of the demand is let in for now.", 100*s.Shed.Reduced)
	case core.TenantLimit:
		if t := d.Config().Tenants; t != nil {
			return fmt.Sprintf("One tenant may have %d slots.", t.Slots)
		}
	case core.BulkheadFull, core.QueueTimeout, core.QueueDelay, core.Evicted:
		if b := s.Slots; b != nil {
			return fmt.Sprintf("%d of %d slots are taken and %d of %d places in the queue.",
				b.InUse, b.Limit, b.Queued, b.Queue)
		}
	case core.DeadlineTooShort:
		return fmt.Sprintf("Less time was left than the %v it needs.", d.Config().Timeout.Needs)
	case core.DeadlineExceeded:
		return "The time for the answer was up."
	}
	return ""
}

// because gives the numbers behind a reason.
func because(p *call.Plan, key string, r core.Reason) string {
	now := Now()
	s, cfg := p.Why(now, key, r), p.Config()
	switch r {
	case core.CircuitOpen, core.TrialsTaken, core.Ramping, core.ForcedOpen:
		if s.Breaker != nil {
			return breakerBecause(now, s.Breaker, cfg.Breaker)
		}
	case core.BulkheadFull, core.QueueTimeout:
		if b := s.Bulkhead; b != nil {
			return fmt.Sprintf("%d of %d slots are taken and %d of %d places in the queue.",
				b.InUse, b.Limit, b.Queued, b.Queue)
		}
	case core.BudgetExhausted:
		if b := s.Budget; b != nil {
			return fmt.Sprintf("The retry budget grants %d more; it has granted %d of %d.",
				b.Available, b.Withdrawn, b.Withdrawn+b.Denied)
		}
	case core.Throttled:
		if s.Throttle != nil {
			return throttleBecause(s.Throttle)
		}
	case core.DeadlineTooShort, core.WaitTooLong:
		if n := cfg.Timeout.Needs; n > 0 {
			return fmt.Sprintf("Less time was left than the %v it needs.", n)
		}
		return "The wait would have passed the deadline."
	case core.DeadlineExceeded:
		return "The time for the call was up."
	}
	return ""
}

// throttleBecause tells which classes are held back, and why.
func throttleBecause(s *throttle.Snapshot) string {
	var parts []string
	for i, c := range s.Classes {
		if c.Refusal > 0 {
			parts = append(parts, fmt.Sprintf("Of its last %d %v requests it accepted %d; "+
				"%.0f %% are refused here without asking it.", c.Requests, core.CriticalityAt(i),
				c.Accepts, 100*c.Refusal))
		}
	}
	return strings.Join(parts, " ")
}

// breakerBecause tells the last change of a breaker and its numbers.
func breakerBecause(now core.Instant, s *breaker.Snapshot, cfg *breaker.Config) string {
	if len(s.History) == 0 {
		return ""
	}
	opened := s.History[len(s.History)-1]
	for _, t := range s.History {
		if t.To == breaker.Open {
			opened = t
		}
	}
	ago := now.Sub(opened.At).Round(time.Millisecond)
	c := opened.Counts
	switch opened.Reason {
	case core.FailureRate:
		return fmt.Sprintf("Its breaker opened %v ago: %d of %d calls had failed (limit %.0f %%).",
			ago, c.Failed, c.Calls, 100*cfg.Failures)
	case core.SlowRate:
		return fmt.Sprintf(
			"Its breaker opened %v ago: %d of %d calls took %v or longer (limit %.0f %%).", ago,
			c.Slow, c.Calls, cfg.Slow.Over, 100*cfg.Slow.Share)
	case core.Consecutive:
		return fmt.Sprintf("Its breaker opened %v ago: %d calls in a row had failed.",
			ago, cfg.Window.Consecutive)
	}
	return fmt.Sprintf("Its breaker opened %v ago (%s).", ago, opened.Reason)
}
