package call

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/throttle"
)

// Plan is a compiled policy. It is safe for use by many goroutines: each
// policy in it locks inside itself. Its rungs are fixed; a changed policy file
// makes a new Plan that takes over what did not change (Next).
type Plan struct {
	cfg      Config
	observer core.Observer
	budget   *budget.Budget
	breaker  *breaker.Breaker // of the dependency; also of a call without a key
	keyed    *breaker.Keyed   // nil unless Config.Keys is set
	bulkhead *bulkhead.Bulkhead
	throttle *throttle.Throttle
	hedge    *hedge.Hedge
	stats    *Stats
	shared   Rungs  // rungs that belong to the plan this one is a part of
	whole    string // the name of that plan
}

// New compiles a policy. The seed feeds the breakers' jitter; the same seed
// gives the same jitter. The observer may be nil. The error lists every bad
// setting.
func New(cfg Config, seed uint64, o core.Observer) (*Plan, error) {
	return (*Plan)(nil).Next(cfg, seed, o)
}

// Next compiles the policy that follows p in a live reload: every rung whose
// settings are the same keeps its state, a bulkhead, budget, throttle or hedge
// with new settings is adjusted in place, a breaker with new settings starts
// afresh.
// A nil p compiles from nothing. An error leaves p untouched.
func (p *Plan) Next(cfg Config, seed uint64, o core.Observer) (*Plan, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	next := &Plan{cfg: cfg, observer: o, stats: newStats()}
	var old Plan
	if p != nil {
		old = *p
		next.stats = p.stats
		old.disown()
	}
	if err := next.breakers(old, seed); err != nil {
		return nil, err
	}
	if err := next.slots(old); err != nil {
		return nil, err
	}
	if err := next.throttles(old); err != nil {
		return nil, err
	}
	if err := next.hedges(old); err != nil {
		return nil, err
	}
	return next, next.retries(old)
}

func (p *Plan) breakers(old Plan, seed uint64) (err error) {
	cfg := p.cfg.Breaker
	if cfg == nil {
		return nil
	}
	same := old.breaker != nil && *old.cfg.Breaker == *cfg
	if p.breaker = old.breaker; !same {
		if p.breaker, err = breaker.New(*cfg, seed); err != nil {
			return err
		}
	}
	if p.cfg.Keys == 0 {
		return nil
	}
	if p.keyed = old.keyed; !same || p.keyed == nil || p.cfg.Keys != old.cfg.Keys {
		p.keyed, err = breaker.NewKeyed(*cfg, p.cfg.Keys, seed)
	}
	return err
}

func (p *Plan) slots(old Plan) (err error) {
	cfg := p.cfg.Bulkhead
	if cfg == nil {
		return nil
	}
	if p.bulkhead = old.bulkhead; p.bulkhead == nil {
		p.bulkhead, err = bulkhead.New(*cfg)
	}
	return err
}

func (p *Plan) retries(old Plan) (err error) {
	cfg := p.cfg.Budget
	if cfg == nil {
		return nil
	}
	if p.budget = old.budget; p.budget == nil {
		p.budget, err = budget.New(*cfg)
	}
	return err
}

// disown forgets the parts that belong to another plan.
func (p *Plan) disown() {
	if p.shared.Has(RungBreaker) {
		p.breaker, p.keyed = nil, nil
	}
	if p.shared.Has(RungBulkhead) {
		p.bulkhead = nil
	}
	if p.shared.Has(RungRetry) {
		p.budget = nil
	}
	if p.shared.Has(RungThrottle) {
		p.throttle = nil
	}
}

