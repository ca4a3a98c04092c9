package seakeepsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// hold is what an attempt keeps until its work has truly ended: its leash, and
// once the ladder has been left its slot. Rows may end before the ladder is
// left, so whoever comes second gives back.
type hold struct {
	g      *guard
	limits Limits
	leash  *leash
	front  bool // of a call that entered before the pool, which ends it
	inTx   bool // of a statement within a transaction

	mu      sync.Mutex
	tail    seakeep.Tail
	given   bool // the ladder has been left
	kept    bool // rows or a transaction end the hold
	over    bool
	outcome core.Outcome
}

type holdKey struct{}

func newHold(ctx context.Context, g *guard, l Limits) *hold {
	return &hold{g: g, limits: l, leash: newLeash(ctx)}
}

// context returns the leash with the ticket that tells the driver that the call
// is in the ladder already.
func (h *hold) context() context.Context {
	return context.WithValue(h.leash, holdKey{}, h)
}

// holdOf returns the ticket of a call to this database; nil: it has none.
func holdOf(ctx context.Context, g *guard) *hold {
	if h, _ := ctx.Value(holdKey{}).(*hold); h != nil && h.g == g {
		return h
	}
	return nil
}

// reached says that the pool has done its part.
func (h *hold) reached() { h.leash.lift() }

// keep says that rows or a transaction will end the hold.
func (h *hold) keep() {
	h.mu.Lock()
	h.kept = true
	h.mu.Unlock()
}

// give hands the hold what is left of the call.
func (h *hold) give(t seakeep.Tail) {
	h.mu.Lock()
	h.tail, h.given = t, true
	over := h.over
	h.mu.Unlock()
	if over {
		h.finish()
	}
}

// own reports whether the driver's side ends the hold.
func (h *hold) own() bool { return !h.front }

// settle ends the hold of a call that has nothing more to come.
func (h *hold) settle(o core.Outcome) {
	h.mu.Lock()
	kept := h.kept
	h.mu.Unlock()
	if !kept {
		h.end(o)
	}
}

// end says that the work has ended. Calling it again does nothing.
func (h *hold) end(o core.Outcome) {
	h.mu.Lock()
	first, given := !h.over, h.given
	if first {
		h.over, h.outcome = true, o
	}
	h.mu.Unlock()
	if first {
		h.leash.release()
	}
	if first && given {
		h.finish()
	}
}

func (h *hold) finish() { h.tail.End(h.outcome) }

// because makes sure that an error says that our limit, or the caller, was the
// reason: drivers tell of a cut connection in many ways.
func (h *hold) because(err error) error {
	why := h.leash.Err()
	switch {
	case why == nil, errors.Is(err, why):
		return err
	case errors.Is(err, driver.ErrBadConn): // database/sql would send it once more
		return fmt.Errorf("%w: %v", why, err)
	}
	return fmt.Errorf("%w: %w", why, err)
}
