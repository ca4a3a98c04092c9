package schema

import "github.com/seakeep/seakeep/core"

// About is what an event is about, for whoever cannot tell of all of them.
type About uint8

const (
	// OfNothing is an event of a call that goes well, as most do.
	OfNothing About = iota
	// OfCall is about a single call or request.
	OfCall
	// OfState changes a state, or says who changed one.
	OfState
)

// nothingShed is the level below which nothing is.
const nothingShed = "sheddable/0"

// AboutOf says what an event is about.
func AboutOf(e *core.Event) About {
	switch e.Kind {
	case core.CallStarted, core.AttemptStarted, core.CallQueued, core.RequestQueued, core.RequestAdmitted:
		return OfNothing
	case core.AttemptEnded, core.CallEnded, core.RequestEnded:
		if e.Outcome == core.Success || e.Outcome == core.Ignored || e.Outcome == 0 {
			return OfNothing
		}
		return OfCall
	case core.CallRejected, core.RetryScheduled, core.RetryDenied, core.FallbackAnswered,
		core.FallbackRefused, core.RequestRefused, core.HedgeDenied, core.FaultInjected, core.LateReport,
		core.LimitChanged:
		return OfCall
	case core.ShedChanged:
		if e.From != nothingShed && e.To != nothingShed {
			return OfCall // the cut moves all the time; what matters is that there is one
		}
	}
	return OfState
}
