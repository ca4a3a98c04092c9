package budget

import (
	"strings"
	"testing"

	"github.com/seakeep/seakeep/core"
)

// take withdraws n times and returns how many were granted.
func take(b *Budget, now core.Instant, n int) (granted int) {
	for range n {
		if b.Withdraw(now) {
			granted++
		}
	}
	return granted
}

func TestF075CallStaysActiveWhileItWaits(t *testing.T) {
	tests := []struct {
		ratio       float64
		calls, want int
	}{{1, 1, 1}, {1, 10, 10}, {0.5, 10, 5}}
	for _, test := range tests {
		b := mustNew(t, Config{Kind: Concurrent, Ratio: test.ratio})
		for range test.calls {
			b.Deposit(0)
		}
		for range test.calls {
			b.Report(0, core.Failure, false) // the attempt is over, the call is not
		}
		if got := take(b, 0, test.calls); got != test.want {
			t.Errorf("ratio %v, %d calls that failed at once: %d retries, want %d",
				test.ratio, test.calls, got, test.want)
		}
	}
}

func TestF076FloorAtLowTraffic(t *testing.T) {
	tests := []struct {
		floor       float64
		calls, want int
	}{
		{3, 25, 5}, {3, 2, 3}, {3, 0, 3}, {3, 16, 3}, {3, 20, 4},
		{0, 4, 0}, // a share is rounded down
		{0, 5, 1},
	}
	for _, test := range tests {
		b := mustNew(t, Config{Kind: Concurrent, Ratio: 0.2, Floor: test.floor})
		for range test.calls {
			b.Deposit(0)
		}
		if got := b.Snapshot(0).Available; got != test.want {
			t.Errorf("floor %v, %d calls: %d retries available, want %d",
				test.floor, test.calls, got, test.want)
		}
		if got := take(b, 0, 100); got != test.want {
			t.Errorf("floor %v, %d calls: %d retries granted, want %d",
				test.floor, test.calls, got, test.want)
		}
	}
}

func TestF077TokensStayWithinBounds(t *testing.T) {
	b := mustNew(t, Config{Kind: Tokens, MaxTokens: 10, Ratio: 0.1})
	report := func(o core.Outcome, n int) {
		for range n {
			b.Report(0, o, false)
		}
	}
	check := func(tokens float64, allowed bool) {
		t.Helper()
		if got := b.Snapshot(0).Tokens; got != tokens {
			t.Errorf("%v tokens, want %v", got, tokens)
		}
		if got := b.Withdraw(0); got != allowed {
			t.Errorf("at %v tokens a retry is granted: %v", tokens, got)
		}
	}
	report(core.Success, 1_000_000)
	check(10, true)
	report(core.Failure, 4)
	check(6, true)
	report(core.Failure, 1)
	check(5, false)
	report(core.Failure, 15)
	check(0, false)
	report(core.Success, 51)
	check(5.1, true)
	// What says nothing about the dependency costs and earns nothing.
	report(core.Ignored, 1000)
	report(core.Cancelled, 1000)
	check(5.1, true)
	report(core.Timeout, 1)
	check(4.1, false)
	report(core.Overloaded, 1)
	check(3.1, false)
}

// A bucket that holds 10 and asks 5 for a retry is a floor of two retries in
// ours. Twenty attempts are allowed, but two retries are all there is.
func TestF079OnlyTheBudgetLimitsTheStorm(t *testing.T) {
	b := mustNew(t, Config{Floor: 0.2})
	got := outage(b, still, 10, 20)
	if got.attempts != 12 || got.denied != 10 {
		t.Errorf("%d attempts, %d denied; want 12 and 10", got.attempts, got.denied)
	}
	if s := b.Snapshot(0); s.Denied != 10 || s.Withdrawn != 2 || s.Deposits != 10 {
		t.Errorf("the snapshot says %+v", s)
	}
}

func TestF080ReconfigureScalesTheLevel(t *testing.T) {
	tokens := func(limit, ratio float64) Config {
		return Config{Kind: Tokens, MaxTokens: limit, Ratio: ratio}
	}
	b := mustNew(t, tokens(10, 0.1))
	for range 5 {
		b.Report(0, core.Failure, false)
	}
	if err := b.Reconfigure(0, tokens(20, 0.1)); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot(0).Tokens; got != 10 {
		t.Errorf("5 of 10 tokens became %v of 20", got)
	}
	if err := b.Reconfigure(0, tokens(1000, 0.1)); err != nil {
		t.Errorf("the documented maximum is refused: %v", err)
	}
	for _, bad := range []Config{
		tokens(1001, 0.1), tokens(0, 0.1), tokens(-1, 0.1), tokens(10, 0),
	} {
		before := b.Snapshot(0)
		if err := b.Reconfigure(0, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
		if _, err := New(bad); err == nil {
			t.Errorf("%+v is accepted at first", bad)
		}
		if b.Snapshot(0) != before {
			t.Errorf("%+v is refused and changes the budget all the same", bad)
		}
	}
}

// Two limits are two budgets: what one spends the other still has.
func TestF081BudgetsDoNotShare(t *testing.T) {
	transient, throttled := mustNew(t, Config{Floor: 0.3}), mustNew(t, Config{Floor: 1})
	if got := take(throttled, 0, 8); got != 8 {
		t.Errorf("%d of 8 retries granted", got)
	}
	if got := take(transient, 0, 4); got != 3 {
		t.Errorf("%d retries of the other kind granted, want 3", got)
	}
	if got := take(throttled, 0, 8); got != 2 {
		t.Errorf("%d retries left of the first kind, want 2", got)
	}
}

func TestMisusePanicsAndFreesTheLock(t *testing.T) {
	for _, kind := range kinds {
		b := mustNew(t, kind)
		for name, misuse := range map[string]func(){
			"Close":  func() { b.Close(0) },
			"Refund": func() { b.Refund(0) },
			"Report": func() { b.Report(0, core.Success, true) },
		} {
			func() {
				defer func() {
					text, _ := recover().(string)
					if !strings.HasPrefix(text, "budget: "+name) {
						t.Errorf("%v: %s panics with %q", kind.Kind, name, text)
					}
				}()
				misuse()
			}()
		}
		b.Deposit(0) // would hang if a panic had kept the lock
		if s := b.Snapshot(0); s.Active != 1 || s.Retrying != 0 {
			t.Errorf("%v: misuse left %+v", kind.Kind, s)
		}
	}
}
