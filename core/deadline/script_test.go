package deadline

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// story is the state of a script: the settings, and the deadline that the last
// "call" line gave.
type story struct {
	t    *testing.T
	line int
	c    Config
	call core.Instant
}

func TestTimelinesScript(t *testing.T) {
	file, err := os.Open("testdata/timelines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, lines, ran := story{t: t}, bufio.NewScanner(file), 0
	for lines.Scan() {
		s.line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		did, want, _ := strings.Cut(text, "->")
		fields := strings.Fields(did)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "settings" {
			s.settings(fields[1:])
			continue
		}
		ran++
		did, want = strings.TrimSpace(did), strings.TrimSpace(want)
		if got := s.do(s.instant(fields[0]), fields[1:]); got != want {
			t.Errorf("line %d: %s -> %s, want %s", s.line, did, got, want)
		}
	}
	if ran == 0 {
		t.Fatal("the script is empty")
	}
}

func (s *story) do(now core.Instant, fields []string) string {
	switch fields[0] {
	case "call":
		s.call = s.c.CallDeadline(now, s.instant(strings.TrimPrefix(fields[1], "caller=")))
		return show(s.call)
	case "attempt":
		return show(s.c.AttemptDeadline(now, s.call))
	case "start":
		return s.c.Check(now, s.call).String()
	case "wait":
		return s.c.CheckWait(now, s.call, time.Duration(s.instant(fields[1]))).String()
	}
	s.t.Fatalf("line %d: no verb %q", s.line, fields[0])
	return ""
}

func (s *story) settings(fields []string) {
	s.c = Config{}
	for _, f := range fields {
		key, value, _ := strings.Cut(f, "=")
		d := time.Duration(s.instant(value))
		switch key {
		case "request":
			s.c.Request = d
		case "total":
			s.c.Total = d
		case "reserve":
			s.c.Reserve = d
		case "needs":
			s.c.Needs = d
		default:
			s.t.Fatalf("line %d: no setting %q", s.line, key)
		}
	}
}

func (s *story) instant(text string) core.Instant {
	if text == "never" {
		return core.Never
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatalf("line %d: %v", s.line, err)
	}
	return core.Instant(d)
}

func show(t core.Instant) string {
	if t == core.Never {
		return "never"
	}
	return time.Duration(t).String()
}
