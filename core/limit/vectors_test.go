package limit

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// raw makes each sample a window of its own, which is how algorithms were
// published and their figures are given.
func raw(c Config) Config {
	c.Window, c.Samples = 1, 1
	return c
}

// feeder reports samples at an even pace.
type feeder struct {
	l   *Limit
	now core.Instant
}

func feed(c Config) *feeder { return &feeder{l: must(c, 1)} }

func (f *feeder) sample(s Sample) int {
	f.now += 10 * ms
	n, _ := f.l.Report(f.now, s)
	return n
}

// rtt reports a sample of so many milliseconds.
func (f *feeder) rtt(millis float64, inFlight int) int {
	return f.sample(Sample{RTT: time.Duration(millis * 1e6), InFlight: inFlight})
}

// window reports a whole window of equal samples.
func (f *feeder) window(millis float64, inFlight int) int {
	c := f.l.m.cfg
	end := f.l.m.w.began.Add(c.Window)
	for range c.Samples - 1 {
		f.l.Report(f.now, Sample{RTT: time.Duration(millis * 1e6), InFlight: inFlight})
	}
	f.now = max(f.now, end)
	n, _ := f.l.Report(f.now, Sample{RTT: time.Duration(millis * 1e6), InFlight: inFlight})
	return n
}

func TestVegasVector(t *testing.T) {
	f := feed(raw(Config{Algorithm: Vegas}))
	rtts := []float64{10, 10, 10, 15, 20, 12, 11}
	want := []int{20, 26, 32, 31, 30, 30, 30}
	for i, rtt := range rtts {
		if got := f.rtt(rtt, 40); got != want[i] {
			t.Fatalf("after %v: %d, want %d", rtts[:i+1], got, want[i])
		}
	}
}

func TestGradient2Vector(t *testing.T) {
	for _, published := range []bool{true, false} {
		f := feed(raw(Config{Algorithm: Gradient2}))
		f.l.m.algo.(*gradient2).published = published
		check := func(rtt, want float64) {
			t.Helper()
			f.rtt(rtt, 1000)
			if got := f.l.m.v.limit; math.Abs(got-want) > 0.0005 {
				t.Errorf("published %v: after %v: %.4f, want %v", published, rtt, got, want)
			}
		}
		for i := range 10 {
			check(10, 20.8+0.8*float64(i))
		}
		check(15, 28.8)
		check(20, 28.182)
		check(30, 26.196)
		check(50, 24.377)
		check(10, 25.177)
	}
}

func TestEnvoyVector(t *testing.T) {
	want := map[float64]int{10: 136, 12.5: 110, 15: 92, 20: 70, 30: 57, 50: 57}
	for _, rtt := range []float64{10, 12.5, 15, 20, 30, 50} {
		f := feed(Config{Algorithm: Envoy, Initial: 100, Samples: 1, Window: 10 * time.Millisecond})
		if got := f.l.Limit(); got != 3 {
			t.Fatalf("while it measures the limit is %d, want 3", got)
		}
		for range 50 {
			f.rtt(10, 3)
		}
		if got := f.l.Limit(); got != 100 || f.l.Snapshot(f.now).Baseline != 10*time.Millisecond {
			t.Fatalf("measured: limit %d, %+v", got, f.l.Snapshot(f.now))
		}
		if got := f.rtt(rtt, 100); got != want[rtt] {
			t.Errorf("a sample of %v ms: %d, want %d", rtt, got, want[rtt])
		}
	}
}

func TestAIMDVector(t *testing.T) {
	f := feed(raw(Config{Algorithm: AIMD, Min: 10}))
	if got := f.rtt(10, 20); got != 21 {
		t.Errorf("a good sample: %d, want 21", got)
	}
	if got := f.rtt(10, 10); got != 21 {
		t.Errorf("less than half in use: %d, want 21", got)
	}
	if got := f.rtt(10, 11); got != 22 {
		t.Errorf("half in use: %d, want 22", got)
	}
	if got := f.sample(Sample{Dropped: true, InFlight: 22}); got != 19 {
		t.Errorf("dropped: %d, want 19", got)
	}
	if got := f.rtt(5001, 20); got != 17 {
		t.Errorf("slower than 5 s: %d, want 17", got)
	}
	if got := f.rtt(5000, 20); got != 18 {
		t.Errorf("5 s exactly: %d, want 18", got)
	}
}

// The unit by which Vegas moves is the whole part of the limit's logarithm.
func TestVegasUnit(t *testing.T) {
	for _, tc := range []struct{ from, want int }{{9, 8}, {99, 98}, {100, 98}, {999, 997}, {1000, 997}} {
		f := feed(raw(Config{Algorithm: Vegas, Initial: tc.from}))
		if got := f.sample(Sample{Dropped: true}); got != tc.want {
			t.Errorf("a drop at %d gives %d, want %d", tc.from, got, tc.want)
		}
	}
}

// Vegas measures its baseline anew every 15 to 30 times limit samples, which
// also mends one that has become too low.
func TestVegasForgetsItsBaseline(t *testing.T) {
	f := feed(raw(Config{Algorithm: Vegas, Max: 20}))
	f.rtt(10, 20)
	n := 1
	for f.l.Snapshot(f.now).Baseline == 10*time.Millisecond {
		f.rtt(30, 20)
		if n++; n > 30*20 {
			t.Fatal("after 600 samples the baseline is the old one")
		}
	}
	if n < 15 || f.l.Snapshot(f.now).Baseline != 30*time.Millisecond {
		t.Errorf("after %d samples: %+v", n, f.l.Snapshot(f.now))
	}
}

func TestFixedNeverMoves(t *testing.T) {
	f := feed(Config{Algorithm: Fixed, Initial: 7})
	for i := range 1000 {
		if got := f.sample(Sample{RTT: time.Duration(i) * time.Second, Dropped: i%3 == 0, InFlight: i}); got != 7 {
			t.Fatalf("sample %d: %d", i, got)
		}
	}
}

// A long average that is more than twice the latency comes down by a twentieth
// in each window, and not at its own pace.
func TestGradient2AfterALongOverload(t *testing.T) {
	f := feed(raw(Config{Algorithm: Gradient2}))
	for range 20 {
		f.rtt(100, 20)
	}
	for range 14 {
		f.rtt(10, 20)
	}
	if got := f.l.Snapshot(f.now).Baseline; got < 45*time.Millisecond || got > 50*time.Millisecond {
		t.Errorf("after 14 windows of 10 ms the average is %v", got)
	}
}

// Knee waits for a mean that is known well, but not for ever.
func TestNoisyWindowIsJudgedInTheEnd(t *testing.T) {
	f := feed(Config{})
	for i := 0; f.l.Snapshot(f.now).Latency == 0; i++ {
		f.now += 200 * ms
		if f.rtt([]float64{1, 1, 1, 1000}[i%4], 15); f.now > 40_000*ms {
			t.Fatal("after 40 s the first window is not judged")
		}
	}
	if f.now < 30_000*ms {
		t.Errorf("with a mean that is hardly known it is judged after %v", time.Duration(f.now))
	}
}
