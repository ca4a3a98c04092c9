package budget

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata: "budget" makes one, and every
// other line is a time, a verb, and a number of times (1 if it is left out).
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ b *Budget }

func (p *player) play(words []string) (string, error) {
	if words[0] == "budget" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.b, err = New(c)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	if verb == "reconfigure" {
		c, err := settings(args)
		if err != nil {
			return "", err
		}
		return "", p.b.Reconfigure(now, c)
	}
	n := 1
	if len(args) > 0 {
		if n, err = strconv.Atoi(args[0]); err != nil {
			return "", err
		}
	}
	return p.do(now, verb, n)
}

// do returns what came out, or "" for verbs that answer nothing.
func (p *player) do(now core.Instant, verb string, n int) (string, error) {
	switch verb {
	case "retry":
		return fmt.Sprintf("%d granted", take(p.b, now, n)), nil
	case "available":
		return strconv.Itoa(p.b.Snapshot(now).Available), nil
	case "tokens":
		return strconv.FormatFloat(p.b.Snapshot(now).Tokens, 'g', -1, 64), nil
	case "busy":
		s := p.b.Snapshot(now)
		return fmt.Sprintf("%d calls, %d retries", s.Active, s.Retrying), nil
	}
	steps := map[string]func(){
		"call":       func() { p.b.Deposit(now) },
		"end":        func() { p.b.Close(now) },
		"ok":         func() { p.b.Report(now, core.Success, false) },
		"fail":       func() { p.b.Report(now, core.Failure, false) },
		"retry-ok":   func() { p.b.Report(now, core.Success, true) },
		"retry-fail": func() { p.b.Report(now, core.Failure, true) },
		"refund":     func() { p.b.Refund(now) },
	}
	if steps[verb] == nil {
		return "", fmt.Errorf("no verb %q", verb)
	}
	for range n {
		steps[verb]()
	}
	return "", nil
}

func settings(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "kind":
			for c.Kind <= Concurrent && c.Kind.String() != value {
				c.Kind++
			}
		case "ratio":
			c.Ratio, err = strconv.ParseFloat(value, 64)
		case "floor":
			c.Floor, err = strconv.ParseFloat(value, 64)
		case "max":
			c.MaxTokens, err = strconv.ParseFloat(value, 64)
		case "window":
			c.Window, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
