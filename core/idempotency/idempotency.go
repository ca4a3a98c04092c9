package idempotency

import (
	"fmt"
	"math"
	"sync"

	"github.com/seakeep/seakeep/core"
)

// Memory is a Store that ends with its process: after a crash or a restart a
// repeated write runs again. It is for a single process whose writes may be
// lost with it. It is safe for concurrent use; make it with NewMemory.
type Memory struct {
	mu     sync.Mutex
	latest core.Instant
	m      machine
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store, or the errors of c.Validate.
func NewMemory(c Config) (*Memory, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	return &Memory{latest: math.MinInt64, m: machine{
		cfg: c.WithDefaults(), entries: make(map[string]*entry)}}, nil
}

// Admit implements Store. The error is always nil.
func (s *Memory) Admit(now core.Instant, c Claim) (Record, core.Reason, error) {
	s.lock(now)
	r, reason := s.m.admit(s.latest, c)
	s.mu.Unlock()
	return r, reason, nil
}

// Report implements Store. The error is always nil.
func (s *Memory) Report(now core.Instant, c Claim, e Ending) (bool, error) {
	s.lock(now)
	defer s.mu.Unlock() // the rules panic on misuse
	return s.m.report(s.latest, c, e), nil
}

// Sweep removes the records whose time is over. Admit does that too, a few at
// a time, so it is needed only to give memory back when no writes come.
func (s *Memory) Sweep(now core.Instant) {
	s.lock(now)
	s.m.sweep(s.latest, math.MaxInt)
	s.mu.Unlock()
}

// Reconfigure changes the settings, or returns the errors of c.Validate and
// changes nothing. Records keep the time that they were promised. A smaller
// bound removes nothing; new keys are refused until there is room.
func (s *Memory) Reconfigure(c Config) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("idempotency: %w", err)
	}
	s.mu.Lock()
	s.m.cfg = c.WithDefaults()
	s.mu.Unlock()
	return nil
}

// Unsettled returns up to most records that are Unknown at now, in no
// particular order, for an operator to find out about. Report with the record's
// Claim settles one.
func (s *Memory) Unsettled(now core.Instant, most int) (found []Record) {
	s.lock(now)
	defer s.mu.Unlock()
	for _, e := range s.m.heap {
		if r := e.At(s.latest, s.m.cfg); r.State == Unknown && len(found) < most {
			found = append(found, r)
		}
	}
	return found
}

// Snapshot is a store's state. The totals count since it was made.
type Snapshot struct {
	Entries   int    // keys kept
	Running   int    // of them, those whose run has not ended
	Unknown   int    // of them, those of which nobody knows how it ended
	Bytes     int64  // room they take
	Began     uint64 // runs that got their claim
	Replayed  uint64 // requests that got the answer of an earlier one
	Refused   uint64 // requests refused because of their key's record
	Full      uint64 // requests refused because there was no room
	NotStored uint64 // answers for which there was no room
	Failed    uint64 // times that the store itself failed; never with Memory
}

// Snapshot returns the state at now.
func (s *Memory) Snapshot(now core.Instant) Snapshot {
	s.lock(now)
	defer s.mu.Unlock()
	m := &s.m
	m.sweep(s.latest, math.MaxInt)
	return Snapshot{
		Entries: len(m.entries), Running: m.states[Running], Unknown: m.states[Unknown],
		Bytes: m.bytes, Began: m.count.began, Replayed: m.count.replayed,
		Refused: m.count.refused, Full: m.count.full, NotStored: m.count.unkept,
	}
}

// lock locks and keeps the latest now, so that the machine never sees time go
// back although goroutines read the clock before they queue for the lock.
func (s *Memory) lock(now core.Instant) {
	s.mu.Lock()
	if now > s.latest {
		s.latest = now
	}
}
