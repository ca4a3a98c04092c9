package retry

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/mt19937"
)

const ms = time.Millisecond

// series returns the first n waits in whole milliseconds, rounded, and their
// exact sum.
func series(b Backoff, n int, draw func() float64) (waits []int64, sum time.Duration) {
	var prev time.Duration
	for k := 1; k <= n; k++ {
		prev = b.Delay(k, prev, draw())
		sum += prev
		waits = append(waits, int64(prev.Round(ms)/ms))
	}
	return waits, sum
}

func same(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestR2BackoffWithoutJitter(t *testing.T) {
	b := Backoff{Base: 100 * ms, Cap: 10 * time.Second, Jitter: None}
	waits, sum := series(b, 5, func() float64 { return 0.5 })
	if want := []int64{100, 200, 400, 800, 1600}; !same(waits, want) {
		t.Errorf("waits are %v ms, want %v", waits, want)
	}
	if sum != 3100*ms {
		t.Errorf("they sum to %v, want 3.1s", sum)
	}
	b.Cap = time.Hour
	if got := b.Delay(10, 0, 0); got != 51200*ms {
		t.Errorf("the tenth uncapped wait is %v, want 51.2s", got)
	}
}

func TestR3BackoffWithJitter(t *testing.T) {
	tests := []struct {
		jitter Jitter
		waits  []int64
		total  float64 // seconds, to two digits
	}{
		{Full, []int64{64, 5, 110, 179, 1178}, 1.54},
		{Equal, []int64{82, 103, 255, 489, 1389}, 2.32},
		{Decorrelated, []int64{228, 115, 167, 190, 445}, 1.14},
	}
	for _, test := range tests {
		b := Backoff{Base: 100 * ms, Cap: 10 * time.Second, Jitter: test.jitter}
		waits, sum := series(b, 5, mt19937.New(42).Float64)
		if !same(waits, test.waits) {
			t.Errorf("%v: waits are %v ms, want %v", test.jitter, waits, test.waits)
		}
		if got := math.Round(sum.Seconds()*100) / 100; got != test.total {
			t.Errorf("%v: they sum to %v s, want %v", test.jitter, got, test.total)
		}
	}
}

func TestR7TwoTimeoutsThenSuccess(t *testing.T) {
	c := Config{Attempts: 4, Backoff: Backoff{Base: 100 * ms, Cap: 10 * time.Second}}
	draws := mt19937.New(7)
	outcomes := []core.Result{
		{Outcome: core.Timeout, Cause: core.TimedOut},
		{Outcome: core.Timeout, Cause: core.TimedOut},
		{Outcome: core.Success},
	}
	attempts, slept, waits := 0, time.Duration(0), []time.Duration(nil)
	for _, r := range outcomes {
		attempts++
		if c.Check(attempts, r, Idempotent, true) != core.NoReason {
			break
		}
		wait := c.Wait(attempts, 0, r, draws.Float64())
		slept += wait
		waits = append(waits, wait.Round(ms/10))
	}
	if attempts != 3 {
		t.Errorf("%d attempts for one call, want 3: an amplification of 3.0", attempts)
	}
	if len(waits) != 2 || waits[0] != 32400*time.Microsecond || waits[1] != 30200*time.Microsecond {
		t.Errorf("waits are %v, want 32.4ms and 30.2ms", waits)
	}
	if slept.Round(ms) != 63*ms {
		t.Errorf("slept %v, want 63ms", slept)
	}
}

// R4's 200 callers who failed at the same moment, drawn once each from a wait
// of 400 ms and sorted into bins of 20 ms: how many come back together.
func TestR4WorstBinOfCallers(t *testing.T) {
	for jitter, want := range map[Jitter]int{None: 200, Full: 20, Equal: 32} {
		draws, bins, worst := mt19937.New(42), map[int]int{}, 0
		b := Backoff{Base: 400 * ms, Cap: 10 * time.Second, Jitter: jitter}
		for range 200 {
			bin := int(b.Delay(1, 0, draws.Float64()) / (20 * ms))
			bins[bin]++
			worst = max(worst, bins[bin])
		}
		if worst != want {
			t.Errorf("%v: the worst 20 ms bin holds %d callers, want %d", jitter, worst, want)
		}
	}
}

func TestR10WhichFailuresRetry(t *testing.T) {
	c := Config{Attempts: 3}
	yes, no := core.NoReason, core.NotIdempotent
	tests := []struct {
		name         string
		r            core.Result
		safe, unsafe core.Reason
	}{
		{"refused, DNS", core.Result{Outcome: core.Failure, Cause: core.Unsent}, yes, yes},
		{"timeout", core.Result{Outcome: core.Timeout, Cause: core.TimedOut}, yes, no},
		{"reset", core.Result{Outcome: core.Failure, Cause: core.Reset}, yes, no},
		{"503", core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}, yes, no},
		{"503 with Retry-After", core.Result{Outcome: core.Overloaded, Cause: core.Unavailable,
			RetryAfter: time.Second}, yes, yes},
		{"429 with Retry-After", core.Result{Outcome: core.Overloaded, Cause: core.TooMany,
			RetryAfter: time.Second}, yes, yes},
		{"500", core.Result{Outcome: core.Failure, Cause: core.ServerError},
			core.NotRetryable, core.NotRetryable},
		{"4xx", core.Result{Outcome: core.Ignored, Cause: core.ClientError},
			core.NotRetryable, core.NotRetryable},
		{"do not retry", core.Result{Outcome: core.Overloaded, Cause: core.Unavailable,
			NoRetry: true, RetryAfter: time.Second}, core.DoNotRetry, core.DoNotRetry},
	}
	for _, test := range tests {
		for safety, want := range map[Safety]core.Reason{
			Idempotent: test.safe, Keyed: test.safe, Unsafe: test.unsafe, Unknown: test.unsafe,
		} {
			if got := c.Check(1, test.r, safety, true); got != want {
				t.Errorf("%s, safety %d: %v, want %v", test.name, safety, got, want)
			}
		}
	}
}
