package search

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// Comparison is what two scenarios with the same users made of the same
// requests.
type Comparison struct {
	A, B []*sim.Result // by seed
	// Diverged is when the first request ended differently, in the run with
	// the first seed; core.Never: none did.
	Diverged core.Instant
	// Requests is how many requests both runs of the first seed have in
	// common, and Changed how many of them fared differently: answered in one
	// and not in the other, or by a fallback in one only.
	Requests, Changed int
	Saved, Lost       int // answered in B only, and in A only
	Examples          []FateChange
}

// FateChange is one request that fared differently.
type FateChange struct {
	Endpoint string
	Began    core.Instant
	A, B     Fate
}

// Fate is what became of a request.
type Fate struct {
	Took     time.Duration
	Answered bool
	Fallback bool
}

// String says it in a word.
func (f Fate) String() string {
	switch {
	case !f.Answered:
		return "failed"
	case f.Fallback:
		return "fallback"
	}
	return "answered"
}

const examples = 20

// Compare runs two scenarios on the same arrivals and draws. The clients must
// be the same for requests to be comparable one by one.
func Compare(a, b *config.Scenario, seeds []uint64, run Runner) (*Comparison, error) {
	c := &Comparison{Diverged: core.Never}
	var err error
	if c.A, err = run(a, seeds); err != nil {
		return nil, err
	}
	if c.B, err = run(b, seeds); err != nil {
		return nil, err
	}
	first := uint64(0)
	if len(seeds) > 0 {
		first = seeds[0]
	}
	return c, c.fates(a, b, first)
}

// fates compares the requests of one seed, one by one.
func (c *Comparison) fates(a, b *config.Scenario, seed uint64) error {
	known := map[uint64]sim.Fate{}
	if _, err := sim.Run(a, sim.Options{Seed: seed,
		Fate: func(f sim.Fate) { known[f.ID] = f }}); err != nil {
		return err
	}
	_, err := sim.Run(b, sim.Options{Seed: seed, Fate: func(f sim.Fate) {
		was, ok := known[f.ID]
		if !ok || was.Began != f.Began || was.Endpoint != f.Endpoint {
			return
		}
		c.Requests++
		if was.Took != f.Took || was.Answered != f.Answered || was.Fallback != f.Fallback {
			c.Diverged = min(c.Diverged, f.Began+core.Instant(min(was.Took, f.Took)))
		}
		c.note(was, f)
	}})
	return err
}

func (c *Comparison) note(was, is sim.Fate) {
	if was.Answered == is.Answered && was.Fallback == is.Fallback {
		return
	}
	c.Changed++
	switch {
	case is.Answered && !was.Answered:
		c.Saved++
	case was.Answered && !is.Answered:
		c.Lost++
	}
	if len(c.Examples) < examples {
		c.Examples = append(c.Examples, FateChange{is.Endpoint, is.Began,
			Fate{was.Took, was.Answered, was.Fallback}, Fate{is.Took, is.Answered, is.Fallback}})
	}
}
