package gallery

import "github.com/seakeep/seakeep/internal/mt19937"

// mersenne is Python's random.Random: the published numbers that the backoff is
// compared with were drawn from it.
type mersenne struct{ g *mt19937.Generator }

func newMersenne(seed uint32) mersenne { return mersenne{mt19937.New(seed)} }

// random is Python's random.random(): 53 bits in [0, 1).
func (m mersenne) random() float64 { return m.g.Float64() }
