package demo

import (
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// arrival is a request that a user means to make.
type arrival struct {
	at       time.Duration // since the run began
	endpoint int
}

// schedule is when users come, going round the endpoints.
type schedule struct {
	arrivals *live.Arrivals
	next     int
}

func newSchedule(rate int, seed uint64) *schedule {
	return &schedule{arrivals: live.NewArrivals(float64(rate), seed)}
}

func (s *schedule) arrival() arrival {
	a := arrival{s.arrivals.Next(), s.next}
	s.next = (s.next + 1) % len(names)
	return a
}
