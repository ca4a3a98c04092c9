package load

import (
	"math"
	"math/rand/v2"
	"time"
)

// Step is a part of a run. Its rate is From at its beginning and To at its end.
type Step struct {
	From, To float64 // requests a second
	For      time.Duration
}

// Planned is how many requests the step has on average.
func (s Step) Planned() float64 { return (s.From + s.To) / 2 * s.For.Seconds() }

// Steps are n steps from one rate to another, each at its rate; the rates grow by
// the same factor.
func Steps(from, to float64, n int, each time.Duration) []Step {
	out := make([]Step, n)
	for i := range out {
		rate := to
		if i < n-1 {
			rate = from * math.Pow(to/from, float64(i)/float64(n-1))
		}
		out[i] = Step{rate, rate, each}
	}
	return out
}

// Ramp is a steady rise from one rate to another, in n parts of equal length.
func Ramp(from, to float64, n int, each time.Duration) []Step {
	out := make([]Step, n)
	at := func(i int) float64 { return from + (to-from)*float64(i)/float64(n) }
	for i := range out {
		out[i] = Step{at(i), at(i + 1), each}
	}
	return out
}

// arrivals are the moments of a step's requests: a Poisson process whose rate
// changes evenly.
type arrivals struct {
	rng   *rand.Rand
	step  Step
	count float64 // requests due so far, on average
}

func newArrivals(s Step, seed, stream uint64) *arrivals {
	return &arrivals{rng: rand.New(rand.NewPCG(seed, stream)), step: s}
}

// next is when the next request is due, since the step began; false: there is
// none left. It inverts the mean count, rate x t + slope/2 x t^2.
func (a *arrivals) next() (time.Duration, bool) {
	a.count += a.rng.ExpFloat64()
	if a.count >= a.step.Planned() {
		return 0, false
	}
	slope := (a.step.To - a.step.From) / a.step.For.Seconds()
	t := a.count / a.step.From
	if slope != 0 {
		t = 2 * a.count / (a.step.From + math.Sqrt(a.step.From*a.step.From+2*slope*a.count))
	}
	return time.Duration(t * float64(time.Second)), true
}
