package sim

import (
	"testing"
	"time"
)

// Whoever listens to the workers counts the same as the run itself: a worker
// that is taken was idle, one that is given back was not, and the time they are
// busy is that of the books.
func TestWorkersAreTold(t *testing.T) {
	s := tryScenario(t, tryTimeout+tryRetry, time.Second, false)
	s.For = 20 * time.Second
	state := make([]WorkerState, 200)
	var busy, most int
	var area, paused, orphaned int64
	var last [200]WorkerChange
	r, err := Run(s, Options{Worker: func(c WorkerChange) {
		if c.Service != "checkout" {
			return
		}
		was := state[c.Worker]
		if was == WorkerIdle && c.State == WorkerIdle {
			t.Fatalf("worker %d was idle twice", c.Worker)
		}
		if was != WorkerIdle && c.At > 1e10 {
			held := int64(c.At - max(last[c.Worker].At, 1e10))
			area += held
			switch was {
			case WorkerPauses:
				paused += held
			case WorkerOrphaned:
				orphaned += held
			}
		}
		if was == WorkerIdle {
			busy++
		} else if c.State == WorkerIdle {
			busy--
		}
		most = max(most, busy)
		state[c.Worker], last[c.Worker] = c.State, c
	}})
	if err != nil {
		t.Fatal(err)
	}
	for n, was := range state {
		if was != WorkerIdle {
			area += int64(s.For) - int64(max(last[n].At, 1e10))
		}
	}
	v := r.Services[0]
	if got := float64(area) / 1e10; got-v.Busy > 1e-6 || v.Busy-got > 1e-6 {
		t.Errorf("%v workers busy, the run says %v", got, v.Busy)
	}
	if most != v.MostBusy || paused == 0 {
		t.Errorf("at most %d busy, the run says %d; %d ns paused", most, v.MostBusy, paused)
	}
	if orphaned != 0 { // no call lasts as long as the users' patience
		t.Errorf("%d ns for nobody", orphaned)
	}
}

// Without a timeout calls outlast the users' patience, and workers go on for
// nobody.
func TestWorkersOfWhoHasLeftAreTold(t *testing.T) {
	s := tryScenario(t, "", 5*time.Second, false)
	s.For = 20 * time.Second
	left := 0
	if _, err := Run(s, Options{Worker: func(c WorkerChange) {
		switch c.State {
		case WorkerOrphaned:
			left++
		case WorkerPauses:
			t.Fatalf("a worker waits to try again, and nobody does: %+v", c)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if left == 0 {
		t.Error("nobody has left")
	}
}

func TestSlots(t *testing.T) {
	var s slots
	for want := range 130 {
		if got := s.take(); got != want {
			t.Fatalf("took %d, want %d", got, want)
		}
	}
	s.free(70)
	s.free(3)
	for _, want := range []int{3, 70, 130} {
		if got := s.take(); got != want {
			t.Errorf("took %d, want %d", got, want)
		}
	}
}
