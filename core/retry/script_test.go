package retry

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. A line is a situation of its own:
// nothing is left over for the next one.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return decide })
}

func decide(words []string) (string, error) {
	s, err := parseSituation(words)
	if err == nil {
		err = s.config.Validate()
	}
	if err != nil {
		return "", err
	}
	return s.config.Check(s.attempt, s.result, s.safety, s.replayable).String(), nil
}

// situation is one line of a decision script.
type situation struct {
	config     Config
	attempt    int
	result     core.Result
	safety     Safety
	replayable bool
}

var (
	outcomes = map[string]core.Outcome{"success": core.Success, "failure": core.Failure,
		"timeout": core.Timeout, "overloaded": core.Overloaded, "cancelled": core.Cancelled,
		"ignored": core.Ignored}
	safeties = map[string]Safety{"unknown": Unknown, "idempotent": Idempotent, "keyed": Keyed,
		"unsafe": Unsafe}
	files = map[string]Word{"by-call": ByCall, "always": Always, "never": Never}
)

// named returns what a script calls by that name.
func named[T any](names map[string]T, name string) (T, error) {
	value, ok := names[name]
	if !ok {
		return value, fmt.Errorf("nothing here is named %q", name)
	}
	return value, nil
}

func causeNamed(name string) (core.Cause, error) {
	for c := core.NoCause; c <= core.Unknown; c++ {
		if c.String() == name {
			return c, nil
		}
	}
	return 0, fmt.Errorf("no cause is named %q", name)
}

func parseSituation(words []string) (s situation, err error) {
	if len(words) < 3 {
		return s, fmt.Errorf("want an outcome, a cause and a safety, not %q", words)
	}
	s = situation{config: Config{Attempts: 3}, attempt: 1, replayable: true}
	if s.result.Outcome, err = named(outcomes, words[0]); err != nil {
		return s, err
	}
	if s.result.Cause, err = causeNamed(words[1]); err != nil {
		return s, err
	}
	if s.safety, err = named(safeties, words[2]); err != nil {
		return s, err
	}
	for _, word := range words[3:] {
		if err := s.add(word); err != nil {
			return s, err
		}
	}
	return s, nil
}

// add takes one more word about the situation.
func (s *situation) add(word string) (err error) {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "attempt":
		s.attempt, err = strconv.Atoi(value)
	case "after":
		s.result.RetryAfter, err = time.ParseDuration(value)
	case "no-retry":
		s.result.NoRetry = true
	case "body-gone":
		s.replayable = false
	case "file":
		s.config.Idempotent, err = named(files, value)
	case "also", "only":
		var c core.Cause
		c, err = causeNamed(value)
		s.config.Causes = Of(c)
		if key == "also" {
			s.config.Causes |= DefaultCauses
		}
	default:
		err = fmt.Errorf("unknown word %q", word)
	}
	return err
}
