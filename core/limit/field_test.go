package limit

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Faults that people met in other adaptive limits.

// adaptive are the algorithms that follow the latency.
var adaptive = []Algorithm{Knee, AIMD, Vegas, Gradient2, Envoy}

// measured returns a limit with a baseline of 10 ms, and nothing to measure.
func measured(t *testing.T, c Config) *feeder {
	t.Helper()
	f := feed(c)
	if c.Algorithm == Knee {
		f.window(10, 1)
	}
	for c.Algorithm == Envoy && f.l.m.algo.(*envoy).probing {
		f.now += 20 * ms
		f.l.Report(f.now, Sample{RTT: 10 * time.Millisecond, InFlight: 1})
	}
	return f
}

// What is refused at the door is not reported. What those behind us refuse is,
// and its time must not look like a fast answer.
func TestF119FastRefusalsAreNoBaseline(t *testing.T) {
	for _, a := range []Algorithm{Knee, Vegas, Gradient2, Envoy} {
		f := feed(Config{Algorithm: a})
		for range 2000 {
			f.now += 5 * ms
			f.l.Report(f.now, Sample{RTT: 100 * time.Millisecond, InFlight: 2})
			f.l.Report(f.now, Sample{RTT: time.Millisecond, InFlight: 2, Dropped: true})
		}
		got := f.l.Snapshot(f.now)
		if got.Baseline < 99*time.Millisecond || got.Baseline > 101*time.Millisecond {
			// Knee lowers its limit for the drops and has no look at the rest.
			if a != Knee || got.Baseline != 0 {
				t.Errorf("%v: baseline %v", a, got.Baseline)
			}
		}
	}
	// A few refusals are not yet overload, and the baseline is that of the rest.
	f := feed(Config{})
	for i := range 2000 {
		f.now += 5 * ms
		f.l.Report(f.now, Sample{RTT: 100 * time.Millisecond, InFlight: 2})
		if i%40 == 0 {
			f.l.Report(f.now, Sample{RTT: time.Millisecond, InFlight: 2, Dropped: true})
		}
	}
	if got := f.l.Snapshot(f.now); got.Baseline != 100*time.Millisecond || got.Limit != 20 {
		t.Errorf("knee with a few refusals: %+v", got)
	}
}

// A gradient of 0.8 lowers a limit or leaves it, however much headroom is added.
func TestF120HeadroomNeverOutweighsLatency(t *testing.T) {
	for _, tc := range []struct{ from, most int }{{16, 16}, {9, 9}, {100, 90}} {
		c := Config{Algorithm: Envoy, Initial: tc.from}
		f := measured(t, c)
		f.window(10*1.25/0.8, tc.from)
		if got := f.l.Limit(); got > tc.most {
			t.Errorf("envoy: from %d to %d, want at most %d", tc.from, got, tc.most)
		}
		// As it was published it rises.
		f = measured(t, c)
		f.l.m.algo.(*envoy).published = true
		if got := f.window(10*1.25/0.8, tc.from); tc.from < 20 && got < tc.from {
			t.Errorf("envoy as published: from %d to %d", tc.from, got)
		}
	}
	for _, from := range []int{4, 9, 16, 100} {
		f := feed(Config{Algorithm: Gradient2, Min: 1, Initial: from})
		f.l.m.algo.(*gradient2).long, f.l.m.algo.(*gradient2).seen = 10e6, 10
		if got := f.window(10*1.5/0.8, from); got > from {
			t.Errorf("gradient2: from %d to %d", from, got)
		}
	}
	// Knee lowers and raises its limit on trial; what it does with a latency
	// beyond tolerance is in its own tests.
	for _, a := range []Algorithm{Vegas, Gradient2, Envoy} {
		f := measured(t, Config{Algorithm: a, Min: 1, Max: 20, Initial: 20})
		for range 20 {
			f.window(10, 20)
		}
		before := f.l.Limit()
		for i := range 30 {
			after := f.window(100, before)
			if after > before {
				t.Errorf("%v: window %d of ten times the latency: from %d to %d", a, i, before, after)
			}
			before = after
		}
	}
}

func TestF121NoGrowthWithoutUse(t *testing.T) {
	for _, a := range adaptive {
		f := measured(t, Config{Algorithm: a, Initial: 100})
		for range 1000 {
			f.window(10, 5)
		}
		if a == Envoy { // which measures now and then, for a moment
			for f.l.m.algo.(*envoy).probing {
				f.window(10, 3)
			}
		}
		if got := f.l.Limit(); got != 100 {
			t.Errorf("%v: after 1,000 windows with 5 of 100 in use: %d", a, got)
		}
	}
}

func TestF121TinyWindowsChangeNothing(t *testing.T) {
	for _, a := range adaptive {
		f := measured(t, Config{Algorithm: a, Initial: 100})
		before := f.l.Snapshot(f.now)
		f.now = f.now.Add(time.Hour)
		f.l.Report(f.now, Sample{RTT: 100 * time.Microsecond, InFlight: 1})
		f.now = f.now.Add(time.Hour)
		f.l.Report(f.now, Sample{RTT: 100 * time.Microsecond, InFlight: 1})
		after := f.l.Snapshot(f.now)
		if after.Limit != 100 || after.Baseline != before.Baseline || after.Changes != before.Changes {
			t.Errorf("%v: one sample in a window: %+v", a, after)
		}
	}
}

