package bulkhead

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
//	config limit=1 queue=2 wait=10ms
//	0ms try -> true
//	0ms enqueue b -> waiting until 10ms
//	5ms release -> wakes b
//	5ms state -> in-use 1 queued 0 peak 1 refused 0 waited-out 0
//
// Steps are try, enqueue NAME, poll NAME, leave NAME, release, resize SETTINGS
// and state.
type script struct {
	b       *Bulkhead
	tickets map[string]*Ticket
	woken   []string // since the step began, in order
}

type named struct {
	s    *script
	name string
}

func (n named) Wake() { n.s.woken = append(n.s.woken, n.name) }

func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		return (&script{tickets: map[string]*Ticket{}}).step
	})
}

func (s *script) step(words []string) (string, error) {
	if words[0] == "config" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		s.b, err = New(c)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	s.woken = nil
	return s.act(now, verb, args)
}

func (s *script) act(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "try":
		return fmt.Sprint(s.b.TryAcquire(now)), nil
	case "enqueue":
		t, reason := s.b.Enqueue(now, named{s, args[0]})
		if t == nil {
			return reason.String(), nil
		}
		s.tickets[args[0]] = t
		if len(s.woken) > 0 {
			return s.wakes(), nil
		}
		return "waiting until " + time.Duration(t.Until()).String(), nil
	case "poll":
		return s.b.Poll(now, s.tickets[args[0]]).String(), nil
	case "leave":
		s.b.Leave(now, s.tickets[args[0]])
		return s.wakes(), nil
	case "release":
		s.b.Release(now)
		return s.wakes(), nil
	case "resize":
		c, err := settings(args)
		if err != nil {
			return "", err
		}
		err = s.b.Resize(now, c)
		return s.wakes(), err
	case "state":
		n := s.b.Snapshot(now)
		return fmt.Sprintf("in-use %d queued %d peak %d refused %d waited-out %d",
			n.InUse, n.Queued, n.Peak, n.Refused, n.WaitedOut), nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (s *script) wakes() string {
	if len(s.woken) == 0 {
		return "wakes nobody"
	}
	return "wakes " + strings.Join(s.woken, " ")
}

func settings(words []string) (c Config, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "limit":
			c.Limit, err = strconv.Atoi(value)
		case "queue":
			c.Queue, err = strconv.Atoi(value)
		case "wait":
			c.Wait, err = time.ParseDuration(value)
		default:
			err = fmt.Errorf("no such setting: %s", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
