package call

import (
	"bufio"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
)

var update = flag.Bool("update", false, "rewrite the golden scripts with what the machine answers")

// TestScripts runs testdata/*.txt. A line is "TIME COMMAND CALL ARGS -> ANSWER"
// or "plan KEY=VALUE ...", which starts afresh. What stands after the arrow is
// what the machine must answer.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			got, want := replay(t, file)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("%s differs:\n%s", file, diff(got, want))
			}
		})
	}
}

func diff(got, want string) string {
	var b strings.Builder
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			fmt.Fprintf(&b, "line %d\n  got  %s\n", i+1, g[i])
			if i < len(w) {
				fmt.Fprintf(&b, "  want %s\n", w[i])
			}
		}
	}
	return b.String()
}

// rig is one plan and its calls, by name.
type rig struct {
	t      *testing.T
	plan   *Plan
	calls  map[string]*Call
	events []core.Event
}

func (r *rig) Observe(e core.Event) { r.events = append(r.events, e) }

func replay(t *testing.T, file string) (got, want string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t}
	var out strings.Builder
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			out.WriteString(line + "\n")
			continue
		}
		do, _, _ := strings.Cut(line, " -> ")
		answer := r.do(strings.Fields(do))
		if out.WriteString(do); answer != "" {
			out.WriteString(" -> " + answer)
		}
		out.WriteString("\n")
	}
	return out.String(), string(data)
}

func (r *rig) do(f []string) string {
	if f[0] == "plan" {
		r.start(f[1:])
		return ""
	}
	at, err := time.ParseDuration(f[0])
	if err != nil {
		r.t.Fatalf("%v: %v", f, err)
	}
	now := core.Instant(at)
	if f[1] == "state" {
		return r.state(now)
	}
	if f[1] == "events" {
		return r.drain()
	}
	name := f[2]
	if f[1] == "begin" {
		c := new(Call)
		r.calls[name] = c
		return r.show(c, c.Begin(now, r.plan, request(r.t, f[3:])))
	}
	c := r.calls[name]
	switch f[1] {
	case "join":
		return r.show(c, c.Join(now, nobody{}))
	case "woke":
		return r.show(c, c.Step(now, Event{Kind: Woke, Facts: facts(f[3:])}))
	case "leave":
		return r.show(c, c.Step(now, Event{Kind: CallerLeft}))
	case "tail":
		tail := c.Tail(now)
		tail.End(now, outcomes[f[3]].Outcome)
		return r.state(now)
	}
	return r.show(c, c.Step(now, event(r.t, f)))
}

func (r *rig) show(c *Call, a Action) string {
	var parts []string
	if a.Start != 0 {
		parts = append(parts, "start "+strconv.Itoa(bits.TrailingZeros8(a.Start)))
	}
	if a.Cancel != 0 {
		parts = append(parts, "cancel "+strconv.Itoa(bits.TrailingZeros8(a.Cancel)))
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
	return strings.Join(parts, ", ")
}

func (r *rig) drain() string {
	var parts []string
	for _, e := range r.events {
		word := e.Kind.String()
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
func (r *rig) start(args []string) {
	c := Config{Name: "dep"}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		set(r.t, &c, key, value)
	}
	p, err := New(c, 1, r)
	if err != nil {
		r.t.Fatal(err)
	}
	r.plan, r.calls, r.events = p, map[string]*Call{}, nil
}

func set(t *testing.T, c *Config, key, value string) {
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
			"breaker": RungBreaker, "bulkhead": RungBulkhead}[value]
	default:
		t.Fatalf("plan: unknown key %q", key)
	}
}

func request(t *testing.T, args []string) Request {
	req := Request{Deadline: core.Never}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "deadline":
			d, err := time.ParseDuration(value)
			if err != nil {
				t.Fatal(err)
			}
			req.Deadline = core.Instant(d)
		case "retried-above":
			req.RetriedAbove = true
		case "tail":
			req.Tail = true
		case "left":
			req.Left = true
		default:
			t.Fatalf("begin: unknown word %q", arg)
		}
	}
	return req
}

var outcomes = map[string]core.Result{
	"ok":       {Outcome: core.Success},
	"fail":     {Outcome: core.Failure, Cause: core.Unknown},
	"reset":    {Outcome: core.Failure, Cause: core.Reset},
	"unsent":   {Outcome: core.Failure, Cause: core.Unsent},
	"timeout":  {Outcome: core.Timeout, Cause: core.TimedOut},
	"busy":     {Outcome: core.Overloaded, Cause: core.Unavailable, RetryAfter: 300 * time.Millisecond},
	"no-retry": {Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true},
	"4xx":      {Outcome: core.Ignored, Cause: core.ClientError},
	"cancel":   {Outcome: core.Cancelled},
}

func event(t *testing.T, f []string) Event {
	r, ok := outcomes[f[1]]
	if !ok {
		t.Fatalf("unknown command %q", f[1])
	}
	e := Event{Kind: Returned, Result: r, Facts: facts(f[3:])}
	for _, arg := range f[3:] {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "lane":
			n, _ := strconv.Atoi(value)
			e.Lane = uint8(n)
		case "orphan":
			e.Orphan = true
		}
	}
	return e
}

func facts(args []string) Facts {
	f := Facts{Replayable: true, Draw: 0.5}
	for _, arg := range args {
		switch arg {
		case "elsewhere":
			f.Elsewhere = true
		case "gone":
			f.Replayable = false
		case "keyed":
			f.Safety = retry.Keyed
		}
	}
	return f
}
