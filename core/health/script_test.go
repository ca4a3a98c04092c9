package health

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "monitor" makes one; every other
// line is a time, a verb and what it needs:
//
//	monitor hosts=2 healthy=1
//	0s sweep -> check 0 1
//	1s pass 0 -> next at 5s
//	1s fail 1 -> next at 1s
//	1s state 1 -> unknown, 1 failed in a row
//
// After pass and fail stands what changed, and when to sweep next.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ m *Monitor }

func (p *player) play(words []string) (string, error) {
	if words[0] == "monitor" {
		c, hosts, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		if p.m, err = New(c); err == nil {
			p.m.Use(0, 1<<hosts-1)
		}
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	var numbers []int
	mask := uint64(0)
	for _, a := range args {
		if n, err := strconv.Atoi(a); err == nil {
			numbers = append(numbers, n)
			mask |= 1 << n
		}
	}
	switch verb {
	case "sweep":
		return p.sweep(now, ""), nil
	case "pass", "fail":
		said := ""
		if changed := p.m.Report(now, numbers[0], verb == "pass"); changed != 0 {
			said = fmt.Sprintf("out:%s, ", list(p.m.Out()))
		}
		return p.sweep(now, said), nil
	case "state":
		e := p.m.Snapshot()[numbers[0]]
		return fmt.Sprintf("%v, out %v, %d in a row passed %v, %d of %d failed", e.Verdict, e.Out,
			e.InARow, e.Passed, e.Failed, e.Checks), nil
	case "use":
		p.m.Use(now, mask)
		return "", nil
	case "reconfigure":
		c, _, err := settings(args)
		if err == nil {
			err = p.m.Reconfigure(now, c)
		}
		return "", err
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (p *player) sweep(now core.Instant, said string) string {
	start, next := p.m.Sweep(now)
	if start != 0 {
		said += "check" + list(start) + ", "
	}
	if next == core.Never {
		return said + "then nothing"
	}
	return said + "next at " + time.Duration(next).String()
}

func list(mask uint64) (s string) {
	for i := range 64 {
		if mask>>i&1 != 0 {
			s += " " + strconv.Itoa(i)
		}
	}
	if s == "" {
		return " none"
	}
	return s
}

func settings(words []string) (c Config, hosts int, err error) {
	c.Jitter = Off
	whole := map[string]*int{"hosts": &hosts, "unhealthy": &c.Unhealthy, "healthy": &c.Healthy}
	times := map[string]*time.Duration{"up": &c.Every.Up, "down": &c.Every.Down, "edge": &c.Every.Edge}
	real := map[string]*float64{"max": &c.MaxOut, "jitter": &c.Jitter}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case whole[key] != nil:
			*whole[key], err = strconv.Atoi(value)
		case times[key] != nil:
			*times[key], err = time.ParseDuration(value)
		case real[key] != nil:
			*real[key], err = strconv.ParseFloat(value, 64)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, 0, err
		}
	}
	return c, hosts, nil
}
