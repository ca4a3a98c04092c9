package health

import (
	"sync"

	"github.com/seakeep/seakeep/core"
)

// Monitor decides about the health of up to 64 endpoints, which it knows by
// their numbers: bit i of a mask is endpoint i. It is safe for use by many
// goroutines. Make one with New.
//
// Its driver does Sweep when its time has come, makes the checks that are due
// and reports each when it has ended; then it does Sweep again, because that
// may have made the next one due.
type Monitor struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a monitor that follows c and knows no endpoints yet.
func New(c Config) (*Monitor, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Monitor{last: longAgo, m: newMachine(c)}, nil
}

// Use says which endpoints exist. One whose bit is new, or was gone in between,
// begins as one of which nothing is known. The check that was under way at one
// that is gone does nothing when it is reported, unless it is there again.
func (m *Monitor) Use(now core.Instant, all uint64) {
	m.mu.Lock()
	m.m.use(m.clamp(now), all)
	m.mu.Unlock()
}

// Sweep returns the endpoints to be checked now. Each of them is to be
// reported, also if its check could not be made. Next is when to call it again,
// if nothing is reported before; Never: when something is.
func (m *Monitor) Sweep(now core.Instant) (start uint64, next core.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.sweep(m.clamp(now))
}

// Report tells how the check of an endpoint went, and returns the endpoints
// that went out or came back with it: Out then says who is out. It does nothing
// if no check is under way there. It panics if i is not from 0 to 63.
func (m *Monitor) Report(now core.Instant, i int, passed bool) uint64 {
	if i < 0 || i >= maxEndpoints {
		panic("health: no such endpoint")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.report(m.clamp(now), i, passed)
}

// Out returns the endpoints that are out: those that are unhealthy, as far as
// MaxOut lets them.
func (m *Monitor) Out() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.m.out
}

// Reconfigure changes the monitor's numbers while it is in use. What is known
// stays. It changes nothing if c is not valid.
func (m *Monitor) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	m.mu.Lock()
	m.clamp(now)
	m.m.reconfigure(c)
	m.mu.Unlock()
	return nil
}

// Endpoint is what a monitor knows of one endpoint.
type Endpoint struct {
	Verdict Verdict
	Out     bool // false for an unhealthy one: MaxOut keeps it in
	Passed  bool // the last check
	InARow  int  // checks that went as the last one
	Checks  uint64
	Failed  uint64
}

// Snapshot returns what is known of each endpoint, by its number.
func (m *Monitor) Snapshot() []Endpoint {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Endpoint, len(m.m.peers))
	for i := range all {
		if m.m.all>>i&1 == 0 {
			continue
		}
		p := &m.m.peers[i]
		all[i] = Endpoint{Verdict: p.verdict, Out: m.m.out>>i&1 != 0, Passed: p.passes,
			InARow: p.inARow, Checks: p.checks, Failed: p.failed}
	}
	return all
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (m *Monitor) clamp(now core.Instant) core.Instant {
	m.last = max(m.last, now)
	return m.last
}
