package sim

import (
	"math/bits"

	"github.com/seakeep/seakeep/core"
)

// WorkerState is what a worker does.
type WorkerState uint8

const (
	WorkerIdle     WorkerState = iota
	WorkerWorks                // serves a request: works, or waits for a call
	WorkerPauses               // is held while a retry waits for its backoff
	WorkerOrphaned             // serves a request that nobody waits for any more
)

// WorkerChange is a worker that begins to do something else.
type WorkerChange struct {
	At       core.Instant
	Service  string
	Instance int // counted from 0
	// Worker is which of the instance's workers, counted from 0. The first
	// that is free is the next to be taken.
	Worker int
	State  WorkerState
	Route  string // of the request; empty with WorkerIdle
}

// slots are the workers of an instance, a bit for each that is taken.
type slots []uint64

// take returns the first that is free.
func (s *slots) take() int {
	for k, word := range *s {
		if word != ^uint64(0) {
			n := bits.TrailingZeros64(^word)
			(*s)[k] |= 1 << n
			return 64*k + n
		}
	}
	*s = append(*s, 1)
	return 64 * (len(*s) - 1)
}

func (s slots) free(n int) { s[n/64] &^= 1 << (n % 64) }

// tellWorker tells who listens what the request's worker does now.
func (j *job) tellWorker(state WorkerState) {
	s := j.inst.service
	w := s.world
	if w.worker == nil || !j.worker {
		return
	}
	if j.caller == nil && state != WorkerIdle {
		state = WorkerOrphaned
	}
	c := WorkerChange{At: w.now, Service: s.cfg.Name, Instance: j.inst.index, Worker: j.slot,
		State: state}
	if state != WorkerIdle {
		c.Route = j.route.cfg.Name
	}
	w.worker(c)
}
