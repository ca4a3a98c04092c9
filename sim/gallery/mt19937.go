package gallery

// mersenne is Python's random.Random: the Mersenne Twister MT19937, seeded by
// an array of one word as random.seed(n) does. The published numbers that the
// backoff is compared with were drawn from it.
type mersenne struct {
	state [624]uint32
	next  int
}

func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: 624}
	s := &m.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	at := 1
	step := func() {
		if at++; at == len(s) {
			s[0], at = s[len(s)-1], 1
		}
	}
	for range s {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*1664525) + seed
		step()
	}
	for range len(s) - 1 {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*1566083941) - uint32(at)
		step()
	}
	s[0] = 1 << 31
	return m
}

func (m *mersenne) word() uint32 {
	if m.next == len(m.state) {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) twist() {
	s := &m.state
	for i := range s {
		y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
		s[i] = s[(i+397)%624] ^ y>>1 ^ y&1*0x9908b0df
	}
	m.next = 0
}

// random is Python's random.random(): 53 bits in [0, 1).
func (m *mersenne) random() float64 {
	high, low := m.word()>>5, m.word()>>6
	return (float64(high)*(1<<26) + float64(low)) / (1 << 53)
}
