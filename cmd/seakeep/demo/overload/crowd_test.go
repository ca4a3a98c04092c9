package overload

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// told is a crowd before a handler, and what it tells.
func told(h http.HandlerFunc) (*crowd, *[]ending) {
	var all []ending
	p := &place{url: "http://program", door: direct{h}}
	c := newCrowd(p, func(_ *guest, e ending) { all = append(all, e) })
	c.clock.Start()
	return c, &all
}

func TestFates(t *testing.T) {
	for status, want := range map[int]fate{200: served, 503: refused, 429: refused, 500: lost,
		504: lost, 204: lost} {
		bubble(t, func(t *testing.T) {
			c, all := told(func(w http.ResponseWriter, _ *http.Request) {
				time.Sleep(10 * ms)
				w.WriteHeader(status)
			})
			c.come(&guest{})
			c.Wait()
			if got := (*all)[0]; got != (ending{want, 10 * ms}) {
				t.Errorf("%d: %+v", status, got)
			}
		})
	}
}

// The patience runs from the plan, so a late generator does not hide a wait.
func TestPatienceRunsFromThePlan(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, all := told(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(900 * ms):
			case <-r.Context().Done():
			}
		})
		time.Sleep(200 * ms)
		c.come(&guest{at: 50 * ms})
		c.Wait()
		if got := (*all)[0]; got != (ending{lost, time.Second}) {
			t.Errorf("%+v", got)
		}
		if late := c.LateMS(); late != 150 {
			t.Errorf("it is %v ms late, want 150", late)
		}
	})
}

// Three attempts, one after the other, each with a second of its own and marked
// from the second on.
func TestRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var marks []string
		c, all := told(func(w http.ResponseWriter, r *http.Request) {
			marks = append(marks, r.Header.Get("X-Seakeep-Attempt"))
			if r.Header.Get("X-Seakeep-Deadline") != "" {
				t.Error("the deadline is told")
			}
			switch len(marks) {
			case 1:
				<-r.Context().Done()
			case 2:
				time.Sleep(300 * ms)
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				time.Sleep(900 * ms)
			}
		})
		c.attempts = 3
		c.come(&guest{})
		c.Wait()
		if got := (*all)[0]; got != (ending{served, 2200 * ms}) || c.tried.Load() != 3 {
			t.Errorf("%+v after %d attempts", got, c.tried.Load())
		}
		if len(marks) != 3 || marks[0] != "" || marks[1] != "2" || marks[2] != "3" {
			t.Errorf("marked %q", marks)
		}
	})
}

// A generator that is full does not wait: it says so.
func TestFullGenerator(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c, all := told(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		leave := make(chan struct{})
		for range live.MaxOutstanding {
			c.Come(0, func() { <-leave }, nil)
		}
		c.come(&guest{})
		if c.Skipped() != 1 || len(*all) != 1 || (*all)[0].fate != lost {
			t.Errorf("%d skipped, %v told", c.Skipped(), *all)
		}
		close(leave)
	})
}

// What identifies a request goes with it, and no more than was said.
func TestHeaders(t *testing.T) {
	var got http.Header
	p := &place{url: "http://program", door: direct{http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) { got = r.Header })}}
	ask(context.Background(), p, mixed(1, 1)(), 0)
	if got.Get("X-Seakeep-Criticality") == "" || got.Get("X-User") == "" || got.Get("X-Tenant") != "" {
		t.Errorf("%v", got)
	}
	ask(context.Background(), p, &guest{tenant: "a"}, 0)
	if got.Get("X-Seakeep-Criticality") != "" || got.Get("X-Tenant") != "a" {
		t.Errorf("%v", got)
	}
	if f := ask(context.Background(), &place{url: "http://\x00"}, &guest{}, 0); f != lost {
		t.Errorf("an address that is none: %d", f)
	}
}
