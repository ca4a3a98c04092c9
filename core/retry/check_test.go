package retry

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestF061UnsafeCallsRetryOnlyIfNothingWasSent(t *testing.T) {
	c := Config{Attempts: 2}
	sent := []core.Result{
		{Outcome: core.Timeout, Cause: core.TimedOut},
		{Outcome: core.Failure, Cause: core.Reset},
	}
	post, get := MethodSafety("POST"), MethodSafety("GET")
	refused := core.Result{Outcome: core.Failure, Cause: core.Unsent}
	for _, safety := range []Safety{post, get} {
		if got := c.Check(1, refused, safety, true); got != core.NoReason {
			t.Errorf("a refused connection: %v", got)
		}
	}
	for _, r := range sent {
		if got := c.Check(1, r, post, true); got != core.NotIdempotent {
			t.Errorf("POST, %v: %v", r.Cause, got)
		}
		if got := c.Check(1, r, get, true); got != core.NoReason {
			t.Errorf("GET, %v: %v", r.Cause, got)
		}
		if got := c.Check(1, r, Keyed, true); got != core.NoReason {
			t.Errorf("POST with a key, %v: %v", r.Cause, got)
		}
		c := Config{Attempts: 2, Idempotent: Never}
		if got := c.Check(1, r, Keyed, true); got != core.NotIdempotent {
			t.Errorf("POST with a key the policy does not allow, %v: %v", r.Cause, got)
		}
	}
}

// The cause decides, not a status that a proxy may have made up.
func TestF063RuleGoesByCause(t *testing.T) {
	c := Config{Attempts: 2, Causes: Of(core.Unsent)}
	for cause, want := range map[core.Cause]core.Reason{
		core.Unsent:     core.NoReason,
		core.BadGateway: core.NotRetryable,
		core.TimedOut:   core.NotRetryable,
	} {
		r := core.Result{Outcome: core.Failure, Cause: cause}
		if got := c.Check(1, r, Idempotent, true); got != want {
			t.Errorf("%v: %v, want %v", cause, got, want)
		}
	}
}

// Three attempts are three calls and two waits.
func TestF065AttemptsCountTheFirst(t *testing.T) {
	failed := core.Result{Outcome: core.Failure, Cause: core.Unsent}
	for attempts := 1; attempts <= MaxAttempts; attempts++ {
		c := Config{Attempts: attempts}
		calls, waits := 1, 0
		for c.Check(calls, failed, Unsafe, true) == core.NoReason {
			waits++
			calls++
		}
		if calls != attempts || waits != attempts-1 {
			t.Errorf("%d attempts: %d calls, %d waits", attempts, calls, waits)
		}
		if got := c.Check(calls, failed, Unsafe, true); got != core.AttemptsExhausted {
			t.Errorf("it ends with %v", got)
		}
	}
	if err := (Config{}).Validate(); err == nil {
		t.Error("0 attempts are accepted")
	}
}

// Whether a reset was seen during connect or later must not decide by itself:
// what was sent does. Marked back-pressure is never tried again.
func TestF072ResetGoesByWhatWasSent(t *testing.T) {
	c := Config{Attempts: 2}
	before := core.Result{Outcome: core.Failure, Cause: core.Unsent}
	after := core.Result{Outcome: core.Failure, Cause: core.Reset}
	if got := c.Check(1, before, Unsafe, true); got != core.NoReason {
		t.Errorf("a POST cut off before it was sent: %v", got)
	}
	if got := c.Check(1, after, Idempotent, true); got != core.NoReason {
		t.Errorf("a GET cut off after it was sent: %v", got)
	}
	if got := c.Check(1, after, Unsafe, true); got != core.NotIdempotent {
		t.Errorf("a POST cut off after it was sent: %v", got)
	}
	shed := core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true}
	if got := c.Check(1, shed, Idempotent, true); got != core.DoNotRetry {
		t.Errorf("marked back-pressure: %v", got)
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	c := Config{Attempts: 3}
	r := core.Result{Outcome: core.Timeout, Cause: core.TimedOut, RetryAfter: time.Second}
	var sink time.Duration
	allocs := testing.AllocsPerRun(1000, func() {
		if c.Check(1, r, MethodSafety("GET"), true) == core.NoReason {
			sink += c.Wait(1, 0, r, 0.5) + c.Backoff.Delay(2, sink, 0.5)
		}
	})
	if allocs != 0 || sink == 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// Pushback: -1 is NoRetry; a number is the wait itself, or too long a one.
func TestPushbackIsTheWait(t *testing.T) {
	c := Config{Attempts: 3, MaxWait: time.Second}
	r := core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, Exact: true}
	for after, want := range map[time.Duration]core.Reason{0: core.NoReason,
		time.Second: core.NoReason, time.Second + 1: core.WaitTooLong} {
		r.RetryAfter = after
		if got := c.Check(1, r, Unsafe, true); got != want {
			t.Errorf("asked to wait %v: %v, want %v", after, got, want)
		}
		if got := c.Wait(5, 0, r, 0.9); got != after {
			t.Errorf("asked to wait %v, it waits %v", after, got)
		}
	}
	c.IgnoreRetryAfter = true
	if got := c.Check(1, r, Idempotent, true); got != core.NoReason {
		t.Errorf("a wish that is ignored: %v", got)
	}
	if got := c.Wait(1, 0, r, 0.5); got >= time.Second {
		t.Errorf("it is ignored, and the wait is %v", got)
	}
}
