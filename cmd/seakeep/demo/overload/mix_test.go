package overload

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// What each class keeps when a program of 100/s gets 200, 150 and 300/s and the
// more important go first.
func TestIdealShares(t *testing.T) {
	for offered, want := range map[float64][core.Criticalities]float64{
		50:  {10, 20, 15, 5},
		150: {0, 40, 45, 15},
		200: {0, 20, 60, 20},
		300: {0, 0, 70, 30},
	} {
		got := ideal(offered, 100)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("at %g/s: %v, want %v", offered, got, want)
			}
		}
	}
}

// The guests come in order, at their rate and in their shares, and the same
// seed brings the same.
func TestMixed(t *testing.T) {
	next, again := mixed(200, 3), mixed(200, 3)
	var seen [core.Criticalities]int
	users, last, n := map[string]bool{}, time.Duration(0), 20_000
	for range n {
		g := next()
		if *again() != *g {
			t.Fatal("the same seed brings others")
		}
		if g.at < last || g.class.Index() != g.kind {
			t.Fatalf("%+v after %v", g, last)
		}
		last = g.at
		seen[g.kind]++
		users[g.user] = true
	}
	if rate := float64(n) / last.Seconds(); rate < 195 || rate > 205 {
		t.Errorf("%.1f/s come", rate)
	}
	for i, share := range mix {
		if got := float64(seen[i]) / float64(n); math.Abs(got-share) > 0.015 {
			t.Errorf("%v is %.3f of them, want %g", core.CriticalityAt(i), got, share)
		}
	}
	if len(users) != maxUsers {
		t.Errorf("%d users", len(users))
	}
}

// Even guests come in equal gaps, at another rate during the spike.
func TestEven(t *testing.T) {
	next := even(80, Spike{150, 10 * time.Second, 5 * time.Second})
	var perSecond [20]int
	for g := next(); g.at < 20*time.Second; g = next() {
		perSecond[g.at/time.Second]++
	}
	for s, n := range perSecond {
		want := 80
		if s >= 10 && s < 15 {
			want = 150
		}
		if n < want-1 || n > want+1 {
			t.Errorf("%d come in second %d, want %d", n, s, want)
		}
	}
}
