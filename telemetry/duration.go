package telemetry

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// Duration is what one event adds to a histogram: for systems that must be told
// of each and cannot be given what was counted.
type Duration struct {
	*Definition
	Values  [3]string // of Definition.Labels, as many as there are
	Seconds float64
}

// Durations visits what an event adds to histograms, which are two at most. Their
// labels are those of Collect, the bound on policies included.
func (m *Metrics) Durations(e *core.Event, visit func(Duration)) {
	say := func(of id, took time.Duration, values [3]string) {
		visit(Duration{&definitions[of], values, max(took, 0).Seconds()})
	}
	switch e.Kind {
	case core.CallStarted, core.AttemptStarted, core.AttemptEnded, core.CallEnded:
		p := m.of(e.Policy)
		switch {
		case e.Kind == core.AttemptEnded:
			say(idAttemptDuration, e.Took, [3]string{p.dependency, p.operation, callOutcomeWord(int(e.Outcome))})
		case e.Kind == core.CallEnded:
			say(idCallDuration, e.Took, [3]string{p.dependency, p.operation,
				callOutcomeWord(int(CallOutcome(e.Reason, e.Outcome)))})
		case e.Kind == core.CallStarted && e.Left != 0:
			say(idDeadlineRemaining, e.Left, [3]string{p.dependency, p.operation, hops[0]})
		case e.Kind == core.AttemptStarted && e.Took > 0:
			say(idBulkheadWait, e.Took, [3]string{p.dependency, p.operation})
		}
	case core.RequestAdmitted:
		say(idRequestWait, e.Took, [3]string{e.Criticality.String()})
		if e.Left != 0 {
			say(idDeadlineRemaining, e.Left, [3]string{"", "", hops[1]})
		}
	case core.RequestRefused:
		if e.Left != 0 && !e.Observed && !ofKey(e) {
			say(idDeadlineRemaining, e.Left, [3]string{"", "", hops[1]})
		}
	case core.RequestEnded:
		say(idRequestDuration, e.Took, [3]string{e.Criticality.String(), requestOutcomeWord(int(e.Outcome))})
	}
}
