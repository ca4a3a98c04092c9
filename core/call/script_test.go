package call

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/throttle"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/internal/golden"
)

// TestScripts runs testdata/*.txt. A line is "TIME COMMAND CALL ARGS -> ANSWER"
// or "plan KEY=VALUE ...", which starts afresh. What stands after the arrow is
// what the machine must answer.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func() golden.Player { return new(rig).do })
}

// rig is one plan and its calls, by name.
type rig struct {
	plan   *Plan
	calls  map[string]*Call
	events []core.Event
}

func (r *rig) Observe(e core.Event) { r.events = append(r.events, e) }

func (r *rig) do(words []string) (string, error) {
	if words[0] == "plan" {
		return "", r.start(words[1:])
	}
	now, verb, args, err := golden.Timed(words)
	if err != nil {
		return "", err
	}
	switch verb {
	case "state":
		return r.state(now), nil
	case "events":
		return r.drain(), nil
	}
	name, args := args[0], args[1:]
	if verb == "begin" {
		req, err := request(args)
		if err != nil {
			return "", err
		}
		c := new(Call)
		r.calls[name] = c
		return r.show(c, c.Begin(now, r.plan, &req)), nil
	}
	c := r.calls[name]
	if c == nil {
		return "", fmt.Errorf("no call %q", name)
	}
	switch verb {
	case "join":
		return r.show(c, c.Join(now, nobody{})), nil
	case "woke":
		return r.show(c, c.Step(now, &Event{Kind: Woke, Draw: 0.5, Facts: facts(args)})), nil
	case "leave":
		return r.show(c, c.Step(now, &Event{Kind: CallerLeft})), nil
	case "due":
		return r.show(c, c.Step(now, &Event{Kind: CopyDue, Facts: facts(args)})), nil
	case "tail":
		tail := c.Tail(now)
		tail.End(now, outcomes[args[0]].Outcome)
		return r.state(now), nil
	}
	e, err := event(verb, args)
	if err != nil {
		return "", err
	}
	return r.show(c, c.Step(now, &e)), nil
}

func (r *rig) show(c *Call, a Action) string {
	var parts []string
	if a.Start != 0 {
		parts = append(parts, "start "+strconv.Itoa(bits.TrailingZeros8(a.Start)))
	}
	for lanes := a.Cancel; lanes != 0; lanes &= lanes - 1 {
		parts = append(parts, "cancel "+strconv.Itoa(bits.TrailingZeros8(lanes)))
	}
	if a.Verdict != Running {
		parts = append(parts, a.Verdict.String())
	}
	if a.Verdict.Done() && c.Reason() != core.NoReason {
		parts = append(parts, c.Reason().String())
	}
	if a.Verdict.Done() && c.RetryAfter() > 0 {
		parts = append(parts, "after "+c.RetryAfter().String())
	}
	if a.WakeAt != core.Never {
		parts = append(parts, "wake "+time.Duration(a.WakeAt).String())
	}
	if len(parts) == 0 {
		return "running"
	}
	return strings.Join(parts, ", ")
}

func (r *rig) state(now core.Instant) string {
	var parts []string
	s := r.plan.Snapshot(now)
	if s.Bulkhead != nil {
		parts = append(parts, fmt.Sprintf("slots %d queued %d", s.Bulkhead.InUse, s.Bulkhead.Queued))
	}
	if s.Breaker != nil {
		parts = append(parts, fmt.Sprintf("%v %d/%d trials %d", s.Breaker.State,
			s.Breaker.Window.Failed, s.Breaker.Window.Calls, s.Breaker.InFlight))
	}
	if s.Budget != nil {
		parts = append(parts, fmt.Sprintf("budget %d active %d", s.Budget.Available, s.Budget.Active))
	}
	if s.Throttle != nil {
		for i, c := range s.Throttle.Classes {
			if c.Requests > 0 {
				parts = append(parts, fmt.Sprintf("%v %d/%d refusal %.3g", core.CriticalityAt(i),
					c.Accepts, c.Requests, c.Refusal))
			}
		}
	}
	if h := s.Hedge; h != nil {
		parts = append(parts, fmt.Sprintf("copies %d won %d due %d tokens %.3g", h.Counts.Sent,
			h.Counts.Won, h.Counts.Due, h.Tokens))
	}
	return strings.Join(parts, ", ")
}

func (r *rig) drain() string {
	var parts []string
	for _, e := range r.events {
		word := e.Kind.String()
		if e.Detail != "" {
			word += "(" + e.Detail + ")"
		}
		if e.Reason != core.NoReason {
			word += "(" + e.Reason.String() + ")"
		}
		if e.Observed {
			word += "!"
		}
		parts = append(parts, word)
	}
	r.events = nil
	return strings.Join(parts, " ")
}

