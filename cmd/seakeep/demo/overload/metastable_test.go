package overload

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

func passed(t *testing.T, o MetastableOptions) *MetastableReport {
	t.Helper()
	o.open = inMemory
	r, err := Metastable(t.Context(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Predict(); err != nil {
		t.Fatal(err)
	}
	return r
}

// The bare program in virtual time does what the simulator's does, from the
// second in which it goes down to the end: two implementations of the same
// world that share no code but the clock.
func TestBareVariantIsTheScenario(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := MetastableDefaults()
		o.variants = o.variants[:1]
		r := passed(t, o)
		v := r.Variants[0]
		if !v.down() || v.Predicted == nil || !v.Predicted.down() || *v.Collapse != *v.Predicted.Collapse {
			t.Errorf("%s; simulated, it %s", v.story(), v.Predicted.story())
		}
		for s, n := range v.Goodput {
			if p := v.Predicted.Goodput[s]; n > p+3 || p > n+3 {
				t.Errorf("in second %d %d are answered, simulated %d", s, n, p)
			}
		}
		if len(v.Goodput) != 60 || !r.Held() || v.Attempts < 3*80*40 {
			t.Errorf("%d seconds, %d attempts, %+v", len(v.Goodput), v.Attempts, r.Holds)
		}
		if n := len(v.QueueS); n < 59 || v.QueueS[n-1] < 50 || v.QueueS[5] > 0.1 {
			t.Errorf("the queue is %v", v.QueueS)
		}
	})
}

// sluice lets in what an operator says.
type sluice struct {
	share atomic.Int64 // in thousandths
	dose  dose
}

func (s *sluice) start(string) (string, func(), error) { panic("overload: has no socket") }

func (s *sluice) admit(_ context.Context, share float64, _ time.Duration) error {
	s.share.Store(int64(share * 1000))
	return nil
}

func (s *sluice) open(a *app, _ guard) (*place, error) {
	return inMemory(a, inside(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !s.dose.lets(float64(s.share.Load()) / 1000) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}))
}

// An operator who lets in little until the queue has drained, and then all,
// ends what waiting would not.
func TestOperatorEndsTheCollapse(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o, s := MetastableDefaults(), &sluice{}
		s.share.Store(1000)
		o.variants = []variant{{name: "operator", guard: s, recovers: true,
			levers: []lever{{at: 18 * time.Second, admit: 0.05}, {at: 40 * time.Second, admit: 1}}}}
		o.open = s.open
		r, err := Metastable(t.Context(), o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		v := r.Variants[0]
		if v.Collapse == nil || v.Recovery == nil || *v.Recovery < 40 || *v.Recovery > 43 || !r.Held() {
			t.Errorf("%s: %v, %v", v.story(), v.Goodput, r.Holds)
		}
		if len(v.Levers) != 2 || v.Levers[0] != "18s: seakeep admit 5%" {
			t.Errorf("%q", v.Levers)
		}
	})
}

// What promises to come back and does not breaks its promise, and so does what
// promises to stay down.
func TestMetastablePromisesCanBeBroken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := MetastableDefaults()
		idle := inside(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		})
		o.variants = []variant{{name: "a", guard: bare{}, recovers: true}, {name: "b", guard: idle}}
		r := passed(t, o)
		for i, h := range r.Holds {
			if h.Held || h.Why == "" {
				t.Errorf("%+v: %s", h, r.Variants[i].story())
			}
		}
		if r.Variants[0].Predicted == nil || r.Variants[1].Predicted != nil {
			t.Error("there is a prediction for what cannot be simulated, or none for what can")
		}
	})
}

func TestInterruptedSpike(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 14500*ms)
		defer stop()
		o := MetastableDefaults()
		o.open, o.variants = inMemory, o.variants[:1]
		r, err := Metastable(ctx, o, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Variants[0]; !r.Interrupted || len(v.Goodput) != 14 || len(r.Holds) != 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestMetastableOptionsThatCannotBe(t *testing.T) {
	for problem, change := range map[string]func(*MetastableOptions){
		"--rate is 0":      func(o *MetastableOptions) { o.Rate = 0 },
		"--spike is 1e+06": func(o *MetastableOptions) { o.Spike.Rate = 1e6 },
		"more than 15s":    func(o *MetastableOptions) { o.For = 15 * time.Second },
		"--for is 0s":      func(o *MetastableOptions) { o.For = 0 },
	} {
		o := MetastableDefaults()
		change(&o)
		if _, err := Metastable(t.Context(), o, io.Discard); err == nil ||
			!contains(err.Error(), problem) {
			t.Errorf("%v, want %s", err, problem)
		}
	}
}
