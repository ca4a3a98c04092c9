package search

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// A tolerance that no numbers are fine enough for ends all the same.
func TestEdgeEndsWhereNumbersEnd(t *testing.T) {
	holds := func(x float64, seeds []uint64) ([]bool, error) {
		return make([]bool, len(seeds)), nil
	}
	above := func(x float64, seeds []uint64) ([]bool, error) {
		out, err := holds(x, seeds)
		for i := range out {
			out[i] = x > 1.3
		}
		return out, err
	}
	for _, within := range []float64{1e-18, 1e-300} {
		done := make(chan *EdgeResult, 1)
		go func() {
			r, err := Edge(EdgeQuery{From: 1, To: 2, Runs: 1, Within: within}, above)
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
		select {
		case r := <-done:
			if r != nil && (!r.Flipping || math.Abs(r.Edge-1.3) > 1e-9) {
				t.Errorf("within %v: %+v", within, r)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("within %v: no end", within)
		}
	}
}

// An edge right at an end, and one between two whole numbers.
func TestEdgeAtAnEnd(t *testing.T) {
	for _, at := range []float64{1, 9, 5} {
		r, err := Edge(EdgeQuery{From: 1, To: 10, Whole: true, Runs: 1, Within: 1e-9},
			func(x float64, _ []uint64) ([]bool, error) { return []bool{x > at}, nil })
		if err != nil || r.Low != at || r.High != at+1 {
			t.Errorf("edge above %v: %+v, %v", at, r, err)
		}
	}
}

// Every shape of a distribution grows with the size of the trigger, and the
// scenario's own stays as it is.
func TestTriggerScalesEveryShape(t *testing.T) {
	second := time.Second
	s := spike(t)
	for _, l := range []config.Latency{
		{Floor: second},
		{Shape: config.Exponential, Floor: second, Mean: 2 * second},
		{Shape: config.Empirical, Points: []config.Point{{Quantile: 1, Value: second}}},
		{Shape: config.Mixture, Parts: []config.Part{{Share: 1, Latency: config.Latency{Floor: second}}}},
		{StallShare: 1, Stall: second},
	} {
		s.Changes[0] = config.Change{Kind: config.SetWork, Of: "server", At: second, Length: second,
			Work: l}
		c, err := Triggered(s, 3, second, watch)
		if err != nil {
			t.Fatal(err)
		}
		longest := func(l config.Latency) (d time.Duration) {
			d = max(l.Floor, l.Mean, l.Stall)
			for _, p := range l.Points {
				d = max(d, p.Value)
			}
			for _, p := range l.Parts {
				d = max(d, p.Latency.Floor)
			}
			return d
		}
		if got, was := longest(c.Changes[0].Work), longest(s.Changes[0].Work); got != 3*was {
			t.Errorf("%v: %v became %v", l.Shape, was, got)
		}
	}
}

// Users of a closed loop who all wait for ever are stuck, although nobody sends
// anything any more.
func TestStuckClosedLoop(t *testing.T) {
	s := spike(t)
	c := s.Clients[0]
	c.Rate, c.Users, c.Think, c.Member = 0, 5, config.Latency{Floor: 100e6}, config.Member{}
	s.Changes[0] = config.Change{Kind: config.GoSilent, Of: "server", At: 10 * time.Second,
		Length: 5 * time.Second}
	r, err := Recover(s, 1, 5*time.Second, watch)
	if err != nil || r.Phase != Stuck {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Ramp(s, 100, 3, time.Second); err == nil {
		t.Error("a ramp of users who have no rate")
	}
	if HasLoad(s) || Load(s) != 0 {
		t.Error("a closed loop has a load")
	}
}

// A ramp has figures for as many steps as may be asked for.
func TestRampOfManySteps(t *testing.T) {
	s := spike(t)
	for _, steps := range []int{-1, 0, 31} {
		if _, err := Ramp(s, 50, steps, 10*time.Second); err == nil {
			t.Errorf("a ramp of %d steps", steps)
		}
	}
	for _, steps := range []int{1, 2, 7, 20, 29, 30} {
		points, err := Ramp(s, 50, steps, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range points {
			off := max(math.Abs(p.Up-p.Load), math.Abs(p.Down-p.Load))
			if !(off <= 0.1*p.Load+2) {
				t.Errorf("%d steps, step %d: %+v", steps, i, p)
			}
		}
	}
}
