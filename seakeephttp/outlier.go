package seakeephttp

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/health"
	"github.com/seakeep/seakeep/core/outlier"
)

// care sees to it that bad endpoints are not used: it has a detector of
// outliers and health checks, and marks endpoints for the balancer by what they
// say. The zero value does nothing. There is one timer for all that is to come.
type care struct {
	// detector is read by every attempt. nil: the file has no outlier section.
	detector atomic.Pointer[outlier.Detector]

	mu     sync.Mutex
	pool   *pool // the latest
	checks *checks
	known  [64]*endpoint // by index, to notice one that stands for another now
	marks  [2]marks      // by what has set them
	timer  *time.Timer
	closed bool
}

// marks are the endpoints that one source has taken out.
type marks struct {
	out     uint64 // as it has said
	told    uint64 // as observers know
	marked  uint64 // as the balancer knows
	pretend bool   // only report
}

// The sources of marks.
const (
	byOutlier = iota
	byHealth
)

var stateOf = [...]balance.State{byOutlier: balance.Ejected, byHealth: balance.Unhealthy}

// use brings the care up to date with a pool. What follows from it is done by
// the timer, because the caller holds locks.
func (c *care) use(p *pool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.pool = p
	now, all, fresh := seakeep.Now(), uint64(0), uint64(0)
	for _, i := range p.order {
		all |= 1 << i
		if to := p.dir.at[i].Load(); !to.is(c.known[i]) {
			c.known[i] = to
			fresh |= 1 << i
		}
	}
	for source := range c.marks {
		c.marks[source].marked &^= fresh
		c.marks[source].told &^= fresh
	}
	c.useOutlier(p, now, all, fresh)
	c.useHealth(p, now, all, fresh)
	left := c.marks[byOutlier].told | c.marks[byHealth].told
	if c.detector.Load() != nil || c.checks != nil || left != 0 {
		c.wakeIn(0)
	}
}

func (c *care) useOutlier(p *pool, now core.Instant, all, fresh uint64) {
	cfg, d := p.config.Outlier, c.detector.Load()
	m := &c.marks[byOutlier]
	switch {
	case cfg == nil:
		c.detector.Store(nil)
		m.out = 0
		return
	case d == nil:
		d, _ = outlier.New(cfg.Config) // the file was checked
		d.Use(now, all)
		c.detector.Store(d)
	default:
		_ = d.Reconfigure(now, cfg.Config)
		d.Use(now, all&^fresh)
		d.Use(now, all)
	}
	m.pretend = cfg.Observe
}

// report tells the detector of an attempt.
func (c *care) report(now core.Instant, i int, took time.Duration, r core.Result) {
	if d := c.detector.Load(); d != nil && d.Report(now, i, took, r) != 0 {
		c.tend()
	}
}

// wakeIn sets the timer, or brings it forward. The caller holds c.mu.
func (c *care) wakeIn(d time.Duration) {
	if c.timer == nil {
		c.timer = time.AfterFunc(d, c.tend)
		return
	}
	c.timer.Reset(d)
}

// tend does what is due, and tells of it.
func (c *care) tend() {
	c.mu.Lock()
	if c.closed || c.pool == nil {
		c.mu.Unlock()
		return
	}
	now, next := seakeep.Now(), core.Never
	if d := c.detector.Load(); d != nil {
		apart := c.marks[byHealth].out
		if c.marks[byHealth].pretend {
			apart = 0
		}
		d.Apart(now, apart)
		_, next = d.Sweep(now)
		c.marks[byOutlier].out = d.Ejected()
	}
	if c.checks != nil {
		next = min(next, c.checks.sweep(now))
		c.marks[byHealth].out = c.checks.monitor.Out()
	}
	if next != core.Never {
		c.wakeIn(max(0, next.Sub(now)))
	}
	told := c.settle(now)
	plan := c.pool.whole.Policy.Adapter().Plan()
	c.mu.Unlock()
	for _, e := range told {
		plan.Emit(e)
	}
}

// settle tells the balancer what has changed, and returns the events of it. The
// caller holds c.mu.
func (c *care) settle(now core.Instant) (told []core.Event) {
	b := c.pool.dir.balancer
	panicked := b.Panics()
	for source := range c.marks {
		m := &c.marks[source]
		want := m.out
		if m.pretend {
			want = 0
		}
		for rest := (m.marked ^ want) | (m.told ^ m.out); rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			if e := c.change(now, source, i, want>>i&1 != 0); e.Key != "" {
				told = append(told, e)
			}
		}
		m.marked, m.told = want, m.out
	}
	if panics := b.Panics(); panics != panicked {
		told = append(told, core.Event{At: now, Kind: core.PanicChanged, From: onOff(panicked),
			To: onOff(panics)})
	}
	return told
}

// change marks one endpoint, or takes the mark away, and returns the event of
// it; an empty one if there is nothing to tell.
func (c *care) change(now core.Instant, source, i int, on bool) core.Event {
	dir, m, bit := c.pool.dir, &c.marks[source], stateOf[source]
	state := dir.balancer.Snapshot(now)
	to := dir.at[i].Load()
	if to == nil || i >= len(state) || state[i].State&balance.Gone != 0 {
		return core.Event{}
	}
	before := state[i].State
	after := before &^ bit
	if on {
		after |= bit
	}
	dir.balancer.Mark(now, i, bit, on)
	e := core.Event{At: now, Kind: core.EndpointChanged, Key: to.name}
	if before == after && m.pretend { // only the word has changed
		e.Observed = true
		before, after = before|bit, before&^bit
		if m.out>>i&1 != 0 {
			before, after = after, before
		}
	}
	if before == after {
		return core.Event{}
	}
	if m.out>>i&1 != 0 {
		e.Detail, e.Took = c.why(now, source, i)
	}
	e.From, e.To = before.String(), after.String()
	return e
}

// why returns what has taken an endpoint out, and for how long at least; 0: for
// as long as it lasts.
func (c *care) why(now core.Instant, source, i int) (string, time.Duration) {
	if source == byHealth {
		return c.checks.why(i), 0
	}
	if d := c.detector.Load(); d != nil {
		if all := d.Snapshot(now); i < len(all) {
			return all[i].Rule.String(), all[i].Until.Sub(now)
		}
	}
	return "", 0
}

// close ends all that the care does on its own, and waits for it.
func (c *care) close() {
	c.mu.Lock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	k := c.checks
	c.checks = nil
	c.detector.Store(nil)
	if c.pool != nil { // nobody would ever bring back who is out now
		c.marks[byOutlier].out, c.marks[byHealth].out = 0, 0
		c.settle(seakeep.Now())
	}
	c.mu.Unlock()
	if k != nil {
		k.close()
	}
}

// known returns what is known of the endpoint with an index, or nil.
func known[T any](all []T, i int) *T {
	if i < len(all) {
		return &all[i]
	}
	return nil
}

// snapshot returns what is known of each endpoint by its index.
func (c *care) snapshot(now core.Instant) (o []outlier.Endpoint, h []health.Endpoint) {
	if d := c.detector.Load(); d != nil {
		o = d.Snapshot(now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checks != nil {
		h = c.checks.monitor.Snapshot()
	}
	return o, h
}
