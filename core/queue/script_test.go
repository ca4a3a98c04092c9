package queue

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it, and who was
// given up meanwhile:
//
//	config length=2 full=drop-lowest
//	0ms push a for=1s class=sheddable flow=7 -> waits until 1s
//	1ms pop -> a
//
// Steps are push NAME, room, pop, remove NAME, hold FLOW, free FLOW, sweep, and
// state. Who does not say for how long waits for ever; settings of push are
// those of room too.
type script struct {
	line  *Line[string]
	items map[string]*Item[string]
}

func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		return (&script{items: map[string]*Item[string]{}}).step
	})
}

func (s *script) step(words []string) (string, error) {
	if words[0] == "config" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		s.line, err = New[string](c)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	answer, err := s.act(now, verb, args)
	for it := s.line.Gone(); it != nil; it = s.line.Gone() {
		answer += ", gives up " + it.Value + ": " + it.Reason().String()
	}
	return strings.TrimPrefix(answer, ", "), err
}

func (s *script) act(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "push":
		it, err := item(now, args)
		if err != nil {
			return "", err
		}
		s.items[it.Value] = it
		if r := s.line.Push(now, it); r != core.NoReason {
			return r.String(), nil
		}
		return "waits until " + until(it.End()), nil
	case "room":
		it, err := item(now, append([]string{""}, args...))
		return s.line.Room(now, it.Class, it.Flow).String(), err
	case "pop":
		if it := s.line.Pop(now); it != nil {
			return it.Value, nil
		}
		return "nobody", nil
	case "remove":
		return fmt.Sprint(s.line.Remove(s.items[args[0]])), nil
	case "hold", "free":
		flow, err := strconv.Atoi(args[0])
		s.line.Hold(now, flow, verb == "hold")
		return "", err
	case "sweep":
		return "next " + until(s.line.Sweep(now)), nil
	case "state":
		s.line.Sweep(now)
		answer := fmt.Sprint(s.line.Len(), " wait")
		for i := range core.Criticalities {
			if n := s.line.Waiting(core.CriticalityAt(i)); n > 0 {
				answer += fmt.Sprintf(", %d %v", n, core.CriticalityAt(i))
			}
		}
		return answer, nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func until(at core.Instant) string {
	if at == core.Never {
		return "never"
	}
	return time.Duration(at).String()
}

func item(now core.Instant, words []string) (*Item[string], error) {
	it := &Item[string]{Value: words[0], Until: core.Never}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		var err error
		switch name {
		case "class":
			ok := false
			if it.Class, ok = core.ParseCriticality(value); !ok {
				err = fmt.Errorf("no class %q", value)
			}
		case "flow":
			it.Flow, err = strconv.Atoi(value)
		case "for":
			var d time.Duration
			d, err = time.ParseDuration(value)
			it.Until = now.Add(d)
		default:
			err = fmt.Errorf("no such setting: %s", name)
		}
		if err != nil {
			return it, err
		}
	}
	return it, nil
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "length":
			c.Length, err = strconv.Atoi(value)
		case "per-flow":
			c.PerFlow, err = strconv.Atoi(value)
		case "target":
			c.Target, err = time.ParseDuration(value)
		case "interval":
			c.Interval, err = time.ParseDuration(value)
		case "order":
			for c.Order = 0; c.Order.String() != value && c.Order <= CoDelLIFO; c.Order++ {
			}
		case "full":
			for c.Full = 0; c.Full.String() != value && c.Full <= DropLowest; c.Full++ {
			}
		default:
			class, ok := core.ParseCriticality(strings.TrimPrefix(name, "floor-"))
			if !ok {
				return c, fmt.Errorf("no such setting: %s", name)
			}
			c.Floors[class.Index()], err = strconv.ParseFloat(value, 64)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
