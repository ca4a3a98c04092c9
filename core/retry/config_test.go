package retry

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestValidateNamesTheField(t *testing.T) {
	good := Config{Attempts: 3}
	with := func(change func(*Config)) Config {
		c := good
		change(&c)
		return c
	}
	tests := map[string]Config{
		"Attempts: is 0":            {},
		"Attempts: is -1":           with(func(c *Config) { c.Attempts = -1 }),
		"Attempts: is 9":            with(func(c *Config) { c.Attempts = MaxAttempts + 1 }),
		"Backoff.Base: ":            with(func(c *Config) { c.Backoff.Base = -1 }),
		"Backoff.Cap: is -1ns":      with(func(c *Config) { c.Backoff.Cap = -1 }),
		"Backoff.Cap: is 1ms, less": with(func(c *Config) { c.Backoff.Cap = ms }),
		"Backoff.Factor: is 0.5":    with(func(c *Config) { c.Backoff.Factor = 0.5 }),
		"Backoff.Factor: is NaN":    with(func(c *Config) { c.Backoff.Factor = math.NaN() }),
		"Backoff.Factor: is +Inf":   with(func(c *Config) { c.Backoff.Factor = math.Inf(1) }),
		"Backoff.Jitter: is 4":      with(func(c *Config) { c.Backoff.Jitter = 4 }),
		"MaxWait: ":                 with(func(c *Config) { c.MaxWait = -time.Second }),
		"Idempotent: is 3":          with(func(c *Config) { c.Idempotent = 3 }),
		"Causes: client-error":      with(func(c *Config) { c.Causes = Of(core.ClientError) }),
		"Causes: bad-answer":        with(func(c *Config) { c.Causes = Of(core.BadAnswer) }),
		"Causes: none":              with(func(c *Config) { c.Causes = Of(core.NoCause) }),
		"Causes: invalid":           with(func(c *Config) { c.Causes = 1 << 15 }),
	}
	for want, c := range tests {
		err := c.Validate()
		if err == nil {
			t.Errorf("%+v is accepted, want %q", c, want)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, want) || strings.Contains(text, "%!") {
			t.Errorf("%+v: %q, want %q", c, text, want)
		}
	}
	everything := Config{
		Attempts: MaxAttempts, MaxWait: time.Hour, Idempotent: Never, IgnoreRetryAfter: true,
		Backoff: Backoff{Base: 1, Cap: math.MaxInt64, Factor: 1, Jitter: None},
		Causes:  DefaultCauses | Of(core.ServerError),
	}
	for _, c := range []Config{good, everything} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestValidateReportsEveryField(t *testing.T) {
	c := Config{Backoff: Backoff{Base: -1, Factor: -1}, MaxWait: -1}
	if lines := strings.Split(c.Validate().Error(), "\n"); len(lines) != 4 {
		t.Errorf("four bad fields give %q", lines)
	}
}

// A set that was never validated cannot switch on what would repeat.
func TestUncheckedCausesStayImpossible(t *testing.T) {
	c := Config{Attempts: 3, Causes: math.MaxUint16}
	for _, cause := range []core.Cause{core.ClientError, core.BadAnswer} {
		r := core.Result{Outcome: core.Failure, Cause: cause}
		if got := c.Check(1, r, Idempotent, true); got != core.NotRetryable {
			t.Errorf("%v: %v", cause, got)
		}
	}
}

// No limit of the total is hidden here: a server that asks for half an hour
// gets it, if the policy allows such a wait.
func TestF053LongWishIsKept(t *testing.T) {
	c := Config{Attempts: 2, MaxWait: time.Hour}
	if got := c.Wait(1, 0, retryAfter(30*time.Minute), 0.5); got != 30*time.Minute {
		t.Errorf("wait %v, want 30m", got)
	}
	c.MaxWait = 0
	if got := c.Wait(1, 0, retryAfter(30*time.Minute), 0.5); got != 30*time.Second {
		t.Errorf("with the default cap: wait %v, want 30s", got)
	}
}

// A Config is a value that no attempt changes, so no option can be lost on the
// way to the second one.
func TestF064IgnoreRetryAfterHoldsForEveryAttempt(t *testing.T) {
	c := Config{Attempts: 3, IgnoreRetryAfter: true}
	timeout := core.Result{Outcome: core.Timeout, Cause: core.TimedOut}
	for k, r := range []core.Result{timeout, retryAfter(time.Minute)} {
		if c.Check(k+1, r, Idempotent, true) != core.NoReason {
			t.Fatalf("attempt %d is not tried again", k+1)
		}
		if wait := c.Wait(k+1, 0, r, 0.5); wait > time.Second {
			t.Errorf("wait %d is %v", k+1, wait)
		}
	}
}

func TestMethodSafety(t *testing.T) {
	for _, m := range strings.Fields("GET HEAD OPTIONS TRACE PUT DELETE QUERY") {
		if MethodSafety(m) != Idempotent {
			t.Errorf("%s is not idempotent", m)
		}
	}
	// Methods are case-sensitive: "get" is some method nobody knows.
	for _, m := range strings.Fields("POST PATCH CONNECT LOCK get") {
		if MethodSafety(m) != Unsafe {
			t.Errorf("%s is not unsafe", m)
		}
	}
	if MethodSafety("") != Idempotent {
		t.Error("the empty method is GET")
	}
}

func TestJitterNames(t *testing.T) {
	for j, want := range map[Jitter]string{
		Full: "full", Equal: "equal", Decorrelated: "decorrelated", None: "none", 9: "invalid",
	} {
		if j.String() != want {
			t.Errorf("%d is %q", j, j)
		}
	}
}
