package review

import (
	"fmt"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/retry"
)

// Worst is how long a call may take.
type Worst struct {
	MS  float64 `json:"ms,omitempty"` // 0: there is no limit but the caller's
	How string  `json:"how"`

	time time.Duration
}

// worstOf adds up the wait for a slot, each attempt's limit and the longest
// waits between them; the limit of the whole ends it before that.
func worstOf(s *config.Settings) (w Worst) {
	request, total := s.Call.Timeout.Request, s.Call.Timeout.Total
	if s.Call.Observe.Has(call.RungTimeout) {
		request, total = 0, 0
	}
	attempts := attemptsOf(s)
	pauses := pausesOf(s.Call.Retry, attempts)
	var queue time.Duration
	if b := s.Call.Bulkhead; b != nil && b.Queue > 0 && !s.Call.Observe.Has(call.RungBulkhead) {
		queue = b.Wait
	}
	sum := queue + time.Duration(attempts)*request + pauses
	how := count(attempts, "attempt") + " of " + request.String()
	if pauses > 0 {
		how += ", waits of up to " + pauses.String()
	}
	if queue > 0 {
		how += ", " + queue.String() + " for a slot"
	}
	switch {
	case request == 0 && total == 0:
		w.How = "no limit but the caller's own"
		return w
	case request == 0:
		w.time, w.How = total, "timeout.total; an attempt has no limit of its own"
	case total > 0 && sum > total:
		w.time, w.How = total, "timeout.total; "+how+" would be "+sum.String()
	default:
		w.time, w.How = sum, how
	}
	if r := s.Call.Retry; total == 0 && attempts > 1 && !r.IgnoreRetryAfter {
		w.How += "; a Retry-After may make each wait " + longestAsked(r).String()
	}
	w.MS = millis(w.time)
	return w
}

// attemptsOf is how many attempts a call may make.
func attemptsOf(s *config.Settings) int {
	if s.Call.Retry == nil || s.Call.Observe.Has(call.RungRetry) {
		return 1
	}
	return s.Call.Retry.Attempts
}

// pausesOf is how long a call waits between its attempts if every draw is the
// largest.
func pausesOf(r *retry.Config, attempts int) (sum time.Duration) {
	var before time.Duration
	for k := 1; k < attempts; k++ {
		before = r.Backoff.Delay(k, before, 1)
		sum += before
	}
	return sum
}

func longestAsked(r *retry.Config) time.Duration {
	if r.MaxWait == 0 {
		return 30 * time.Second
	}
	return r.MaxWait
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func itoa(n int) string { return strconv.Itoa(n) }

// count writes a number of things.
func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
