package lab

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/seakeep/seakeep/internal/race"
)

// The curves of a run come to the figures of its report.
func TestPredict(t *testing.T) {
	race.OneGoroutine(t)
	var l Lab
	w := shipped(t, "checkout-cascade.yaml", "checkout-breaker.yaml", "runs=1", "for=60s", "warmup=0s")
	a := ask(t, &l, Question{Op: "predict", World: w})
	if a.Curves == nil || len(a.Curves.Busy) != 60 || len(a.Curves.Endpoints) != 3 {
		t.Fatalf("%q: %+v", a.Error, a.Curves)
	}
	var r struct {
		Figures map[string]struct{ Mean float64 }
		Series  map[string]struct{ Values []*float64 }
	}
	if err := json.Unmarshal(ask(t, &l, Question{Op: "start", World: w}).Report, &r); err != nil {
		t.Fatal(err)
	}
	mean := func(values []*float64) (m float64) {
		n := 0.0
		for _, v := range values {
			if v != nil {
				m, n = m+*v, n+1
			}
		}
		return m / n
	}
	near := func(what string, got, want, off float64) {
		t.Helper()
		if !(math.Abs(got-want) <= off) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	near("busy", mean(a.Curves.Busy), r.Figures["services.checkout.busy"].Mean, 0.01)
	for _, e := range a.Curves.Endpoints {
		key := "endpoints." + e.Name
		near(e.Name+" sent", mean(e.Sent), r.Figures[key+".sent"].Mean, 2)
		near(e.Name+" success", mean(e.Success), r.Figures[key+".success"].Mean, 0.01)
		near(e.Name+" calls", mean(e.Calls), r.Figures["services."+e.Name+".rate"].Mean, 0.5)
		open := r.Series["dependencies.checkout."+e.Name+".open"].Values
		near(e.Name+" open", mean(e.Open), mean(open), 0.02)
		if e.Success[59] != nil || e.P99MS[30] == nil || e.P50MS[30] == nil || *e.P50MS[30] > *e.P99MS[30] {
			t.Errorf("%s: %+v", e.Name, e)
		}
	}
	if a := ask(t, &l, Question{Op: "predict", World: w, StepS: 1e-6}); a.Error == "" {
		t.Error("a million steps")
	}
	if a := ask(t, &l, Question{Op: "predict", World: w, Threads: "pricing"}); a.Error == "" {
		t.Error("curves of a service without workers")
	}
}
