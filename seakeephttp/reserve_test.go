package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
)

// Our own limit comes a little before the caller's, wherever the call is at that
// moment, so that it is we who say what happened: the caller's own limit would
// only tell that it has passed.
func TestOurDeadlineComesBeforeTheCallers(t *testing.T) {
	const reserve, given = 10 * time.Millisecond, 100 * time.Millisecond
	never := &silent{}
	fails := baseFunc(func(*http.Request) (*http.Response, error) { return answer(503, ""), nil })
	trickles := baseFunc(func(r *http.Request) (*http.Response, error) {
		a := answer(200, "")
		a.ContentLength = 9
		a.Body = &drip{ctx: r.Context(), pieces: []piece{{0, "begun"}, {time.Hour, "over"}}}
		return a, nil
	})
	for _, c := range []struct {
		where string
		base  http.RoundTripper
		text  string
		took  time.Duration
	}{
		{"in an attempt", never, "{}", given - reserve},
		{"in the second attempt", never, "{request: 60ms}\n    retry: {attempts: 2, backoff: {jitter: none}}", given - reserve},
		{"in the body", trickles, "{}", given - reserve},
		{"in line for a slot", never, "{acquire: 1s}\n    bulkhead: {limit: 1, queue: 1}", given - reserve},
		{"before a wait that would be too long", fails,
			"{}\n    retry: {attempts: 2, backoff: {base: 95ms, jitter: none}}", 0},
	} {
		for _, by := range []string{"context", "header"} {
			t.Run(c.where+", by "+by, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					text := "timeout: {reserve: 10ms"
					if c.text[1] != '}' {
						text += ", "
					}
					tr := transport(t, setOf(t, file(text+c.text[1:], "http://a")), c.base)
					if c.where == "in line for a slot" {
						go func() { _, _ = tr.RoundTrip(request(t, "GET", "http://test/", nil).WithContext(t.Context())) }()
						synctest.Wait()
					}
					ctx, cancel := context.WithTimeout(t.Context(), given)
					defer cancel()
					var report seakeep.Report
					req := limitedBy(t, ctx, by, &report)
					start := time.Now()
					g := send(tr, req)
					if took := time.Since(start); took != c.took || ctx.Err() != nil {
						t.Errorf("%v after %v, the caller's context %v", g.err, took, ctx.Err())
					}
					if c.took == 0 {
						if g.status != 503 || report.Reason != core.WaitTooLong {
							t.Errorf("%+v, %v", g, report.Reason)
						}
						return
					}
					if !errors.Is(g.err, context.DeadlineExceeded) {
						t.Errorf("%v", g.err)
					}
				})
			})
		}
	}
}

// limitedBy is a request that says by its context, or by its header, until when its
// caller waits.
func limitedBy(t *testing.T, ctx context.Context, by string, report *seakeep.Report) *http.Request {
	req := request(t, "GET", "http://test/", nil)
	call := seakeep.Call{Report: report}
	if by == "context" {
		return req.WithContext(seakeep.With(ctx, call))
	}
	left, _ := ctx.Deadline()
	req.Header.Set(deadline.Header, deadline.EncodeMillis(time.Until(left)))
	return req.WithContext(seakeep.With(t.Context(), call))
}

// What is told to the next service is ours, reserve and all.
func TestReserveIsToldToTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &silent{}
		tr := transport(t, setOf(t, file("timeout: {reserve: 10ms}", "http://a")), base)
		req := request(t, "GET", "http://test/", nil)
		req.Header.Set(deadline.Header, "100")
		g := send(tr, req)
		if told := base.told(deadline.Header); told != "90" || !errors.Is(g.err, context.DeadlineExceeded) {
			t.Errorf("told %s, %v", told, g.err)
		}
	})
}

// A deadline in a header was right when its sender wrote it, who leaves when it
// passes. Also without a reserve in the file that has to be known as a timeout:
// a caller that leaves counts against nobody, so that a dependency which answers
// nothing would have a closed breaker for ever.
func TestCallersWhoLeaveAtTheirDeadlineHideNoTimeout(t *testing.T) {
	for _, given := range []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			const way = 100 * time.Microsecond
			tr := transport(t, setOf(t, file("breaker: {window: {consecutive: 2}}", "http://a")), &silent{})
			for range 2 {
				req := request(t, "GET", "http://test/", nil)
				req.Header.Set(deadline.Header, deadline.EncodeMillis(given))
				ctx, leave := context.WithCancel(t.Context())
				time.AfterFunc(given-way, leave)
				g := send(tr, req.WithContext(ctx))
				if !errors.Is(g.err, context.DeadlineExceeded) || ctx.Err() != nil {
					t.Errorf("of %v: %v", given, g.err)
				}
				leave()
			}
			if s := tr.set.MustPolicy("test").Snapshot(); s.Breaker.State.String() != "open" {
				t.Errorf("of %v: the breaker is %v", given, s.Breaker.State)
			}
		})
	}
}

// F107: an answer at the very moment of the limit is one outcome, and one slot.
func TestF107AnswerAtTheLimit(t *testing.T) {
	for _, late := range []time.Duration{-1, 0, 1} {
		synctest.Test(t, func(t *testing.T) {
			base := baseFunc(func(r *http.Request) (*http.Response, error) {
				time.Sleep(100*time.Millisecond + late)
				return answer(200, "ok"), nil
			})
			var seen recorder
			p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 100 * time.Millisecond},
				Bulkhead: &seakeep.Bulkhead{Limit: 1}, Breaker: breaker(), More: &seakeep.More{Observer: &seen}})
			resp, err := Wrap(p, base).RoundTrip(request(t, "GET", "http://test/", nil))
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			ends := seen.count(func(e core.Event) bool { return e.Kind == core.AttemptEnded })
			calls := seen.count(func(e core.Event) bool { return e.Kind == core.CallEnded })
			s := p.Snapshot()
			if ends != 1 || calls != 1 || s.Bulkhead.InUse != 0 {
				t.Errorf("%v late: %d attempts and %d calls ended, %d slots", late, ends, calls, s.Bulkhead.InUse)
			}
		})
	}
}
