package budget

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestValidateNamesTheField(t *testing.T) {
	tests := map[string]Config{
		"Kind: is 3":              {Kind: 3, Ratio: 0.1},
		"Ratio: is -0.1":          {Ratio: -0.1, Floor: 1},
		"Ratio: is 1.1":           {Ratio: 1.1},
		"Ratio: is NaN":           {Ratio: math.NaN()},
		"Ratio: is +Inf":          {Kind: Tokens, Ratio: math.Inf(1), MaxTokens: 10},
		"Ratio: is 0.0001":        {Ratio: 0.0001, Floor: 1},
		"Ratio: is 0, so":         {Kind: Tokens, MaxTokens: 10},
		"Floor: is -1":            {Ratio: 0.1, Floor: -1},
		"Floor: is NaN":           {Ratio: 0.1, Floor: math.NaN()},
		"Floor: is 1e+07":         {Ratio: 0.1, Floor: 1e7},
		"Floor: the kind tokens":  {Kind: Tokens, Ratio: 0.1, MaxTokens: 10, Floor: 1},
		"Floor: is 2.5":           {Kind: Concurrent, Ratio: 0.1, Floor: 2.5},
		"Floor: is 0, too low":    {},
		"Floor: is 0.09, too low": {Floor: 0.09},
		"Window: is 1ms":          {Ratio: 0.1, Window: time.Millisecond},
		"Window: is -1s":          {Ratio: 0.1, Window: -time.Second},
		"Window: is 2h":           {Ratio: 0.1, Window: 2 * time.Hour},
		"Window: the kind":        {Kind: Concurrent, Ratio: 0.1, Window: time.Second},
		"MaxTokens: is 0":         {Kind: Tokens, Ratio: 0.1},
		"MaxTokens: is 1001":      {Kind: Tokens, Ratio: 0.1, MaxTokens: 1001},
		"MaxTokens: is NaN":       {Kind: Tokens, Ratio: 0.1, MaxTokens: math.NaN()},
		"MaxTokens: the kind":     {Ratio: 0.1, MaxTokens: 10},
	}
	for want, c := range tests {
		_, err := New(c)
		if err == nil {
			t.Errorf("%+v is accepted, want %q", c, want)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, want) || strings.Contains(text, "%!") {
			t.Errorf("%+v: %q, want %q", c, text, want)
		}
	}
	good := []Config{
		Default(),
		{Floor: 0.1},
		{Ratio: 1, Window: 10 * time.Millisecond},
		{Ratio: 0.001, Floor: 1e6, Window: time.Hour},
		{Kind: Tokens, Ratio: 1000, MaxTokens: 1000},
		{Kind: Tokens, Ratio: 0.001, MaxTokens: 0.001},
		{Kind: Concurrent, Floor: 1},
		{Kind: Concurrent, Ratio: 1},
	}
	for _, c := range append(good, kinds...) {
		if _, err := New(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestValidateReportsEveryField(t *testing.T) {
	c := Config{Kind: Tokens, Ratio: -1, Floor: -1, Window: -1, MaxTokens: -1}
	if lines := strings.Split(c.Validate().Error(), "\n"); len(lines) != 4 {
		t.Errorf("four bad fields give %q", lines)
	}
}

func TestDefaultBudget(t *testing.T) {
	b := mustNew(t, Default())
	if got := b.Snapshot(0).Available; got != 30 {
		t.Errorf("an idle client may make %d retries at once, want 3/s for 10 s", got)
	}
	for range 1000 {
		b.Deposit(0)
	}
	if got := b.Snapshot(0).Available; got != 130 {
		t.Errorf("after 1000 calls it may make %d, want 130", got)
	}
}

// Calls and retries of the window are facts: new numbers judge them, and a
// window of another length forgets them in the same order.
func TestReconfigureRatio(t *testing.T) {
	b := mustNew(t, Config{Ratio: 0.1})
	for range 100 {
		b.Deposit(0)
	}
	take(b, 0, 4)
	reload := func(now core.Instant, c Config, want int) {
		t.Helper()
		if err := b.Reconfigure(now, c); err != nil {
			t.Fatal(err)
		}
		if got := b.Snapshot(now).Available; got != want {
			t.Errorf("%+v: %d retries available, want %d", c, got, want)
		}
	}
	reload(0, Config{Ratio: 0.1}, 6)
	reload(0, Config{Ratio: 0.2}, 16)
	reload(0, Config{Ratio: 0.05}, 1)
	reload(0, Config{Ratio: 0.01}, 0)
	reload(second, Config{Ratio: 0.1, Window: time.Second}, 6)
	if got := b.Snapshot(second + second*9/10).Available; got != 0 {
		t.Errorf("a second later the shorter window still allows %d retries", got)
	}
}

// A goroutine that read the clock early and got the lock late must not turn
// time back: everything in the window would seem to lie in the future.
func TestReconfigureWithAnOldClock(t *testing.T) {
	b := mustNew(t, Config{Ratio: 0.1})
	for range 100 {
		b.Deposit(100 * second)
	}
	if err := b.Reconfigure(0, Config{Ratio: 0.1, Window: time.Second}); err != nil {
		t.Fatal(err)
	}
	if got := b.Snapshot(100 * second).Available; got != 10 {
		t.Errorf("%d retries available after the reload, want 10", got)
	}
}

// A refund after its withdrawal was forgotten frees another one, and never
// makes more than all calls have earned.
func TestLateRefund(t *testing.T) {
	b := mustNew(t, Config{Ratio: 0.5})
	b.Deposit(0)
	b.Deposit(0)
	if !b.Withdraw(0) {
		t.Fatal("the first retry is refused")
	}
	b.Refund(60 * second) // its calls are forgotten as well: it is worth nothing now
	if b.Withdraw(60 * second) {
		t.Error("a refund brings back what time has taken")
	}
	want := Snapshot{Active: 2, Deposits: 2, Withdrawn: 1, Refunded: 1, Denied: 1}
	if got := b.Snapshot(60 * second); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// The ends of the clock's range, where sums would wrap.
func TestExtremeInstants(t *testing.T) {
	b := mustNew(t, Config{Floor: 0.1})
	const first, last = math.MinInt64, core.Never
	for _, now := range []core.Instant{first, first + 1, -1, 0, last - 1, last} {
		b.Deposit(now)
		if s := b.Snapshot(now); s.Available < 0 || s.Available > 1 {
			t.Errorf("at %d: %+v", now, s)
		}
	}
	if got := take(b, core.Never, 3); got != 1 {
		t.Errorf("%d retries granted at the end of time", got)
	}
}

func TestKindNames(t *testing.T) {
	for k, want := range map[Kind]string{
		Ratio: "ratio", Tokens: "tokens", Concurrent: "concurrent", 9: "invalid",
	} {
		if k.String() != want {
			t.Errorf("%d is %q", k, k)
		}
	}
}
