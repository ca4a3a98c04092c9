package demo

import (
	"math"
	"testing"
	"time"
)

func arrivals(n, rate int, seed uint64) (list []arrival) {
	s := newSchedule(rate, seed)
	for range n {
		list = append(list, s.arrival())
	}
	return list
}

func TestScheduleIsTheSeeds(t *testing.T) {
	a, b, c := arrivals(1000, 600, 7), arrivals(1000, 600, 7), arrivals(1000, 600, 8)
	same := 0
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("arrival %d is %v and then %v", i, a[i], b[i])
		}
		if a[i].at == c[i].at {
			same++
		}
	}
	if same > 0 {
		t.Errorf("another seed gives %d of the same instants", same)
	}
	// The first users of seed 1, so that a run can be compared with one of
	// another day.
	for i, want := range []time.Duration{782_805, 1_666_756, 4_097_435} {
		if got := arrivals(3, 600, 1)[i].at; got != want {
			t.Errorf("arrival %d of seed 1 is at %d ns, want %d", i, got, want)
		}
	}
}

// A Poisson process: the gaps have their standard deviation as their mean, and
// a share of 1/e of them is longer than that.
func TestScheduleIsPoissonAndEven(t *testing.T) {
	const n, rate = 60_000, 600
	list := arrivals(n, rate, 1)
	var before time.Duration
	var sum, squares float64
	long := 0
	for i, a := range list {
		if a.endpoint != i%len(names) {
			t.Fatalf("arrival %d is for endpoint %d", i, a.endpoint)
		}
		gap := (a.at - before).Seconds() * rate
		if gap < 0 {
			t.Fatalf("arrival %d comes before the one before it", i)
		}
		before = a.at
		sum, squares = sum+gap, squares+gap*gap
		if gap > 1 {
			long++
		}
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	for what, x := range map[string][2]float64{"mean gap": {mean, 1},
		"its deviation": {deviation, 1}, "share of long gaps": {float64(long) / n, 1 / math.E}} {
		if math.Abs(x[0]-x[1]) > 0.02 {
			t.Errorf("%s is %.3f, want %.3f", what, x[0], x[1])
		}
	}
}
