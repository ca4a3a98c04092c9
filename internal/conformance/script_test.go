package conformance

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

const minimal = "version: 1\nservice: a\ndependencies: {b: {}}\n"

func TestParse(t *testing.T) {
	s, err := Parse("x", minimal+"---\ndeadline 80ms\n\n0ms 5ms 200 # well\n"+
		"7ms never | 20ms 503 retry 2s | 1ms 404\n---\n# a comment\n0s call-started\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Deadline != 80*time.Millisecond || !slices.Equal(s.Arrives, []time.Duration{0, 7e6}) ||
		!slices.Equal(s.Want, []string{"0s call-started"}) || s.End() != time.Minute+7*time.Millisecond {
		t.Errorf("%+v", s)
	}
	for _, c := range []struct {
		call, attempt int
		want          Answer
	}{{0, 0, Answer{After: 5e6, Status: 200}}, {0, 3, Answer{After: 5e6, Status: 200}}, {1, 0, Answer{}},
		{1, 1, Answer{After: 20e6, Status: 503, Retry: 2e9}}, {1, 5, Answer{After: 1e6, Status: 404}},
		{9, 0, Answer{}}} {
		if a := s.Answer(c.call, c.attempt); a != c.want {
			t.Errorf("attempt %d of call %d: %+v, want %+v", c.attempt, c.call, a, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", minimal, minimal + "---\n0ms never\n", "x: 1\n---\n0ms never\n---\n",
		minimal + "---\nsoon never\n---\n", minimal + "---\n0ms maybe\n---\n", minimal + "---\n0ms 5ms ok\n---\n",
		minimal + "---\n0ms 5ms 503 retry soon\n---\n", minimal + "---\ndeadline never\n0ms never\n---\n",
		minimal + "---\n0ms 5ms 200 retry\n---\n"} {
		if _, err := Parse("x", text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// Within an instant the order says nothing; between instants it does.
func TestInstants(t *testing.T) {
	lines := []string{"1ms b", "1ms a", "2ms c", "1ms a", "10ms z", "10ms y"}
	got := Instants(lines)
	if want := []string{"1ms a", "1ms b", "2ms c", "1ms a", "10ms y", "10ms z"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if lines[0] != "1ms b" {
		t.Error("the lines given were changed")
	}
}

// Everything that a policy decides by or tells must show in a line, or drivers
// could differ in it unseen.
func TestLogTellsAll(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range []core.Event{{}, {At: 1}, {Kind: core.CallRejected}, {Kind: core.CallRejected, Observed: true},
		{Kind: core.BreakerChanged, From: "closed"}, {Kind: core.BreakerChanged, To: "open"},
		{Reason: core.CircuitOpen}, {Outcome: core.Timeout}, {Cause: core.TimedOut}, {Took: 1}} {
		line := strings.Join(Log([]core.Event{e}, 0), "\n")
		if seen[line] || line == "" {
			t.Errorf("%+v is %q, as another", e, line)
		}
		seen[line] = true
	}
	if lines := Log([]core.Event{{Kind: core.FallbackAnswered}}, 0); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}
