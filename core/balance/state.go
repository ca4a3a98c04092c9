package balance

import (
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// State is what others have said of an endpoint. The zero value is Up; each of
// the rest is a bit of its own, so that who takes one mark back leaves those of
// the others.
type State uint8

const (
	// Ejected: its answers are worse than those of the others.
	Ejected State = 1 << iota
	// Unhealthy: it does not pass its health check.
	Unhealthy
	// Draining: it goes. What is under way ends there, and nothing new is sent,
	// not even in panic.
	Draining
	// Gone: nothing is there any more. Only Snapshot says so.
	Gone

	// Up: nobody has said anything against it.
	Up State = 0
)

// String returns the names of the marks, or "up".
func (s State) String() string {
	if s == Up {
		return "up"
	}
	var names []string
	for i, name := range [...]string{"ejected", "unhealthy", "draining", "gone"} {
		if s>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// Choice is what a Pick may choose among.
type Choice struct {
	// Tried has a bit for each endpoint that this call has been at: they are
	// avoided while another is up.
	Tried uint64
	// Only has a bit for each endpoint that may be chosen at all. 0: any.
	Only uint64
	// Draw is a random number in [0, 1), another for each Pick.
	Draw float64
}

// Sample is how an attempt went.
type Sample struct {
	Took    time.Duration
	Outcome core.Outcome
	// Reached is whether the endpoint is known to be there: it answered, if
	// only with an error. Not reached and failed means that it is known not to
	// be; with Timeout and Cancelled nothing is known of it.
	Reached bool
	// Open means that the answer has begun and its body has not ended: the
	// attempt is in flight until Done.
	Open bool
}

// SampleOf returns what a result says of the endpoint that it is from.
func SampleOf(took time.Duration, r core.Result) Sample {
	s := Sample{Took: took, Outcome: r.Outcome, Reached: true}
	switch {
	case r.Outcome == core.Overloaded: // who refuses is there, and so is who is too busy
	case r.Cause == core.Unsent, r.Cause == core.Reset:
		s.Reached = false
		if r.Outcome == core.Timeout {
			s.Outcome = core.Failure // a connection that does not come about
		}
	case r.Outcome == core.Timeout, r.Outcome == core.Cancelled:
		s.Reached = false
	}
	return s
}

// Endpoint is one endpoint's state.
type Endpoint struct {
	Peer
	State    State
	Ramp     float64       // the share of its weight that it has now, in slow start
	InFlight int           // attempts that have not ended
	Picked   uint64        // attempts sent to it
	Latency  time.Duration // peak-sensitive mean, fading while it is idle; 0: not known
	Failing  float64       // the share of its latest answers that were failures
	Resting  bool          // it could not be reached
	Failures int           // times in a row that it could not
	Trial    time.Duration // resting: time until an attempt may be sent to it
}
