package deadline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestValidateNamesEveryField(t *testing.T) {
	err := Config{Request: -1, Total: -1, Reserve: -1, Needs: -1}.Validate()
	if err == nil {
		t.Fatal("negative times are accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, field := range []string{"Request: ", "Total: ", "Reserve: ", "Needs: "} {
		if len(lines) != 4 || !strings.HasPrefix(lines[i], field) {
			t.Errorf("%q does not name %s", lines, field)
		}
	}
	for _, c := range []Config{{}, {Request: 1, Total: 1, Reserve: 1, Needs: 1}} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	s := time.Second
	for _, test := range []struct {
		c    Config
		want string // the beginning of each, joined
	}{
		{Config{}, ""},
		{Config{Request: s, Total: 3 * s, Reserve: s, Needs: s}, ""},
		{Config{Request: 3 * s, Total: s}, "Request: 3s is never"},
		{Config{Request: s, Total: s}, "Request: 1s leaves no"},
		{Config{Total: s, Needs: 2 * s}, "Needs: every call"},
		{Config{Request: s, Needs: 2 * s}, "Needs: an attempt"},
	} {
		w := test.c.Warnings()
		if test.want == "" && len(w) == 0 {
			continue
		}
		if len(w) != 1 || !strings.HasPrefix(w[0], test.want) {
			t.Errorf("%+v: %q, want %q", test.c, w, test.want)
		}
	}
}

func TestNoLimitIsNever(t *testing.T) {
	var off Config
	for _, now := range []core.Instant{math.MinInt64, -1, 0, 1, core.Never - 1} {
		if got := off.CallDeadline(now, core.Never); got != core.Never {
			t.Errorf("at %d a call without limits ends at %d", now, got)
		}
		if got := off.AttemptDeadline(now, core.Never); got != core.Never {
			t.Errorf("at %d an attempt without limits ends at %d", now, got)
		}
		if got := (Config{Needs: math.MaxInt64}).Check(now, core.Never); got != core.NoReason {
			t.Errorf("at %d a call without limits is refused: %v", now, got)
		}
	}
	// The reserve is kept from the caller's deadline. Where there is none, it
	// must not become one.
	if got := (Config{Reserve: time.Second}).CallDeadline(0, core.Never); got != core.Never {
		t.Errorf("a reserve alone ends the call at %d", got)
	}
}

// The clock's ends, where sums would wrap: a deadline is never after the
// caller's, nor after now plus the limit, however large the numbers are.
func TestDeadlinesSaturate(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 100_000 {
		now := core.Instant(random.Uint64() >> random.IntN(64))
		caller := core.Instant(random.Uint64() >> random.IntN(64))
		c := Config{
			Request: time.Duration(random.Int64() >> random.IntN(63)),
			Total:   time.Duration(random.Int64() >> random.IntN(63)),
			Reserve: time.Duration(random.Int64() >> random.IntN(63)),
		}
		call := c.CallDeadline(now, caller)
		if call > caller || c.Total > 0 && call > now.Add(c.Total) {
			t.Fatalf("%+v at %d, caller %d: call ends at %d", c, now, caller, call)
		}
		end := c.AttemptDeadline(now, call)
		if end > call || c.Request > 0 && end > now.Add(c.Request) {
			t.Fatalf("%+v at %d: attempt ends at %d, its call at %d", c, now, end, call)
		}
		if call <= now && call != core.Never && c.Check(now, call) != core.DeadlineExceeded {
			t.Fatalf("at %d a call that ended at %d may start", now, call)
		}
	}
	if got := (Config{}).CheckWait(0, core.Never-1, math.MaxInt64); got != core.WaitTooLong {
		t.Errorf("a wait for ever: %v", got)
	}
	// A negative wait is no wait, and must not bring back time that is over.
	if got := (Config{}).CheckWait(10, 10, -7); got != core.WaitTooLong {
		t.Errorf("a negative wait at the deadline: %v", got)
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	c := Config{Request: 250 * time.Millisecond, Total: time.Second, Reserve: 5, Needs: 20}
	var sum core.Instant
	n := testing.AllocsPerRun(1000, func() {
		call := c.CallDeadline(sum, 500*ms)
		if c.Check(sum, call) == core.NoReason && c.CheckWait(sum, call, 1) == core.NoReason {
			sum += c.AttemptDeadline(sum, call) & 1
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
