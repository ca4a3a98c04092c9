package demo

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/seakeephttp"
)

// users make requests of checkout.
type users struct {
	*live.Crowd
	url  string // of checkout
	rec  *recorder
	door *http.Transport
}

func newUsers(url string, rec *recorder) *users {
	return &users{Crowd: live.NewCrowd(&rec.clock), url: url, rec: rec, door: live.Door()}
}

// run lets users come until the run is over or ctx ends, and returns when that
// was. By then the last user has an answer or has given up.
func (u *users) run(ctx context.Context, plan *schedule, until time.Duration) time.Duration {
	defer u.door.CloseIdleConnections()
	return u.Run(ctx, until, func() (time.Duration, func()) {
		a := plan.arrival()
		return a.at, func() { u.come(a) }
	})
}

// come starts a user's request. Whoever comes to a generator that is full counts as
// failed and is told apart in the report.
func (u *users) come(a arrival) {
	u.rec.sent(a, u.rec.clock.Now()-a.at)
	u.Come(a.at, func() {
		ctx, cancel := context.WithDeadline(context.Background(),
			seakeep.TimeOf(u.rec.clock.Instant(a.at+patience)))
		defer cancel()
		left := a.at + patience - u.rec.clock.Now()
		e := u.ask(ctx, a.endpoint, left)
		took := u.rec.clock.Now() - a.at
		if took > patience {
			e = failed
		}
		u.rec.ended(a, e, took)
	}, func() {
		u.rec.skipped.Add(1)
		u.rec.ended(a, failed, 0)
	})
}

// warm makes one request of each endpoint that nobody counts, so that the
// first users do not wait for a program that has never run.
func (u *users) warm() {
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			u.ask(ctx, i, patience)
		})
	}
	all.Wait()
}

// ask makes a request and reads the whole answer.
func (u *users) ask(ctx context.Context, endpoint int, left time.Duration) ending {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.url+"/"+names[endpoint],
		http.NoBody)
	if err != nil {
		return failed
	}
	req.Header.Set(deadline.Header, deadline.EncodeMillis(left))
	resp, err := u.door.RoundTrip(req)
	if err != nil {
		return failed
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		return failed
	}
	if resp.Header.Get(seakeephttp.FallbackHeader) != "" {
		return fellBack
	}
	return answered
}
