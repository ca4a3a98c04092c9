package overload

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// perfect lets in of each class what fits and refuses the rest: nothing can do
// better. It knows the load, which no guard does.
func perfect(load float64, m Machine) inside {
	var keep [core.Criticalities]float64
	for i, rate := range ideal(load*m.Capacity(), 0.97*m.Capacity()) {
		keep[i] = rate / (load * m.Capacity() * mix[i])
	}
	return keeping(keep)
}

func keeping(keep [core.Criticalities]float64) inside {
	return func(next http.Handler) http.Handler {
		var due [core.Criticalities]dose
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			class, ok := core.ParseCriticality(r.Header.Get(classHeader))
			if i := class.Index(); !ok || !due[i].lets(keep[i]) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Bare, a program that gets more than it can do ends up answering nobody in
// time: what the demo is there to show.
func TestBareProgramCollapses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := swept(t, Options{Loads: []float64{0.5, 1.5, 10}, Machine: DefaultMachine(),
			Warm: 4 * time.Second, For: 2 * time.Second, Seed: 2})
		if g := r.Bare[0]; g.Goodput != g.Offered || g.P99 == nil || *g.P99 > 150 {
			t.Errorf("at half load %+v", g)
		}
		for _, p := range r.Bare[1:] {
			if p.Goodput > 2 {
				t.Errorf("at %gx the goodput is %v/s", p.Load, p.Goodput)
			}
		}
		if !r.Held() || len(r.Holds) != 1 || len(r.Protected) != 0 {
			t.Errorf("%+v", r.Holds)
		}
	})
}

// dose lets a share of all pass, evenly.
type dose struct {
	mu  sync.Mutex
	due float64
}

func (d *dose) lets(share float64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.due += share; d.due < 1 {
		return false
	}
	d.due--
	return true
}

// The promises can be kept: a guard that lets in what fits keeps them all.
func TestPromisesCanBeKept(t *testing.T) {
	for _, load := range []float64{1.5, 3, 8} {
		bubble(t, func(t *testing.T) {
			o := Options{Loads: []float64{load}, Machine: fixed(4, 20*ms), Warm: 4 * time.Second,
				For: 4 * time.Second, Seed: 2, guard: perfect(load, fixed(4, 20*ms))}
			r := swept(t, o)
			for _, h := range r.Holds {
				if !h.Held {
					t.Errorf("at %gx %s: %s", load, h.Promise, h.Why)
				}
			}
		})
	}
}

// And they can be broken, each by a guard that is bad in its own way.
func TestPromisesCanBeBroken(t *testing.T) {
	for promise, keep := range map[string][core.Criticalities]float64{
		"goodput stays":     {0, 0, 0.2, 1},
		"loses nothing":     {0, 0.2, 1, 0.9},
		"fall in the order": {0.9, 0.1, 0.1, 1},
		"p99 stays":         {0.3, 0.3, 1, 1}, // a little too much, so that a queue grows
	} {
		bubble(t, func(t *testing.T) {
			r := swept(t, Options{Loads: []float64{0.5, 2}, Machine: fixed(4, 20*ms),
				Warm: 3 * time.Second, For: 4 * time.Second, Seed: 2, guard: fromTheSecondPoint(keep)})
			i := slices.IndexFunc(r.Holds, func(h live.Hold) bool { return contains(h.Promise, promise) })
			if i < 0 || r.Holds[i].Held || r.Holds[i].Why == "" {
				t.Errorf("%q holds, or nobody promised it: %+v", promise, r.Holds)
			}
		})
	}
}

// fromTheSecondPoint keeps everything at the first point, and then shares.
func fromTheSecondPoint(keep [core.Criticalities]float64) inside {
	points := 0
	return func(next http.Handler) http.Handler {
		if points++; points == 1 {
			return next
		}
		return keeping(keep)(next)
	}
}

// Both sides of a point get the very same guests.
func TestBothSidesGetTheSameGuests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		all := [core.Criticalities]float64{1, 1, 1, 1}
		r := swept(t, Options{Loads: []float64{0.8, 9}, Machine: DefaultMachine(), For: time.Second,
			Seed: rand.Uint64(), guard: keeping(all)})
		for i := range r.Bare {
			if r.Bare[i].Offered != r.Protected[i].Offered || r.Bare[i].Offered == 0 {
				t.Errorf("%v and %v come", r.Bare[i].Offered, r.Protected[i].Offered)
			}
		}
	})
}

