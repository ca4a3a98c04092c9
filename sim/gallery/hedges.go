package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/hedge"
	"github.com/seakeep/seakeep/sim"
)

// hedger is calls, one each millisecond, whose copies are as core/hedge says.
type hedger struct {
	sim.Engine
	hedge  *hedge.Hedge // nil: there are no copies
	random *sim.Stream
	draw   func(*sim.Stream) time.Duration
	calls  []hedgedCall
	copies int
}

type hedgedCall struct {
	began  core.Instant
	first  time.Duration // how long the first attempt takes
	took   time.Duration // how long the call did
	copied bool
}

const (
	hedgerEnds = iota // what Fire is told
	hedgerDue
	hedgerBegins
)

// hedged makes n calls by the rules of c; nil makes no copies.
func hedged(draw func(*sim.Stream) time.Duration, seed uint64, c *hedge.Config, n int) hedging {
	h := &hedger{random: stream(seed, "calls"), draw: draw, calls: make([]hedgedCall, n)}
	if c != nil {
		h.hedge = must(hedge.New(*c))
	}
	h.At(0, sim.Begins, h, hedgerBegins, 0)
	h.Run(core.Never - 1)
	out := hedging{times: make([]time.Duration, n), extra: float64(h.copies) / float64(n)}
	for i := range h.calls {
		out.times[i] = h.calls[i].took
	}
	out.times = sortedTimes(out.times)
	return out
}

// Fire implements sim.Actor.
func (h *hedger) Fire(what int, i int64) {
	call, now := &h.calls[i], h.Now()
	switch what {
	case hedgerBegins:
		if next := i + 1; next < int64(len(h.calls)) {
			h.At(now.Add(ms), sim.Begins, h, hedgerBegins, next)
		}
		luck := h.random.Of(uint64(i), 0)
		*call = hedgedCall{began: now, first: h.draw(&luck)}
		call.took = call.first
		after := time.Duration(0)
		if h.hedge != nil {
			after = h.hedge.Deposit(now)
		}
		if after > 0 && call.first > after {
			h.At(now.Add(after), sim.Due, h, hedgerDue, i)
			return
		}
		h.At(now.Add(call.took), sim.Ends, h, hedgerEnds, i)
	case hedgerDue:
		if h.hedge.Withdraw(now, 0) == core.NoReason {
			h.copies++
			luck := h.random.Of(uint64(i), 1)
			took := now.Sub(call.began) + h.draw(&luck)
			call.copied, call.took = took < call.first, min(took, call.first)
		}
		h.At(call.began.Add(call.took), sim.Ends, h, hedgerEnds, i)
	case hedgerEnds:
		if h.hedge == nil {
			return
		}
		first := core.Result{Outcome: core.Success}
		if call.copied {
			h.hedge.Report(now, first, call.took, true)
			first.Outcome = core.Cancelled
		}
		h.hedge.Report(now, first, call.took, false)
	}
}

// unbounded sends every copy that is due after a time.
func unbounded(after time.Duration) *hedge.Config {
	return &hedge.Config{After: after, Budget: 1, Slow: 1}
}
