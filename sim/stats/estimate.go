package stats

import "math"

// Estimate is a mean over replications and how far it can be believed.
type Estimate struct {
	Mean float64
	Half float64 // half the width of the interval; infinite with fewer than two replications
	SD   float64 // standard deviation of one replication
	N    int     // replications
}

// Mean returns the mean of independent replications with an interval that
// covers the truth with probability level, such as 0.95.
func Mean(xs []float64, level float64) Estimate {
	e := Estimate{N: len(xs), Mean: math.NaN(), Half: math.Inf(1)}
	if len(xs) == 0 {
		return e
	}
	// Around the first value, so that equal values have no spread at all and
	// large ones lose no digits.
	n, sum, squares := float64(len(xs)), 0.0, 0.0
	for _, x := range xs {
		sum += x - xs[0]
	}
	shift := sum / n
	e.Mean = xs[0] + shift
	if len(xs) == 1 {
		return e
	}
	for _, x := range xs {
		d := x - xs[0] - shift
		squares += float64(d * d)
	}
	e.SD = math.Sqrt(squares / (n - 1))
	e.Half = Student((1+level)/2, len(xs)-1) * e.SD / math.Sqrt(n)
	return e
}

// Paired returns the mean of b[i]-a[i], two variants that ran under the same
// seeds, with its interval. It panics if they are not of equal number.
func Paired(a, b []float64, level float64) Estimate {
	if len(a) != len(b) {
		panic("stats: Paired of samples that are not pairs")
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	return Mean(differences, level)
}

// Low returns the lower end of the interval.
func (e Estimate) Low() float64 { return e.Mean - e.Half }

// High returns the upper end of the interval.
func (e Estimate) High() float64 { return e.Mean + e.Half }

// Covers reports whether x lies in the interval. A difference whose interval
// covers 0 may be none.
func (e Estimate) Covers(x float64) bool { return e.Low() <= x && x <= e.High() }

// Error returns the standard error of the mean.
func (e Estimate) Error() float64 {
	if e.N < 2 {
		return math.Inf(1)
	}
	return e.SD / math.Sqrt(float64(e.N))
}
