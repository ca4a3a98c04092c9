package outlier

import (
	"math"
	"math/bits"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const sec = core.Instant(time.Second)

var (
	good2xx = core.Result{Outcome: core.Success}
	bad5xx  = core.Result{Outcome: core.Failure, Cause: core.ServerError}
	refused = core.Result{Outcome: core.Failure, Cause: core.Unsent}
	late    = core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	left    = core.Result{Outcome: core.Cancelled}
)

func detector(t testing.TB, hosts int, c Config) *Detector {
	t.Helper()
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.Use(0, uint64(1)<<hosts-1)
	return d
}

func report(d *Detector, now core.Instant, i, times int, r core.Result) {
	for range times {
		d.Report(now, i, 0, r)
	}
}

// How many may be out is checked with the ejection included, and rounded down.
func TestF132MaxEjectedIncludesThisOne(t *testing.T) {
	for _, tc := range []struct {
		hosts int
		most  MaxOut
		want  int
	}{
		{2, MaxOut{Share: 0.1}, 0}, {3, MaxOut{Share: 0.5}, 1}, {3, MaxOut{Share: 0.67}, 2},
		{10, MaxOut{Share: 0.3}, 3}, {1, MaxOut{Share: 0.5}, 0}, {1, MaxOut{Share: 1}, 1},
		{2, MaxOut{Share: 0.1, AlwaysOne: true}, 1}, {1, MaxOut{Share: 0.1, AlwaysOne: true}, 0},
		{2, MaxOut{}, 1}, {1, MaxOut{}, 0}, {50, MaxOut{Share: 0.58}, 29},
	} {
		d := detector(t, tc.hosts, Config{MaxOut: tc.most})
		for i := range tc.hosts {
			report(d, 0, i, 5, bad5xx)
		}
		if got := bits.OnesCount64(d.Ejected()); got != tc.want {
			t.Errorf("%d hosts, %+v: %d are out, want %d", tc.hosts, tc.most, got, tc.want)
		}
	}
}

// An ejection grows with each return, up to the cap, and shrinks with each
// healthy interval; the same for every rule.
func TestF133EjectionTimeGrowsAndShrinks(t *testing.T) {
	rules := map[Rule]func(d *Detector, now core.Instant){
		ByErrors:       func(d *Detector, now core.Instant) { report(d, now, 0, 5, bad5xx) },
		ByLocal:        func(d *Detector, now core.Instant) { report(d, now, 0, 3, refused) },
		ByFailureShare: func(d *Detector, now core.Instant) { interval(d, now, 0) },
		BySuccessRate:  func(d *Detector, now core.Instant) { interval(d, now, 50) },
	}
	for rule, hurt := range rules {
		c := Config{Base: time.Minute, Cap: 5 * time.Minute, Interval: time.Minute}
		if rule != ByErrors {
			c.Consecutive.Errors = Off
		}
		if rule == ByLocal {
			c.Consecutive.Local = 3
		}
		d, now := detector(t, 5, c), core.Instant(0)
		d.Sweep(now)
		var got []time.Duration
		eject := func() {
			hurt(d, now)
			if d.Ejected() == 0 { // a rule of the interval's end
				now += 60 * sec
				d.Sweep(now)
			}
			e := d.Snapshot(now)[0]
			if !e.Out || e.Rule != rule {
				t.Fatalf("%v: %+v", rule, e)
			}
			got = append(got, e.Until.Sub(e.Since))
			for d.Ejected() != 0 {
				now += 60 * sec
				d.Sweep(now)
			}
		}
		for range 6 {
			eject()
		}
		now += 60 * 3 * sec
		d.Sweep(now) // three intervals at once are three
		eject()
		want := []time.Duration{1, 2, 3, 4, 5, 5, 4}
		for i := range want {
			if got[i] != want[i]*time.Minute {
				t.Errorf("%v: ejected for %v, want minutes %v", rule, got, want)
				break
			}
		}
	}
}

// interval reports 100 requests of each of five, and so many good ones of 0.
func interval(d *Detector, now core.Instant, good int) {
	report(d, now, 0, good, good2xx)
	report(d, now, 0, 100-good, bad5xx)
	for i := 1; i < 5; i++ {
		report(d, now, i, 100, good2xx)
	}
}

// What the network does and what the application answers are told apart; a
// client that leaves is neither.
func TestF135LocalOriginErrorsApart(t *testing.T) {
	for _, tc := range []struct {
		name string
		ends []core.Result
		out  bool
	}{
		{"refused twice", []core.Result{refused, refused}, true},
		{"timeout and refused", []core.Result{late, refused}, true},
		{"500 ten times", []core.Result{bad5xx, bad5xx, bad5xx, bad5xx, bad5xx, bad5xx, bad5xx,
			bad5xx, bad5xx, bad5xx}, false},
		{"the client left", []core.Result{left, left, left, left, left, left, left, left, left,
			left}, false},
		{"an answer in between", []core.Result{refused, good2xx, refused}, false},
	} {
		d := detector(t, 3, Config{Consecutive: Consecutive{Errors: Off, Local: 2}})
		for _, r := range tc.ends {
			d.Report(0, 0, 0, r)
		}
		if out := d.Ejected() != 0; out != tc.out {
			t.Errorf("%s: out %v, want %v", tc.name, out, tc.out)
		}
	}
}

// An endpoint that was removed and added again is a new one.
func TestF137StateGoesWithTheEndpoint(t *testing.T) {
	d := detector(t, 2, Config{Base: 5 * time.Minute})
	report(d, 0, 0, 5, bad5xx)
	if d.Ejected() != 1 {
		t.Fatal("not out")
	}
	d.Use(10*sec, 2)
	if d.Ejected() != 0 {
		t.Error("out although it is gone")
	}
	d.Use(20*sec, 3)
	if e := d.Snapshot(20 * sec)[0]; e != (Endpoint{}) {
		t.Errorf("is remembered: %+v", e)
	}
}

// k equally bad ones of n are outliers while k/n is below 21.7 %.
func TestWhoIsSeenBySuccessRate(t *testing.T) {
	for n := 3; n <= 60; n++ {
		for k := 1; k < n; k++ {
			d := detector(t, n, Config{Consecutive: Consecutive{Errors: Off},
				SuccessRate: SuccessRate{Hosts: 1}, FailureShare: FailureShare{Share: Off},
				MaxOut: MaxOut{Share: 1}})
			for i := range n {
				good := 100
				if i < k {
					good = 60
				}
				report(d, 0, i, good, good2xx)
				report(d, 0, i, 100-good, bad5xx)
			}
			d.Sweep(10 * sec)
			seen, want := d.Ejected() != 0, math.Sqrt(float64(n-k)/float64(k)) > 1.9
			if seen != want {
				t.Errorf("%d of %d: seen %v, want %v", k, n, seen, want)
			}
			if seen && d.Ejected() != 1<<k-1 {
				t.Errorf("%d of %d: ejected %b", k, n, d.Ejected())
			}
			if law := float64(k)/float64(n) < 0.2169; seen != law {
				t.Errorf("%d of %d: the law of 21.7 %% says %v", k, n, law)
			}
		}
	}
}

// Endpoints that are alike are never outliers, whatever rounding does.
func TestEqualsAreNoOutliers(t *testing.T) {
	for n := 5; n <= 64; n++ {
		for _, bad := range []int{0, 1, 7, 50, 84} {
			d := detector(t, n, Config{Consecutive: Consecutive{Errors: Off}})
			for i := range n {
				for range 100 - bad {
					d.Report(sec, i, 30*time.Millisecond, good2xx)
				}
				report(d, sec, i, bad, bad5xx)
			}
			if d.Sweep(20 * sec); d.Ejected() != 0 {
				t.Fatalf("%d with %d %% errors: ejected %b", n, bad, d.Ejected())
			}
		}
	}
}
