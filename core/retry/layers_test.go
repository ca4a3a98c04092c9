package retry

import (
	"strconv"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func retryAfter(d time.Duration) core.Result {
	return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, RetryAfter: d}
}

// answer is what one layer gives the layer above it: a result, and the marks
// as they stand in the headers.
type answer struct {
	result  core.Result
	noRetry string
}

// layer is a service that makes up to three attempts at the one below it. The
// bottom calls the backend.
type layer struct {
	below   func(attempt string) answer
	config  Config
	obeys   bool // reads and writes the marks
	granted int  // what its retry budget still allows
	calls   int  // attempts made
}

func (l *layer) serve(attemptMark string) answer {
	for attempt := 1; ; attempt++ {
		l.calls++
		a := l.below(strconv.Itoa(attempt))
		if a.result.Outcome == core.Success {
			return a
		}
		if l.obeys {
			a.result.NoRetry = a.noRetry == "1"
		}
		why := l.config.Check(attempt, a.result, Idempotent, true)
		if n, ok := ParseAttempt(attemptMark); l.obeys && ok && n > 1 && why == core.NoReason {
			why = core.RetriedAbove
		}
		if why == core.NoReason && l.granted == 0 {
			why = core.BudgetExhausted
		}
		if why == core.NoReason {
			l.granted--
			continue
		}
		if l.obeys && l.config.MarkNoRetry(why, attempt) {
			a.noRetry = "1"
		}
		return a
	}
}

// stack puts n layers with three attempts each on top of a backend.
func stack(n int, obey bool, granted int, backend func(string) answer) (top *layer, all []*layer) {
	below := backend
	for range n {
		l := &layer{below: below, config: Config{Attempts: 3}, obeys: obey, granted: granted}
		below = l.serve
		top, all = l, append(all, l)
	}
	return top, all
}

func deadBackend(calls *int) func(string) answer {
	return func(string) answer {
		*calls++
		return answer{result: core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}}
	}
}

// Without the marks every layer multiplies what the layer above it sends.
func TestR1LayersMultiply(t *testing.T) {
	for n, want := range map[int]int{1: 3, 2: 9, 3: 27, 4: 81, 5: 243} {
		calls := 0
		top, _ := stack(n, false, 1000, deadBackend(&calls))
		top.serve("")
		if calls != want {
			t.Errorf("%d layers: %d calls, want %d", n, calls, want)
		}
	}
}

func TestF129OneLayerRetries(t *testing.T) {
	calls := 0
	top, all := stack(3, true, 1000, deadBackend(&calls))
	a := top.serve("")
	if calls != 3 {
		t.Errorf("three layers of three attempts made %d calls to the backend, want 3", calls)
	}
	if all[1].calls != 1 || all[2].calls != 1 {
		t.Errorf("the layers above made %d and %d attempts, want 1 each",
			all[1].calls, all[2].calls)
	}
	if a.noRetry != "1" {
		t.Error("the mark does not reach the top")
	}
}

// A layer whose budget is spent passes the last error on, and says that it
// must not be tried again.
func TestF129SpentBudgetIsMarked(t *testing.T) {
	calls := 0
	top, _ := stack(3, true, 0, deadBackend(&calls))
	if a := top.serve(""); calls != 1 || a.noRetry != "1" {
		t.Errorf("%d calls, mark %q; want 1 call and the mark", calls, a.noRetry)
	}
}

// When the layer below cannot mark its answer, because it died or never
// answered, the layer above retries. The layers below must not retry as well.
func TestF129LayerBelowLeavesRetriesToTheOneAbove(t *testing.T) {
	calls := 0
	bottom, _ := stack(1, true, 1000, deadBackend(&calls))
	lost := func(mark string) answer {
		bottom.serve(mark)
		return answer{result: core.Result{Outcome: core.Timeout, Cause: core.TimedOut}}
	}
	top := &layer{below: lost, config: Config{Attempts: 3}, obeys: true, granted: 1000}
	top.serve("")
	// Three by the bottom on its own account, then one for each retry of the top.
	if top.calls != 3 || calls != 5 {
		t.Errorf("%d attempts on top, %d calls to the backend; want 3 and 5", top.calls, calls)
	}
}

func TestMarkNoRetry(t *testing.T) {
	tests := []struct {
		why      core.Reason
		attempts int
		want     bool
	}{
		// This layer has retried.
		{core.AttemptsExhausted, 3, true},
		{core.WaitTooLong, 2, true},
		{core.DeadlineExceeded, 2, true},
		{core.NotRetryable, 2, true},
		// It has not: the layer above may.
		{core.AttemptsExhausted, 1, false},
		{core.WaitTooLong, 1, false},
		{core.NotIdempotent, 1, false},
		{core.NotReplayable, 1, false},
		{core.DeadlineTooShort, 0, false},
		// It sheds on purpose.
		{core.BudgetExhausted, 1, true},
		{core.CircuitOpen, 0, true},
		{core.TrialsTaken, 0, true},
		{core.Ramping, 0, true},
		{core.ForcedOpen, 0, true},
		{core.BulkheadFull, 0, true},
		{core.Throttled, 0, true},
		{core.QueueTimeout, 0, true},
		{core.KeysExhausted, 0, true},
		// The layer below asked for it.
		{core.DoNotRetry, 1, true},
		// The layer above is the one that retries, or nobody waits.
		{core.RetriedAbove, 1, false},
		{core.CallerCancelled, 2, false},
	}
	for _, test := range tests {
		if got := (Config{}).MarkNoRetry(test.why, test.attempts); got != test.want {
			t.Errorf("%v after %d attempts: %v", test.why, test.attempts, got)
		}
	}
}
