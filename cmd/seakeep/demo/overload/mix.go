package overload

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// mix is the share of each class in what is offered, by the class's index. It
// is that of the load in models of shedding: a tenth must not fail, four tenths
// may wait until tomorrow.
var mix = [core.Criticalities]float64{0.2, 0.4, 0.3, 0.1}

// maxUsers is how many different users there are. Whole groups of them are
// refused together, so there must be enough for all groups.
const maxUsers = 1000

// mixed returns guests of all classes at a rate. The same seed gives the same
// guests.
func mixed(rate float64, seed uint64) func() *guest {
	arrivals, rng := live.NewArrivals(rate, seed), rand.New(rand.NewPCG(seed, 2))
	return func() *guest {
		kind, x := 0, rng.Float64()
		for kind < len(mix)-1 && x >= mix[kind] {
			x -= mix[kind]
			kind++
		}
		return &guest{at: arrivals.Next(), class: core.CriticalityAt(kind), kind: kind,
			user: fmt.Sprintf("user-%03d", rng.IntN(maxUsers))}
	}
}

// ideal returns how much of each class can be served when so much is offered,
// the more important ones first. Both are rates.
func ideal(offered, capacity float64) (rates [core.Criticalities]float64) {
	for i := len(mix) - 1; i >= 0; i-- {
		rates[i] = min(offered*mix[i], capacity)
		capacity -= rates[i]
	}
	return rates
}

// even returns guests in equal gaps, at a rate that is another one for a while.
func even(rate float64, spike Spike) func() *guest {
	at, n := 0.0, 0
	return func() *guest {
		g := &guest{at: time.Duration(at * float64(time.Second)),
			user: fmt.Sprintf("user-%03d", n%maxUsers)}
		n++
		now := rate
		if g.at >= spike.At && g.at < spike.At+spike.For {
			now = spike.Rate
		}
		at += 1 / now
		return g
	}
}
