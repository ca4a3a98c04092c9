package breaker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. A line is
//
//	config key=value ...          starts a new breaker
//	2ms admit a -> pass           asks for a call named a
//	3ms fail a 250ms -> closed    reports it: the state after
//	4ms force open -> open        an operator's hand
//	5ms read -> open ...          a snapshot
//
// and the answer is what stands behind the arrow.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(script).do })
}

// script is a breaker with the calls that a script has named.
type script struct {
	b     *Breaker
	calls map[string]Permit
}

var verbs = map[string]core.Outcome{
	"ok": core.Success, "fail": core.Failure, "timeout": core.Timeout, "overload": core.Overloaded,
	"cancel": core.Cancelled, "ignore": core.Ignored,
}

func (s *script) do(words []string) (string, error) {
	if words[0] == "config" {
		return "", s.config(words[1:])
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	if verb == "read" {
		return s.read(now), nil
	}
	if len(args) == 0 && verb != "reset" {
		return "", fmt.Errorf("%s what?", verb)
	}
	switch verb {
	case "admit":
		p, ch := s.b.Admit(now)
		s.calls[args[0]] = p
		answer := "pass"
		if p.Trial() {
			answer = "trial"
		}
		if !p.OK() {
			answer = "refused, " + p.Reason().String()
		}
		return answer + s.after(ch), nil
	case "reset":
		return s.operator(s.b.Reset(now)), nil
	case "force":
		mode, ok := map[string]Mode{"open": ForceOpen, "closed": ForceClosed, "auto": Auto}[args[0]]
		if !ok {
			return "", fmt.Errorf("no mode %q", args[0])
		}
		return s.operator(s.b.Force(now, mode)), nil
	}
	o, known := verbs[verb]
	p, named := s.calls[args[0]]
	if !known || !named {
		return "", fmt.Errorf("no verb %q, or no call %q", verb, args[0])
	}
	var took time.Duration
	if len(args) > 1 {
		if took, err = time.ParseDuration(args[1]); err != nil {
			return "", err
		}
	}
	ch := s.b.Report(now, p, o, took)
	answer := s.b.Snapshot(now).State.String()
	if ch.Late {
		answer += " (late)"
	}
	return answer + s.after(ch), nil
}

func (s *script) after(ch Change) string {
	if !ch.Happened() {
		return ""
	}
	return fmt.Sprintf("; %v to %v by %v", ch.From, ch.To, ch.Reason)
}

func (s *script) operator(ch Change) string {
	if !ch.Happened() {
		return "no change"
	}
	return strings.TrimPrefix(s.after(ch), "; ")
}

func (s *script) read(now core.Instant) string {
	x := s.b.Snapshot(now)
	answer := fmt.Sprintf("%v, %d calls %d failed %d slow", x.State, x.Window.Calls,
		x.Window.Failed, x.Window.Slow)
	if x.Mode != Auto {
		answer += ", " + x.Mode.String()
	}
	if x.State == HalfOpen {
		answer += fmt.Sprintf(", trials %d passed %d failed %d in flight", x.Passed, x.Failed,
			x.InFlight)
	}
	if x.Ready {
		answer += ", ready"
	}
	if x.State == Closed && x.Ramp < 1 {
		answer += fmt.Sprintf(", lets %.0f %% pass", x.Ramp*100)
	}
	if x.RetryAfter > 0 {
		answer += ", retry after " + x.RetryAfter.String()
	}
	return answer
}

// config makes a new breaker from words such as calls=20 and open=5s.
func (s *script) config(words []string) error {
	var c Config
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		n, isNumber := strconv.ParseFloat(value, 64)
		d, isTime := time.ParseDuration(value)
		if isNumber != nil && isTime != nil {
			return fmt.Errorf("%s: neither a number nor a time", w)
		}
		switch key {
		case "calls":
			c.Window.Calls = int(n)
		case "over":
			c.Window.Over = d
		case "row":
			c.Window.Consecutive = int(n)
		case "min":
			c.MinCalls = int(n)
		case "failures":
			c.Failures = n
		case "slow":
			c.Slow = Slow{Over: d, Share: 0.5}
		case "open":
			c.Open.For = d
		case "growth":
			c.Open.Growth = n
		case "cap":
			c.Open.Cap = d
		case "trials":
			c.Trials.Calls = int(n)
		case "at-once":
			c.Trials.AtOnce = int(n)
		case "pass":
			c.Trials.Pass = n
		case "wait":
			c.Trials.Wait = d
		case "ramp":
			c.Ramp = d
		default:
			return fmt.Errorf("no setting %q", key)
		}
	}
	b, err := New(c, 1)
	s.b, s.calls = b, map[string]Permit{}
	return err
}

func TestScriptsCanFail(t *testing.T) {
	var s script
	for _, line := range []string{"config calls=x", "config what=1", "config calls=5"} {
		if _, err := s.do(strings.Fields(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
	s = script{b: mustNew(t, consecutive(1, time.Second, 1)), calls: map[string]Permit{}}
	for _, line := range []string{"soon admit a", "1ms admit", "1ms fail nobody", "1ms force half",
		"1ms jump a"} {
		if _, err := s.do(strings.Fields(line)); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
}
