package slo

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
	"github.com/seakeep/seakeep/internal/race"
)

// TestScripts plays the scripts in testdata. "slo" makes an objective; every
// other line is a time, to which "d" for days may be written, and a verb. "good"
// and "bad" count so many events at once; "rate" counts so many each second
// until a time, of which a share is bad, and says what changed when.
func TestScripts(t *testing.T) {
	race.OneGoroutine(t)
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct {
	s *SLO
	c Config
}

func (p *player) play(words []string) (string, error) {
	if words[0] == "slo" {
		err := p.settings(words[1:])
		if err == nil {
			p.s, err = New(0, p.c)
		}
		return p.doubts(), err
	}
	now, err := instant(words[0])
	if err != nil {
		return "", err
	}
	verb, args := words[1], words[2:]
	switch verb {
	case "good", "bad":
		n, err := strconv.ParseUint(args[0], 10, 64)
		c := Counts{Total: n}
		if verb == "bad" {
			c.Bad = n
		}
		p.s.Add(now, c)
		return "", err
	case "rate":
		return p.rate(now, args)
	case "sweep":
		changes, _ := p.s.Sweep(now)
		return told(changes), nil
	case "left":
		s := p.s.Snapshot(now)
		return fmt.Sprintf("%d of %d bad, left %.4g %% by events, %.4g %% of the period", s.Counts.Bad,
			s.Counts.Total, 100*s.Left, 100*s.LeftOfPeriod), nil
	case "restart":
		state := p.s.State(now)
		if p.s, err = New(now, p.c); err != nil {
			return "", err
		}
		return "", p.s.Restore(state)
	case "reconfigure":
		if err := p.settings(args); err != nil {
			return "", err
		}
		return p.doubts(), p.s.Reconfigure(now, p.c)
	}
	return p.read(now, verb)
}

// read answers what changes nothing.
func (p *player) read(now core.Instant, verb string) (string, error) {
	switch verb {
	case "burns":
		var all []string
		for _, b := range p.s.Snapshot(now).Burns {
			all = append(all, fmt.Sprintf("%.4g/%.4g of %.4g", b.Long, b.Short, b.Factor))
		}
		return strings.Join(all, ", "), nil
	case "acts":
		a := p.s.Snapshot(now).Acts
		return fmt.Sprintf("freeze %v, budgets at %.4g %%, level %d", a.Freeze, 100*a.Spare, a.Level), nil
	case "curve":
		_, left := p.s.Curve(now, 5)
		var all []string
		for _, l := range left {
			all = append(all, fmt.Sprintf("%.4g", 100*l))
		}
		return strings.Join(all, " "), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

// rate takes a number each second, a share of them that is bad, and an end.
func (p *player) rate(now core.Instant, args []string) (string, error) {
	n, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return "", err
	}
	share, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return "", err
	}
	end, err := instant(args[2])
	if err != nil {
		return "", err
	}
	var all []string
	owed, step := 0.0, uint64(1)
	for ; now < end; now = now.Add(time.Duration(step) * time.Second) {
		if step = 1; share == 0 && !p.firing() {
			step = 20 // nothing can change
		}
		owed += share * float64(n)
		bad := uint64(owed)
		owed -= float64(bad)
		p.s.Add(now, Counts{bad, n * step})
		if changes, _ := p.s.Sweep(now); len(changes) > 0 {
			all = append(all, fmt.Sprintf("%v %s", time.Duration(now), told(changes)))
		}
	}
	return strings.Join(all, "; "), nil
}

// firing reports whether any alert fires.
func (p *player) firing() bool {
	for _, on := range p.s.m.firing {
		if on {
			return true
		}
	}
	return false
}

func told(changes []Change) string {
	var all []string
	for _, ch := range changes {
		switch {
		case !ch.Alert:
			all = append(all, fmt.Sprintf("steps %d -> %d", ch.From, ch.To))
		case ch.Burn.Firing:
			all = append(all, fmt.Sprintf("%.4g fires", ch.Burn.Factor))
		default:
			all = append(all, fmt.Sprintf("%.4g clears", ch.Burn.Factor))
		}
	}
	return strings.Join(all, ", ")
}

func (p *player) doubts() string {
	var all []string
	for _, err := range p.c.Doubts() {
		text, _, _ := strings.Cut(err.Error(), ":")
		rest := strings.Fields(err.Error())[2:4]
		all = append(all, text+" "+strings.Join(rest, " "))
	}
	return strings.Join(all, ", ")
}

func instant(text string) (core.Instant, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		d, err := time.ParseDuration(text)
		return core.Instant(d), err
	}
	n, err := strconv.ParseFloat(days, 64)
	if err != nil || rest == "" {
		return core.Instant(n * float64(day)), err
	}
	d, err := time.ParseDuration(rest)
	return core.Instant(n*float64(day)) + core.Instant(d), err
}

func (p *player) settings(words []string) error {
	p.c = Config{}
	pairs := true
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "objective":
			p.c.Objective, err = strconv.ParseFloat(value, 64)
		case "window":
			var at core.Instant
			at, err = instant(value)
			p.c.Window.Period = time.Duration(at)
		case "calendar":
			p.c.Window.Calendar = map[string]Calendar{"week": Week, "month": Month, "quarter": Quarter}[value]
		case "events":
			p.c.Guard.Events, err = strconv.ParseUint(value, 10, 64)
		case "errors":
			p.c.Guard.Bad, err = strconv.ParseUint(value, 10, 64)
		case "pair":
			var one Pair
			share, long, _ := strings.Cut(value, "/")
			one.Share, err = strconv.ParseFloat(share, 64)
			if err == nil {
				one.Long, err = time.ParseDuration(long)
			}
			p.c.Alerts, pairs = append(p.c.Alerts, one), false
		case "step":
			var step Step
			_, err = fmt.Sscanf(value, "%f/%t/%f/%d", &step.Left, &step.Freeze, &step.Spare, &step.Level)
			p.c.Policy.Steps = append(p.c.Policy.Steps, step)
		case "quiet":
			pairs = false
		case "maintenance":
			from, to, _ := strings.Cut(value, "-")
			var s Span
			s.From, err = instant(from)
			if err == nil {
				s.To, err = instant(to)
			}
			p.c.Maintenance = append(p.c.Maintenance, s)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return err
		}
	}
	if pairs {
		p.c.Alerts = p.c.Window.Pairs()
	}
	return nil
}
