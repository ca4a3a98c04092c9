package shed

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "shedder" and "recovery" make one;
// every other line is a time and a verb. "each" spreads a number of requests
// evenly over a time and over the cohorts.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(script).play })
}

type script struct {
	s    *Shedder
	busy [3]int // as last told; each tells it again before every request
	r    *Recovery
	n    int // requests made by each, so that their cohorts go round
}

func (p *script) play(words []string) (answer string, err error) {
	switch words[0] {
	case "shedder":
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.s, err = New(c)
		p.busy = [3]int{}
		return "", err
	case "recovery":
		p.r, err = NewRecovery(RecoveryConfig{})
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	if p.r != nil {
		return p.recover(now, verb, args)
	}
	return p.shed(now, verb, args)
}

func (p *script) shed(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "admit": // class cohort
		c, ok := core.ParseCriticality(args[0])
		cohort, err := strconv.Atoi(args[1])
		if !ok || err != nil {
			return "", fmt.Errorf("no such level: %s", args)
		}
		return p.s.Admit(now, LevelOf(c, uint8(cohort))).String(), nil
	case "each": // class number span wait
		return p.each(now, args)
	case "busy":
		for i := range p.busy {
			p.busy[i], _ = strconv.Atoi(args[i])
		}
		p.s.Busy(now, p.busy[0], p.busy[1], p.busy[2])
		return "", nil
	case "scheduler":
		d, err := time.ParseDuration(args[0])
		p.s.Scheduler(now, d)
		return "", err
	case "reduce":
		x, err := strconv.ParseFloat(args[0], 64)
		if err != nil {
			return "", err
		}
		ramp, err := time.ParseDuration(args[1])
		p.s.Reduce(now, x, ramp)
		return "", err
	case "retry-after":
		return p.s.RetryAfter(now).Round(time.Millisecond).String(), nil
	case "state":
		s := p.s.Snapshot(now)
		return fmt.Sprintf("cut %v/%d share %.2f reduced %.2f overloaded %v wait %v",
			s.Cut.Class(), s.Cut.Cohort(), s.Share, s.Reduced, s.Overloaded, s.Wait), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

// each makes requests and reports those let in as served after a wait; with
// "dropped" for a wait they are dropped at once.
func (p *script) each(now core.Instant, args []string) (string, error) {
	c, ok := core.ParseCriticality(args[0])
	n, err := strconv.Atoi(args[1])
	if err != nil || !ok {
		return "", fmt.Errorf("each class number span wait, not %s", args)
	}
	span, err := time.ParseDuration(args[2])
	if err != nil {
		return "", err
	}
	in := 0
	for i := range n {
		at := now.Add(span * time.Duration(i) / time.Duration(n))
		p.n++
		p.s.Busy(at, p.busy[0], p.busy[1], p.busy[2])
		if p.s.Admit(at, LevelOf(c, uint8(p.n*37%Cohorts))) != core.NoReason {
			continue
		}
		in++
		if args[3] == "dropped" {
			p.s.Dropped(at, 0)
			continue
		}
		wait, err := time.ParseDuration(args[3])
		if err != nil {
			return "", err
		}
		p.s.Report(at, wait)
	}
	return fmt.Sprintf("%d let in", in), nil
}

// recover plays seconds: "10s for 5 first 80 retries 160 useful 0 wasted 100"
// is five of them, swept at their ends.
func (p *script) recover(now core.Instant, verb string, args []string) (string, error) {
	if verb == "state" {
		s := p.r.Snapshot(now)
		return fmt.Sprintf("%v useful %.0f normal %.0f best %.0f share %.3f cuts %d",
			s.State, s.Useful, s.Normal, s.Best, s.Share, s.Cuts), nil
	}
	seconds, err := strconv.Atoi(args[0])
	if err != nil || verb != "for" {
		return "", fmt.Errorf("no verb %q", verb)
	}
	n := map[string]int{}
	for i := 1; i+1 < len(args); i += 2 {
		if n[args[i]], err = strconv.Atoi(args[i+1]); err != nil {
			return "", err
		}
	}
	var told []string
	for range seconds {
		for i := range n["first"] + n["retries"] {
			p.r.Arrived(now, i >= n["first"])
		}
		for i := range n["useful"] + n["wasted"] {
			p.r.Ended(now, i < n["useful"])
		}
		now = now.Add(time.Second)
		if o, changed := p.r.Sweep(now); changed {
			told = append(told, fmt.Sprintf("%v: %v to %v, let in %.3f over %v",
				time.Duration(now), o.From, o.To, o.Share, o.Ramp))
		}
	}
	return strings.Join(told, "; "), nil
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "target":
			c.Target, err = time.ParseDuration(value)
		case "window":
			c.Window, err = time.ParseDuration(value)
		case "requests":
			c.Requests, err = strconv.Atoi(value)
		case "scheduler":
			c.Scheduler, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no setting %q", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
