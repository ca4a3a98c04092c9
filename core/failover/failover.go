package failover

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// Failover decides which of two providers a call goes to. It is safe for use by
// many goroutines. Make one with New.
//
// Each call does Admit once, goes where the permit says, and if that is the first
// provider does Report when it has ended, however it ended.
type Failover struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a failover that follows c, with calls going to the first.
func New(c Config) (*Failover, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Failover{last: longAgo, m: newMachine(c)}, nil
}

// Permit is where one call goes. The zero Permit is none.
type Permit struct {
	epoch  uint32
	second bool
}

// Second reports whether the call goes to the second provider.
func (p Permit) Second() bool { return p.second }

// Change is a change of state. If nothing changed it is zero.
type Change struct {
	From, To State
	Reason   core.Reason
	Seq      uint64 // rises by one with each change, from 1
}

// Happened reports whether the state changed.
func (c Change) Happened() bool { return c.Seq != 0 }

// Admit says where a call goes. A call that stays goes to the first provider
// whatever the state is. The draw is a random number in [0, 1), another for each
// call: on the way back it decides.
func (f *Failover) Admit(now core.Instant, stays bool, draw float64) (Permit, Change) {
	f.mu.Lock()
	p, ch := f.m.admit(f.clamp(now), stays, draw)
	f.mu.Unlock()
	return p, ch
}

// Report says how a call ended. That of the second provider changes nothing. A call
// that was refused before it was sent failed if the refusal says something about
// the provider, as an open breaker does; if not, it is Cancelled.
func (f *Failover) Report(now core.Instant, p Permit, o core.Outcome) Change {
	f.mu.Lock()
	ch := f.m.report(f.clamp(now), p, o)
	f.mu.Unlock()
	return ch
}

// Reconfigure changes the numbers while the failover is in use. Calls stay
// where they go now. It changes nothing if c is not valid.
func (f *Failover) Reconfigure(c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	f.mu.Lock()
	f.m.reconfigure(c)
	f.mu.Unlock()
	return nil
}

// Snapshot is a failover at one moment.
type Snapshot struct {
	State    State
	Share    float64       // of calls that go to the first provider now
	Calls    window.Counts // First: in the window. Returning: in this step
	Wait     time.Duration // Second: until the way back begins; Returning: of the step
	Returns  int           // ways back that failed since the first provider was left
	ToFirst  uint64        // calls, since the start
	ToSecond uint64
}

// Snapshot returns the failover as it is at now. It changes nothing: a wait that
// is over ends when the next call comes.
func (f *Failover) Snapshot(now core.Instant) Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	now = f.clamp(now)
	m := &f.m
	s := Snapshot{State: m.state, Returns: m.fails, ToFirst: m.sent[0], ToSecond: m.sent[1]}
	switch m.state {
	case First:
		s.Share, s.Calls = 1, m.calls.Counts(now)
	case Second:
		s.Wait = max(0, m.until.Sub(now))
	case Returning:
		s.Share, s.Wait = m.share, max(0, m.until.Sub(now))
		s.Calls = window.Counts{Calls: uint64(m.judged), Failed: uint64(m.failed)}
	}
	return s
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (f *Failover) clamp(now core.Instant) core.Instant {
	f.last = max(f.last, now)
	return f.last
}

// Blames reports whether a refusal of a call by one of the policies before the
// first provider says that the provider does not work. Others are about the
// caller's time, or about our own slots.
func Blames(r core.Reason) bool {
	switch r {
	case core.CircuitOpen, core.TrialsTaken, core.Ramping, core.ForcedOpen, core.Throttled:
		return true
	}
	return false
}
