package seakeephttp

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
)

// silent is a base that never answers. It keeps the headers it was sent.
type silent struct{ sent []http.Header }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.sent = append(s.sent, r.Header)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func (s *silent) told(name string) string {
	var all []string
	for _, h := range s.sent {
		all = append(all, h.Get(name))
	}
	return strings.Join(all, " ")
}

// still makes a wait of always this long.
func still(d time.Duration) seakeep.Backoff {
	return seakeep.Backoff{Base: d, Cap: d, Jitter: retry.None}
}

func TestF097EachAttemptIsToldWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		backoff time.Duration
		want    string
	}{{0, "100 100 50"}, {20 * time.Millisecond, "100 100 10"}} {
		synctest.Test(t, func(t *testing.T) {
			b := still(c.backoff)
			if c.backoff == 0 {
				b = still(1)
			}
			base := &silent{}
			rt := Wrap(policy(t, seakeep.Config{
				Timeout: seakeep.Timeout{Request: 100 * time.Millisecond, Total: 250 * time.Millisecond},
				Retry:   &seakeep.Retry{Attempts: 3, Backoff: b}, More: &seakeep.More{Unbudgeted: true},
			}), base)
			start := time.Now()
			req := request(t, "GET", "http://test/", nil)
			req.Header.Set(deadline.EnvoyHeader, "0")
			req.Header.Set(deadline.GRPCHeader, "9H")
			g := send(rt, req)
			if !errors.Is(g.err, context.DeadlineExceeded) {
				t.Error(g.err)
			}
			if took := time.Since(start).Round(time.Millisecond); took != 250*time.Millisecond {
				t.Errorf("took %v", took)
			}
			for _, h := range []string{deadline.Header, deadline.EnvoyHeader} {
				if got := base.told(h); got != c.want {
					t.Errorf("%s was %s, want %s", h, got, c.want)
				}
			}
			if got := base.told(deadline.GRPCHeader); !strings.HasPrefix(got, "100000u ") {
				t.Errorf("grpc-timeout was %s", got)
			}
			if req.Header.Get(deadline.EnvoyHeader) != "0" || req.Header.Get(deadline.Header) != "" {
				t.Errorf("the caller's request was changed: %v", req.Header)
			}
		})
	}
}

func TestDeadlineHeadersAreNotMadeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &silent{}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		send(Wrap(policy(t, seakeep.Config{}), base), request(t, "GET", "http://test/", nil).WithContext(ctx))
		if h := base.sent[0]; h.Get(deadline.Header) != "20" || len(h) != 1 {
			t.Errorf("sent %v", h)
		}
	})
	var none http.Header
	rt := Wrap(policy(t, seakeep.Config{}), baseFunc(func(r *http.Request) (*http.Response, error) {
		none = r.Header
		return answer(200, ""), nil
	}))
	if get(t, rt, "http://test/"); len(none) != 0 {
		t.Errorf("sent %v without any limit", none)
	}
}

// TestNoTimeLeftIsNotNoLimit: Envoy reads 0 as the latter.
func TestNoTimeLeftIsNotNoLimit(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	s := &sending{req: http.Request{Header: http.Header{deadline.EnvoyHeader: {"250"}}}}
	s.tellTime(ctx)
	if h := s.req.Header; h.Get(deadline.EnvoyHeader) != "1" || h.Get(deadline.Header) != "0" {
		t.Errorf("sent %v", h)
	}
}

func TestF099AttemptLimitWithoutATotal(t *testing.T) {
	for _, c := range []struct {
		attempt, total time.Duration
		want           time.Duration
		attempts       int
	}{
		{50 * time.Millisecond, 0, 100 * time.Millisecond, 2},
		{200 * time.Millisecond, 100 * time.Millisecond, 100 * time.Millisecond, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			base := &silent{}
			rt := Wrap(policy(t, seakeep.Config{
				Timeout: seakeep.Timeout{Request: c.attempt, Total: c.total},
				Retry:   &seakeep.Retry{Attempts: 2, Backoff: quick}, More: &seakeep.More{Unbudgeted: true},
			}), base)
			start := time.Now()
			g := get(t, rt, "http://test/")
			took := time.Since(start).Round(time.Millisecond)
			if took != c.want || len(base.sent) != c.attempts || !errors.Is(g.err, context.DeadlineExceeded) {
				t.Errorf("%v after %v and %d attempts; want %v, %d", g.err, took, len(base.sent), c.want, c.attempts)
			}
		})
	}
}

