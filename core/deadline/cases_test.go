package deadline

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// The last wait must not run past the deadline only to fail then.
func TestF052NoWaitPastTheDeadline(t *testing.T) {
	tests := []struct {
		waits  []int // seconds, after each attempt
		starts []int // of the attempts
	}{
		{[]int{1, 2, 4}, []int{0, 1, 3}},
		{[]int{1, 2, 2}, []int{0, 1, 3}}, // the wait would end exactly at the deadline
	}
	for _, test := range tests {
		c := Config{Total: 5 * time.Second}
		call := c.CallDeadline(0, core.Never)
		var now core.Instant
		var starts []int
		for _, wait := range test.waits {
			starts = append(starts, int(now/(1000*ms)))
			pause := time.Duration(wait) * time.Second
			if c.CheckWait(now, call, pause) == core.WaitTooLong {
				break
			}
			now = now.Add(pause)
		}
		if len(starts) != len(test.starts) || now != 3000*ms {
			t.Errorf("waits %v: attempts at %v s, returns at %d ms; want %v and 3000",
				test.waits, starts, now/ms, test.starts)
		}
	}
}

// A total of a quarter of an hour ends a wait of half an hour before it
// starts, and says so. Without a total no hidden one does.
func TestF053OnlyAStatedTotalEndsALongWait(t *testing.T) {
	const wish = 30 * time.Minute
	free := Config{}
	if got := free.CheckWait(0, free.CallDeadline(0, core.Never), wish); got != core.NoReason {
		t.Errorf("without a total: %v", got)
	}
	limited := Config{Total: 15 * time.Minute}
	end := limited.CallDeadline(0, core.Never)
	if got := limited.CheckWait(0, end, wish); got != core.WaitTooLong {
		t.Errorf("with a total of 15m: %v", got)
	}
}

func TestF068WaitIsNoLongerThanTheCall(t *testing.T) {
	c, call := Config{}, 100*ms
	if got := c.CheckWait(10*ms, call, 500*time.Millisecond); got != core.WaitTooLong {
		t.Errorf("a wait of 500 ms with 90 ms left: %v", got)
	}
}

func TestF095EncodingNeverShortens(t *testing.T) {
	for _, d := range []time.Duration{1500 * time.Millisecond, 3847 * time.Millisecond} {
		if got, err := DecodeGRPC(EncodeGRPC(d)); got != d || err != nil {
			t.Errorf("%v arrives as %v, %v", d, got, err)
		}
	}
	for text, d := range map[string]time.Duration{
		"0n": -time.Second, "1n": 1, "99999999n": 99_999_999, "100000u": 100_000_000,
		"100001u": 100_000_001, "99999999u": 99_999_999_000, "100000m": 100 * time.Second,
		"2562048H": math.MaxInt64,
	} {
		if got := EncodeGRPC(d); got != text {
			t.Errorf("%v is %q, want %q", d, got, text)
		}
	}
	if EncodeGRPC(0) != "0n" || EncodeMillis(0) != "0" || EncodeMillis(-5) != "0" {
		t.Error("no time left is not written as 0")
	}
}

func TestF096DecodeGRPC(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"99999999H": math.MaxInt64, "1S": time.Second, "00000001S": time.Second, "0S": 0, "0n": 0,
		"1H": time.Hour, "1M": time.Minute, "250m": 250 * time.Millisecond,
		"7u": 7 * time.Microsecond, "7n": 7,
		"2562047H": 2562047 * time.Hour, "2562048H": math.MaxInt64,
	} {
		if got, err := DecodeGRPC(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"000000001S", "1s", "S", "-1S", "+1S", "1 S", "1.5S", "", "1", "1x", "S1", " 1S", "1S ",
		"٣S",
	} {
		if got, err := DecodeGRPC(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// The peer hears what this attempt has, at the moment it is sent.
func TestF097HeaderOfEachAttempt(t *testing.T) {
	c := Config{Total: 250 * time.Millisecond, Request: 100 * time.Millisecond}
	for pause, want := range map[core.Instant]string{0: "100 100 50", 20 * ms: "100 100 10"} {
		call := c.CallDeadline(0, core.Never)
		var sent []string
		for now := core.Instant(0); c.Check(now, call) == core.NoReason; {
			end := c.AttemptDeadline(now, call)
			sent = append(sent, EncodeMillis(end.Sub(now)))
			now = end + pause
		}
		if got := strings.Join(sent, " "); got != want {
			t.Errorf("with waits of %d ms the headers say %s, want %s", pause/ms, got, want)
		}
	}
}

func TestF099RequestWithoutTotal(t *testing.T) {
	c := Config{Request: 50 * time.Millisecond}
	call := c.CallDeadline(0, core.Never)
	first := c.AttemptDeadline(0, call)
	second := c.AttemptDeadline(first, call)
	if first != 50*ms || second != 100*ms || call != core.Never {
		t.Errorf("two silent attempts end at %d and %d ms, want 50 and 100", first/ms, second/ms)
	}
	c = Config{Request: 200 * time.Millisecond, Total: 100 * time.Millisecond}
	if got := c.AttemptDeadline(0, c.CallDeadline(0, core.Never)); got != 100*ms {
		t.Errorf("an attempt of 200 ms in a call of 100 ms ends at %d ms", got/ms)
	}
	if w := c.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "Request: ") {
		t.Errorf("warnings are %q", w)
	}
}

func TestF105ExpiredOnArrival(t *testing.T) {
	for _, value := range []string{"0", "-5"} {
		rest, found, err := Read(func(name string) string {
			if name == Header {
				return value
			}
			return ""
		})
		if !found || err != nil || rest != 0 {
			t.Fatalf("%q: %v, %v, %v", value, rest, found, err)
		}
		now := 700 * ms
		call := Config{}.CallDeadline(now, now.Add(rest))
		if got := (Config{}).Check(now, call); got != core.DeadlineExceeded {
			t.Errorf("%q: %v", value, got)
		}
	}
	// Waiting in a queue for as long as the deadline leaves nothing.
	if got := (Config{}).Check(100*ms, 100*ms); got != core.DeadlineExceeded {
		t.Errorf("after the queue: %v", got)
	}
	// Less than a plausible call: no further attempt.
	floor := Config{Needs: 20 * time.Millisecond}
	if got := floor.Check(85*ms, 100*ms); got != core.DeadlineTooShort {
		t.Errorf("15 ms left of 20 needed: %v", got)
	}
	if got := floor.CheckWait(75*ms, 100*ms, 10*time.Millisecond); got != core.WaitTooLong {
		t.Errorf("a wait that leaves 15 ms of 20 needed: %v", got)
	}
}
