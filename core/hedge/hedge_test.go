package hedge

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestValidateNamesTheField(t *testing.T) {
	for _, c := range []struct {
		config Config
		field  string
	}{
		{Config{After: -1}, "After"},
		{Config{After: 1, Quantile: 0.5}, "After"},
		{Config{Quantile: 1}, "Quantile"},
		{Config{Quantile: -0.1}, "Quantile"},
		{Config{Copies: 5}, "Copies"},
		{Config{Copies: -1}, "Copies"},
		{Config{Budget: 1.1}, "Budget"},
		{Config{Budget: 0.0001}, "Budget"},
		{Config{Window: time.Millisecond}, "Window"},
		{Config{Minimum: -1}, "Minimum"},
		{Config{Slow: 2}, "Slow"},
	} {
		err := c.config.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), c.field+": ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, want an error of %s", c.config, err, c.field)
		}
		if h, err := New(c.config); h != nil || err == nil {
			t.Errorf("%+v: New takes it", c.config)
		}
	}
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	if err := (Config{}).Filled().Validate(); err != nil {
		t.Error(err)
	}
}

// A quantile far out needs as many latencies as it takes for one to lie beyond.
func TestMinimumSuitsTheQuantile(t *testing.T) {
	for q, want := range map[float64]int{0: 100, 0.5: 100, 0.99: 100, 0.999: 1000} {
		if got := (Config{Quantile: q}).Filled().Minimum; got < want || got > want+1 {
			t.Errorf("quantile %v: %d latencies, want %d", q, got, want)
		}
	}
}

// Whatever happens in whatever order, copies are never more than the budget's
// share of the calls, nor in any stretch of calls more than that and ten.
func TestCopiesStayWithinTheBudget(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		share := []float64{0.01, 0.05, 0.3, 1}[seed%4]
		h, err := New(Config{After: time.Millisecond, Budget: share, Slow: 1})
		if err != nil {
			t.Fatal(err)
		}
		calls, sent := 0, 0
		lowest := 0.0 // of sent - share*calls, so far
		for range 3000 {
			switch {
			case rng.Float64() < 0.5:
				h.Deposit(0)
				calls++
			case h.Withdraw(0, 0) == core.NoReason:
				sent++
				if rng.IntN(4) == 0 {
					h.Refund(0)
					sent--
				}
			}
			level := float64(sent) - share*float64(calls)
			if level > 1e-6 || level-lowest > kept+1e-6 {
				t.Fatalf("seed %d: %d copies of %d calls, %v above the lowest", seed, sent, calls, level-lowest)
			}
			lowest = min(lowest, level)
		}
		if sent == 0 {
			t.Errorf("seed %d: no copy", seed)
		}
	}
}

func TestRefundWithoutACopyPanics(t *testing.T) {
	defer func() {
		if r, _ := recover().(string); !strings.HasPrefix(r, "hedge: ") {
			t.Errorf("panicked with %v", r)
		}
	}()
	h, _ := New(Config{})
	h.Refund(0)
}

// A clock that another goroutine read earlier changes nothing.
func TestTimeNeverGoesBack(t *testing.T) {
	h, _ := New(Config{After: 1, Budget: 1, Slow: 1})
	for range 10 {
		h.Deposit(0)
	}
	h.Report(core.Instant(time.Second), core.Result{Outcome: core.Overloaded, RetryAfter: time.Second}, 0, false)
	if r := h.Withdraw(core.Instant(2*time.Second), 0); r != core.NoReason {
		t.Fatal(r)
	}
	if r := h.Withdraw(0, 0); r != core.NoReason {
		t.Errorf("an older now brings back %v", r)
	}
}

func TestUseByManyGoroutines(t *testing.T) {
	h, _ := New(Config{Minimum: 10})
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 3000 {
				now := core.Instant(i) * core.Instant(time.Millisecond)
				if after := h.Deposit(now); after > 0 && i%20 == g && h.Withdraw(now, 0) == core.NoReason {
					h.Report(now, core.Result{Outcome: core.Success}, time.Millisecond, true)
				}
				h.Report(now, core.Result{Outcome: core.Success}, time.Duration(i%50)*time.Millisecond, false)
				h.Snapshot(now)
			}
		})
	}
	group.Wait()
	s := h.Snapshot(0)
	if s.Counts.Calls != 12000 || s.After == 0 || s.Counts.Sent == 0 || s.Counts.Sent != s.Counts.Won {
		t.Errorf("in the end: %+v", s)
	}
}

// A call that goes well leaves no garbage; the quantile is read once a second.
func TestHedgeAllocates(t *testing.T) {
	h, _ := New(Config{})
	now := core.Instant(0)
	if n := testing.AllocsPerRun(5000, func() {
		now += 1e6
		h.Deposit(now)
		h.Report(now, core.Result{Outcome: core.Success}, time.Millisecond, false)
	}); n != 0 {
		t.Errorf("a call allocates %v times", n)
	}
}

func BenchmarkHedge(b *testing.B) {
	h, _ := New(Config{})
	b.ReportAllocs()
	for now := core.Instant(0); b.Loop(); now += 1e5 {
		h.Deposit(now)
		h.Report(now, core.Result{Outcome: core.Success}, time.Millisecond, false)
	}
}