func TestF105TooLittleTimeSendsNothing(t *testing.T) {
	for _, left := range []time.Duration{-5 * time.Millisecond, 0, 15 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			base := &silent{}
			rt := Wrap(policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: time.Second,
				Needs: 20 * time.Millisecond}}), base)
			ctx, cancel := context.WithTimeout(t.Context(), left)
			defer cancel()
			g := send(rt, request(t, "GET", "http://test/", nil).WithContext(ctx))
			var rejected *seakeep.Rejection
			if len(base.sent) != 0 || !errors.As(g.err, &rejected) || !errors.Is(g.err, context.DeadlineExceeded) {
				t.Errorf("%v left: %d attempts, %v", left, len(base.sent), g.err)
			}
		})
	}
}

func TestF105QueueWaitCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, seakeep.Config{Bulkhead: &seakeep.Bulkhead{Limit: 1, Queue: 1, Wait: time.Second}})
		base := &silent{}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		go get(t, Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(200, ""), nil
		})), "http://test/")
		synctest.Wait()
		start := time.Now()
		short, cancel2 := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel2()
		g := send(Wrap(p, base), request(t, "GET", "http://test/", nil).WithContext(short))
		if took := time.Since(start); took != 100*time.Millisecond || len(base.sent) != 0 || g.err == nil {
			t.Errorf("%v after %v and %d attempts", g.err, took, len(base.sent))
		}
		time.Sleep(time.Second)
		idle(t, p)
	})
}

func TestF068WaitNeverPassesTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Total: 100 * time.Millisecond},
			Retry: &seakeep.Retry{Attempts: 3, Backoff: still(500 * time.Millisecond)}})
		broken := errors.New("broken")
		rt := Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
			time.Sleep(10 * time.Millisecond)
			return nil, broken
		}))
		start := time.Now()
		g := get(t, rt, "http://test/")
		if took := time.Since(start); took != 10*time.Millisecond || !errors.Is(g.err, broken) ||
			!errors.Is(g.err, context.DeadlineExceeded) {
			t.Errorf("%v after %v", g.err, took)
		}
	})
}

// TestF073NoTimerIsLeft: a thousand calls that wait an hour for their next
// attempt are cancelled. A timer that stayed would fire in the bubble's future
// and keep its goroutine; synctest would say so.
func TestF073NoTimerIsLeft(t *testing.T) {
	noLeak(t)
	synctest.Test(t, func(t *testing.T) {
		rt := Wrap(policy(t, seakeep.Config{
			Retry: &seakeep.Retry{Attempts: 2, Backoff: still(time.Hour)}, More: &seakeep.More{Unbudgeted: true},
		}), baseFunc(func(*http.Request) (*http.Response, error) { return answer(503, ""), nil }))
		ctx, cancel := context.WithCancel(t.Context())
		results := make(chan error)
		for range 1000 {
			go func() { results <- send(rt, request(t, "GET", "http://test/", nil).WithContext(ctx)).err }()
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		cancel()
		start := time.Now()
		for range 1000 {
			if err := <-results; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if time.Since(start) != 0 {
			t.Error("somebody waited on")
		}
	})
}

// streamReset is an error like net/http's for a stream of HTTP/2 that the server
// has reset.
type streamReset struct{}

func (streamReset) Error() string { return "stream error: stream ID 1; CANCEL" }

// As fills any struct that is one in shape, as net/http's does.
func (streamReset) As(target any) bool {
	code := reflect.ValueOf(target).Elem()
	if code.Kind() != reflect.Struct || !code.FieldByName("Code").IsValid() {
		return false
	}
	code.FieldByName("Code").SetUint(8)
	return true
}

// A server that resets the stream when the time it was told is up may be heard
// before our own timer: it is our time that has passed. Earlier it is its doing.
func TestResetAtTheLimit(t *testing.T) {
	for early, want := range map[time.Duration]core.Cause{0: core.TimedOut, 1: core.Reset} {
		synctest.Test(t, func(t *testing.T) {
			rt := Wrap(policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 50 * time.Millisecond}}),
				baseFunc(func(r *http.Request) (*http.Response, error) {
					limit, _ := r.Context().Deadline()
					time.Sleep(time.Until(limit) - early)
					return nil, streamReset{}
				}))
			var report seakeep.Report
			req := request(t, "GET", "http://test/", nil)
			g := send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
			if late := errors.Is(g.err, context.DeadlineExceeded); late != (early == 0) {
				t.Errorf("%v early: %v", early, g.err)
			}
			if len(report.Attempts) != 1 || report.Attempts[0].Result.Cause != want {
				t.Errorf("%v early: %+v, want %v", early, report.Attempts, want)
			}
		})
	}
}