// What was ended before its second side could run is left out.
func TestInterruptedBetweenTheSides(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 4500*ms)
		defer stop()
		o := Defaults()
		o.Loads, o.Warm, o.For, o.open = []float64{5}, 0, 5*time.Second, inMemory
		o.guard = inside(func(next http.Handler) http.Handler { return next })
		r, err := Sweep(ctx, o, io.Discard)
		if err != nil || len(r.Bare) != 0 || len(r.Protected) != 0 || len(r.Holds) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// Whoever ends a sweep early gets a report about what there was.
func TestInterruptedSweep(t *testing.T) {
	for after, points := range map[time.Duration]int{500 * ms: 0, 3 * time.Second: 1,
		4500 * ms: 1, 6500 * ms: 2} {
		bubble(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			time.AfterFunc(after, stop)
			o := Defaults()
			o.Loads, o.Warm, o.For = []float64{0.5, 0.5, 0.5}, time.Second, 3*time.Second
			o.open, o.guard = inMemory, nil
			r, err := Sweep(ctx, o, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Bare) != points || !r.Interrupted {
				t.Errorf("after %v: %d points, interrupted %v", after, len(r.Bare), r.Interrupted)
			}
			for _, p := range r.Bare {
				if p.Goodput < 80 || p.Goodput > 120 {
					t.Errorf("after %v: %v/s in %vs", after, p.Goodput, p.CountedS)
				}
			}
			synctest.Wait()
		})
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for problem, change := range map[string]func(*Options){
		"--load has 0 points":      func(o *Options) { o.Loads = nil },
		"--load 0 is no load":      func(o *Options) { o.Loads = []float64{0} },
		"--load 21 is no load":     func(o *Options) { o.Loads = []float64{21} },
		"--load 20 is 10000 requ":  func(o *Options) { o.Loads, o.Machine.Workers = []float64{20}, 10 },
		"--for is 0s":              func(o *Options) { o.For = 0 },
		"--warm-up is -1ns":        func(o *Options) { o.Warm = -1 },
		"--workers is 0":           func(o *Options) { o.Machine.Workers = 0 },
		"the program's work is 0s": func(o *Options) { o.Machine.Mean = 0 },
	} {
		o := Defaults()
		change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %s", err, problem)
		}
		if _, err := Sweep(t.Context(), o, io.Discard); err == nil {
			t.Error("it runs all the same")
		}
	}
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
}

// A run on a machine that was held up is made again, as often as there are
// spares, and the last one counts.
func TestLateRunsAreMadeAgain(t *testing.T) {
	for _, tc := range []struct {
		late                 string // of each run of the protected side: - or L
		spare, runs, repeats int
	}{{"-", 1, 1, 0}, {"L-", 1, 2, 1}, {"LL-", 1, 2, 1}, {"LL-", 2, 3, 2}, {"L", 0, 1, 0}} {
		bubble(t, func(t *testing.T) {
			bares, runs, spare := 0, 0, tc.spare
			p := pair{
				bare: func() *scene {
					bares++
					return heldUp(0)
				},
				protected: func() *scene {
					runs++
					if tc.late[runs-1] == 'L' {
						return heldUp(200 * ms)
					}
					return heldUp(50 * ms)
				},
			}
			x, y, err := p.play(t.Context(), &spare)
			if err != nil || bares != 1 || runs != tc.runs || x.repeats != 0 || y.repeats != tc.repeats ||
				(y.lateMS > live.TooLate) != (tc.late[runs-1] == 'L') {
				t.Errorf("%+v: %d runs, %d repeats, %vms late, %v", tc, runs, y.repeats, y.lateMS, err)
			}
		})
	}
}

// heldUp is a short scene whose generator is held up for a moment.
func heldUp(d time.Duration) *scene {
	next := mixed(100, 1)
	n := 0
	return &scene{machine: DefaultMachine(), open: inMemory, kinds: core.Criticalities,
		length: 2 * time.Second, next: func() *guest {
			if n++; n == 50 {
				time.Sleep(d)
			}
			return next()
		}}
}