// start makes the plan that a line describes.
func (r *rig) start(args []string) error {
	c := Config{Name: "dep"}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if err := set(&c, key, value); err != nil {
			return err
		}
	}
	p, err := New(c, 1, r)
	r.plan, r.calls, r.events = p, map[string]*Call{}, nil
	return err
}

func set(c *Config, key, value string) error {
	d, _ := time.ParseDuration(value)
	n, _ := strconv.Atoi(value)
	switch key {
	case "request":
		c.Timeout.Request = d
	case "total":
		c.Timeout.Total = d
	case "needs":
		c.Timeout.Needs = d
	case "reserve":
		c.Timeout.Reserve = d
	case "attempts":
		c.Retry = &retry.Config{Attempts: n, Backoff: retry.Backoff{Base: 100 * time.Millisecond,
			Jitter: retry.None}, Idempotent: retry.Always}
	case "unsafe":
		c.Retry.Idempotent = retry.ByCall
	case "floor":
		c.Budget = &budget.Config{Floor: float64(n), Window: time.Second}
	case "consecutive":
		c.Breaker = &breaker.Config{Window: window.Config{Consecutive: n},
			Open: breaker.Pause{For: time.Second}, Trials: breaker.Trials{Calls: 1}}
	case "counts":
		c.Breaker.Counts = breaker.Calls
	case "limit":
		c.Bulkhead = &bulkhead.Config{Limit: n}
	case "queue":
		c.Bulkhead.Queue, c.Bulkhead.Wait = n, 50*time.Millisecond
	case "holds":
		c.Bulkhead.Holds = bulkhead.Attempts
	case "observe":
		c.Observe |= map[string]Rungs{"timeout": RungTimeout, "retry": RungRetry,
			"breaker": RungBreaker, "bulkhead": RungBulkhead, "throttle": RungThrottle,
			"hedge": RungHedge}[value]
	case "throttle":
		c.Throttle = &throttle.Config{Minimum: n}
	case "hedge":
		c.Hedge = &hedge.Config{After: d, Budget: 1, Slow: 1}
	case "copies":
		c.Hedge.Copies = n
	case "share":
		c.Hedge.Budget = float64(n) / 100
	case "same":
		c.Hedge.Same = true
	default:
		return fmt.Errorf("no setting %q", key)
	}
	return nil
}

func request(args []string) (Request, error) {
	req := Request{Deadline: core.Never}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "deadline":
			d, err := time.ParseDuration(value)
			if err != nil {
				return req, err
			}
			req.Deadline = core.Instant(d)
		case "retried-above":
			req.RetriedAbove = true
		case "tail":
			req.Tail = true
		case "hedge":
			req.Hedge = true
		case "left":
			req.Left = true
		case "class":
			req.Class, _ = core.ParseCriticality(value)
		case "draw":
			draw, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return req, err
			}
			req.Draw = draw
		default:
			return req, fmt.Errorf("unknown word %q", arg)
		}
	}
	return req, nil
}

var outcomes = map[string]core.Result{
	"ok":       {Outcome: core.Success},
	"fail":     {Outcome: core.Failure, Cause: core.Unknown},
	"reset":    {Outcome: core.Failure, Cause: core.Reset},
	"unsent":   {Outcome: core.Failure, Cause: core.Unsent},
	"timeout":  {Outcome: core.Timeout, Cause: core.TimedOut},
	"busy":     {Outcome: core.Overloaded, Cause: core.Unavailable, RetryAfter: 300 * time.Millisecond},
	"no-retry": {Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true},
	"pushed": {Outcome: core.Overloaded, Cause: core.Unavailable, Exact: true,
		RetryAfter: 2 * time.Millisecond},
	"at-once": {Outcome: core.Overloaded, Cause: core.Unavailable, Exact: true},
	"4xx":     {Outcome: core.Ignored, Cause: core.ClientError},
	"cancel":  {Outcome: core.Cancelled},
}

// event is what an attempt reports.
func event(verb string, args []string) (Event, error) {
	r, ok := outcomes[verb]
	if !ok {
		return Event{}, fmt.Errorf("no verb %q", verb)
	}
	e := Event{Kind: Returned, Draw: 0.5, Result: r, Facts: facts(args)}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "lane":
			n, _ := strconv.Atoi(value)
			e.Lane = uint8(n)
		case "orphan":
			e.Orphan = true
		case "lost":
			e.Lost = true
		}
	}
	return e, nil
}

func facts(args []string) Facts {
	f := Facts{Replayable: true}
	for _, arg := range args {
		switch arg {
		case "elsewhere":
			f.Elsewhere = true
		case "tied":
			f.Tied = true
		case "gone":
			f.Replayable = false
		case "keyed":
			f.Safety = retry.Keyed
		}
	}
	return f
}
