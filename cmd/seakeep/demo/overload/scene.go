package overload

import (
	"context"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// scene is one run of the program behind one guard. It gets a program of its
// own: what one run leaves in the queue must not reach the next.
type scene struct {
	machine  Machine
	guard    guard
	open     opener
	seed     uint64
	next     func() *guest // who comes, in order
	kinds    int           // of guests
	attempts int
	warm     time.Duration // not counted
	length   time.Duration // counted

	// begun, if set, hears that the clock runs. What it returns ends what it
	// has begun.
	begun func(*live.Clock, *app) (end func())
}

// outcome is what a scene came to.
type outcome struct {
	*ledger
	counted time.Duration // how long; less than planned if the run was ended early
	ran     time.Duration
	tried   uint64 // attempts, of the whole run
	skipped uint64
	lateMS  float64
	repeats int // earlier runs that do not count, because the machine was busy
}

// lateness returns lateMS, of nil too.
func (o *outcome) lateness() float64 {
	if o == nil {
		return 0
	}
	return o.lateMS
}

// short reports whether it was ended too early to say anything.
func (o *outcome) short() bool { return o != nil && o.counted < live.MinCounted }

// play runs the scene until its end or that of ctx.
func (s *scene) play(ctx context.Context) (*outcome, error) {
	a := newApp(seakeep.Now(), s.machine, s.seed)
	p, err := s.open(a, s.guard)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	p.warm(ctx)
	until := s.warm + s.length
	l := newLedger(s.kinds, s.warm, until)
	c := newCrowd(p, l.note)
	c.attempts = max(s.attempts, 1)
	c.clock.Start()
	if s.begun != nil {
		defer s.begun(c.clock, a)()
	}
	ran := c.run(ctx, s.next, until)
	return &outcome{ledger: l, counted: max(ran-s.warm, 0), ran: ran, tried: c.tried.Load(),
		skipped: c.Skipped(), lateMS: c.LateMS()}, nil
}

// perSecond returns a count as a rate over the time that was counted.
func (o *outcome) perSecond(n uint64) float64 {
	if o.counted <= 0 {
		return 0
	}
	return live.Round(float64(n)/o.counted.Seconds(), 1)
}
