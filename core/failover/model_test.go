package failover

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// history decides as the doc comment says, in the simplest way: it counts again
// what it has kept.
type history struct {
	c      Config
	state  State
	since  core.Instant // of the state, or the step
	share  float64
	fails  int
	of     int // which step or state this is
	failed []bool
}

func (h *history) at(now core.Instant) {
	switch {
	case h.state == Second && now.Sub(h.since) >= h.c.Back.After<<min(h.fails, 3):
		h.to(Returning, now)
		h.share = h.c.Back.Begin
	case h.state == Returning && now.Sub(h.since) >= h.c.Back.Step && len(h.failed) >= h.c.Back.Calls:
		if h.share *= 2; h.share >= 1 {
			h.fails = 0
			h.to(First, now)
			return
		}
		h.to(Returning, now)
	}
}

func (h *history) to(s State, now core.Instant) {
	h.state, h.since, h.failed = s, now, nil
	h.of++
}

func (h *history) end(now core.Instant, of int, failed bool) {
	if of != h.of || h.state == Second {
		h.at(now)
		return
	}
	h.failed = append(h.failed, failed)
	bad := 0
	for _, f := range h.failed {
		if f {
			bad++
		}
	}
	n := len(h.failed)
	switch {
	case h.state == First && failed && n >= h.c.Calls && float64(bad) >= h.c.Share*float64(n):
		h.to(Second, now)
	case h.state == Returning && float64(bad) > h.c.Back.Share*float64(max(n, h.c.Back.Calls)):
		h.fails++
		h.to(Second, now)
	default:
		h.at(now)
	}
}

// Every sequence of seven things that may happen, against the recount.
func TestExhaustiveSmallScope(t *testing.T) {
	const steps, moves = 7, 6
	c := Config{Share: 0.5, Window: time.Hour, Calls: 2,
		Back: Back{After: 10 * time.Second, Begin: 0.5, Step: 2 * time.Second, Calls: 1, Share: 0.25}}
	total := 1
	for range steps {
		total *= moves
	}
	var seen [3]int
	for n := range total {
		f, h, now := mustNew(t, c), history{c: c.Filled()}, core.Instant(3)
		var old Permit
		oldOf, kept := 0, false
		for at, rest := 0, n; at < steps; at, rest = at+1, rest/moves {
			switch move := rest % moves; move {
			case 0, 1: // a call that ends at once, well or not
				p, _ := f.Admit(now, false, 0.3)
				h.at(now)
				if p.Second() != (h.state == Second) {
					t.Fatalf("sequence %d: diverted is %v in %v", n, p.Second(), h.state)
				}
				f.Report(now, p, []core.Outcome{core.Success, core.Failure}[move])
				if !p.Second() {
					h.end(now, h.of, move == 1)
				}
			case 2: // a call begins that ends later
				old, _ = f.Admit(now, true, 0)
				h.at(now)
				oldOf, kept = h.of, true
			case 3: // and ends badly
				if kept {
					f.Report(now, old, core.Failure)
					h.end(now, oldOf, true)
					kept = false
				}
			case 4:
				now += 2 * second
			case 5:
				now += 10 * second
			}
			if s := f.Snapshot(now); s.State != h.state || s.Returns != h.fails {
				t.Fatalf("sequence %d, step %d: %+v, the recount says %v", n, at, s, h.state)
			}
			seen[h.state]++
		}
	}
	if seen[Second] < 1000 || seen[Returning] < 1000 {
		t.Errorf("the states were seen %v times", seen)
	}
}
