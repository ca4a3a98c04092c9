package sim

import "math"

// Stream is a source of random numbers for one purpose of one entity. It is
// counter-based: the n-th number is a function of the seed, the names and n.
// So two runs that differ in a policy draw the same arrivals and the same
// service times, request by request, and their difference is the policy's.
type Stream struct {
	key uint64
	n   uint64
}

// NewStream returns the stream of an entity's purpose under a seed.
func NewStream(seed uint64, entity, purpose string) *Stream {
	key := mix(seed ^ 0x5ea4ee9)
	for _, name := range []string{entity, purpose} {
		for i := range len(name) {
			key = mix(key ^ uint64(name[i]))
		}
		key = mix(key ^ 0xff51afd7ed558ccd)
	}
	return &Stream{key: key}
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Uint64 returns the next number.
func (s *Stream) Uint64() uint64 {
	s.n++
	return mix(s.key + s.n*0x9e3779b97f4a7c15)
}

// Float64 returns the next number, uniform in [0, 1).
func (s *Stream) Float64() float64 { return unit(s.Uint64()) }

// Of returns the numbers that belong to one thing, such as the third attempt
// of a request: they are the same in whatever order things happen.
func (s *Stream) Of(id uint64, part uint64) Stream {
	return Stream{key: mix(mix(s.key^id) ^ part)}
}

// Exp returns the next number, exponential with mean 1.
func (s *Stream) Exp() float64 { return -math.Log1p(-s.Float64()) }

// Normal returns the next number of the standard normal distribution, by Box
// and Muller. It takes two numbers of the stream.
func (s *Stream) Normal() float64 {
	r := math.Sqrt(2 * s.Exp())
	return r * math.Cos(2*math.Pi*s.Float64())
}

func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }
