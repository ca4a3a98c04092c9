package budget

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// kinds is one budget of each kind.
var kinds = []Config{
	{Kind: Ratio, Ratio: 0.1, Floor: 1},
	{Kind: Tokens, Ratio: 0.1, MaxTokens: 10},
	{Kind: Concurrent, Ratio: 0.2, Floor: 3},
}

const second = core.Instant(time.Second)

// history is the Ratio budget done in the simplest way: it keeps every event
// and counts again each time. A slice is a second long, as the window is 10 s.
type history struct {
	config  Config
	start   core.Instant // of slice 0
	current time.Duration
	begun   bool
	calls   []time.Duration // the slice of each
	retries []time.Duration
}

// at moves to the slice of now. After a window in which nothing was asked the
// slices begin anew.
func (h *history) at(now core.Instant) time.Duration {
	slice := now.Sub(h.start) / time.Second
	if !h.begun || slice-h.current >= slices {
		*h = history{config: h.config, start: now, begun: true}
		return 0
	}
	h.current = slice
	return slice
}

func (h *history) deposit(now core.Instant) { h.calls = append(h.calls, h.at(now)) }

func (h *history) withdraw(now core.Instant) bool {
	current := h.at(now)
	count := func(events []time.Duration) (n int64) {
		for _, slice := range events {
			if current-slice < slices {
				n++
			}
		}
		return n
	}
	earned := milli(h.config.Ratio)*count(h.calls) + milli(h.config.Floor*10)
	if 1000*(count(h.retries)+1) > earned {
		return false
	}
	h.retries = append(h.retries, current)
	return true
}

// The Ratio budget grants exactly when the rule of its doc comment does.
func TestRatioMatchesARecount(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	granted, denied := 0, 0
	for round := range 200 {
		c := Config{Ratio: float64(random.IntN(1001)) / 1000, Floor: float64(random.IntN(5)) / 5}
		if c.Validate() != nil {
			continue
		}
		now := core.Instant(random.Int64() - random.Int64()) // any origin will do
		b, model := mustNew(t, c), history{config: c}
		for range 400 {
			now = now.Add(time.Duration(random.ExpFloat64() * float64(300*time.Millisecond)))
			if random.IntN(100) == 0 {
				now = now.Add(time.Duration(random.Int64N(int64(30 * time.Second))))
			}
			if random.IntN(2) == 0 {
				b.Deposit(now)
				model.deposit(now)
				continue
			}
			want := model.withdraw(now)
			if got := b.Withdraw(now); got != want {
				t.Fatalf("round %d, %+v: a retry at %v is granted: %v, want %v",
					round, c, now.Sub(model.start), got, want)
			}
			if want {
				granted++
			} else {
				denied++
			}
		}
	}
	if granted < 1000 || denied < 1000 {
		t.Errorf("%d granted, %d denied: the test does not tell much", granted, denied)
	}
}

// Every retry is paid for by its own share of calls, or by the floor: over any
// length of time retries never pass Ratio of all calls plus the floor of each
// window begun.
func TestRatioNeverSpendsTwice(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		c := Config{Ratio: 0.25, Floor: float64(random.IntN(3))}
		b := mustNew(t, c)
		var now core.Instant
		calls, sent := 0.0, 0.0
		for range 2000 {
			now += core.Instant(random.Int64N(int64(400 * time.Millisecond)))
			switch random.IntN(3) {
			case 0:
				b.Deposit(now)
				calls++
			default:
				if b.Withdraw(now) {
					sent++
					if random.IntN(4) == 0 {
						b.Refund(now + second)
						sent--
					}
				}
			}
			windows := math.Floor(float64(now+second)/float64(10*second)) + 1
			if sent > c.Ratio*calls+c.Floor*10*windows {
				t.Fatalf("%v retries for %v calls in %v", sent, calls, time.Duration(now))
			}
		}
	}
}

func TestExactUnderGoroutines(t *testing.T) {
	const workers, each = 8, 500
	tests := map[int64]Config{
		workers*each/10 + 20:    {Ratio: 0.1, Floor: 2},
		workers * each * 2 / 10: {Kind: Concurrent, Ratio: 0.2, Floor: 3},
	}
	for want, c := range tests {
		b := mustNew(t, c)
		var granted atomic.Int64
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				for range each {
					b.Deposit(0)
					if b.Withdraw(0) {
						granted.Add(1)
					}
				}
			})
		}
		group.Wait()
		granted.Add(int64(take(b, 0, workers*each)))
		if got := granted.Load(); got != want {
			t.Errorf("%v: %d retries granted to goroutines, want exactly %d", c.Kind, got, want)
		}
	}
}

// Whatever goroutines do, in whatever order they read the clock, the counts of
// what is under way come back to nothing.
func TestCountsComeBackUnderGoroutines(t *testing.T) {
	for _, c := range kinds {
		b := mustNew(t, c)
		var group sync.WaitGroup
		for w := range 8 {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(w), 9))
				for i := range 500 {
					now := core.Instant(i) * second / 100
					b.Deposit(now)
					b.Report(now, core.Failure, false)
					if b.Withdraw(now) {
						if random.IntN(2) == 0 {
							b.Refund(now)
						} else {
							b.Report(now, core.Success, true)
						}
					}
					if w == 0 && i%50 == 0 {
						if err := b.Reconfigure(now, kinds[random.IntN(len(kinds))]); err != nil {
							t.Error(err)
						}
					}
					b.Close(now)
				}
			})
		}
		group.Wait()
		if s := b.Snapshot(0); s.Active != 0 || s.Retrying != 0 || s.Deposits != 4000 {
			t.Errorf("%v: left with %+v", c.Kind, s)
		}
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	for _, c := range kinds {
		b := mustNew(t, c)
		var now core.Instant
		allocs := testing.AllocsPerRun(1000, func() {
			now += second / 50
			b.Deposit(now)
			b.Report(now, core.Failure, false)
			if b.Withdraw(now) {
				b.Report(now, core.Success, true)
			}
			if b.Withdraw(now) {
				b.Refund(now)
			}
			b.Close(now)
		})
		if allocs != 0 {
			t.Errorf("%v: %v allocations", c.Kind, allocs)
		}
	}
}

func BenchmarkDeposit(b *testing.B) {
	budget := mustNew(b, Default())
	for i := range b.N {
		budget.Deposit(core.Instant(i))
	}
}

// BenchmarkCall is what a call without a retry costs.
func BenchmarkCall(b *testing.B) {
	for _, c := range kinds {
		b.Run(c.Kind.String(), func(b *testing.B) {
			budget := mustNew(b, c)
			for i := range b.N {
				now := core.Instant(i)
				budget.Deposit(now)
				budget.Report(now, core.Success, false)
				budget.Close(now)
			}
		})
	}
}
