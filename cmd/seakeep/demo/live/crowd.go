package live

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// MinCounted is how long a run must have counted to be in a report.
const MinCounted = time.Second

// Crowd is users who come when they come: an open loop, in which nobody waits for
// another's answer, and MaxOutstanding at most are under way.
type Crowd struct {
	clock   *Clock
	room    chan struct{}
	under   sync.WaitGroup
	skipped atomic.Uint64
	late    atomic.Int64 // the longest time between plan and start, in nanoseconds
}

// NewCrowd returns a crowd that goes by a clock.
func NewCrowd(c *Clock) *Crowd {
	return &Crowd{clock: c, room: make(chan struct{}, MaxOutstanding)}
}

// Run lets users come until the run is over or ctx ends, and returns when that
// was. By then the last of them has an answer or has given up. next plans one:
// when, and what happens then, which is to Come.
func (c *Crowd) Run(ctx context.Context, until time.Duration,
	next func() (at time.Duration, come func())) time.Duration {
	defer c.Wait()
	return Come(ctx, c.clock, until, next)
}

// Wait waits until nobody is under way.
func (c *Crowd) Wait() { c.under.Wait() }

// Come starts what a user does who meant to come at a moment, or what is to be done
// if too many are under way. It never waits.
func (c *Crowd) Come(at time.Duration, ask, full func()) {
	c.late.Store(max(c.late.Load(), int64(c.clock.Now()-at)))
	select {
	case c.room <- struct{}{}:
	default:
		c.skipped.Add(1)
		full()
		return
	}
	c.under.Go(func() {
		defer func() { <-c.room }()
		ask()
	})
}

// Skipped returns how many were not served because too many were under way.
func (c *Crowd) Skipped() uint64 { return c.skipped.Load() }

// LateMS returns how late one of them came at most, for want of a processor.
func (c *Crowd) LateMS() float64 { return Round(float64(c.late.Load())/1e6, 1) }

// Door returns connections for as many requests as a crowd makes, so that no user
// waits for another's. They are to be closed.
func Door() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: MaxOutstanding, IdleConnTimeout: time.Minute,
		DisableCompression: true}
}
