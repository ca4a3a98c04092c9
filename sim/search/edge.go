package search

import (
	"errors"
	"fmt"
	"math"
)

// Holds reports, for one value and each seed, whether what was asked for holds.
type Holds func(x float64, seeds []uint64) ([]bool, error)

// EdgeQuery is the question where, between From and To, something stops or
// begins to hold.
type EdgeQuery struct {
	From, To float64
	Whole    bool    // only whole numbers make sense
	Runs     int     // seeds for each value; 0 is 5
	Within   float64 // how close the answer must be, as a share of the range; 0 is 1 %
	Present  float64 // the value in use; 0: none
}

// EdgeResult is where the verdict flips.
type EdgeResult struct {
	Edge     float64 // the middle of Low and High
	Low      float64 // the last value below the edge at which every seed agrees
	High     float64 // the first value above it at which every seed agrees
	AtFrom   bool    // the verdict at From
	AtTo     bool
	Safety   float64 // Edge over Present, or its inverse if the danger lies below; 0: no present value
	Tested   []EdgePoint
	Flipping bool // there is an edge
}

// EdgePoint is one value that was tried.
type EdgePoint struct {
	X     float64
	Held  int // seeds for which it held
	Seeds int
}

const (
	edgeRuns   = 5
	edgeWithin = 0.01
	edgeTries  = 60
)

// Edge finds by bisection where the majority of seeds changes its mind, and
// then how wide the band is in which they disagree.
func Edge(q EdgeQuery, holds Holds) (*EdgeResult, error) {
	if q.Runs == 0 {
		q.Runs = edgeRuns
	}
	if q.Within == 0 {
		q.Within = edgeWithin
	}
	if !(q.From < q.To) {
		return nil, fmt.Errorf("from %v to %v is no range; give a smaller and a larger value", q.From, q.To)
	}
	s := &edgeSearch{q: q, holds: holds, seeds: Seeds(q.Runs), known: map[float64]int{}}
	return s.run()
}

type edgeSearch struct {
	q     EdgeQuery
	holds Holds
	seeds []uint64
	known map[float64]int
	order []float64
}

// share returns how many seeds hold at x.
func (s *edgeSearch) share(x float64) (int, error) {
	if n, ok := s.known[x]; ok {
		return n, nil
	}
	if len(s.known) >= edgeTries {
		return 0, errors.New("the edge does not come closer: give a narrower range or a wider tolerance")
	}
	held, err := s.holds(x, s.seeds)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, h := range held {
		if h {
			n++
		}
	}
	s.known[x] = n
	s.order = append(s.order, x)
	return n, nil
}

func (s *edgeSearch) most(x float64) (bool, error) {
	n, err := s.share(x)
	return 2*n > len(s.seeds), err
}

func (s *edgeSearch) run() (*EdgeResult, error) {
	r := &EdgeResult{}
	var err error
	if r.AtFrom, err = s.most(s.q.From); err != nil {
		return nil, err
	}
	if r.AtTo, err = s.most(s.q.To); err != nil {
		return nil, err
	}
	if r.Flipping = r.AtFrom != r.AtTo; r.Flipping {
		low, high, err := s.bisect(r.AtFrom, s.most)
		if err != nil {
			return nil, err
		}
		r.Edge = (low + high) / 2
		if r.Low, r.High, err = s.band(r.AtFrom, low, high); err != nil {
			return nil, err
		}
		r.Safety = safety(s.q.Present, r.Edge)
	}
	for _, x := range s.order {
		r.Tested = append(r.Tested, EdgePoint{x, s.known[x], len(s.seeds)})
	}
	return r, nil
}

// bisect narrows the range until both ends of the flip are close.
func (s *edgeSearch) bisect(atFrom bool, verdict func(float64) (bool, error)) (low, high float64,
	err error) {
	low, high = s.q.From, s.q.To
	for !s.close(low, high) {
		mid := s.middle(low, high)
		if mid <= low || mid >= high {
			break // there is no number between them
		}
		v, err := verdict(mid)
		if err != nil {
			return 0, 0, err
		}
		if v == atFrom {
			low = mid
		} else {
			high = mid
		}
	}
	return low, high, nil
}

// band finds the values around the edge at which all seeds agree.
func (s *edgeSearch) band(atFrom bool, low, high float64) (float64, float64, error) {
	before, after := len(s.seeds), 0
	if !atFrom {
		before, after = after, before
	}
	low, err := s.outward(low, s.q.From, before)
	if err != nil {
		return 0, 0, err
	}
	high, err = s.outward(high, s.q.To, after)
	return low, high, err
}

// outward walks from x towards an end, in growing steps, until as many seeds
// hold as must.
func (s *edgeSearch) outward(x, end float64, must int) (float64, error) {
	step := max((s.q.To-s.q.From)*s.q.Within, float64(btoi(s.q.Whole)))
	for x != end {
		n, err := s.share(x)
		if err != nil || n == must {
			return x, err
		}
		if x > end {
			x = s.round(max(end, x-step))
		} else {
			x = s.round(min(end, x+step))
		}
		step *= 2
	}
	return x, nil
}

func (s *edgeSearch) close(low, high float64) bool {
	if s.q.Whole {
		return high-low <= max(1, (s.q.To-s.q.From)*s.q.Within)
	}
	return high-low <= (s.q.To-s.q.From)*s.q.Within
}

func (s *edgeSearch) middle(low, high float64) float64 { return s.round((low + high) / 2) }

func (s *edgeSearch) round(x float64) float64 {
	if s.q.Whole {
		return math.Floor(x + 0.5)
	}
	return x
}

// safety is how many times over the present value could be before the edge is
// reached, whichever side the edge lies on.
func safety(present, edge float64) float64 {
	switch {
	case present <= 0 || edge <= 0:
		return 0
	case edge >= present:
		return edge / present
	}
	return present / edge
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
