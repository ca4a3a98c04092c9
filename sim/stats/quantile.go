package stats

import "math"

// Ranks returns which of n sorted samples, counted from 1, stand for the
// quantile q: at is the quantile of the sample, and the true quantile lies
// between low and high with a probability of at least level. low is 0 and high
// is n+1 where the sample has no such bound.
func Ranks(n int, q, level float64) (low, at, high int) {
	if n < 1 || !(q > 0 && q < 1) {
		return 0, 0, n + 1
	}
	at = min(max(int(math.Ceil(float64(n)*q)), 1), n)
	tail := (1 - level) / 2
	b := newBinomial(n, q)
	return b.lower(tail), at, b.upper(tail)
}

// Quantile is a quantile of raw samples and how far it can be believed.
type Quantile struct {
	Value     float64
	Low, High float64 // infinite where the sample is too small for a bound
}

// QuantileOf returns the quantile q of samples that are sorted, with an
// interval that covers the truth with a probability of at least level. The
// samples must be independent of each other: take one from each replication,
// or calls far apart.
func QuantileOf(sorted []float64, q, level float64) Quantile {
	low, at, high := Ranks(len(sorted), q, level)
	r := Quantile{math.NaN(), math.Inf(-1), math.Inf(1)}
	if at > 0 {
		r.Value = sorted[at-1]
	}
	if low > 0 {
		r.Low = sorted[low-1]
	}
	if high <= len(sorted) {
		r.High = sorted[high-1]
	}
	return r
}

// binomial is the part of a binomial distribution around its mode that has any
// weight: below and above it is less than rounding.
type binomial struct {
	first  int
	weight []float64 // of first, first+1, ...
	total  float64
}

// negligible is the weight, relative to the mode's, that is left out.
const negligible = 1e-20

func newBinomial(n int, q float64) binomial {
	mode := min(int(float64(n+1)*q), n)
	odds := q / (1 - q)
	var down []float64
	for k, w := mode, 1.0; k > 0; k-- {
		if w *= float64(k) / (float64(n-k+1) * odds); w < negligible {
			break
		}
		down = append(down, w)
	}
	b := binomial{first: mode - len(down)}
	for i := len(down) - 1; i >= 0; i-- {
		b.weight = append(b.weight, down[i])
	}
	b.weight = append(b.weight, 1)
	for k, w := mode, 1.0; k < n; k++ {
		if w *= float64(n-k) / float64(k+1) * odds; w < negligible {
			break
		}
		b.weight = append(b.weight, w)
	}
	for _, w := range b.weight {
		b.total += w
	}
	return b
}

// lower returns the largest k with P(B < k) <= tail, or 0.
func (b *binomial) lower(tail float64) int {
	sum := 0.0
	for i, w := range b.weight {
		if sum += w; sum > tail*b.total {
			return b.first + i
		}
	}
	return b.first + len(b.weight) - 1
}

// upper returns the smallest k with P(B >= k) <= tail.
func (b *binomial) upper(tail float64) int {
	sum := 0.0
	for i := len(b.weight) - 1; i >= 0; i-- {
		if sum += b.weight[i]; sum > tail*b.total {
			return b.first + i + 1
		}
	}
	return b.first
}
