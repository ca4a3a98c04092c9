package deadline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// story is the state of a script: the settings, and the deadline that the last
// "call" line gave.
type story struct {
	c    Config
	call core.Instant
}

func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(story).play })
}

func (s *story) play(words []string) (string, error) {
	if words[0] == "settings" {
		return "", s.settings(words[1:])
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "call":
		caller, err := instant(strings.TrimPrefix(args[0], "caller="))
		s.call = s.c.CallDeadline(now, caller)
		return show(s.call), err
	case "attempt":
		return show(s.c.AttemptDeadline(now, s.call)), nil
	case "start":
		return s.c.Check(now, s.call).String(), nil
	case "wait":
		wait, err := time.ParseDuration(args[0])
		return s.c.CheckWait(now, s.call, wait).String(), err
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (s *story) settings(words []string) error {
	s.c = Config{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		d, err := time.ParseDuration(value)
		if err != nil {
			return err
		}
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
			return fmt.Errorf("no setting %q", key)
		}
	}
	return nil
}

func instant(text string) (core.Instant, error) {
	if text == "never" {
		return core.Never, nil
	}
	d, err := time.ParseDuration(text)
	return core.Instant(d), err
}

func show(t core.Instant) string {
	if t == core.Never {
		return "never"
	}
	return time.Duration(t).String()
}