func TestF121IdleHour(t *testing.T) {
	for _, a := range adaptive {
		f := measured(t, Config{Algorithm: a, Initial: 100})
		f.window(10, 60)
		before := f.l.Snapshot(f.now)
		f.now = f.now.Add(time.Hour)
		if got := f.l.Snapshot(f.now); got != before {
			t.Errorf("%v: after an idle hour %+v", a, got)
		}
	}
}

func TestF123LimitsStayWithinTheirBounds(t *testing.T) {
	f := measured(t, Config{Algorithm: Envoy, Min: 3, Initial: 4})
	if got := f.window(10*1.25/0.5, 4); got != 3 {
		t.Errorf("from 4 with a gradient of 0.5: %d, want 3", got)
	}
	// To measure does not raise the limit, and does not go below Min.
	if got := feed(Config{Algorithm: Envoy, Min: 1, Initial: 2}).l.Limit(); got != 2 {
		t.Errorf("measuring with a limit of 2: %d", got)
	}
	if got := feed(Config{Algorithm: Envoy, Min: 8, Initial: 20}).l.Limit(); got != 8 {
		t.Errorf("measuring with a Min of 8: %d", got)
	}
}

func TestF124EnvoyIsNeverStuck(t *testing.T) {
	f := measured(t, Config{Algorithm: Envoy, Initial: 100})
	ended := f.now
	for f.now < ended+100*ms-1 {
		f.now = min(f.now+5*ms, ended+100*ms-1)
		if n, changed := f.l.Report(f.now, Sample{RTT: 10 * time.Millisecond, InFlight: 100}); changed {
			t.Fatalf("the limit moves to %d, %v after the measurement", n, f.now.Sub(ended))
		}
	}
	if _, changed := f.l.Report(ended+100*ms, Sample{RTT: 10 * time.Millisecond, InFlight: 100}); !changed {
		t.Error("an interval after the measurement nothing happens")
	}
}

func TestF124FiveUpdatesAtMinMeasureAnew(t *testing.T) {
	f := measured(t, Config{Algorithm: Envoy, Initial: 4})
	e := f.l.m.algo.(*envoy)
	f.window(100, 3) // from 4 to 3
	for i := range 4 {
		if f.window(100, 3); e.probing {
			t.Fatalf("it measures after %d updates at the minimum", i+1)
		}
	}
	if f.window(100, 3); !e.probing {
		t.Fatal("it does not measure after five updates at the minimum")
	}
	// A change in between begins the count anew.
	f = measured(t, Config{Algorithm: Envoy, Initial: 4})
	e = f.l.m.algo.(*envoy)
	for _, rtt := range []float64{100, 100, 100, 100, 5, 100, 100, 100, 100, 100, 100, 100} {
		if f.window(rtt, 3); e.probing {
			t.Fatal("it measures although the limit has moved in between")
		}
	}
	if f.window(100, 3); !e.probing {
		t.Error("it does not measure after three that lower it and five more")
	}
}

// A baseline that is far too low pins a limit to its minimum. There nothing
// lower can be tried, and yet it has to end.
func TestF124KneeIsNotHeldAtMin(t *testing.T) {
	f := feed(Config{Min: 10, Initial: 10})
	for range 3 {
		f.window(1, 2) // health checks
	}
	if got := f.l.Snapshot(f.now); got.Baseline > 2*time.Millisecond {
		t.Fatalf("%+v", got)
	}
	f.traffic(50*time.Millisecond, 10*time.Second)
	if got := f.l.Snapshot(f.now); got.Limit < 20 || got.Baseline != 50*time.Millisecond {
		t.Errorf("after 10 s of traffic that takes 50 ms at any limit: %+v", got)
	}
}

func TestF125EmptyMeasurementKeepsTheBaseline(t *testing.T) {
	f := feed(Config{Algorithm: Envoy, Initial: 20})
	for f.l.Limit() == 3 {
		f.now += 10 * ms
		f.l.Report(f.now, Sample{RTT: time.Millisecond, InFlight: 3})
	}
	e := f.l.m.algo.(*envoy)
	e.due = f.now
	f.window(1, 15)
	if !e.probing {
		t.Fatal("it does not measure")
	}
	// Everything that ends now began before, so that the measurement is empty.
	began := f.now
	for f.now < began.Add(60*time.Second) && e.probing {
		f.now += 100 * ms
		f.l.Report(f.now, Sample{RTT: f.now.Sub(began) + time.Second, InFlight: 20})
	}
	got := f.l.Snapshot(f.now)
	if e.probing || got.Baseline != time.Millisecond || got.Limit != 20 {
		t.Errorf("after an empty measurement: probing %v, %+v", e.probing, got)
	}
	if waited := f.now.Sub(began); waited > 31*time.Second {
		t.Errorf("it took %v", waited)
	}
}

// Without any baseline there is nothing to go by, and it goes on measuring.
func TestF125EmptyFirstMeasurement(t *testing.T) {
	f := feed(Config{Algorithm: Envoy})
	for range 100 {
		f.now += core.Instant(time.Minute)
		f.l.Report(f.now, Sample{Dropped: true, InFlight: 1})
	}
	if got := f.l.Snapshot(f.now); got.Baseline != 0 || got.Limit != 3 {
		t.Errorf("nothing but drops: %+v", got)
	}
	for range 3 {
		f.window(10, 3)
	}
	f.now = f.now.Add(31 * time.Second)
	if f.window(10, 3); f.l.Snapshot(f.now).Baseline != 10*time.Millisecond {
		t.Errorf("with a few answers: %+v", f.l.Snapshot(f.now))
	}
}
