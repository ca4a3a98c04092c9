package seakeep

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/stale"
	"github.com/seakeep/seakeep/core/throttle"
	"github.com/seakeep/seakeep/core/window"
)

// The settings of the rungs, so that a program that writes its policy in Go
// needs one import. Their pages under docs/policies explain every number.
type (
	Timeout  = deadline.Config
	Retry    = retry.Config
	Backoff  = retry.Backoff
	Budget   = budget.Config
	Breaker  = breaker.Config
	Window   = window.Config
	Slow     = breaker.Slow
	Pause    = breaker.Pause
	Trials   = breaker.Trials
	Bulkhead = bulkhead.Config
	Throttle = throttle.Config
	Hedge    = hedge.Config
	Cache    = stale.Config
)

// Config is a policy written in Go. A nil rung is off.
type Config struct {
	Name     string
	Timeout  Timeout
	Retry    *Retry
	Budget   *Budget // nil with Retry set: a tenth of all calls, and three a second
	Breaker  *Breaker
	Bulkhead *Bulkhead
	Throttle *Throttle
	Hedge    *Hedge // for Do its Same must be set: a function has no endpoints
	Fallback *Fallback
	More     *More // what few policies need
}

// More holds the settings of a Config that few policies need.
type More struct {
	// Classify turns an error into what policies decide by. A zero Outcome
	// leaves it to the package's Classify.
	Classify func(error) core.Result
	// Observer receives every decision.
	Observer core.Observer
	// Tracer, if set, follows every call.
	Tracer Tracer
	// Observe names rungs that only watch: they decide and report, and the
	// call passes.
	Observe call.Rungs
	// Keys above zero keeps one breaker per Call.Key, at most this many.
	Keys int
	// Unbudgeted switches the default retry budget off.
	Unbudgeted bool
	// Draw is where the random numbers of calls come from, in [0, 1): for the
	// jitter of waits, for the throttle and for faults. It is used by many
	// goroutines. Nil is math/rand/v2; a test that must repeat itself gives its
	// own.
	Draw func() float64
	// Faults is what may be hurt on purpose; see Policy.Faults. Nil is nothing.
	Faults *fault.Config
}

// Policy protects calls to one dependency. It is safe for use by many
// goroutines and for calls of any result type. It outlives reloads of the file
// it came from: whoever holds it always calls by the newest settings.
type Policy struct {
	name  string
	state atomic.Pointer[state]
}

// state is a policy's settings and running parts at one moment. A call reads
// it once, so that it never sees half of a reload.
type state struct {
	name       string
	plan       *call.Plan
	classify   func(error) core.Result
	tracer     Tracer // nil: nobody follows calls
	fallback   *fallbacks
	draw       func() float64
	faults     *Faults       // nil: nothing may be hurt
	operation  string        // the policy's name below its dependency's
	promised   func(Measure) // hears how calls ended; nil: no objective is about them
	rejections [reasonSlots]atomic.Pointer[Rejection]
}

// New makes a policy from a literal. The error lists every setting that cannot
// work.
func New(c Config) (*Policy, error) {
	p := &Policy{name: c.Name}
	s, err := newState(nil, c)
	if err != nil {
		return nil, fmt.Errorf("seakeep: policy %q: %w", c.Name, err)
	}
	if c.More != nil && c.More.Faults != nil {
		if s.faults, err = newFaults(*c.More.Faults, c.More.Draw, c.More.Observer); err != nil {
			return nil, fmt.Errorf("seakeep: policy %q: Faults: %w", c.Name, err)
		}
	}
	p.state.Store(s)
	return p, nil
}

// newState compiles c as what follows old, whose unchanged parts keep their
// state; a nil old starts from nothing.
func newState(old *state, c Config) (*state, error) {
	more := More{}
	if c.More != nil {
		more = *c.More
	}
	cc := call.Config{Name: c.Name, Timeout: c.Timeout, Retry: c.Retry, Budget: c.Budget,
		Breaker: c.Breaker, Keys: more.Keys, Bulkhead: c.Bulkhead, Throttle: c.Throttle,
		Hedge: c.Hedge, Observe: more.Observe}
	if cc.Retry != nil && cc.Budget == nil && !more.Unbudgeted {
		b := budget.Default()
		cc.Budget = &b
	}
	var plan *call.Plan
	var oldFallback *fallbacks
	if old != nil {
		plan, oldFallback = old.plan, old.fallback
	}
	plan, err := plan.Next(cc, rand.Uint64(), more.Observer)
	fb, fbErr := newFallbacks(oldFallback, c.Fallback)
	if err = errors.Join(err, fbErr); err != nil {
		return nil, err
	}
	s := &state{name: c.Name, plan: plan, classify: more.Classify, fallback: fb, draw: more.Draw,
		tracer: more.Tracer}
	if s.draw == nil {
		s.draw = rand.Float64
	}
	return s, nil
}

// use makes s the policy's state and adjusts the parts that outlive a reload.
func (p *Policy) use(s *state) {
	p.state.Store(s)
	now := Now()
	s.plan.Adopt(now)
	s.fallback.adopt(now)
}

// Name returns the policy's name, as in the policy file.
func (p *Policy) Name() string { return p.name }

// Plan returns the compiled policy in use, for reading its state or forcing
// its breaker. It changes with a reload.
func (p *Policy) Plan() *call.Plan { return p.state.Load().plan }

// Faults returns what hurts calls on purpose, for orders; nil: nothing may. The
// operations of a dependency share it.
func (p *Policy) Faults() *Faults { return p.state.Load().faults }

// Snapshot reads the state of every rung.
func (p *Policy) Snapshot() Snapshot {
	s := p.state.Load()
	now := Now()
	return Snapshot{Snapshot: s.plan.Snapshot(now), At: now, Fallback: s.fallback.snapshot(now)}
}

// Snapshot is a policy's state at one moment.
type Snapshot struct {
	call.Snapshot
	At       core.Instant
	Fallback *FallbackSnapshot // nil: no fallback
}

// result classifies an error by the policy's own word, or the package's.
func (s *state) result(err error) core.Result {
	if s.classify != nil {
		if r := s.classify(err); r.Outcome != 0 {
			return r
		}
	}
	return Classify(err)
}
