package breaker

import (
	"math/bits"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
)

// trials are the calls of one half-open period.
type trials struct {
	cfg      Trials
	need     int // successes that close
	admitted int // given out in this period; those without a verdict came back
	passed   int
	counts   window.Counts // of those that reported, or were lost

	busy    uint64       // bit i: slot i is in flight
	due     core.Instant // no trial in flight is lost before this
	started []core.Instant
	tickets []uint32
	last    uint32 // the last ticket given out, in any period
}

func (t *trials) init(c Trials) {
	*t = trials{
		cfg: c, need: c.need(),
		started: make([]core.Instant, c.AtOnce), tickets: make([]uint32, c.AtOnce),
	}
}

func (t *trials) clear() {
	t.admitted, t.passed, t.busy = 0, 0, 0
	t.counts = window.Counts{}
}

func (t *trials) inFlight() int { return bits.OnesCount64(t.busy) }

func (t *trials) failed() int { return int(t.counts.Calls) - t.passed }

func (t *trials) full() bool {
	return t.admitted >= t.cfg.Calls || t.inFlight() >= t.cfg.AtOnce
}

// start gives out a trial, if there is one.
func (t *trials) start(now core.Instant, epoch uint64) Permit {
	if t.full() {
		return Permit{reason: core.TrialsTaken}
	}
	slot := bits.TrailingZeros64(^t.busy)
	if t.busy == 0 {
		t.due = now.Add(t.cfg.Wait)
	}
	t.admitted++
	t.busy |= 1 << slot
	t.last++
	if t.last == 0 { // 0 means that a permit is no trial
		t.last = 1
	}
	t.started[slot], t.tickets[slot] = now, t.last
	return Permit{epoch: epoch, ticket: t.last, slot: uint8(slot)}
}

// release takes a trial back and says when it started. A permit that was given
// back before, or given up as lost, is not held.
func (t *trials) release(p Permit) (at core.Instant, held bool) {
	bit := uint64(1) << p.slot
	if p.ticket == 0 || t.busy&bit == 0 || t.tickets[p.slot] != p.ticket {
		return 0, false
	}
	t.busy &^= bit
	return t.started[p.slot], true
}

func (t *trials) count(failed, slow bool) {
	t.counts.Calls++
	if failed {
		t.counts.Failed++
	}
	if slow {
		t.counts.Slow++
		if failed {
			t.counts.SlowFailed++
		}
	}
	if !failed && !slow {
		t.passed++
	}
}

// lose counts a trial of which nothing was heard in time.
func (t *trials) lose() { t.count(true, false) }

// expire gives up the trials that have been silent too long, and says when the
// one that leaves no doubt was due.
func (t *trials) expire(now core.Instant) (at core.Instant, gone bool) {
	for t.busy != 0 && now >= t.due {
		first := -1
		for left := t.busy; left != 0; left &= left - 1 {
			if i := bits.TrailingZeros64(left); first < 0 || t.started[i] < t.started[first] {
				first = i
			}
		}
		t.due = t.started[first].Add(t.cfg.Wait)
		if now < t.due {
			break
		}
		if t.failed() <= t.cfg.Calls-t.need {
			at = t.due
		}
		gone = true
		t.busy &^= 1 << first
		t.lose()
	}
	return at, gone
}
