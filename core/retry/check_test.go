package retry

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

var words = map[string]any{
	"success": core.Success, "failure": core.Failure, "timeout": core.Timeout,
	"overloaded": core.Overloaded, "cancelled": core.Cancelled, "ignored": core.Ignored,
	"unknown": Unknown, "idempotent": Idempotent, "keyed": Keyed, "unsafe": Unsafe,
	"by-call": ByCall, "always": Always, "never": Never,
}

// situation is one line of a decision script.
type situation struct {
	config     Config
	attempt    int
	result     core.Result
	safety     Safety
	replayable bool
}

func causeNamed(t *testing.T, name string) core.Cause {
	for c := core.NoCause; c <= core.Unknown; c++ {
		if c.String() == name {
			return c
		}
	}
	t.Fatalf("no cause is named %q", name)
	return 0
}

func parseSituation(t *testing.T, fields []string) situation {
	s := situation{config: Config{Attempts: 3}, attempt: 1, replayable: true}
	s.result.Outcome = words[fields[0]].(core.Outcome)
	s.result.Cause = causeNamed(t, fields[1])
	s.safety = words[fields[2]].(Safety)
	for _, f := range fields[3:] {
		key, value, _ := strings.Cut(f, "=")
		switch key {
		case "attempt":
			s.attempt, _ = strconv.Atoi(value)
		case "after":
			s.result.RetryAfter, _ = time.ParseDuration(value)
		case "no-retry":
			s.result.NoRetry = true
		case "body-gone":
			s.replayable = false
		case "file":
			s.config.Idempotent = words[value].(Word)
		case "also":
			s.config.Causes = DefaultCauses | Of(causeNamed(t, value))
		case "only":
			s.config.Causes = Of(causeNamed(t, value))
		default:
			t.Fatalf("unknown word %q", f)
		}
	}
	return s
}

// runScript calls run with the fields before and the text after "->" of every
// line that is not a comment.
func runScript(t *testing.T, name string, run func(t *testing.T, fields []string, want string)) {
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, ran := bufio.NewScanner(file), 0
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		left, want, ok := strings.Cut(text, "->")
		if !ok {
			t.Fatalf("%s:%d: no ->", name, n)
		}
		ran++
		t.Run(name+":"+strconv.Itoa(n), func(t *testing.T) {
			run(t, strings.Fields(left), strings.TrimSpace(want))
		})
	}
	if ran == 0 {
		t.Fatalf("%s has no lines", name)
	}
}

func TestDecisionsScript(t *testing.T) {
	runScript(t, "decisions.txt", func(t *testing.T, fields []string, want string) {
		s := parseSituation(t, fields)
		if err := s.config.Validate(); err != nil {
			t.Fatal(err)
		}
		got := s.config.Check(s.attempt, s.result, s.safety, s.replayable)
		if got.String() != want {
			t.Errorf("%v -> %v, want %s", fields, got, want)
		}
	})
}

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
