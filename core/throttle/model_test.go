package throttle

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
)

// history is the throttle done in the simplest way: it keeps every request and
// counts again each time.
type history struct {
	cfg     Config
	start   core.Instant // of slice 0
	current time.Duration
	begun   bool
	events  [core.Criticalities][]event
}

type event struct {
	slice    time.Duration
	accepted bool
}

// at moves to the slice of now. After a window in which nothing was asked the
// slices begin anew.
func (h *history) at(now core.Instant) time.Duration {
	slice := now.Sub(h.start) / (h.cfg.Window / slices)
	if !h.begun || slice-h.current >= slices {
		*h = history{cfg: h.cfg, start: now, begun: true}
		return 0
	}
	h.current = slice
	return slice
}

func (h *history) refusal(now core.Instant, class int) float64 {
	current := h.at(now)
	requests, accepts := 0, 0
	for _, e := range h.events[class] {
		if current-e.slice < slices {
			requests++
			if e.accepted {
				accepts++
			}
		}
	}
	if requests < h.cfg.Minimum {
		return 0
	}
	p := (float64(requests) - float64(h.cfg.K*float64(accepts))) / (float64(requests) + 1)
	return min(max(p, 0), h.cfg.Cap)
}

func (h *history) note(now core.Instant, class int, accepted bool) {
	h.events[class] = append(h.events[class], event{h.at(now), accepted})
}

// The throttle decides as the rule of its doc comment does.
func TestMatchesARecount(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	in, out := 0, 0
	for range 300 {
		c := Config{K: 1 + 2*random.Float64(), Cap: 0.1 + 0.8*random.Float64(),
			Window: 10 * time.Second, Minimum: 1 + random.IntN(8)}
		now := core.Instant(random.Int64() - random.Int64()) // any origin will do
		x, model := mustNew(t, c), history{cfg: c}
		share := random.Float64()
		for range 300 {
			now = now.Add(time.Duration(random.ExpFloat64() * float64(200*time.Millisecond)))
			if random.IntN(80) == 0 {
				now = now.Add(time.Duration(random.Int64N(int64(30 * time.Second))))
			}
			i, draw := random.IntN(core.Criticalities), random.Float64()
			class, want := core.CriticalityAt(i), model.refusal(now, i)
			if got := x.Snapshot(now).Classes[i].Refusal; got != want {
				t.Fatalf("%+v: refuses %v, the recount %v", c, got, want)
			}
			if x.Check(now, class, draw) != (draw >= want) {
				t.Fatalf("%+v: Check of %v says otherwise than the recount", c, draw)
			}
			if x.Admit(now, class, draw) != (draw >= want) {
				t.Fatalf("%+v: Admit of %v says otherwise than the recount", c, draw)
			}
			if draw < want {
				out++
				model.note(now, i, false)
				continue
			}
			in++
			if accepted := random.Float64() < share; random.IntN(5) > 0 { // or it ends neutral
				x.Report(now, class, accepted)
				model.note(now, i, accepted)
			}
		}
	}
	if in < 10_000 || out < 10_000 {
		t.Errorf("only %d got through and %d did not", in, out)
	}
}

// Every sequence of six things that may happen, against the recount.
func TestExhaustiveSmallScope(t *testing.T) {
	const steps, moves = 6, 6
	c := Config{K: 1.5, Window: 10 * time.Second, Cap: 0.7, Minimum: 2}
	total := 1
	for range steps {
		total *= moves
	}
	class := core.Critical.Index()
	for n := range total {
		x, model, now := mustNew(t, c), history{cfg: c}, core.Instant(7)
		for at, rest := 0, n; at < steps; at, rest = at+1, rest/moves {
			switch rest % moves {
			case 0, 1:
				x.Report(now, core.Critical, rest%moves == 0)
				model.note(now, class, rest%moves == 0)
			case 2, 3:
				draw := []float64{0.3, 0.69}[rest%moves-2]
				want := draw >= model.refusal(now, class)
				if x.Admit(now, core.Critical, draw) != want {
					t.Fatalf("sequence %d: Admit of %v is %v", n, draw, !want)
				}
				if !want {
					model.note(now, class, false)
				}
			case 4:
				now += 4 * second
			case 5:
				now += 9*second + 999_999_999
			}
			if got, want := x.refusal(now), model.refusal(now, class); got != want {
				t.Fatalf("sequence %d: refuses %v, the recount %v", n, got, want)
			}
		}
	}
}

// Whatever happens, the share stays between 0 and the cap, it is 0 while one in
// K is accepted, and no count goes below what it is made of.
func TestBounds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		c := Config{K: 1 + 9*random.Float64(), Cap: 0.99 * random.Float64(),
			Window: time.Duration(1+random.IntN(100)) * time.Second}
		if c.Validate() != nil {
			continue
		}
		x, now := mustNew(t, c), core.Instant(0)
		filled := c.Filled()
		for range 500 {
			now += core.Instant(random.Int64N(int64(c.Window) / 20))
			class := core.CriticalityAt(random.IntN(core.Criticalities))
			if x.Admit(now, class, random.Float64()) {
				x.Report(now, class, random.IntN(3) == 0)
			}
			for _, s := range x.Snapshot(now).Classes {
				enough := float64(s.Requests) <= filled.K*float64(s.Accepts)
				few := s.Requests < int64(filled.Minimum)
				if s.Refusal < 0 || s.Refusal > filled.Cap || (enough || few) && s.Refusal != 0 ||
					s.Accepts < 0 || s.Requests < s.Accepts {
					t.Fatalf("%+v: %+v", c, s)
				}
			}
		}
	}
}

// Goroutines that use one throttle lose no count, and one that reads the clock
// early does not turn time back.
func TestConcurrently(t *testing.T) {
	x := mustNew(t, Config{Window: time.Hour})
	const each = 500
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			class := core.CriticalityAt(g % core.Criticalities)
			for n := range each {
				now := core.Instant(n) * core.Instant(time.Millisecond)
				if x.Admit(now-core.Instant(g), class, random.Float64()) {
					x.Report(now, class, n%3 == 0)
				}
				x.Snapshot(now)
			}
		})
	}
	wg.Wait()
	for i, c := range x.Snapshot(0).Classes {
		if c.Requests != 2*each || c.Refused == 0 || int64(c.Refused)+c.Accepts > c.Requests {
			t.Errorf("class %d: %+v", i, c)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	x, now := mustNew(t, Config{Window: time.Second}), core.Instant(0)
	n := testing.AllocsPerRun(1000, func() {
		now += core.Instant(time.Millisecond)
		if x.Admit(now, core.Critical, 0.5) {
			x.Report(now, core.Critical, false)
		}
		x.Check(now, core.Sheddable, 0.5)
		x.Snapshot(now)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAdmitReport(b *testing.B) {
	x := mustNew(b, Config{})
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		now := core.Instant(n) * 1000
		if x.Admit(now, core.Critical, 0.5) {
			x.Report(now, core.Critical, true)
		}
	}
}

func BenchmarkRefuse(b *testing.B) {
	x := told(b, Config{}, 1000, 0)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		x.Admit(core.Instant(n), core.Critical, 0.1)
	}
}
