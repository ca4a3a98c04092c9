package failover

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "failover" makes one; every other
// line is a time and a verb. "ok", "fail" and "leave" make calls, as many as
// said, that end at once, and answer with the change they bring. "admit" keeps
// its permit under a name, for "report".
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		return (&player{permits: map[string]Permit{}}).play
	})
}

type player struct {
	f       *Failover
	permits map[string]Permit
}

func (p *player) play(words []string) (string, error) {
	if words[0] == "failover" {
		c, err := settings(words[1:])
		if err == nil {
			p.f, err = New(c)
		}
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "reconfigure":
		c, err := settings(args)
		if err != nil {
			return "", err
		}
		return "", p.f.Reconfigure(c)
	case "state":
		s := p.f.Snapshot(now)
		return fmt.Sprintf("%s, %.3g %% to the first, %d of %d failed, wait %v", s.State, 100*s.Share,
			s.Calls.Failed, s.Calls.Calls, s.Wait), nil
	case "sent":
		s := p.f.Snapshot(now)
		return fmt.Sprintf("%d and %d, %d returns failed", s.ToFirst, s.ToSecond, s.Returns), nil
	case "admit", "stay":
		return p.admit(now, verb == "stay", args)
	case "report":
		o := map[string]core.Outcome{"ok": core.Success, "fail": core.Failure,
			"leave": core.Cancelled}[args[1]]
		return told(p.f.Report(now, p.permits[args[0]], o)), nil
	}
	return p.calls(now, verb, args)
}

// admit takes a name and a draw, which is 0 if left out.
func (p *player) admit(now core.Instant, stays bool, args []string) (string, error) {
	draw := 0.0
	if len(args) > 1 {
		var err error
		if draw, err = strconv.ParseFloat(args[1], 64); err != nil {
			return "", err
		}
	}
	permit, ch := p.f.Admit(now, stays, draw)
	p.permits[args[0]] = permit
	to := "first"
	if permit.Second() {
		to = "second"
	}
	if ch.Happened() {
		to += ", " + told(ch)
	}
	return to, nil
}

// calls makes calls whose draw is 0, so that on the way back they try the first.
func (p *player) calls(now core.Instant, verb string, args []string) (string, error) {
	outcome, ok := map[string]core.Outcome{"ok": core.Success, "fail": core.Timeout,
		"leave": core.Cancelled}[verb]
	if !ok {
		return "", fmt.Errorf("no verb %q", verb)
	}
	n := 1
	if len(args) > 0 {
		var err error
		if n, err = strconv.Atoi(args[0]); err != nil {
			return "", err
		}
	}
	var all []string
	for range n {
		permit, ch := p.f.Admit(now, false, 0)
		for _, ch := range []Change{ch, p.f.Report(now, permit, outcome)} {
			if ch.Happened() {
				all = append(all, told(ch))
			}
		}
	}
	return strings.Join(all, "; "), nil
}

func told(ch Change) string {
	if !ch.Happened() {
		return ""
	}
	return fmt.Sprintf("%s -> %s (%s)", ch.From, ch.To, ch.Reason)
}

func settings(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "share":
			c.Share, err = strconv.ParseFloat(value, 64)
		case "window":
			c.Window, err = time.ParseDuration(value)
		case "calls":
			c.Calls, err = strconv.Atoi(value)
		case "after":
			c.Back.After, err = time.ParseDuration(value)
		case "begin":
			c.Back.Begin, err = strconv.ParseFloat(value, 64)
		case "step":
			c.Back.Step, err = time.ParseDuration(value)
		case "trials":
			c.Back.Calls, err = strconv.Atoi(value)
		case "back":
			c.Back.Share, err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
