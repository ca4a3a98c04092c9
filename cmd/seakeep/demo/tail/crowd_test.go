package tail

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// before is a crowd before a handler, of which all counts.
func before(h http.HandlerFunc) *crowd {
	c := newCrowd(&place{url: "http://quotes", door: direct{"quotes": h}}, new(live.Clock), 0)
	c.clock.Start()
	return c
}

// The time runs from the plan, so a late generator does not hide a wait; and one
// without a good answer counts with the patience of its user.
func TestTimesRunFromThePlan(t *testing.T) {
	for _, tc := range []struct {
		status int
		answer time.Duration
		took   time.Duration
		failed int
	}{
		{200, 100 * ms, 250 * ms, 0}, {204, 100 * ms, patience, 1}, {503, 0, patience, 1},
		{200, patience, patience, 1},
	} {
		bubble(t, func(t *testing.T) {
			c := before(func(w http.ResponseWriter, r *http.Request) {
				if live.Pause(r.Context(), tc.answer) {
					w.WriteHeader(tc.status)
				}
			})
			time.Sleep(200 * ms)
			c.come(0, 50*ms)
			c.Wait()
			if c.took[0] != tc.took || c.failed != tc.failed || c.LateMS() != 150 {
				t.Errorf("%+v: took %v, %d failed, %v ms late", tc, c.took, c.failed, c.LateMS())
			}
		})
	}
}

// A generator that is full does not wait: it says so.
func TestFullGenerator(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := before(func(http.ResponseWriter, *http.Request) { t.Error("somebody comes") })
		leave := make(chan struct{})
		for range live.MaxOutstanding {
			c.Come(0, func() { <-leave }, nil)
		}
		c.come(0, 0)
		if c.Skipped() != 1 || c.failed != 1 || !slices.Equal(c.took, []time.Duration{patience}) {
			t.Errorf("%d skipped, %v", c.Skipped(), c.took)
		}
		close(leave)
	})
}

// What comes before the run counts is made and not counted.
func TestWarmUpDoesNotCount(t *testing.T) {
	for from, want := range map[time.Duration][2]int{0: {0, 3}, 2 * time.Second: {1, 3}, time.Minute: {3, 3}} {
		bubble(t, func(t *testing.T) {
			came := 0
			c := before(func(http.ResponseWriter, *http.Request) { came++ })
			c.from = from
			at := time.Duration(0)
			ran, first, end := c.run(t.Context(), func() time.Duration {
				at += time.Second
				return at
			}, 3500*ms)
			if ran != 3500*ms || first != want[0] || end != want[1] || came != 3 || len(c.took) != end-first {
				t.Errorf("from %v: %d to %d, %d came, %v", from, first, end, came, c.took)
			}
		})
	}
}
