package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
)

// trouble is a moment in the slow window.
func trouble() *sample {
	s := &sample{at: 5250 * time.Millisecond, over: 2 * time.Second,
		pool: poolState{busy: 31, waiting: 2}}
	s.of[0] = lane{count{400, 398, 0, 2, 400, 0}, 20 * time.Millisecond, 77 * time.Millisecond, "closed"}
	s.of[1] = lane{count{401, 401, 0, 0, 400, 0}, 21 * time.Millisecond, 79 * time.Millisecond, "ramping 55%"}
	s.of[2] = lane{count{400, 0, 400, 0, 6, 5}, -1, -1, ""}
	return s
}

func TestPicture(t *testing.T) {
	st := recorded(t, "all")
	p := &picture{stage: st}
	frame := strings.Join(p.frame(trouble()), "\n") + "\n"
	for line := range strings.Lines(frame) {
		if len(line) > 81 {
			t.Errorf("is wider than a terminal: %s", line)
		}
	}
	golden(t, "picture.txt", frame)

	p.color = true
	colored := strings.Join(p.frame(trouble()), "\n") + "\n"
	if colored == frame {
		t.Error("there are no colours")
	}
	for _, code := range []string{bold, green, yellow, red, plain} {
		colored = strings.ReplaceAll(colored, code, "")
	}
	if colored != frame {
		t.Errorf("colours move the columns:\n%s", colored)
	}
}

// Whatever was drawn, the terminal is left as it was: cursor on, lines wrapped.
func TestPictureRestoresTheTerminal(t *testing.T) {
	o := small(t, "all")
	o.For = time.Second
	o.Rate, o.Slow = 50, nil
	var out strings.Builder
	if _, err := Run(t.Context(), o, Screen{Out: &out, Live: true}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if !strings.HasPrefix(text, hideCursor) || !strings.HasSuffix(text, showCursor) {
		t.Error("the cursor is not hidden, or not shown again")
	}
	if strings.LastIndex(text, cut) > strings.LastIndex(text, wrap) {
		t.Error("lines are still cut")
	}
	if n := strings.Count(text, "pool      ["); n < 2 || n > 8 {
		t.Errorf("drawn %d times in a second, want about 5", n)
	}
	for _, code := range []string{green, yellow, red} {
		if strings.Contains(text, code) {
			t.Error("there are colours although nobody asked for any")
		}
	}
}

func TestLine(t *testing.T) {
	s := trouble()
	want := "  5.25s  pricing 99% p99 77ms | inventory 100% p99 79ms | " +
		"recommendations 0% + 100% fallback p99 - | pool 31/60 + 2 waiting | 2 retries/s"
	if got := s.line(small(t, "all")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSentences(t *testing.T) {
	st := recorded(t, "all")
	fill(st)
	changes := st.rec.transitions(0)
	for _, r := range []core.Reason{core.FailureRate, core.TrialFailed, core.TrialLost, core.Operator} {
		changes = append(changes, transition{time.Minute, names[0], "closed", "open", r, 9})
	}
	golden(t, "sentences.txt", strings.Join(st.sentences(changes), "\n")+"\n")
}

func TestNews(t *testing.T) {
	o := Defaults(time.Minute)
	const s = time.Second
	o.Slow = []Slow{{"pricing", Down, 0, 20 * s, 10 * s},
		{"recommendations", Late, 300 * time.Millisecond, 10 * s, 15 * s},
		{"inventory", Silent, 0, 40 * s, s}}
	for at, want := range map[time.Duration]string{
		0:      "all is well; in 10.0s recommendations answers in 300ms instead of 20ms",
		10 * s: "recommendations answers in 300ms instead of 20ms, for 15.0s more",
		24 * s: "pricing resets every connection, for 6.0s more\n" +
			"recommendations answers in 300ms instead of 20ms, for 1.0s more",
		30 * s: "all is well; in 10.0s inventory takes requests and never answers",
		59 * s: "all is well",
	} {
		if got := strings.Join(news(o.Slow, nil, at), "\n"); got != want {
			t.Errorf("at %v: %q, want %q", at, got, want)
		}
	}
}

func TestStanding(t *testing.T) {
	for want, b := range map[string]breaker.Snapshot{
		"closed":      {State: breaker.Closed, Ramp: 1},
		"ramping 25%": {State: breaker.Closed, Ramp: 0.25},
		"open 2.5s":   {State: breaker.Open, RetryAfter: 2500 * time.Millisecond},
		"open":        {State: breaker.Open},
		"half-open":   {State: breaker.HalfOpen, RetryAfter: time.Second},
	} {
		if got := standing(b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
