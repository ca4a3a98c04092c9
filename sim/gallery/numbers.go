package gallery

import (
	"math"
	"slices"
	"time"
)

// ln and exp are the logarithm and the exponential. Those of package math are
// written in assembly on some machines and differ in the last bit; these are
// made of functions that are not.
func ln(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	f, e := math.Frexp(x)
	return math.Log1p(2*f-1) + float64(float64(e-1)*math.Ln2)
}

func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	if x < -1 {
		return 1 / (math.Expm1(-x) + 1)
	}
	return math.Expm1(x) + 1
}

// power returns x to a whole power.
func power(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}

// beyond is the share of a standard normal distribution above x, by the series
// of the distribution function for small x and the continued fraction of Mills'
// ratio for large.
func beyond(x float64) float64 {
	if x < 0 {
		return 1 - beyond(-x)
	}
	density := exp(-x*x/2) / math.Sqrt(2*math.Pi)
	if x < 2.5 {
		term, sum := x, x
		for k := 3.0; term > 1e-18; k += 2 {
			term *= x * x / k
			sum += term
		}
		return 0.5 - float64(density*sum)
	}
	tail := x
	for k := 200.0; k > 0; k-- {
		tail = x + k/tail
	}
	return density / tail
}

// choose returns the number of ways to choose k of n, exactly as long as it
// fits in a float.
func choose(n, k int) float64 {
	ways := 1.0
	for i := 1; i <= k; i++ {
		ways = ways * float64(n-k+i) / float64(i)
	}
	return math.Round(ways)
}

// fixedPoint iterates x = f(x) from x, halfway each time, until it rests.
func fixedPoint(x float64, f func(float64) float64) float64 {
	for range 10_000 {
		next := (x + f(x)) / 2
		if math.Abs(next-x) < 1e-14*math.Abs(x) {
			return next
		}
		x = next
	}
	return x
}

// crossing finds where a function that falls passes below level, by bisection
// between low and high.
func crossing(low, high, level float64, f func(float64) float64) float64 {
	for range 200 {
		mid := low + (high-low)/2
		if f(mid) > level {
			low = mid
		} else {
			high = mid
		}
	}
	return low + (high-low)/2
}

func sortedTimes(times []time.Duration) []time.Duration {
	return slices.Sorted(slices.Values(times))
}

// must returns what cannot fail, because its settings are written here.
func must[T any](x T, err error) T {
	if err != nil {
		panic("gallery: " + err.Error())
	}
	return x
}
