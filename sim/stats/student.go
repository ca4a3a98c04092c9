package stats

import "math"

// Student returns the quantile of Student's t distribution with df degrees of
// freedom: a value is at most that with probability p. It is infinite for a p
// of 0 or 1, and not a number for a p outside and for less than one degree of
// freedom.
func Student(p float64, df int) float64 {
	switch {
	case !(p >= 0 && p <= 1) || df < 1:
		return math.NaN()
	case p < 0.5:
		return -Student(1-p, df)
	case p == 0.5:
		return 0
	case p == 1:
		return math.Inf(1)
	}
	// The angle atan(t/sqrt(df)) runs over a finite range while t does not.
	wanted := 2*p - 1
	low, high := 0.0, math.Pi/2
	for {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			return math.Sqrt(float64(df)) * math.Tan(mid)
		}
		if within(mid, df) < wanted {
			low = mid
		} else {
			high = mid
		}
	}
}

// within returns the probability that a value lies between -t and t, where
// angle is atan(t/sqrt(df)).
func within(angle float64, df int) float64 {
	sin, cos := math.Sincos(angle)
	square := cos * cos
	if df%2 == 0 {
		return sin * series(1, square, 1, df-2)
	}
	sum := angle
	if df > 1 {
		sum += sin * series(cos, square, 2, df-2)
	}
	return sum * 2 / math.Pi
}

// series adds up term, term*square*k/(k+1), that times square*(k+2)/(k+3), and
// so on, up to the factor whose denominator is last.
func series(term, square float64, k, last int) float64 {
	sum := term
	for ; k+1 <= last; k += 2 {
		term *= square * float64(k) / float64(k+1)
		if sum+term == sum {
			break // the rest is smaller still
		}
		sum += term
	}
	return sum
}
