package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// shape is a distribution that is known: how to draw of it, and what share of it
// takes longer than a time, in seconds.
type shape struct {
	draw   func(*rand.Rand) float64
	beyond func(float64) float64
}

func lognormal(median, sigma float64) shape {
	return shape{
		func(r *rand.Rand) float64 { return median * math.Exp(sigma*r.NormFloat64()) },
		func(x float64) float64 { return math.Erfc(math.Log(x/median)/sigma/math.Sqrt2) / 2 },
	}
}

func shapes() map[string]shape {
	fast, slow := lognormal(0.010, 0.3), lognormal(0.200, 0.2)
	return map[string]shape{
		"exponential": {
			func(r *rand.Rand) float64 { return 0.020 * r.ExpFloat64() },
			func(x float64) float64 { return math.Exp(-x / 0.020) },
		},
		"lognormal": lognormal(0.020, 0.6),
		"bimodal":   mixed(0.05, fast, slow), // one call in twenty goes to the disk
	}
}

// mixed is a share of one distribution among another.
func mixed(share float64, usual, other shape) shape {
	return shape{
		func(r *rand.Rand) float64 {
			if r.Float64() < share {
				return other.draw(r)
			}
			return usual.draw(r)
		},
		func(x float64) float64 { return share*other.beyond(x) + (1-share)*usual.beyond(x) },
	}
}

// drawn is a sample of n calls at a rate.
func drawn(s shape, n int, seed uint64, rate float64) Sample {
	return sampleOf("pricing", s.calls(n, seed, rate))
}

// calls draws n calls of a shape, at a rate.
func (s shape) calls(n int, seed uint64, rate float64) []logged {
	r := rand.New(rand.NewPCG(seed, 1))
	calls := make([]logged, n)
	for i := range calls {
		calls[i] = logged{at: float64(i) / rate, latency: s.draw(r)}
	}
	return calls
}

// TestTails: where ten calls lie beyond the quantile it is within a factor of two
// in 98 of 100 samples at least, of whatever shape; a single call that stands for
// it is so in 97.5.
func TestTails(t *testing.T) {
	race.OneGoroutine(t)
	fast, slow := lognormal(0.010, 0.3), lognormal(0.200, 0.2)
	few := func(share float64) shape { return mixed(share, fast, slow) }
	all := shapes()
	all["a second kind, two in a thousand"] = few(0.002)
	all["a second kind, one in a hundred"] = few(0.01)
	all["heavy"] = shape{
		func(r *rand.Rand) float64 { return 0.010 / math.Sqrt(1-r.Float64()) },
		func(x float64) float64 { return math.Min(1, math.Pow(x/0.010, -2)) },
	}
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const samples = 100
			out := 0
			for seed := range uint64(samples) {
				v := distOf(s.calls(1e4, 100+seed, 333), 0).Quantile(0.999)
				if got := s.beyond(v.Value); got < 0.0005 || got > 0.002 {
					out++
				}
				if v.Value < v.Low || v.Value > v.High {
					t.Errorf("%v is outside of its own bounds", v)
				}
			}
			if out > samples*2/100 {
				t.Errorf("%d of %d samples are beyond a factor of two", out, samples)
			}
			t.Logf("%d of %d", out, samples)
		})
	}
}