// Share makes p, the plan of an operation, use the breaker, the slots, the
// throttle and the retry budget of the plan it is a part of, except for the
// rungs that are its own and those that it has switched off. Call it before p
// is used.
func (p *Plan) Share(with *Plan, own Rungs) {
	p.shared = (RungBreaker | RungBulkhead | RungThrottle | RungRetry) &^ own
	p.whole = with.cfg.Name
	if p.shared.Has(RungBreaker) && p.cfg.Breaker != nil {
		p.breaker, p.keyed = with.breaker, with.keyed
	}
	if p.shared.Has(RungBulkhead) && p.cfg.Bulkhead != nil {
		p.bulkhead = with.bulkhead
	}
	if p.shared.Has(RungThrottle) && p.cfg.Throttle != nil {
		p.throttle = with.throttle
	}
	// Calls that are never repeated still earn retries for the whole.
	repeats := p.cfg.Retry != nil && p.cfg.Retry.Attempts > 1
	if p.shared.Has(RungRetry) && (p.cfg.Budget != nil || !repeats) {
		p.budget = with.budget
	}
}

// Adopt makes the settings of the bulkhead, the budget, the throttle and the
// hedge, which outlive a reload, those of this plan. Call it once the plan is
// the one in use.
func (p *Plan) Adopt(now core.Instant) {
	if p.bulkhead != nil && !p.shared.Has(RungBulkhead) {
		_ = p.bulkhead.Resize(now, *p.cfg.Bulkhead) // Next has validated it
	}
	if p.budget != nil && !p.shared.Has(RungRetry) {
		_ = p.budget.Reconfigure(now, *p.cfg.Budget) // Next has validated it
	}
	if p.throttle != nil && !p.shared.Has(RungThrottle) {
		_ = p.throttle.Reconfigure(now, *p.cfg.Throttle) // Next has validated it
	}
	if p.hedge != nil { // always its own: it goes by the operation's own latency
		_ = p.hedge.Reconfigure(now, *p.cfg.Hedge) // Next has validated it
	}
}

// Scale leaves retries and copies this share, over 0 and up to 1, of their
// budgets, until the next Scale or Adopt.
func (p *Plan) Scale(now core.Instant, share float64) {
	if p.budget != nil && !p.shared.Has(RungRetry) {
		_ = p.budget.Reconfigure(now, p.cfg.Budget.Scaled(share)) // what is scaled is valid
	}
	if p.hedge != nil {
		_ = p.hedge.Reconfigure(now, p.cfg.Hedge.Scaled(share)) // what is scaled is valid
	}
}

// Config returns the settings the plan was made from.
func (p *Plan) Config() Config { return p.cfg }

// Breaker returns the breaker that a call with this key goes through, or nil
// if the rung is off. A call without a key, and every key beyond the limit
// that cannot be kept, shares the dependency's own breaker.
func (p *Plan) Breaker(now core.Instant, key string) *breaker.Breaker {
	if p.keyed == nil || key == "" {
		return p.breaker
	}
	if b, ok := p.keyed.Get(now, key); ok {
		return b
	}
	return p.breaker
}

// EndOrphan notes that an attempt abandoned at its timeout has now truly ended,
// and gives its slot back if it had one. Drivers that Step a late Returned into
// their Call need not call it.
func (p *Plan) EndOrphan(now core.Instant, slot bool) {
	p.stats.orphans.Add(-1)
	if slot {
		p.bulkhead.Release(now, bulkhead.Place{})
	}
}

// Snapshot is a plan's state for people and programs to read.
type Snapshot struct {
	Name     string
	Shared   Rungs // rungs that belong to the dependency that this is an operation of
	Stats    StatsSnapshot
	Breaker  *breaker.Snapshot
	Keyed    []breaker.Snapshot
	Bulkhead *bulkhead.Snapshot
	Budget   *budget.Snapshot
	Throttle *throttle.Snapshot
	Hedge    *hedge.Snapshot
}

