package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim"
)

// hang is B9: a caller with 50 threads and a call every 10 ms for a minute. The
// dependency takes 20 ms, and from 15 s to 45 s it lets every call run into the
// timeout of 2 s.
type hang struct {
	sim.Engine
	breaker  *breaker.Breaker // nil: none
	order    sim.Class        // of the ends: before or after arrivals of the same instant
	permits  []breaker.Permit
	began    []core.Instant
	busy     int
	ok       int
	timeouts int
	full     int // no thread was free
	fast     int
	threads  float64 // time integral of the threads busy in the outage, in seconds
}

const (
	hangs, mended = core.Instant(15 * second), core.Instant(45 * second)
	hangThreads   = 50
	hangCalls     = 6000
)

func newHang(c *breaker.Config, order sim.Class) *hang {
	h := &hang{order: order, permits: make([]breaker.Permit, hangCalls),
		began: make([]core.Instant, hangCalls)}
	if c != nil {
		h.breaker = must(breaker.New(*c, 1))
	}
	for i := range int64(hangCalls) {
		h.At(core.Instant(i)*core.Instant(10*ms), sim.Due, h, arrives, i)
	}
	h.Run(core.Instant(time.Minute + 2*second))
	return h
}

// Fire implements sim.Actor.
func (h *hang) Fire(what int, i int64) {
	now := h.Now()
	if what == served {
		h.end(i)
		return
	}
	if h.breaker != nil {
		p, _ := h.breaker.Admit(now)
		if h.permits[i] = p; !p.OK() {
			h.fast++
			return
		}
	}
	if h.busy == hangThreads {
		h.full++
		if h.breaker != nil { // nothing was learned of the dependency
			h.breaker.Report(now, h.permits[i], core.Cancelled, 0)
		}
		return
	}
	h.busy++
	h.began[i] = now
	h.At(now.Add(hangTime(now)), h.order, h, served, i)
}

func hangTime(now core.Instant) time.Duration {
	if now >= hangs && now < mended {
		return 2 * second
	}
	return 20 * ms
}

func (h *hang) end(i int64) {
	now, from := h.Now(), h.began[i]
	h.busy--
	h.threads += max(0, min(now, mended).Sub(max(from, hangs)).Seconds())
	o := core.Success
	if now.Sub(from) >= 2*second {
		o = core.Timeout
		h.timeouts++
	} else {
		h.ok++
	}
	if h.breaker != nil {
		h.breaker.Report(now, h.permits[i], o, now.Sub(from))
	}
}

func b9(s *sheet) {
	s.Setup = "100 calls a second, evenly, for 60 s; from 15 s to 45 s each hangs for 2 s; 50 " +
		"threads, and who finds none is refused. Breaker: 20 calls, at least ten, 50 %, one " +
		"trial."
	for _, row := range []struct {
		name                   string
		open                   time.Duration
		ok, timeout, full, bad int
		busy                   float64
	}{
		{"no breaker", 0, 2985, 750, 2265, 0, 49.4},
		{"open 1 s", second, 2989, 68, 151, 2792, 4.5},
		{"open 2 s", 2 * second, 2789, 66, 151, 2994, 4.4},
		{"open 5 s", 5 * second, 2489, 63, 151, 3297, 4.2},
		{"open 10 s", 10 * second, 2389, 61, 151, 3399, 4.1},
	} {
		h := newHang(hangBreaker(row.open), sim.Begins)
		s.count(row.name+": ok", row.ok, h.ok)
		s.count(row.name+": timed out", row.timeout, h.timeouts)
		s.count(row.name+": no thread", row.full, h.full)
		s.count(row.name+": fast", row.bad, h.fast)
		s.rounds(row.name+": threads busy in the outage", known{row.busy, 1, ""}, h.threads/30)
		if row.open == second {
			opened := h.breaker.Snapshot(core.Never - 1).History[0].At
			s.equals("opens at", known{17.09, 2, "s"}, time.Duration(opened).Seconds())
		}
	}
	ours := newHang(nil, sim.Ends)
	s.shown("no breaker, ends before arrivals: ok", 0, "", same(float64(ours.ok)))
	s.Note = "The table lets a call that arrives at the instant at which a thread is given " +
		"back go without. With Seakeep's order, ends first, ok is 3,000 and 2,990 of 6,000, " +
		"and no thread 2,250 and 150. The price of a longer cooldown is up to that much time " +
		"of lost successes."
}

func hangBreaker(open time.Duration) *breaker.Config {
	if open == 0 {
		return nil
	}
	return &breaker.Config{Window: window.Config{Calls: 20}, MinCalls: 10, Failures: 0.5,
		Open: breaker.Pause{For: open}, Trials: breaker.Trials{Calls: 1}}
}
