package balance

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it:
//
//	balance 2 policy=round-robin
//	0s pick -> 0
//	0s lost 0
//	0s pick tried 0 -> 1
//	1s answer 1 20ms
//	1s resting -> 0 for 0s
//
// Each balance begins anew; weights=2,1 and zones=a,b are of its endpoints in
// order. A pick may name the endpoints tried before, then the draw as =0.25.
// lost, answer, refused, failed, timeout, cancelled and notfound report an
// attempt; mark and unmark name a state; mean, share and flight show what is
// known of all endpoints, and states what they are.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(player).play })
}

type player struct{ b *Balancer }

func (p *player) play(words []string) (string, error) {
	if words[0] == "balance" {
		c, peers, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		p.b, err = New(c, peers)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	if s, ok := samples[verb]; ok {
		i, err := strconv.Atoi(args[0])
		if err == nil && len(args) > 1 {
			s.Took, err = time.ParseDuration(args[1])
		}
		p.b.Report(now, i, s)
		return "", err
	}
	return p.do(now, verb, args)
}

var samples = map[string]Sample{
	"lost":      {Outcome: core.Failure},
	"answer":    {Outcome: core.Success, Reached: true},
	"refused":   {Outcome: core.Overloaded, Reached: true},
	"failed":    {Outcome: core.Failure, Reached: true},
	"notfound":  {Outcome: core.Ignored, Reached: true},
	"timeout":   {Outcome: core.Timeout},
	"cancelled": {Outcome: core.Cancelled},
}

var states = map[string]State{"ejected": Ejected, "unhealthy": Unhealthy, "draining": Draining}

func (p *player) do(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "pick":
		return p.pick(now, args)
	case "mark", "unmark":
		i, err := strconv.Atoi(args[0])
		if p.b.Mark(now, i, states[args[1]], verb == "mark") {
			return "panic", err
		}
		return "", err
	case "add":
		i, ok := p.b.Add(now, Peer{}, Up)
		return fmt.Sprint(i, " ", ok), nil
	case "remove":
		i, err := strconv.Atoi(args[0])
		p.b.Remove(i)
		return "", err
	case "reconfigure":
		c, _, err := settings(append([]string{"0"}, args...))
		if err != nil {
			return "", err
		}
		return "", p.b.Reconfigure(now, c)
	}
	var out []string
	for i, e := range p.b.Snapshot(now) {
		switch verb {
		case "mean":
			out = append(out, e.Latency.Round(time.Microsecond).String())
		case "share":
			out = append(out, strconv.FormatFloat(e.Failing, 'f', 3, 64))
		case "flight":
			out = append(out, strconv.Itoa(e.InFlight))
		case "ramp":
			out = append(out, strconv.FormatFloat(e.Ramp, 'f', 3, 64))
		case "states":
			out = append(out, e.State.String())
		case "resting":
			if e.Resting {
				out = append(out, fmt.Sprintf("%d for %v", i, e.Trial))
			}
		default:
			return "", fmt.Errorf("no verb %q", verb)
		}
	}
	return strings.Join(out, "; "), nil
}

func (p *player) pick(now core.Instant, args []string) (string, error) {
	c, err := Choice{}, error(nil)
	for _, a := range args {
		if draw, ok := strings.CutPrefix(a, "="); ok {
			c.Draw, err = strconv.ParseFloat(draw, 64)
		} else if only, ok := strings.CutPrefix(a, "only="); ok {
			for _, n := range strings.Split(only, ",") {
				i, _ := strconv.Atoi(n)
				c.Only |= 1 << i
			}
		} else if a != "tried" {
			i := 0
			i, err = strconv.Atoi(a)
			c.Tried |= 1 << i
		}
		if err != nil {
			return "", err
		}
	}
	i, ok := p.b.Pick(now, c)
	if !ok {
		return "none", nil
	}
	return strconv.Itoa(i), nil
}

func settings(words []string) (c Config, peers []Peer, err error) {
	n, err := strconv.Atoi(words[0])
	peers = make([]Peer, n)
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		switch key {
		case "policy":
			c.Policy = map[string]Policy{"round-robin": RoundRobin}[value]
		case "decay":
			c.Decay, err = time.ParseDuration(value)
		case "slow-start":
			if c.SlowStart = Off; value != "off" {
				c.SlowStart, err = time.ParseDuration(value)
			}
		case "panic":
			if c.Panic = Off; value != "off" {
				c.Panic, err = strconv.ParseFloat(value, 64)
			}
		case "zone":
			c.Zone = value
		case "zones", "weights":
			for i, v := range strings.Split(value, ",") {
				if key == "zones" {
					peers[i].Zone = v
				} else if peers[i].Weight, err = strconv.ParseFloat(v, 64); err != nil {
					return c, nil, err
				}
			}
		default:
			return c, nil, fmt.Errorf("no key %q", key)
		}
		if err != nil {
			return c, nil, err
		}
	}
	return c, peers, err
}
