package outlier

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Detector finds outliers among up to 64 endpoints, which it knows by their
// numbers: bit i of a mask is endpoint i. It is safe for use by many
// goroutines. Make one with New.
//
// Whoever sends attempts reports each of them when it has ended, and does Sweep
// when its time has come. What changed with either is returned: Ejected then
// says who is out now.
type Detector struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a detector that follows c and knows no endpoints yet.
func New(c Config) (*Detector, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Detector{last: longAgo, m: newMachine(c)}, nil
}

// Use says which endpoints exist. One whose bit is new, or was gone in between,
// begins as one of which nothing is known.
func (d *Detector) Use(now core.Instant, all uint64) {
	d.mu.Lock()
	d.m.use(d.clamp(now), all)
	d.mu.Unlock()
}

// Apart says which endpoints something else has taken out, such as a health
// check: they count against the share that may be out.
func (d *Detector) Apart(now core.Instant, apart uint64) {
	d.mu.Lock()
	d.clamp(now)
	d.m.apart = apart & d.m.all
	d.mu.Unlock()
}

// Report tells how an attempt at an endpoint ended, and after how long. It
// returns the endpoints that went out or came back with it: a report does the
// sweep that is due. What is told of an endpoint that does not exist, or is
// out, changes nothing about it. It panics if i is not from 0 to 63.
func (d *Detector) Report(now core.Instant, i int, took time.Duration, r core.Result) uint64 {
	check(i)
	d.mu.Lock()
	changed := d.m.report(d.clamp(now), i, took, r)
	d.mu.Unlock()
	return changed
}

// Sweep ends the interval if it is over, and returns the endpoints that went
// out or came back. Next is when to call it again. While nobody is out it is
// Never, because reports see to the rest.
func (d *Detector) Sweep(now core.Instant) (changed uint64, next core.Instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now = d.clamp(now)
	if now >= d.m.next {
		changed = d.m.sweep(now)
	}
	if d.m.out == 0 {
		return changed, core.Never
	}
	return changed, d.m.next
}

// Ejected returns the endpoints that are out.
func (d *Detector) Ejected() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.m.out
}

// Restarted says that what runs at an endpoint is no longer what was ejected:
// something has seen it down and up again. It comes back at the next sweep. It
// panics if i is not from 0 to 63.
func (d *Detector) Restarted(now core.Instant, i int) {
	check(i)
	d.mu.Lock()
	d.m.restarted(d.clamp(now), i)
	d.mu.Unlock()
}

// Reconfigure changes the detector's numbers while it is in use. What was
// counted stays, and who is out stays out for as long as it was told. It
// changes nothing if c is not valid.
func (d *Detector) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	d.mu.Lock()
	d.clamp(now)
	d.m.reconfigure(c)
	d.mu.Unlock()
	return nil
}

// Endpoint is what a detector knows of one endpoint.
type Endpoint struct {
	Out     bool
	Rule    Rule         // out: which rule it was
	Since   core.Instant // out: from when
	Until   core.Instant // out: it returns at the first sweep after
	Times   int          // ejections that count for the length of the next
	Ejected uint64       // ejections since it is known
	Spared  uint64       // ejections that MaxOut or Enforce forbade
	Last    Interval     // the last one that it was in for
}

// Interval is what one interval has brought of one endpoint.
type Interval struct {
	Requests int
	Failures int
	Latency  time.Duration // its quantile; 0: not known
}

// Snapshot returns what is known of each endpoint, by its number.
func (d *Detector) Snapshot(now core.Instant) []Endpoint {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clamp(now)
	all := make([]Endpoint, len(d.m.peers))
	for i := range all {
		p := &d.m.peers[i]
		all[i] = Endpoint{Out: d.m.out>>i&1 != 0, Times: p.times, Ejected: p.ejected,
			Spared: p.spared, Last: p.last}
		if all[i].Out {
			all[i].Rule, all[i].Since, all[i].Until = p.rule, p.since, p.until
		}
	}
	return all
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (d *Detector) clamp(now core.Instant) core.Instant {
	d.last = max(d.last, now)
	return d.last
}

func check(i int) {
	if i < 0 || i >= maxEndpoints {
		panic("outlier: no such endpoint")
	}
}
