package live

import (
	"testing"
	"testing/synctest"
	"time"
)

// Nobody waits for another; beyond MaxOutstanding nobody is let in, and who is
// under way is waited for.
func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clock Clock
		clock.Start()
		c := NewCrowd(&clock)
		n, full := 0, 0
		done := make(chan time.Duration, MaxOutstanding)
		ran := c.Run(t.Context(), 2*time.Second, func() (time.Duration, func()) {
			at := time.Duration(n) * time.Second / (MaxOutstanding + 10)
			n++
			return at, func() {
				c.Come(at, func() { time.Sleep(5 * time.Second); done <- clock.Now() }, func() { full++ })
			}
		})
		if ran != 2*time.Second || clock.Now() < 5*time.Second {
			t.Errorf("it ran %v, and was over after %v", ran, clock.Now())
		}
		if len(done) != MaxOutstanding || full != n-1-MaxOutstanding || c.Skipped() != uint64(full) {
			t.Errorf("%d came, %d were served, %d found no room, %d were skipped", n, len(done), full, c.Skipped())
		}
		if c.LateMS() != 0 {
			t.Errorf("late by %v ms in virtual time", c.LateMS())
		}
	})
}
