package tail

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/internal/race"
)

// All that the demo promises holds in virtual time: the same policy files,
// balancer, detector and copies as on sockets, on a machine that is never busy.
func TestPromisesHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := Defaults()
		if race.Enabled {
			o.For = 8 * time.Second
		}
		r := run(t, o)
		for _, h := range r.Holds {
			if !h.Held {
				t.Errorf("%s: %s", h.Promise, h.Why)
			}
		}
		if len(r.Holds) != 6 || len(r.Variants) != 4 || len(r.Beside) != 1 || r.AllSlow == nil {
			t.Errorf("%+v", r)
		}
		for name, v := range r.Variants {
			if v.Requests < 20_000 && !race.Enabled || v.Requests != r.Variants["none"].Requests || v.LateMS > 1 {
				t.Errorf("%s: %d requests, %vms late", name, v.Requests, v.LateMS)
			}
		}
		eachAloneIsLess(t, r)
	})
}

// Each half of the remedy leaves something of the tail: ejecting cannot do
// anything about stalls, and copies come only after a wait.
func eachAloneIsLess(t *testing.T, r *Report) {
	t.Helper()
	none, both := r.find("none"), r.find("both")
	for _, name := range []string{"outlier", "hedge"} {
		if v := r.find(name); v.P999 >= none.P999 || v.P999 <= both.P999 {
			t.Errorf("%s: p99.9 is %v; with none %v, with both %v", name, v.P999, none.P999, both.P999)
		}
	}
	if v := r.find("outlier"); v.ExtraLoad != 0 || v.Stalled == 0 {
		t.Errorf("outlier: %v extra, %v over 500ms", v.ExtraLoad, v.Stalled)
	}
	if v := r.find("hedge"); v.ExtraLoad == 0 || len(v.Ejected) > 0 {
		t.Errorf("hedge: %v extra, out were %v", v.ExtraLoad, v.Ejected)
	}
	if both.Stalled > 0 {
		t.Errorf("both: %v over 500ms", both.Stalled)
	}
}

// Whoever ends the demo early gets a report about what there was.
func TestInterrupted(t *testing.T) {
	for after, runs := range map[time.Duration]int{500 * ms: 0, 3500 * ms: 2, 20 * time.Second: 4,
		21500 * ms: 6} {
		bubble(t, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), after)
			defer stop()
			o := Defaults()
			o.Rate, o.Warm, o.For, o.open = 100, time.Second, 8*time.Second, inMemory
			r, err := Run(ctx, o, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			got := len(r.Variants) + len(r.Beside)
			if r.AllSlow != nil {
				got++
			}
			if got != runs || !r.Interrupted || (len(r.Holds) > 0) != (runs >= 4) {
				t.Errorf("after %v: %d runs of %d, %+v", after, got, runs, r.Holds)
			}
			synctest.Wait()
		})
	}
}

// A round on a machine that was held up is played again, as often as there are
// spares, and the one that was least late counts.
func TestLateRoundsArePlayedAgain(t *testing.T) {
	for _, tc := range []struct {
		late  []time.Duration // of each round
		spare int
		best  time.Duration
	}{
		{[]time.Duration{50}, 1, 50}, {[]time.Duration{200, 0}, 1, 0}, {[]time.Duration{200, 300}, 1, 200},
		{[]time.Duration{200, 300, 150}, 2, 150}, {[]time.Duration{200, 300, 20}, 9, 20},
		{[]time.Duration{200}, 0, 200},
	} {
		bubble(t, func(t *testing.T) {
			plays, spare := 0, tc.spare
			o := Options{Rate: 100, For: 2 * time.Second, Seed: 1, open: inMemory}
			o.come = func(rate float64, seed uint64) func() time.Duration {
				plays++
				return heldUp(rate, seed, tc.late[plays-1]*ms)
			}
			got, err := o.settled(t.Context(), round{[]string{"none"}, 1}, &spare)
			late := time.Duration(got[0].lateMS) * ms
			if err != nil || plays != len(tc.late) || got[0].repeats != plays-1 ||
				late < tc.best*ms-40*ms || late > tc.best*ms {
				t.Errorf("%+v: %d plays, %d repeats, %v late, %v", tc, plays, got[0].repeats, late, err)
			}
		})
	}
}

// heldUp is a generator that is held up for a moment.
func heldUp(rate float64, seed uint64, late time.Duration) func() time.Duration {
	next, n := live.NewArrivals(rate, seed).Next, 0
	return func() time.Duration {
		if n++; n == 50 {
			time.Sleep(late)
		}
		return next()
	}
}

// An opener that fails ends the demo with its error.
func TestRunThatCannotStart(t *testing.T) {
	o := Defaults()
	o.open = func(*fleet, string, seakeep.Options) (*place, error) { return nil, io.ErrUnexpectedEOF }
	if _, err := Run(t.Context(), o, io.Discard); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("%v", err)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for problem, change := range map[string]func(*Options){
		"--rate is 0;":             func(o *Options) { o.Rate = 0 },
		"--rate is 6000":           func(o *Options) { o.Rate = 6000 },
		"--for is 0s":              func(o *Options) { o.For = 0 },
		"--for is 11m0s":           func(o *Options) { o.For = 11 * time.Minute },
		"--warm-up is -1ns":        func(o *Options) { o.Warm = -1 },
		"make 3000000 requests a ": func(o *Options) { o.Rate, o.Warm, o.For = 5000, 0, 10*time.Minute },
	} {
		o := Defaults()
		change(&o)
		if _, err := Run(t.Context(), o, io.Discard); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v, want %s", err, problem)
		}
	}
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
}

func TestQuantiles(t *testing.T) {
	var all []time.Duration
	for i := range 1000 {
		all = append(all, time.Duration(i+1)*ms)
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 501, 0.99: 991, 0.999: 1000, 1: 1000} {
		if got := quantile(all, q); got != want*ms {
			t.Errorf("%v is %v, want %vms", q, got, int(want))
		}
	}
	for limit, want := range map[time.Duration]float64{500 * ms: 0.5, 0: 1, time.Second: 0, 499*ms + 1: 0.501} {
		if got := over(all, limit); got != want {
			t.Errorf("%v are over %v, want %v", got, limit, want)
		}
	}
	if !slices.IsSorted(all) {
		t.Error("they are not in order")
	}
}
