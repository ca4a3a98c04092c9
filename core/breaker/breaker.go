package breaker

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

// soon is what RetryAfter says when the next chance depends on other calls:
// one second, the shortest wait that HTTP can express.
const soon = time.Second

// shut is the value of the gate when it decides nothing: every now is past it.
const shut = math.MinInt64

// Breaker is a circuit breaker for one dependency. It must be made by New and
// is safe for concurrent use.
type Breaker struct {
	// pass is the era if every call passes, else 0. gate is the instant before
	// which every call is refused; core.Never if an operator wants it so.
	pass atomic.Uint64
	gate atomic.Int64

	mu   sync.Mutex
	last core.Instant // the latest now
	m    machine
}

// New returns a closed breaker. The seed decides the jitter of its open times.
func New(c Config, seed uint64) (*Breaker, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := new(Breaker)
	b.init(c, seed)
	return b, nil
}

func (b *Breaker) init(c Config, seed uint64) {
	b.last = math.MinInt64
	b.m.init(c, seed)
	b.publish()
}

// Admit asks whether a call may start. If the permit is OK, Report must follow
// when the call has ended, however it ended. Change says whether this made the
// breaker half-open, or open because a trial was lost.
func (b *Breaker) Admit(now core.Instant) (Permit, Change) {
	if era := b.pass.Load(); era != 0 {
		return Permit{epoch: era}, Change{}
	}
	if until := core.Instant(b.gate.Load()); now < until {
		if until == core.Never {
			return Permit{reason: core.ForcedOpen}, Change{}
		}
		return Permit{reason: core.CircuitOpen}, Change{}
	}
	b.mu.Lock()
	p, ch := b.m.admit(b.clamp(now))
	b.publish()
	b.mu.Unlock()
	return p, ch
}

// Report says how a call ended that Admit let pass, and how long it took; a
// negative time counts as none. A permit that was refused may be reported too,
// which does nothing: whoever only observes has one path for both. An outcome
// that is none panics.
func (b *Breaker) Report(now core.Instant, p Permit, o core.Outcome, took time.Duration) Change {
	if o < core.Success || o > core.Ignored {
		panic("breaker: Report of an outcome that is none: " + o.String())
	}
	if p.epoch == 0 {
		return Change{}
	}
	b.mu.Lock()
	ch := b.m.report(b.clamp(now), p, o, took)
	if b.m.state != Closed || ch.Happened() {
		b.publish()
	}
	b.mu.Unlock()
	return ch
}

// Force puts the breaker into a mode, or with Auto gives it back its own
// decision: from ForceOpen it goes on half-open, from ForceClosed closed.
func (b *Breaker) Force(now core.Instant, to Mode) Change {
	if to > ForceClosed {
		panic("breaker: Force to a mode that is none")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := b.m.force(b.clamp(now), to)
	b.publish()
	return ch
}

// Reset makes the breaker as new: closed, no mode forced, nothing counted, no
// growth of the open time. Calls under way report late.
func (b *Breaker) Reset(now core.Instant) Change {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := b.m.reset(b.clamp(now))
	b.publish()
	return ch
}

// RetryAfter returns how long to wait until a call may pass. It is exact while
// the breaker is open. Where the next chance depends on other calls, with all
// trials taken or during the ramp, it is at most one second. It is zero if a
// call may pass now, and if an operator holds the breaker open, because then
// nobody knows.
func (b *Breaker) RetryAfter(now core.Instant) time.Duration {
	if until := core.Instant(b.gate.Load()); now < until && until != core.Never {
		return until.Sub(now)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.m.retryAfter(max(now, b.last))
}

// idle reports whether the breaker was silent for rest and may be forgotten.
func (b *Breaker) idle(now core.Instant, rest time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Sub(b.last) >= rest && b.m.idle(now)
}

// clamp keeps the machine from seeing time go back.
func (b *Breaker) clamp(now core.Instant) core.Instant {
	b.last = max(b.last, now)
	return b.last
}

// publish writes what Admit may answer without the lock. The gate is opened as
// soon as the latest now has passed it, because an older now is then clamped.
func (b *Breaker) publish() {
	era, until := uint64(0), int64(shut)
	switch {
	case b.m.mode == ForceOpen:
		until = int64(core.Never)
	case b.m.state == Open && b.last < b.m.until:
		until = int64(b.m.until)
	case b.m.free(b.last):
		era = b.m.epoch
	}
	b.pass.Store(era)
	b.gate.Store(until)
}
