package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

func TestF043DelaysStayFinite(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, jitter := range []Jitter{Full, Equal, Decorrelated, None} {
		b := Backoff{Base: 2 * time.Second, Cap: 30 * time.Second, Jitter: jitter}
		var prev time.Duration
		for k := 1; k <= 2000; k++ {
			prev = b.Delay(k, prev, random.Float64())
			if prev < 0 || prev > b.Cap {
				t.Fatalf("%v: wait %d is %v", jitter, k, prev)
			}
		}
	}
}

// Ours has no user function to fail; what is left of the case is the overflow,
// which must mean the cap and never the end of the series.
func TestF044OverflowIsTheCap(t *testing.T) {
	b := Backoff{Base: 2 * time.Second, Cap: 5 * time.Minute, Jitter: None}
	for _, k := range []int{62, 63, 64, 1023, 1024, 1 << 40, math.MaxInt} {
		if got := b.Delay(k, 0, 0); got != b.Cap {
			t.Errorf("wait %d is %v, want the cap", k, got)
		}
	}
}

func TestF045ShiftDoesNotWrap(t *testing.T) {
	b := Backoff{Base: time.Millisecond, Cap: time.Hour, Jitter: None}
	if b.Delay(64, 0, 0) != time.Hour || b.Delay(65, 0, 0) != time.Hour {
		t.Errorf("waits 64 and 65 are %v and %v, want 1h", b.Delay(64, 0, 0), b.Delay(65, 0, 0))
	}
}

// Our zero base is the documented default instead of no wait, so the smallest
// span is one nanosecond. A jitter of 150 % cannot be written at all, because
// jitter is one of four names; a fifth is refused.
func TestF047TinySpans(t *testing.T) {
	for _, base := range []time.Duration{1, 2, 9} {
		for _, jitter := range []Jitter{Full, Equal, Decorrelated, None} {
			b := Backoff{Base: base, Jitter: jitter}
			for _, draw := range []float64{0, 0.5, math.Nextafter(1, 0)} {
				if got := b.Delay(1, 0, draw); got < 0 || got > 3*base {
					t.Errorf("base %d, %v, draw %v: wait %d", base, jitter, draw, got)
				}
			}
		}
	}
	if err := (Config{Attempts: 2, Backoff: Backoff{Jitter: 4}}).Validate(); err == nil {
		t.Error("a fifth kind of jitter is accepted")
	}
}

func TestF048FirstDelayIsTheBase(t *testing.T) {
	b := Backoff{Base: 100 * time.Millisecond, Factor: 2, Cap: time.Minute, Jitter: None}
	waits, _ := series(b, 5, func() float64 { return 0 })
	if want := []int64{100, 200, 400, 800, 1600}; !same(waits, want) {
		t.Errorf("waits are %v, want %v", waits, want)
	}
}

func TestF049JitterSurvivesTheCap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for jitter, want := range map[Jitter]time.Duration{Full: 500 * ms, Equal: 750 * ms} {
		b := Backoff{Base: 100 * ms, Cap: time.Second, Jitter: jitter}
		distinct, sum := map[time.Duration]bool{}, time.Duration(0)
		for range 100 {
			wait := b.Delay(20, 0, random.Float64())
			if wait > b.Cap {
				t.Errorf("%v: a wait of %v passes the cap", jitter, wait)
			}
			distinct[wait] = true
			sum += wait
		}
		if mean := sum / 100; len(distinct) < 90 || (mean-want).Abs() > 100*ms {
			t.Errorf("%v: %d distinct waits with mean %v, want %v",
				jitter, len(distinct), mean, want)
		}
	}
}

func TestEachJitterKeepsItsRange(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		base := time.Duration(1 + random.Int64N(int64(time.Second)))
		limit := base + time.Duration(random.Int64N(int64(time.Minute)))
		k, draw := 1+random.IntN(20), random.Float64()
		prev := time.Duration(random.Int64N(int64(time.Minute)))
		at := func(j Jitter) time.Duration {
			return Backoff{Base: base, Cap: limit, Jitter: j}.Delay(k, prev, draw)
		}
		whole := at(None)
		if d := at(Full); d < 0 || d > whole {
			t.Fatalf("full: %v of %v", d, whole)
		}
		if d := at(Equal); d < whole/2 || d > whole {
			t.Fatalf("equal: %v of %v", d, whole)
		}
		if d := at(Decorrelated); d < base || d > min(limit, 3*max(prev, base)) {
			t.Fatalf("decorrelated: %v after %v with base %v, cap %v", d, prev, base, limit)
		}
	}
}

func TestDelayOfOddArguments(t *testing.T) {
	b := Backoff{Base: 100 * ms, Cap: time.Second, Jitter: None}
	for _, k := range []int{1, 0, -1, math.MinInt} {
		if got := b.Delay(k, 0, 0); got != 100*ms {
			t.Errorf("wait %d is %v, want the first one", k, got)
		}
	}
	b.Jitter = Full
	for draw, want := range map[float64]time.Duration{
		-1: 0, math.Inf(-1): 0, 1: 100 * ms, 7: 100 * ms, math.Inf(1): 100 * ms,
	} {
		if got := b.Delay(1, 0, draw); got != want {
			t.Errorf("a draw of %v gives %v, want %v", draw, got, want)
		}
	}
	if got := b.Delay(1, 0, math.NaN()); got != 0 {
		t.Errorf("a draw that is no number gives %v, want 0", got)
	}
}

func TestBackoffDefaults(t *testing.T) {
	zero := Backoff{Jitter: None}
	if got := zero.Delay(1, 0, 0); got != 25*ms {
		t.Errorf("the default base is %v", got)
	}
	if got := zero.Delay(2, 0, 0); got != 50*ms {
		t.Errorf("the default factor makes %v of 25ms", got)
	}
	if got := zero.Delay(50, 0, 0); got != time.Second {
		t.Errorf("the default cap is %v", got)
	}
	long := Backoff{Base: 3 * time.Second, Jitter: None}
	if got := long.Delay(50, 0, 0); got != 3*time.Second {
		t.Errorf("the default cap under a long base is %v", got)
	}
}

func FuzzDelay(f *testing.F) {
	f.Add(int64(2e9), int64(3e10), 2.0, uint8(2), 1024, int64(0), 0.5)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), 1e308, uint8(0), 3, int64(math.MaxInt64), 1.0)
	f.Add(int64(-1), int64(-1), math.NaN(), uint8(9), -5, int64(-9), math.Inf(1))
	f.Fuzz(func(
		t *testing.T, base, limit int64, factor float64, j uint8, k int, prev int64, draw float64,
	) {
		b := Backoff{time.Duration(base), time.Duration(limit), factor, Jitter(j)}
		if got := b.Delay(k, time.Duration(prev), draw); got < 0 || got > b.limit() {
			t.Errorf("%+v: wait %d after %d with draw %v is %v", b, k, prev, draw, got)
		}
	})
}
