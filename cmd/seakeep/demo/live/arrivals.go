package live

import (
	"context"
	"math/rand/v2"
	"time"
)

// Arrivals is when users come: as a Poisson process, as many independent people
// do. It does not depend on how they fare.
type Arrivals struct {
	rng  *rand.Rand
	mean float64 // between two arrivals, in nanoseconds
	at   float64
}

// NewArrivals returns so many users a second, on average. The same seed gives
// the same arrivals.
func NewArrivals(rate float64, seed uint64) *Arrivals {
	return &Arrivals{rng: rand.New(rand.NewPCG(seed, 0)), mean: float64(time.Second) / rate}
}

// Next returns when the next user comes, since the beginning.
func (a *Arrivals) Next() time.Duration {
	a.at += a.rng.ExpFloat64() * a.mean
	return time.Duration(a.at)
}

// Come lets users come until the run is over or ctx ends, and returns when that
// was. next plans a user: when, and what happens then, which must not wait. It
// is an open loop: people do not wait for each other's answers before they come.
func Come(ctx context.Context, c *Clock, until time.Duration,
	next func() (at time.Duration, come func())) time.Duration {
	for {
		at, come := next()
		if !Pause(ctx, min(at, until)-c.Now()) || at >= until {
			return min(c.Now(), until)
		}
		come()
	}
}
