package tail

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// patience is how long a user waits for an answer.
const patience = 10 * time.Second

// crowd is everybody who calls a place: an open loop.
type crowd struct {
	place *place
	clock *live.Clock
	from  time.Duration // what is planned earlier does not count

	room    chan struct{}
	wg      sync.WaitGroup
	skipped atomic.Uint64
	late    atomic.Int64 // the longest time between plan and start, in nanoseconds

	mu     sync.Mutex
	took   []time.Duration // of those that count
	failed int             // of those
}

func newCrowd(p *place, c *live.Clock, from time.Duration) *crowd {
	return &crowd{place: p, clock: c, from: from, room: make(chan struct{}, live.MaxOutstanding)}
}

// run lets users come until the run is over or ctx ends. It returns when that
// was, and which requests count: from one on and before another. By then the
// last user has an answer or has given up.
func (c *crowd) run(ctx context.Context, next func() time.Duration,
	until time.Duration) (ran time.Duration, first, end int) {
	defer c.wg.Wait()
	first = -1
	ran = live.Come(ctx, c.clock, until, func() (time.Duration, func()) {
		at := next()
		return at, func() {
			if first < 0 && at >= c.from {
				first = end
			}
			c.come(end, at)
			end++
		}
	})
	if first < 0 {
		first = end
	}
	return ran, first, end
}

// come starts a request. It never waits: one that comes to a generator that is
// full is lost, and told apart in the report.
func (c *crowd) come(n int, at time.Duration) {
	c.late.Store(max(c.late.Load(), int64(c.clock.Now()-at)))
	select {
	case c.room <- struct{}{}:
	default:
		c.skipped.Add(1)
		c.note(at, 0, false)
		return
	}
	c.wg.Go(func() {
		// The time runs from the plan: if the generator is late, that is part of it.
		ctx, cancel := context.WithDeadline(context.Background(), c.clock.Time(at+patience))
		ok := ask(ctx, c.place, n)
		cancel()
		took := c.clock.Now() - at
		<-c.room
		c.note(at, took, ok)
	})
}

// note writes down how a request fared.
func (c *crowd) note(at, took time.Duration, ok bool) {
	if at < c.from {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ok {
		c.failed++
		took = patience
	}
	c.took = append(c.took, took)
}

// ask makes a request and reads the whole answer.
func ask(ctx context.Context, p *place, n int) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/"+strconv.Itoa(n), http.NoBody)
	if err != nil {
		return false
	}
	resp, err := p.door.RoundTrip(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK
}
