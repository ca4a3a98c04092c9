package tune

import "math"

const (
	leastValues = 5    // latencies that differ, for a log to show how it rounds
	noLatency   = 1e-6 // what a latency of nothing was made, in seconds
)

// resolution is how finely a log has its latencies, in seconds: the largest power
// of ten that all of them are multiples of; 0: too fine to matter, or unknown.
func resolution(calls []logged) float64 {
	values := map[float64]bool{}
	unit := 1.0
	for _, c := range calls {
		if c.outcome != fine || c.latency <= noLatency {
			continue
		}
		for math.Abs(c.latency/unit-math.Round(c.latency/unit)) > 1e-6 {
			if unit /= 10; unit < 0.9e-4 {
				return 0
			}
		}
		if len(values) < leastValues {
			values[c.latency] = true
		}
	}
	if len(values) < leastValues {
		return 0
	}
	return math.Pow(10, math.Round(math.Log10(unit)))
}
