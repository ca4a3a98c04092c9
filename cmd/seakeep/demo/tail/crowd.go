package tail

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// patience is how long a user waits for an answer.
const patience = 10 * time.Second

// crowd is everybody who calls a place.
type crowd struct {
	*live.Crowd
	place *place
	clock *live.Clock
	from  time.Duration // what is planned earlier does not count

	mu     sync.Mutex
	took   []time.Duration // of those that count
	failed int             // of those
}

func newCrowd(p *place, c *live.Clock, from time.Duration) *crowd {
	return &crowd{Crowd: live.NewCrowd(c), place: p, clock: c, from: from}
}

// run lets users come until the run is over or ctx ends. It returns when that
// was, and which requests count: from one on and before another. By then the
// last user has an answer or has given up.
func (c *crowd) run(ctx context.Context, next func() time.Duration,
	until time.Duration) (ran time.Duration, first, end int) {
	first = -1
	ran = c.Run(ctx, until, func() (time.Duration, func()) {
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

// come starts a request. The time runs from the plan: if the generator is late,
// that is part of it.
func (c *crowd) come(n int, at time.Duration) {
	c.Come(at, func() {
		ctx, cancel := context.WithDeadline(context.Background(), c.clock.Time(at+patience))
		defer cancel()
		ok := ask(ctx, c.place, n)
		c.note(at, c.clock.Now()-at, ok)
	}, func() { c.note(at, 0, false) })
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
