package breaker

import (
	"math"
	"time"
)

// pause draws the open times.
type pause struct {
	Pause
	streak int           // openings in a row
	base   float64       // ns, before jitter
	last   time.Duration // the open time drawn last
	random uint64
}

func (p *pause) next() time.Duration {
	if p.streak == 0 {
		p.base = float64(p.For)
	} else {
		p.base = min(p.base*p.Growth, float64(p.Cap))
	}
	if p.streak < math.MaxInt32 {
		p.streak++
	}
	span := p.base
	if p.Jitter > 0 {
		// The conversion keeps the product from being fused with the sum,
		// which would round differently on some machines.
		span *= 1 - p.Jitter + float64(2*p.Jitter*p.draw())
	}
	p.last = math.MaxInt64
	if span < math.MaxInt64 {
		p.last = max(time.Duration(span), 1)
	}
	return p.last
}

// draw returns a number in [0, 1) by SplitMix64.
func (p *pause) draw() float64 {
	p.random += 0x9e3779b97f4a7c15
	z := p.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z>>11) / (1 << 53)
}
