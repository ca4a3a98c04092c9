package bolt

import (
	"go.etcd.io/bbolt"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

const (
	// batch is how many changes one commit takes at most. More would only make
	// the first of them wait for the last.
	batch = 512
	// sweepStep is how many records a claim removes at most on its way.
	sweepStep = 8
	// sweepBatch is how many Sweep removes in one commit.
	sweepBatch = 1000
)

type kind uint8

const (
	admit kind = iota
	report
	sweep
)

// change is something to do in the writer, and what came of it.
type change struct {
	kind  kind
	now   core.Instant
	claim idempotency.Claim
	end   idempotency.Ending

	found  idempotency.Record
	reason core.Reason
	kept   bool
	swept  int
	err    error
	done   chan struct{}
}

// do hands a change to the writer and waits until it is on the disk.
func (s *Store) do(ch *change) error {
	ch.done = make(chan struct{})
	s.gate.RLock()
	if s.closed {
		s.gate.RUnlock()
		return ErrClosed
	}
	s.queue <- ch
	s.gate.RUnlock()
	<-ch.done
	return ch.err
}

// write is the writer: it commits what has come since its last commit.
func (s *Store) write() {
	defer close(s.ended)
	changes := make([]*change, 0, batch)
	for first := range s.queue {
		changes = append(changes[:0], first)
	fill:
		for len(changes) < batch {
			select {
			case next, ok := <-s.queue:
				if !ok {
					break fill
				}
				changes = append(changes, next)
			default:
				break fill
			}
		}
		err := s.commit(changes)
		for i, ch := range changes {
			ch.err = closedError(err)
			close(ch.done)
			changes[i] = nil
		}
	}
}

// commit makes the changes in one transaction. If that fails none is made.
func (s *Store) commit(changes []*change) error {
	s.mu.Lock()
	w := writing{cfg: s.cfg, tally: s.tally}
	s.mu.Unlock()
	err := s.db.Update(func(tx *bbolt.Tx) (err error) {
		if w.pages, err = pagesOf(tx, false); err != nil {
			return err
		}
		for _, ch := range changes {
			w.now = max(w.now, ch.now)
			if err := w.apply(ch); err != nil {
				return err
			}
		}
		return nil
	})
	s.mu.Lock()
	if err == nil {
		s.tally = w.tally
	} else {
		s.tally.failed += uint64(len(changes))
	}
	s.mu.Unlock()
	return err
}

// tally is what the bounds and the snapshot need to know.
type tally struct {
	entries int
	bytes   int64
	states  [idempotency.Unknown + 1]int

	began, replayed, refused, full, unkept, failed uint64
}

// add counts a record in (1) or out (-1).
func (t *tally) add(r idempotency.Record, n int) {
	if r.State == idempotency.Fresh {
		return
	}
	t.entries += n
	t.bytes += int64(n) * r.Cost()
	t.states[r.State] += n
}

// writing is a transaction that is under way.
type writing struct {
	*pages
	now   core.Instant
	cfg   idempotency.Config
	tally tally
}

func (w *writing) apply(ch *change) (err error) {
	switch ch.kind {
	case admit:
		return w.admit(ch)
	case report:
		return w.report(ch)
	}
	ch.swept, err = w.sweep(sweepBatch)
	return err
}

func (w *writing) admit(ch *change) error {
	if _, err := w.sweep(sweepStep); err != nil {
		return err
	}
	old, err := w.get(ch.claim.Key)
	if err != nil {
		return err
	}
	next, reason := old.Admit(w.now, w.cfg, ch.claim)
	ch.found, ch.reason = next, reason
	switch reason {
	case core.NoReason:
	case core.KeyReplayed:
		w.tally.replayed++
		return nil
	default:
		w.tally.refused++
		return nil
	}
	if old.State == idempotency.Fresh {
		room, err := w.room(next.Cost())
		if err != nil {
			return err
		}
		if !room {
			ch.found, ch.reason = idempotency.Record{}, core.KeysExhausted
			w.tally.full++
			return nil
		}
	}
	w.tally.began++
	return w.put(old, next)
}

func (w *writing) report(ch *change) error {
	old, err := w.get(ch.claim.Key)
	if err != nil {
		return err
	}
	next, changed := old.Report(w.now, w.cfg, ch.claim.Owner, ch.end)
	ch.kept = false
	if !changed {
		return nil
	}
	for next.State == idempotency.Done && w.tally.bytes-old.Cost()+next.Cost() > w.cfg.Bytes {
		n, err := w.sweep(sweepStep)
		if err != nil {
			return err
		}
		if n == 0 {
			next = next.Sealed()
			break
		}
		if old, err = w.get(ch.claim.Key); err != nil {
			return err
		}
	}
	ch.kept = next.State == ch.end.State
	if !ch.kept {
		w.tally.unkept++
	}
	return w.put(old, next)
}

// room reports whether another record of this size fits, now or after those
// whose time is over have made way.
func (w *writing) room(cost int64) (bool, error) {
	for w.tally.entries >= w.cfg.Entries || w.tally.bytes+cost > w.cfg.Bytes {
		if n, err := w.sweep(sweepStep); n == 0 || err != nil {
			return false, err
		}
	}
	return true, nil
}

// sweep brings up to most records up to date whose Until is over, which
// removes all but the runs that have lasted too long. It returns how many.
func (w *writing) sweep(most int) (n int, err error) {
	for n < most {
		r, ok, err := w.earliest()
		if err != nil || !ok || w.now < r.Until {
			return n, err
		}
		if err := w.put(r, r.At(w.now, w.cfg)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// put writes next in place of old, the record that the file has of the key.
func (w *writing) put(old, next idempotency.Record) error {
	w.tally.add(old, -1)
	w.tally.add(next, 1)
	return w.pages.put(old, next)
}
