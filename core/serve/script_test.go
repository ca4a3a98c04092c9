package serve

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/limit"
	"github.com/seakeep/seakeep/core/queue"
	"github.com/seakeep/seakeep/core/shed"
	"github.com/seakeep/seakeep/internal/golden"
)

// A script is a list of steps, each with what must come of it:
//
//	config limit=1 queue=1 wait=100ms deadline=1s
//	0ms enter a -> admitted
//	0ms enter b class=sheddable -> waiting until 100ms
//	5ms end a success -> wakes b
//	5ms step b -> admitted, waited 5ms
//
// Steps are enter NAME SETTINGS, step NAME, leave NAME, end NAME OUTCOME, reduce
// SHARE [RAMP], degrade LEVEL, allows FEATURE, answered NAME, reload SETTINGS and
// state.
type script struct {
	door   *Door
	visits map[string]*Visit
	woken  []string
	events []string
}

type named struct {
	s    *script
	name string
}

func (n named) Wake() { n.s.woken = append(n.s.woken, n.name) }

// Observe implements core.Observer.
func (s *script) Observe(e core.Event) {
	switch e.Kind {
	case core.LimitChanged, core.DegradeChanged, core.RecoveryChanged, core.ShedChanged:
		s.events = append(s.events, fmt.Sprintf("%v %s>%s", e.Kind, e.From, e.To))
	case core.RequestRefused:
		if e.Observed {
			s.events = append(s.events, "would be refused: "+e.Reason.String())
		}
	}
}

func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player {
		return (&script{visits: map[string]*Visit{}}).step
	})
}

func (s *script) step(words []string) (string, error) {
	if words[0] == "config" {
		c, err := settings(words[1:])
		if err != nil {
			return "", err
		}
		s.door, err = New(c, 1, s)
		return "", err
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	s.woken, s.events = nil, nil
	said, err := s.act(now, verb, args)
	for _, more := range [][]string{s.woken, s.events} {
		if len(more) > 0 && len(s.woken) > 0 {
			said = join(said, "wakes "+strings.Join(s.woken, " "))
			s.woken = nil
		} else if len(more) > 0 {
			said = join(said, strings.Join(more, ", "))
		}
	}
	return said, err
}

func join(a, b string) string { return strings.TrimPrefix(a+", "+b, ", ") }

func (s *script) act(now core.Instant, verb string, args []string) (string, error) {
	switch verb {
	case "enter":
		return s.enter(now, args[0], args[1:])
	case "step", "leave":
		kind := Woke
		if verb == "leave" {
			kind = CallerLeft
		}
		v := s.visits[args[0]]
		return s.say(v, v.Step(now, kind)), nil
	case "end":
		o, err := outcome(args[1])
		s.visits[args[0]].End(now, core.Result{Outcome: o})
		return "", err
	case "answered":
		s.visits[args[0]].Answered(now)
		return "", nil
	case "reduce":
		share, err := strconv.ParseFloat(args[0], 64)
		ramp := time.Duration(0)
		if len(args) > 1 {
			ramp, err = time.ParseDuration(args[1])
		}
		s.door.Reduce(now, share, ramp)
		return "", err
	case "degrade":
		level, err := strconv.Atoi(args[0])
		if err != nil {
			s.door.DegradeAuto(now)
			return "", nil
		}
		return "", s.door.Degrade(now, level)
	case "allows":
		return fmt.Sprint(s.door.Allows(now, args[0])), nil
	case "reload":
		return "", s.reload(now, args)
	case "state":
		return s.state(now), nil
	}
	return "", fmt.Errorf("unknown verb %q", verb)
}

func (s *script) reload(now core.Instant, args []string) error {
	c, err := settings(args)
	if err != nil {
		return err
	}
	next, err := s.door.Next(c, 1, s)
	if err != nil {
		return err
	}
	s.door = next
	next.Adopt(now)
	return nil
}

func (s *script) enter(now core.Instant, name string, args []string) (string, error) {
	req := Request{Deadline: core.Never}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "class":
			c, ok := core.ParseCriticality(value)
			if req.Class = c; !ok {
				return "", fmt.Errorf("no class %q", value)
			}
		case "tenant":
			req.Tenant = value
		case "within":
			d, err := time.ParseDuration(value)
			if req.Deadline = now.Add(d); err != nil {
				return "", err
			}
		case "cohort":
			n, err := strconv.Atoi(value)
			if req.Cohort = uint8(n); err != nil {
				return "", err
			}
		case "retry":
			req.Retry = true
		case "left":
			req.Left = true
		default:
			return "", fmt.Errorf("unknown setting %q", arg)
		}
	}
	v := &Visit{}
	s.visits[name] = v
	act := v.Begin(now, s.door, req)
	if act.Verdict == WantPlace {
		act = v.Join(now, named{s, name})
	}
	return s.say(v, act), nil
}

