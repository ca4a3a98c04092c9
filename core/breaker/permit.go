package breaker

import (
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// State is where a breaker is in its cycle.
type State uint8

const (
	// Closed lets calls pass and counts their results.
	Closed State = iota
	// Open refuses every call.
	Open
	// HalfOpen lets a few trial calls through and decides by them.
	HalfOpen
)

// String returns "closed", "open" or "half-open".
func (s State) String() string { return nameOf(s, "closed", "open", "half-open") }

// Mode says whether an operator holds the breaker in a state.
type Mode uint8

const (
	// Auto is the breaker's own decision. It is the zero value.
	Auto Mode = iota
	// ForceOpen refuses every call until the mode changes. No time ends it.
	ForceOpen
	// ForceClosed lets every call pass; results are counted but never open.
	ForceClosed
)

// String returns "auto", "force-open" or "force-closed".
func (m Mode) String() string { return nameOf(m, "auto", "force-open", "force-closed") }

func nameOf[T ~uint8](i T, names ...string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "invalid"
}

// Permit is the answer to one Admit. It is a small value; pass it to Report
// once, when the call has ended. The zero Permit lets nothing pass.
type Permit struct {
	epoch  uint64 // the era that gave it; 0: refused
	ticket uint32 // a trial's number; 0: not a trial
	slot   uint8  // where a trial is kept
	reason core.Reason
}

// OK reports whether the call may go ahead.
func (p Permit) OK() bool { return p.epoch != 0 }

// Reason says why the call may not go ahead: core.CircuitOpen, TrialsTaken,
// Ramping or ForcedOpen. It is core.NoReason if it may.
func (p Permit) Reason() core.Reason { return p.reason }

// Trial reports whether the call is one of those that decide a half-open
// breaker.
func (p Permit) Trial() bool { return p.ticket != 0 }

// Change is what one operation did to the breaker's state: From one state To
// another, equal when an operator changed only the mode. The zero value means
// nothing.
type Change struct {
	edge
	Reason core.Reason // why
	Late   bool        // a report came from an earlier era, or a second time, and was ignored
	Seq    uint64      // number of the era that began; rises by one with each change
}

// edge makes two fields of Change one, because Go keeps a struct of more than
// four fields in memory, which costs the hot path as much as the lock.
type edge struct{ From, To State }

// Happened reports whether the state or the mode changed.
func (c Change) Happened() bool { return c.Seq != 0 }

// Transition is one change of state, kept for those who ask later.
type Transition struct {
	At       core.Instant
	From, To State
	Reason   core.Reason
	Counts   window.Counts // what was in the window then; when leaving half-open, the trials
}
