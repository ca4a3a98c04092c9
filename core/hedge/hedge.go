package hedge

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Hedge decides whether a copy of a slow call is sent. It is safe for use by
// many goroutines. Make one with New.
//
// Each call that may have copies does Deposit once, and Withdraw when a copy is
// due. Each of its attempts does Report.
type Hedge struct {
	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns a hedge that follows c, with nothing earned and nothing measured.
func New(c Config) (*Hedge, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Hedge{last: longAgo, m: newMachine(c)}, nil
}

// Deposit says that a call starts which may have copies, and returns how long
// after the start of an attempt a copy is due. 0: never, because too little is
// known.
func (h *Hedge) Deposit(now core.Instant) time.Duration {
	h.mu.Lock()
	after := h.m.deposit(h.clamp(now))
	h.mu.Unlock()
	return after
}

// Withdraw asks for a copy that is due. copies is how many the call has
// already. It returns core.NoReason, or Pushback, EverythingSlow or
// BudgetExhausted.
func (h *Hedge) Withdraw(now core.Instant, copies int) core.Reason {
	h.mu.Lock()
	r := h.m.withdraw(h.clamp(now), copies)
	h.mu.Unlock()
	return r
}

// Refund gives back a copy that was granted and not sent, because something
// else was against it. It panics if there is none.
func (h *Hedge) Refund(now core.Instant) {
	h.mu.Lock()
	h.clamp(now)
	ok := h.m.refund()
	h.mu.Unlock()
	if !ok {
		panic("hedge: Refund without a granted Withdraw")
	}
}

// Report says how an attempt ended after it took that long, and whether it was
// a copy. One that lost is Cancelled, after the time it had.
func (h *Hedge) Report(now core.Instant, r core.Result, took time.Duration, copied bool) {
	h.mu.Lock()
	h.m.report(h.clamp(now), r, took, copied)
	h.mu.Unlock()
}

// Reconfigure changes the hedge's numbers while it is in use. What was earned
// and measured stays, as long as the Window does. It changes nothing if c is
// not valid.
func (h *Hedge) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clamp(now)
	h.m.configure(c)
	return nil
}

// Snapshot is a hedge at one moment.
type Snapshot struct {
	After  time.Duration // when a copy is due; 0: too little is known
	Due    float64       // the share of recent calls that had one due
	Tokens float64       // copies that may be sent now
	Held   core.Reason   // why none is sent just now: Pushback or EverythingSlow
	Counts Counts
}

// Counts are since the hedge was made.
type Counts struct {
	Calls uint64 // that may have copies
	Due   uint64 // of those, that had one due
	Sent  uint64 // copies
	Won   uint64 // of those, that were answered first
}

// Snapshot returns the hedge as it is at now.
func (h *Hedge) Snapshot(now core.Instant) Snapshot {
	h.mu.Lock()
	defer h.mu.Unlock()
	now = h.clamp(now)
	m := &h.m
	s := Snapshot{After: m.after, Due: float64(m.due) / whole, Tokens: float64(m.tokens) / 1000,
		Counts: Counts{m.total.calls, m.total.due, m.total.sent - m.total.refunded, m.total.won}}
	switch {
	case now < m.until:
		s.Held = core.Pushback
	case m.due > m.slow:
		s.Held = core.EverythingSlow
	}
	return s
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (h *Hedge) clamp(now core.Instant) core.Instant {
	h.last = max(h.last, now)
	return h.last
}
