package hedge

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "hedge" makes one; every other
// line is a time and a verb: "call" begins calls, "due" asks for copies, and an
// outcome reports attempts that took so long. Each can be done many times.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ h *Hedge }

func (p *player) play(words []string) (string, error) {
	if words[0] == "hedge" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.h, err = New(c)
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
		return "", p.h.Reconfigure(now, c)
	}
	d := done{times: 1}
	for _, arg := range args {
		key, value, pair := strings.Cut(arg, "=")
		n, notNumber := strconv.Atoi(arg)
		switch {
		case notNumber == nil:
			d.times = n
		case pair && key == "again":
			d.result.RetryAfter, err = time.ParseDuration(value)
		case arg == "copy":
			d.copied = true
		default:
			d.took, err = time.ParseDuration(arg)
		}
		if err != nil {
			return "", err
		}
	}
	return p.do(now, verb, d)
}

// done is what a line says was done.
type done struct {
	times  int
	took   time.Duration
	result core.Result
	copied bool
}

func (p *player) do(now core.Instant, verb string, d done) (answer string, err error) {
	switch verb {
	case "state":
		return show(p.h.Snapshot(now)), nil
	case "refund":
		p.h.Refund(now)
		return "", nil
	}
	sent := 0
	for range d.times {
		switch verb {
		case "call":
			answer = p.h.Deposit(now).String()
		case "due", "another":
			copies := 0
			if verb == "another" {
				copies = 1
			}
			r := p.h.Withdraw(now, copies)
			if r == core.NoReason {
				sent++
			}
			answer = fmt.Sprintf("%d sent, last %v", sent, r)
		default:
			d.result.Outcome = map[string]core.Outcome{"ok": core.Success, "fail": core.Failure,
				"timeout": core.Timeout, "busy": core.Overloaded, "lost": core.Cancelled}[verb]
			if d.result.Outcome == 0 {
				return "", fmt.Errorf("no verb %q", verb)
			}
			p.h.Report(now, d.result, d.took, d.copied)
		}
	}
	return answer, nil
}

func show(s Snapshot) string {
	text := fmt.Sprintf("after %v, due %.3f, tokens %.4g, %d calls %d due %d sent %d won", s.After, s.Due,
		s.Tokens, s.Counts.Calls, s.Counts.Due, s.Counts.Sent, s.Counts.Won)
	if s.Held != core.NoReason {
		text += ", " + s.Held.String()
	}
	return text
}

func settings(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "after":
			c.After, err = time.ParseDuration(value)
		case "quantile":
			c.Quantile, err = strconv.ParseFloat(value, 64)
		case "budget":
			c.Budget, err = strconv.ParseFloat(value, 64)
		case "window":
			c.Window, err = time.ParseDuration(value)
		case "minimum":
			c.Minimum, err = strconv.Atoi(value)
		case "slow":
			c.Slow, err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
