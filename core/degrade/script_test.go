package degrade

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata: "degrader" makes one, of the named
// features, and every other line is a time and a verb.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(script).play })
}

type script struct{ d *Degrader }

func (p *script) play(words []string) (answer string, err error) {
	if words[0] == "degrader" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.d, err = New(c)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "pressure":
		x, err := strconv.ParseFloat(args[0], 64)
		if err != nil {
			return "", err
		}
		p.d.Report(now, x)
		return p.off(now), nil
	case "off":
		return p.off(now), nil
	case "allows":
		return fmt.Sprint(p.d.Allows(now, args[0])), nil
	case "force":
		level, err := strconv.Atoi(args[0])
		if err != nil {
			return "", err
		}
		if err := p.d.Force(now, level); err != nil {
			return err.Error(), nil
		}
		return p.off(now), nil
	case "floor":
		level, err := strconv.Atoi(args[0])
		if err != nil {
			return "", err
		}
		p.d.Floor(now, level)
		return p.off(now), nil
	case "auto":
		p.d.Auto(now)
		return p.off(now), nil
	case "state":
		s := p.d.Snapshot(now)
		return fmt.Sprintf("level %d pressure %v forced %v", s.Level, s.Pressure, s.Forced), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (p *script) off(now core.Instant) string {
	off := p.d.Snapshot(now).Off
	if len(off) == 0 {
		return "all on"
	}
	return strings.Join(off, " ") + " off"
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, found := strings.Cut(w, "=")
		switch {
		case !found:
			c.Features = append(c.Features, w)
		case name == "on":
			c.On, err = strconv.ParseFloat(value, 64)
		case name == "off":
			c.Off, err = strconv.ParseFloat(value, 64)
		case name == "step":
			c.Step, err = time.ParseDuration(value)
		case name == "back":
			c.Back, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no setting %q", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
