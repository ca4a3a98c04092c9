package tune

import (
	"math"

	"github.com/seakeep/seakeep/sim/stats"
)

// Where few calls lie beyond a quantile, the one call that stands for it is a
// poor guess: with ten beyond, the true share is off by a factor of two in one
// sample of forty. The calls before it know more, if the tail is smooth. So a
// generalised Pareto distribution is fitted to the longest calls (peaks over a
// threshold: Coles, An Introduction to Statistical Modeling of Extreme Values,
// chapter 4), by a likelihood with a penalty on its shape (Coles and Dixon,
// 1999), because so few calls leave it open. A tail that the fit does not meet,
// such as one of a second kind of call, is left as it is.
const (
	smoothBelow = 50   // calls beyond a quantile: with more the sample speaks for itself
	tailShare   = 0.1  // of the sample: what lies further in is no tail
	widestBin   = 0.1  // of a latency: what buckets are wider than has no shape
	usualShape  = 0.1  // of a tail of latencies, a little heavier than exponential
	shapeSpread = 0.2  // what shapes scatter by
	misfit      = 0.85 // of Kolmogorov and Smirnov's distance x root of the calls
)

// tailSizes are how many calls are fitted for each that is beyond the quantile.
// The more, the surer; but a tail may begin later.
var tailSizes = [...]int{10, 5}

// smooth is a better guess of a quantile with few calls beyond it. It stays
// within the bounds that hold without any assumption.
func (d *Dist) smooth(q float64, v stats.Quantile) float64 {
	n := d.N()
	beyond := float64(n) * (1 - q)
	if beyond >= smoothBelow || math.IsInf(v.High, 1) {
		return v.Value
	}
	for _, times := range tailSizes {
		m := int(math.Round(beyond * float64(times)))
		if m < 2 || float64(m) > tailShare*float64(n)*1.0001 {
			continue
		}
		threshold, over, ok := d.longest(m)
		if !ok {
			continue
		}
		if g := fit(over); g.distance(over)*math.Sqrt(float64(m)) <= misfit {
			return min(max(threshold+g.exceeded(beyond/float64(m)), v.Low), v.High)
		}
	}
	return v.Value
}

// longest are the m longest latencies, as far as they are above a threshold
// halfway to the next, in order. It reports false where one is not known well.
func (d *Dist) longest(m int) (threshold float64, over []float64, ok bool) {
	n := d.N()
	for k := n - m; k <= n; k++ {
		b, share := d.at(k)
		if b.high-b.low > widestBin*b.high || math.IsInf(b.high, 1) {
			return 0, nil, false
		}
		over = append(over, b.low+share*(b.high-b.low))
	}
	threshold = (over[0] + over[1]) / 2
	for i := range over {
		over[i] -= threshold
	}
	over = over[1:]
	return threshold, over, over[m-1] > 0
}

// pareto is a generalised Pareto distribution. Its shape is never 0.
type pareto struct{ shape, scale float64 }

// exceeded is the value that a share of the distribution is above.
func (g pareto) exceeded(share float64) float64 {
	return g.scale * (math.Pow(share, -g.shape) - 1) / g.shape
}

// above is the share of the distribution that is above a value.
func (g pareto) above(x float64) float64 {
	return math.Pow(max(1+g.shape*x/g.scale, 0), -1/g.shape)
}

// fit finds the likeliest of shapes from -0.475 to 0.975, each with its
// likeliest scale.
func fit(over []float64) (best pareto) {
	mean := 0.0
	for _, x := range over {
		mean += x / float64(len(over))
	}
	least := math.Inf(1)
	for i := range 30 {
		g := pareto{shape: -0.475 + 0.05*float64(i)}
		off := (g.shape - usualShape) / shapeSpread
		// The scale is found by the golden section, on a scale of logarithms.
		low, high := math.Log(mean/8), math.Log(mean*8)
		const golden = 0.381966
		for range 14 {
			a, b := low+golden*(high-low), high-golden*(high-low)
			if (pareto{g.shape, math.Exp(a)}).cost(over) < (pareto{g.shape, math.Exp(b)}).cost(over) {
				high = b
			} else {
				low = a
			}
		}
		g.scale = math.Exp((low + high) / 2)
		if cost := g.cost(over) + off*off/2; cost < least {
			best, least = g, cost
		}
	}
	return best
}

// cost is the negative logarithm of the likelihood.
func (g pareto) cost(over []float64) float64 {
	sum := 0.0
	for _, x := range over {
		v := 1 + g.shape*x/g.scale
		if v <= 0 {
			return math.Inf(1)
		}
		sum += math.Log(v)
	}
	return float64(len(over))*math.Log(g.scale) + (1/g.shape+1)*sum
}

// distance is the largest between the distribution and that of the sample.
func (g pareto) distance(over []float64) (most float64) {
	n := float64(len(over))
	for i, x := range over {
		at := 1 - g.above(x)
		most = max(most, at-float64(i)/n, float64(i+1)/n-at)
	}
	return most
}
