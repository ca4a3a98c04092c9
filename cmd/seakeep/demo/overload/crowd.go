package overload

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/retry"
)

// The headers by which a request says how important it is and whose it is. The
// policy files of this package name them too.
const (
	classHeader  = "X-Seakeep-Criticality"
	userHeader   = "X-User"
	tenantHeader = "X-Tenant"
)

// guest is a request that somebody means to make.
type guest struct {
	at     time.Duration // since the run began
	class  core.Criticality
	user   string
	tenant string
	kind   int // where the ledger counts it
}

// fate is what became of a request.
type fate uint8

const (
	lost    fate = iota // no answer in time, or a broken one
	refused             // told that there is no room: 429 or 503
	served
)

// ending is how a guest fared.
type ending struct {
	fate fate
	took time.Duration // since it meant to come
}

// crowd is everybody who calls a place.
type crowd struct {
	*live.Crowd
	place    *place
	clock    *live.Clock
	patience time.Duration // with one attempt
	attempts int           // at most; one after the other, at once
	tell     func(*guest, ending)
	tried    atomic.Uint64
}

func newCrowd(p *place, tell func(*guest, ending)) *crowd {
	clock := new(live.Clock)
	return &crowd{Crowd: live.NewCrowd(clock), place: p, clock: clock, patience: time.Second,
		attempts: 1, tell: tell}
}

// run lets guests come until the run is over or ctx ends, and returns when that
// was. By then the last of them has an answer or has given up.
func (c *crowd) run(ctx context.Context, next func() *guest, until time.Duration) time.Duration {
	return c.Run(ctx, until, func() (time.Duration, func()) {
		g := next()
		return g.at, func() { c.come(g) }
	})
}

// come starts a guest's request. Whoever comes to a generator that is full counts
// as lost and is told apart in the report.
func (c *crowd) come(g *guest) {
	c.Come(g.at, func() {
		e := ending{fate: c.try(g)}
		e.took = c.clock.Now() - g.at
		c.tell(g, e)
	}, func() { c.tell(g, ending{}) })
}

// try asks until there is an answer or all attempts are used up. The time runs
// from the plan: if the generator itself is late, the wait is part of it.
func (c *crowd) try(g *guest) (f fate) {
	begins := g.at
	for n := range c.attempts {
		ctx, cancel := context.WithDeadline(context.Background(), c.clock.Time(begins+c.patience))
		c.tried.Add(1)
		f = ask(ctx, c.place, g, n)
		cancel()
		now := c.clock.Now()
		if f == served && now-begins > c.patience {
			f = lost // nobody was there any more
		}
		if f == served {
			break
		}
		begins = now
	}
	return f
}

// ask makes one request, after so many others for the same thing, and reads the
// whole answer.
func ask(ctx context.Context, p *place, g *guest, before int) fate {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/", http.NoBody)
	if err != nil {
		return lost
	}
	if g.user != "" {
		req.Header.Set(classHeader, g.class.String())
		req.Header.Set(userHeader, g.user)
	}
	if g.tenant != "" {
		req.Header.Set(tenantHeader, g.tenant)
	}
	if before > 0 { // by this mark a server tells repeats from demand
		req.Header.Set(retry.AttemptHeader, strconv.Itoa(before+1))
	}
	resp, err := p.door.RoundTrip(req)
	if err != nil {
		return lost
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return lost
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return served
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return refused
	}
	return lost
}
