package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seakeep/seakeep/core"
)

// diary is an actor that notes what happens to it.
type diary struct {
	engine *Engine
	lines  []int64
	then   func(arg int64)
}

func (d *diary) Fire(_ int, arg int64) {
	d.lines = append(d.lines, arg)
	if d.then != nil {
		d.then(arg)
	}
}

// F195: events of one instant happen by class and then in the order in which
// they were scheduled, those scheduled meanwhile included.
func TestF195TieOrder(t *testing.T) {
	for range 100 {
		e := &Engine{}
		d := &diary{engine: e}
		d.then = func(arg int64) {
			if arg == 1 {
				e.At(100, Due, d, 0, 4)
			}
		}
		e.At(100, Begins, d, 0, 9)
		for n := range int64(3) {
			e.At(100, Due, d, 0, n+1)
		}
		e.At(100, Ends, d, 0, 0)
		e.Run(100)
		if want := []int64{0, 1, 2, 3, 4, 9}; !slices.Equal(d.lines, want) {
			t.Fatalf("order %v, want %v", d.lines, want)
		}
	}
}

// The heap against a sorted list, with cancellations.
func TestEngineAgainstSorting(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		e := &Engine{}
		d := &diary{engine: e}
		type plan struct {
			at    core.Instant
			class Class
			id    int64
		}
		var want []plan
		var timers []Timer
		for id := range int64(2000) {
			p := plan{core.Instant(rng.IntN(500)), Class(rng.IntN(4)), id}
			want = append(want, p)
			timers = append(timers, e.At(p.at, p.class, d, 0, id))
		}
		gone := map[int64]bool{}
		for range 1500 {
			id := rng.Int64N(2000)
			e.Cancel(timers[id])
			e.Cancel(timers[id])
			gone[id] = true
		}
		if got := e.Pending(); got != 2000-len(gone) {
			t.Fatalf("%d pending, want %d", got, 2000-len(gone))
		}
		slices.SortStableFunc(want, func(a, b plan) int {
			if a.at != b.at {
				return int(a.at - b.at)
			}
			return int(a.class) - int(b.class)
		})
		want = slices.DeleteFunc(want, func(p plan) bool { return gone[p.id] })
		e.Run(1000)
		for i, p := range want {
			if d.lines[i] != p.id {
				t.Fatalf("seed %d: event %d is %d, want %d", seed, i, d.lines[i], p.id)
			}
		}
		if len(d.lines) != len(want) || e.Now() != 1000 || e.Fired() != uint64(len(want)) {
			t.Fatalf("%d events until %d, want %d", len(d.lines), e.Now(), len(want))
		}
	}
}

func TestCancelOfAnOldTimer(t *testing.T) {
	e := &Engine{}
	d := &diary{engine: e}
	first := e.At(1, Due, d, 0, 1)
	e.Run(1)
	e.At(2, Due, d, 0, 2) // takes the same place
	e.Cancel(first)
	e.Cancel(Timer{})
	e.Run(2)
	if want := []int64{1, 2}; !slices.Equal(d.lines, want) {
		t.Errorf("events %v, want %v", d.lines, want)
	}
}

func TestThePastIsNowAndNeverIsNever(t *testing.T) {
	e := &Engine{}
	d := &diary{engine: e}
	e.Run(50)
	e.At(10, Due, d, 0, 1)
	e.At(core.Never, Due, d, 0, 2)
	e.Run(50)
	if !slices.Equal(d.lines, []int64{1}) || e.Pending() != 0 || e.Now() != 50 {
		t.Errorf("events %v, %d pending at %d", d.lines, e.Pending(), e.Now())
	}
}

// Cancelled timers must not pile up: a long timeout is nearly always cancelled.
func TestCancelledTimersDoNotFillTheHeap(t *testing.T) {
	e := &Engine{}
	d := &diary{engine: e}
	for n := range int64(100_000) {
		e.Cancel(e.At(core.Instant(1e15+n), Due, d, 0, n))
	}
	if len(e.heap) > 1000 || len(e.slots) > 1000 {
		t.Errorf("%d in the heap, %d slots", len(e.heap), len(e.slots))
	}
}

func BenchmarkEngineEvents(b *testing.B) {
	e := &Engine{}
	d := &ticker{engine: e}
	for n := range 1000 {
		e.At(core.Instant(n), Due, d, 0, int64(n))
	}
	b.ReportAllocs()
	for b.Loop() {
		e.Run(e.now + 1)
	}
	b.ReportMetric(float64(e.Fired())/b.Elapsed().Seconds(), "events/s")
}

// ticker schedules itself again.
type ticker struct{ engine *Engine }

func (k *ticker) Fire(_ int, arg int64) {
	k.engine.At(k.engine.now+core.Instant(1000+arg%7), Due, k, 0, arg)
}