func (s *script) say(v *Visit, act Action) string {
	switch act.Verdict {
	case Waiting:
		return "waiting until " + time.Duration(act.WakeAt).String()
	case Admitted:
		said := "admitted"
		if w := v.Waited(); w > 0 {
			said += ", waited " + w.String()
		}
		if d := v.Deadline(); d != core.Never {
			said += ", until " + time.Duration(d).String()
		}
		return said
	case Refused:
		said := "refused: " + v.Reason().String()
		if a := v.RetryAfter(); a > 0 {
			said += ", back in " + a.String()
		}
		return said
	}
	return act.Verdict.String()
}

func (s *script) state(now core.Instant) string {
	n := s.door.Snapshot(now)
	out := []string{}
	for i := core.Criticalities - 1; i >= 0; i-- {
		if c := n.Classes[i]; c.Offered > 0 {
			out = append(out, fmt.Sprintf("%v: %d offered %d admitted %d refused %d left %d useful",
				core.CriticalityAt(i), c.Offered, c.Admitted, c.Refused, c.Left, c.Useful))
		}
	}
	if n.Slots != nil {
		out = append(out, fmt.Sprintf("%d of %d slots, %d waiting", n.Slots.InUse, n.Slots.Limit,
			n.Slots.Queued))
	}
	return strings.Join(out, "; ")
}

func outcome(word string) (core.Outcome, error) {
	for o := core.Success; o <= core.Ignored; o++ {
		if o.String() == word {
			return o, nil
		}
	}
	return 0, fmt.Errorf("no outcome %q", word)
}

// settings reads KEY=VALUE words.
func settings(args []string) (c Config, err error) {
	c.Name = "s"
	slots := func() *Slots {
		if c.Slots == nil {
			c.Slots = &Slots{}
		}
		return c.Slots
	}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		n, _ := strconv.Atoi(value)
		d, _ := time.ParseDuration(value)
		switch key {
		case "limit":
			slots().Limit = limit.Config{Algorithm: limit.Fixed, Initial: n}
		case "aimd":
			slots().Limit = limit.Config{Algorithm: limit.AIMD, Initial: n, Min: 1, Max: 100,
				Samples: 1, Window: time.Millisecond}
		case "queue":
			slots().Queue.Queue = n
			slots().Queue.Line.Full = queue.DropLowest
		case "wait":
			slots().Queue.Wait = d
		case "tenant":
			c.Tenants = &Tenants{Slots: n, Places: 1}
		case "deadline":
			c.Timeout.Total = d
		case "needs":
			c.Timeout.Needs = d
		case "shed":
			c.Shed = &shed.Config{Target: d}
		case "features":
			c.Degrade = &degrade.Config{Features: strings.Split(value, ","), Step: time.Second,
				Back: 5 * time.Second}
		case "observe":
			c.Observe = RungDeadline | RungShed | RungSlots
		default:
			return c, fmt.Errorf("unknown setting %q", arg)
		}
	}
	return c, nil
}
