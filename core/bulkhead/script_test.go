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
// Steps are try, enqueue NAME, poll NAME, leave NAME, release, resize SETTINGS,
// limit N and state. After try, release and the name that enqueues may stand
// class=, flow= and for=.
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
		p, err := place(now, args)
		return fmt.Sprint(s.b.TryAcquire(now, p)), err
	case "enqueue":
		return s.enqueue(now, args[0], args[1:])
	case "poll":
		t := s.tickets[args[0]]
		answer := s.b.Poll(now, t).String()
		if answer == "dropped" {
			answer += " for " + t.Reason().String()
		}
		return answer, nil
	case "leave":
		s.b.Leave(now, s.tickets[args[0]])
		return s.wakes(), nil
	case "release":
		p, err := place(now, args)
		if err != nil {
			return "", err
		}
		s.b.Release(now, p)
		return s.wakes(), nil
	case "limit":
		n, err := strconv.Atoi(args[0])
		s.b.SetLimit(now, n)
		return s.wakes(), err
	case "resize":
		c, err := settings(args)
		if err != nil {
			return "", err
		}
		err = s.b.Resize(now, c)
		return s.wakes(), err
	case "state":
		n := s.b.Snapshot(now)
		answer := fmt.Sprintf("in-use %d queued %d peak %d refused %d waited-out %d",
			n.InUse, n.Queued, n.Peak, n.Refused, n.WaitedOut)
		if n.Limited+n.Delayed+n.Evicted > 0 {
			answer += fmt.Sprintf(" limited %d delayed %d evicted %d", n.Limited, n.Delayed, n.Evicted)
		}
		return answer, nil
	}
	return "", fmt.Errorf("no verb %q", verb)
}

func (s *script) enqueue(now core.Instant, name string, words []string) (string, error) {
	p, err := place(now, words)
	if err != nil {
		return "", err
	}
	t, reason := s.b.Enqueue(now, p, named{s, name})
	if t == nil {
		return reason.String(), nil
	}
	s.tickets[name] = t
	answer := "waiting until " + time.Duration(t.Until()).String()
	switch {
	case len(s.woken) == 0:
		return answer, nil
	case s.woken[0] == name:
		return s.wakes(), nil
	}
	return answer + ", " + s.wakes(), nil
}

func (s *script) wakes() string {
	if len(s.woken) == 0 {
		return "wakes nobody"
	}
	return "wakes " + strings.Join(s.woken, " ")
}

func place(now core.Instant, words []string) (p Place, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		ok := true
		switch name {
		case "class":
			p.Class, ok = core.ParseCriticality(value)
		case "flow":
			p.Flow, err = strconv.Atoi(value)
		case "for":
			var d time.Duration
			d, err = time.ParseDuration(value)
			p.Until = now.Add(d)
		default:
			ok = false
		}
		if err != nil || !ok {
			return p, fmt.Errorf("cannot read %s: %w", w, err)
		}
	}
	return p, nil
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
		case "flow-slots":
			c.FlowSlots, err = strconv.Atoi(value)
		case "flow-queue":
			c.FlowQueue, err = strconv.Atoi(value)
		case "order":
			for c.Line.Order = 0; c.Line.Order.String() != value; c.Line.Order++ {
			}
		case "full":
			for c.Line.Full = 0; c.Line.Full.String() != value; c.Line.Full++ {
			}
		default:
			err = fmt.Errorf("no such setting: %s", name)
		}
		if err != nil {
			return c, err
		}
	}
	return c, nil
}
