// Package mt19937 is the Mersenne Twister as Python's random.Random draws from
// it: published numbers that were drawn there come out here again, digit by digit.
// Only comparisons with such numbers use it.
//
// Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8(1),
// 1998; the seeding by an array is their init_by_array of 2002.
package mt19937

const (
	size   = 624        // words of state
	middle = 397        // how far ahead a twist takes its second word
	top    = 1 << 31    // the bit that a twist takes of a word; the rest is its neighbour's
	matrix = 0x9908b0df // what a twist adds for a last bit that it shifts out
)

// Generator is one stream of draws. It is not for use by several goroutines.
type Generator struct {
	state [size]uint32
	next  int // the first word of state that was not drawn yet
}

// New returns a generator in the state that Python's random.seed(seed) makes:
// seeded by an array of this one word.
func New(seed uint32) *Generator {
	g := &Generator{next: size}
	s := &g.state
	s[0] = 19650218
	for i := 1; i < size; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	at := 1
	step := func() {
		if at++; at == size {
			s[0], at = s[size-1], 1
		}
	}
	for range size {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*1664525) + seed
		step()
	}
	for range size - 1 {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*1566083941) - uint32(at)
		step()
	}
	s[0] = top
	return g
}

// Uint32 draws 32 bits, Python's getrandbits(32).
func (g *Generator) Uint32() uint32 {
	if g.next == size {
		g.twist()
	}
	y := g.state[g.next]
	g.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (g *Generator) twist() {
	s := &g.state
	for i := range s {
		y := s[i]&top | s[(i+1)%size]&(top-1)
		s[i] = s[(i+middle)%size] ^ y>>1 ^ y&1*matrix
	}
	g.next = 0
}

// Float64 draws a number in [0, 1) with 53 bits, Python's random().
func (g *Generator) Float64() float64 {
	high, low := g.Uint32()>>5, g.Uint32()>>6
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}
