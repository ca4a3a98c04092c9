package limit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// bag is the dumb window: it keeps every sample and works all out when asked.
type bag []Sample

func (b bag) times() (times []float64) {
	for _, s := range b {
		if !s.Dropped {
			times = append(times, float64(s.RTT))
		}
	}
	slices.Sort(times)
	return times
}

func (b bag) mean() float64 {
	sum := 0.0
	for _, x := range b.times() {
		sum += x
	}
	return sum / float64(len(b.times()))
}

// doubt is the standard error by its definition.
func (b bag) doubt() float64 {
	times, mean, sum := b.times(), b.mean(), 0.0
	for _, x := range times {
		sum += (x - mean) * (x - mean)
	}
	n := float64(len(times))
	return math.Sqrt(sum / (n - 1) / n)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b)+1e-3 }

func TestWindowAgreesWithTheBag(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := window{times: make([]time.Duration, kept)}
		w.reset(0)
		var b bag
		busy, most := 0, 0
		for range 2 + r.IntN(kept-2) {
			s := Sample{RTT: time.Duration(r.ExpFloat64() * 1e7), InFlight: r.IntN(50), Dropped: r.IntN(9) == 0}
			b = append(b, s)
			w.add(s)
			busy, most = busy+s.InFlight, max(most, s.InFlight)
		}
		times := b.times()
		if len(times) < 2 {
			continue
		}
		if w.count() != len(b) || w.n != len(times) || w.most != most {
			t.Fatalf("seed %d: %d samples, %d with times, %d at most", seed, w.count(), w.n, w.most)
		}
		if !near(w.mean(), b.mean()) || !near(w.doubt(), b.doubt()) {
			t.Fatalf("seed %d: mean %v ± %v, want %v ± %v", seed, w.mean(), w.doubt(), b.mean(), b.doubt())
		}
		if got, want := w.median(), times[len(times)/2]; got != want {
			t.Fatalf("seed %d: median %v, want %v", seed, got, want)
		}
		if !near(w.busy(), float64(busy)/float64(len(b))) {
			t.Fatalf("seed %d: busy %v", seed, w.busy())
		}
	}
}

// Beyond what is kept the median is that of an even choice of samples.
func TestMedianOfManySamples(t *testing.T) {
	for _, n := range []int{kept, kept + 1, 10 * kept, 12345} {
		w := window{times: make([]time.Duration, kept)}
		w.reset(0)
		r := rand.New(rand.NewPCG(uint64(n), 2))
		for range n {
			w.add(Sample{RTT: time.Duration(r.Int64N(1_000_000))})
		}
		if got := w.median(); math.Abs(got-500_000) > 80_000 {
			t.Errorf("of %d samples the median is %v", n, got)
		}
		if w.some < kept/2 || w.some > kept {
			t.Errorf("of %d samples %d are kept", n, w.some)
		}
	}
	empty := window{times: make([]time.Duration, kept)}
	if got := empty.median(); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
}

func TestNegativeTimesCountAsNone(t *testing.T) {
	var w window
	w.add(Sample{RTT: -time.Second})
	w.add(Sample{RTT: -time.Second})
	if w.mean() != 1 || w.doubt() != 0 {
		t.Errorf("mean %v ± %v", w.mean(), w.doubt())
	}
}

// Draws are spread over their range, and a seed gives the same ones again.
func TestDraws(t *testing.T) {
	a, b, other := draws(7), draws(7), draws(8)
	sum, same := 0.0, 0
	for range 10_000 {
		x := a.between(2, 4)
		if x < 2 || x >= 4 || x != b.between(2, 4) {
			t.Fatalf("drew %v", x)
		}
		if x == other.between(2, 4) {
			same++
		}
		sum += x
	}
	if mean := sum / 10_000; math.Abs(mean-3) > 0.02 || same > 3 {
		t.Errorf("mean %v, %d the same with another seed", mean, same)
	}
}