// Snapshot reads the state of every rung. It changes nothing and takes no
// permit.
func (p *Plan) Snapshot(now core.Instant) Snapshot {
	s := Snapshot{Name: p.cfg.Name, Shared: p.shared, Stats: p.stats.snapshot(now)}
	if p.breaker != nil {
		b := p.breaker.Snapshot(now)
		s.Breaker = &b
	}
	if p.keyed != nil {
		s.Keyed = p.keyed.Snapshot(now)
	}
	if p.bulkhead != nil {
		b := p.bulkhead.Snapshot(now)
		s.Bulkhead = &b
	}
	if p.budget != nil {
		b := p.budget.Snapshot(now)
		s.Budget = &b
	}
	if p.throttle != nil {
		t := p.throttle.Snapshot(now)
		s.Throttle = &t
	}
	if p.hedge != nil {
		h := p.hedge.Snapshot(now)
		s.Hedge = &h
	}
	return s
}

// Emit tells the observer, if there is one. Policies have returned and no
// lock is held.
func (p *Plan) Emit(e core.Event) {
	if p.observer == nil {
		return
	}
	e.Policy = p.cfg.Name
	p.observer.Observe(e)
}

// changed records a breaker's change of state, if it made one.
func (p *Plan) changed(now core.Instant, key string, ch breaker.Change) {
	if ch.Late || ch.Happened() {
		p.tell(now, key, ch)
	}
}

func (p *Plan) tell(now core.Instant, key string, ch breaker.Change) {
	if ch.Late {
		p.stats.late.Add(1)
		p.Emit(core.Event{At: now, Kind: core.LateReport, Key: key})
	}
	if !ch.Happened() || p.observer == nil {
		return
	}
	e := core.Event{At: now, Kind: core.BreakerChanged, Reason: ch.Reason, Key: key,
		From: ch.From.String(), To: ch.To.String(), Seq: ch.Seq, Policy: p.cfg.Name}
	if p.shared.Has(RungBreaker) {
		e.Policy = p.whole
	}
	p.observer.Observe(e)
}

// Force puts a breaker in a mode by hand and reports the change: that of the
// key, or with an empty key the dependency's own. It reports false if there is
// no such breaker.
func (p *Plan) Force(now core.Instant, key string, m breaker.Mode) bool {
	b := p.existing(key)
	if b == nil {
		return false
	}
	p.changed(now, key, b.Force(now, m))
	return true
}

// Reset closes a breaker by hand, empties its window and reports the change,
// as Force does.
func (p *Plan) Reset(now core.Instant, key string) bool {
	b := p.existing(key)
	if b == nil {
		return false
	}
	p.changed(now, key, b.Reset(now))
	return true
}

// existing returns the breaker of a key; nil if none has been made for it.
func (p *Plan) existing(key string) *breaker.Breaker {
	if key == "" {
		return p.breaker
	}
	if p.keyed == nil {
		return nil
	}
	b, _ := p.keyed.Find(key)
	return b
}

// Why returns the state of the one rung that a reason is about: what Snapshot
// has, without the cost of the rest.
func (p *Plan) Why(now core.Instant, key string, r core.Reason) (s Snapshot) {
	switch r {
	case core.CircuitOpen, core.TrialsTaken, core.Ramping, core.ForcedOpen:
		if b := p.existing(key); b != nil {
			one := b.Snapshot(now)
			s.Breaker = &one
		}
	case core.BulkheadFull, core.QueueTimeout:
		if p.bulkhead != nil {
			one := p.bulkhead.Snapshot(now)
			s.Bulkhead = &one
		}
	case core.BudgetExhausted:
		if p.budget != nil {
			one := p.budget.Snapshot(now)
			s.Budget = &one
		}
	case core.Throttled:
		if p.throttle != nil {
			one := p.throttle.Snapshot(now)
			s.Throttle = &one
		}
	}
	return s
}

// fits reports whether an attempt that starts after wait has any use before
// the deadline.
func (p *Plan) fits(now core.Instant, wait time.Duration, deadline core.Instant) bool {
	return p.cfg.Observe.Has(RungTimeout) ||
		p.cfg.Timeout.CheckWait(now, deadline, wait) == core.NoReason
}
