package demo

import (
	"math/rand/v2"
	"time"
)

// arrival is a request that a user means to make.
type arrival struct {
	at       time.Duration // since the run began
	endpoint int
}

// schedule is when users come: as a Poisson process, as many independent people
// do, going round the endpoints. It does not depend on how they fare.
type schedule struct {
	rng  *rand.Rand
	mean float64 // between two arrivals, in nanoseconds
	at   float64
	next int
}

func newSchedule(rate int, seed uint64) *schedule {
	return &schedule{rng: rand.New(rand.NewPCG(seed, 0)),
		mean: float64(time.Second) / float64(rate)}
}

func (s *schedule) arrival() arrival {
	s.at += s.rng.ExpFloat64() * s.mean
	a := arrival{time.Duration(s.at), s.next}
	s.next = (s.next + 1) % len(names)
	return a
}
