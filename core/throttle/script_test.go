package throttle

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts plays the scripts in testdata. "throttle" makes one; every other
// line is a time, a verb, a class and a number of times, of which the last two
// may be left out. "admit" takes a draw in place of the number.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ t *Throttle }

func (p *player) play(words []string) (string, error) {
	if words[0] == "throttle" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.t, err = New(c)
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
		return "", p.t.Reconfigure(now, c)
	}
	class, number := core.Critical, 1.0
	for _, arg := range args {
		if c, ok := core.ParseCriticality(arg); ok {
			class = c
		} else if number, err = strconv.ParseFloat(arg, 64); err != nil {
			return "", err
		}
	}
	return p.do(now, verb, asked{class, number})
}

type asked struct {
	class  core.Criticality
	number float64
}

func (p *player) do(now core.Instant, verb string, a asked) (string, error) {
	c := p.t.Snapshot(now).Classes[a.class.Index()]
	switch verb {
	case "refusal":
		return strconv.FormatFloat(c.Refusal, 'g', 4, 64), nil
	case "counts":
		return fmt.Sprintf("%d accepted of %d, %d refused in all", c.Accepts, c.Requests, c.Refused), nil
	case "admit":
		return strconv.FormatBool(p.t.Admit(now, a.class, a.number)), nil
	case "check":
		return strconv.FormatBool(p.t.Check(now, a.class, a.number)), nil
	case "accept", "refuse":
		for range int(a.number) {
			p.t.Report(now, a.class, verb == "accept")
		}
		return "", nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func settings(words []string) (c Config, err error) {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "k":
			c.K, err = strconv.ParseFloat(value, 64)
		case "window":
			c.Window, err = time.ParseDuration(value)
		case "cap":
			c.Cap, err = strconv.ParseFloat(value, 64)
		case "minimum":
			c.Minimum, err = strconv.Atoi(value)
		default:
			err = fmt.Errorf("no setting %q", key)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
