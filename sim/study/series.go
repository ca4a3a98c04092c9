package study

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/sim"
)

// Series is a figure over time, of all runs together: a mean, or a share of the
// requests of all.
type Series struct {
	Key    string // endpoints.pricing.success, services.checkout.busy
	Unit   Unit
	Slice  time.Duration
	Values []float64 // slice by slice; NaN where there is none
}

// Over returns the series of a key, or nil.
func (s *Summary) Over(key string) *Series {
	for i := range s.Series {
		if s.Series[i].Key == key {
			return &s.Series[i]
		}
	}
	return nil
}

// series makes the curves of endpoints and services.
func (s *Summary) series() {
	for i := range s.Endpoints {
		key := s.Endpoints[i].Key
		at := func(r *sim.Result, k int) sim.Outcomes {
			if slices := r.Endpoints[i].Slices; k < len(slices) {
				return slices[k]
			}
			return sim.Outcomes{}
		}
		s.curve(key+"."+Sent, PerSecond, func(r *sim.Result, k int) (float64, float64) {
			return float64(at(r, k).Sent), r.Slice.Seconds()
		})
		s.curve(key+"."+Answered, PerSecond, func(r *sim.Result, k int) (float64, float64) {
			return float64(at(r, k).Answered()), r.Slice.Seconds()
		})
		s.curve(key+"."+Success, Share, func(r *sim.Result, k int) (float64, float64) {
			o := at(r, k)
			return float64(o.Answered()), float64(o.Answered() + o.Failed())
		})
		s.curve(key+"."+Fallback, Share, func(r *sim.Result, k int) (float64, float64) {
			o := at(r, k)
			return float64(o.Fallback), float64(o.Answered() + o.Failed())
		})
	}
	for i := range s.Services {
		key := s.Services[i].Key
		at := func(r *sim.Result, k int) sim.Sample { return sampleAt(r.Services[i].Samples, k) }
		s.curve(key+"."+Busy, Number, func(r *sim.Result, k int) (float64, float64) {
			return float64(at(r, k).Worked - at(r, k-1).Worked), float64(r.Slice)
		})
		s.curve(key+"."+Queued, Number, func(r *sim.Result, k int) (float64, float64) {
			return float64(at(r, k).Waited - at(r, k-1).Waited), float64(r.Slice)
		})
		s.curve(key+"."+Rate, PerSecond, func(r *sim.Result, k int) (float64, float64) {
			return float64(at(r, k).Arrived - at(r, k-1).Arrived), r.Slice.Seconds()
		})
	}
}

// breakers makes the curves of how many breakers are not closed.
func (s *Summary) breakers() {
	for i := range s.Dependencies {
		s.curve(s.Dependencies[i].Key+"."+Open, Share, func(r *sim.Result, k int) (float64, float64) {
			d := &r.Dependencies[i]
			return float64(notClosed(d, time.Duration(2*k+1)*r.Slice/2)), float64(d.Users)
		})
	}
}

// notClosed is how many of a dependency's breakers are not closed at a moment.
// A breaker that has changed more often than it remembers counts as closed
// before.
func notClosed(d *sim.DependencyResult, at time.Duration) (n int) {
	closed := make([]bool, d.Users)
	for i := range closed {
		closed[i] = true
	}
	for _, t := range d.Timeline {
		if t.At <= at {
			closed[t.User] = t.To == breaker.Closed.String()
		}
	}
	for _, c := range closed {
		if !c {
			n++
		}
	}
	return n
}

// sampleAt is the sample at the end of slice k; before the first, nothing has
// happened.
func sampleAt(all []sim.Sample, k int) sim.Sample {
	if k < 0 || len(all) == 0 {
		return sim.Sample{Full: -1, Turned: -1, Gone: -1}
	}
	return all[min(k, len(all)-1)]
}

// curve adds a series: in each slice, what the runs have over what it is of.
func (s *Summary) curve(key string, u Unit, at func(r *sim.Result, k int) (some, of float64)) {
	c := Series{Key: key, Unit: u, Slice: s.first.Slice, Values: make([]float64, slicesOf(s.first))}
	for k := range c.Values {
		some, of := 0.0, 0.0
		for _, r := range s.runs {
			a, b := at(r, k)
			some += a
			of += b
		}
		c.Values[k] = math.NaN()
		if of > 0 {
			c.Values[k] = some / of
		}
	}
	s.Series = append(s.Series, c)
}

// slicesOf is how many whole slices a run has.
func slicesOf(r *sim.Result) int { return int(r.For / r.Slice) }
