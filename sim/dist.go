package sim

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/config"
)

// sample draws from a distribution of times. It uses functions of package math
// only that are the same on every architecture.
func sample(l *config.Latency, s *Stream) time.Duration {
	d := body(l, s)
	if l.StallShare > 0 && s.Float64() < l.StallShare {
		stall := float64(l.Stall)
		if l.StallsExpo {
			stall *= s.Exp()
		}
		d += whole(stall)
	}
	return d
}

func body(l *config.Latency, s *Stream) time.Duration {
	switch l.Shape {
	case config.Exponential:
		return l.Floor + whole(float64(l.Mean-l.Floor)*s.Exp())
	case config.LogNormal:
		return whole(float64(l.Median) * (math.Expm1(l.Sigma*s.Normal()) + 1))
	case config.Uniform:
		return l.Floor + whole(2*float64(l.Mean-l.Floor)*s.Float64())
	case config.Empirical:
		return between(l.Points, s.Float64())
	case config.Mixture:
		return pick(l.Parts, s)
	}
	return l.Floor
}

// whole rounds to nanoseconds, and keeps the absurd within range.
func whole(ns float64) time.Duration {
	const most = float64(math.MaxInt64 / 4)
	return time.Duration(math.Floor(min(max(ns, 0), most) + 0.5))
}

// between reads a quantile off points, linearly.
func between(points []config.Point, q float64) time.Duration {
	var last config.Point // nothing is faster than no time at all
	for _, p := range points {
		if q <= p.Quantile && p.Quantile > last.Quantile {
			share := (q - last.Quantile) / (p.Quantile - last.Quantile)
			return last.Value + whole(share*float64(p.Value-last.Value))
		}
		last = p
	}
	return last.Value
}

func pick(parts []config.Part, s *Stream) time.Duration {
	sum := 0.0
	for _, p := range parts {
		sum += p.Share
	}
	at := s.Float64() * sum
	for i := range parts {
		if at -= parts[i].Share; at < 0 || i == len(parts)-1 {
			return sample(&parts[i].Latency, s)
		}
	}
	return 0
}

// mean is the expected value of a distribution, near enough for estimates.
func mean(l *config.Latency) time.Duration {
	m := l.Floor
	switch l.Shape {
	case config.Exponential, config.Uniform:
		m = l.Mean
	case config.LogNormal:
		m = whole(float64(l.Median) * (math.Expm1(l.Sigma*l.Sigma/2) + 1))
	case config.Empirical:
		m = between(l.Points, 0.5)
	case config.Mixture:
		sum, parts := 0.0, 0.0
		for i := range l.Parts {
			sum += l.Parts[i].Share * float64(mean(&l.Parts[i].Latency))
			parts += l.Parts[i].Share
		}
		m = whole(sum / parts)
	}
	return m + whole(l.StallShare*float64(l.Stall))
}
