package budget

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func mustNew(t testing.TB, c Config) *Budget {
	t.Helper()
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tally is what became of calls whose every attempt fails.
type tally struct {
	attempts, exhausted, denied int
	closedAt                    int // the first call that was denied, from 1; 0: none
}

// outage makes calls one after another against a dependency that always fails.
func outage(b *Budget, now func() core.Instant, calls, maxAttempts int) tally {
	var sum tally
	for call := 1; call <= calls; call++ {
		b.Deposit(now())
		for attempt := 1; ; attempt++ {
			sum.attempts++
			b.Report(now(), core.Failure, attempt > 1)
			if attempt == maxAttempts {
				sum.exhausted++
				break
			}
			if !b.Withdraw(now()) {
				sum.denied++
				if sum.closedAt == 0 {
					sum.closedAt = call
				}
				break
			}
		}
		b.Close(now())
	}
	return sum
}

func still() core.Instant { return 0 }

func TestR5GRPCThrottleInAnOutage(t *testing.T) {
	b := mustNew(t, Config{Kind: Tokens, MaxTokens: 100, Ratio: 0.1})
	got := outage(b, still, 100, 4)
	if want := (tally{attempts: 137, exhausted: 12, denied: 88, closedAt: 13}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if left := b.Snapshot(0).Tokens; left != 0 {
		t.Errorf("%v tokens are left, want 0", left)
	}
	if amplification := float64(got.attempts) / 100; amplification != 1.37 {
		t.Errorf("the load is %v times normal, want 1.37", amplification)
	}
}

func TestR5bOtherThrottleSettings(t *testing.T) {
	tests := []struct {
		tokens                       float64
		attempts, wantCalls, closeAt int
	}{
		{100, 2, 125, 26},
		{100, 3, 133, 17},
		{100, 4, 137, 13},
		{100, 5, 140, 11},
		{10, 4, 103, 2},
		{1000, 4, 400, 0},
	}
	for _, test := range tests {
		b := mustNew(t, Config{Kind: Tokens, MaxTokens: test.tokens, Ratio: 0.1})
		got := outage(b, still, 100, test.attempts)
		if got.attempts != test.wantCalls || got.closedAt != test.closeAt {
			t.Errorf("%v tokens, %d attempts: %d calls, closes at %d; want %d, %d", test.tokens,
				test.attempts, got.attempts, got.closedAt, test.wantCalls, test.closeAt)
		}
	}
}

// In the steady state ten successes earn one retry.
func TestR5bTenSuccessesEarnOneRetry(t *testing.T) {
	b := mustNew(t, Config{Kind: Tokens, MaxTokens: 100, Ratio: 0.1})
	outage(b, still, 100, 4)
	for range 501 { // from 0 to just above half
		b.Report(0, core.Success, false)
	}
	granted := 0
	for range 100 {
		for range 10 {
			b.Report(0, core.Success, false)
		}
		b.Report(0, core.Failure, false)
		if b.Withdraw(0) {
			granted++
			b.Report(0, core.Ignored, true)
		}
	}
	if granted != 100 {
		t.Errorf("1000 successes paid for %d retries, want 100", granted)
	}
	if b.Report(0, core.Failure, false); b.Withdraw(0) {
		t.Error("a failure that no success paid for is tried again")
	}
}

// C of the checkout gets a third of 1000 calls a second, all fail, and every
// call may make three attempts: 366.7 calls a second at a budget of 10 %.
func TestR6RatioBudgetBoundsTheLoad(t *testing.T) {
	b := mustNew(t, Config{Ratio: 0.1})
	var now core.Instant
	clock := func() core.Instant { return now }
	attempts, calls := 0, 0
	const length = 60 * time.Second
	for now = 0; now < core.Instant(length); now += core.Instant(3 * time.Millisecond) {
		attempts += outage(b, clock, 1, 3).attempts
		calls++
		if attempts*10 > calls*11 {
			t.Fatalf("after %v: %d attempts for %d calls, over 1.1 times",
				time.Duration(now), attempts, calls)
		}
	}
	if rate := float64(attempts) / length.Seconds(); rate < 366.3 || rate > 366.8 {
		t.Errorf("C sees %.1f calls a second, want 366.7", rate)
	}
}

// Without a floor the load of no stretch of time passes 1 + Ratio, counting
// the calls of one window before it: they may have earned what it spends.
func TestR6HoldsForBurstsAfterQuiet(t *testing.T) {
	b := mustNew(t, Config{Ratio: 0.1})
	at := func(s float64) core.Instant { return core.Instant(s * float64(time.Second)) }
	for i := range 1000 {
		b.Deposit(at(float64(i) / 100)) // healthy, 100 calls a second
	}
	granted := 0
	for range 1000 {
		if b.Withdraw(at(10)) {
			granted++
		}
	}
	// At 10 s the first second has just been forgotten: 900 calls are left.
	if granted != 90 {
		t.Errorf("%d retries at once after a busy window of 900 calls, want 90", granted)
	}
}

// Finagle's numbers: 20 % and a floor of 10 a second over 10 s let a client
// with 1000 calls a second make 2100 retries in 10 s, and one with 10 calls a
// second 120. The floor dominates a quiet client.
func TestFinagleNumbers(t *testing.T) {
	for calls, want := range map[int]int{10_000: 2100, 100: 120} {
		b := mustNew(t, Config{Ratio: 0.2, Floor: 10})
		for range calls {
			b.Deposit(0)
		}
		if got := b.Snapshot(0).Available; got != want {
			t.Errorf("%d calls in 10 s: %d retries, want %d", calls, got, want)
		}
	}
}
