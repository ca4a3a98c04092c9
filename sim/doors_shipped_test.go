package sim

import (
	"slices"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// succeeded is the share of the requests of these clients, all if none is
// named, that were answered.
func succeeded(r *Result, clients ...string) float64 {
	var sum Outcomes
	for _, e := range r.Endpoints {
		if len(clients) == 0 || slices.Contains(clients, e.Client) {
			sum.OK += e.OK
			sum.Refused += e.Failed()
		}
	}
	p, _ := sum.Success()
	return p
}

func between01(t *testing.T, what string, got, from, to float64) {
	t.Helper()
	if got < from || got > to {
		t.Errorf("%s: %.4f, want %v to %v", what, got, from, to)
	}
}

const noLimit = "shop:serve.concurrency={algorithm: fixed, limit: 10000}"

// What keeps the scenario of the overload up is the limit; what the shedder adds
// is that those who cannot be served do not wait to learn it.
func TestOverloadIsHeldByTheDoor(t *testing.T) {
	race.OneGoroutine(t)
	r := shipped(t, "overload")
	between01(t, "plus", succeeded(r, "plus"), 0.999, 1)
	between01(t, "usual", succeeded(r, "usual"), 0.97, 1)
	between01(t, "spare", succeeded(r, "spare"), 0, 0.05)
	between01(t, "without a policy", succeeded(shipped(t, "overload", "services.shop.policy=")), 0, 0.01)
	between01(t, "without a limit", succeeded(shipped(t, "overload", noLimit)), 0, 0.01)
	bare := shipped(t, "overload", "shop:serve.shed=")
	between01(t, "usual, nothing shed", succeeded(bare, "usual"), 0.9, 1)
	if a, b := r.Services[0].Queued, bare.Services[0].Queued; b < 1.5*a {
		t.Errorf("%.1f wait with a shedder and %.1f without", a, b)
	}
	shed := uint64(0)
	for _, x := range r.Services[0].Door.Refused {
		if x.Reason == core.Shed {
			shed = x.Count
		}
	}
	if all := r.Services[0].Refused; 10*shed < 9*all {
		t.Errorf("%d of %d refusals are the shedder's", shed, all)
	}
}

// Nine tenants keep what they had, because the tenth has a bound.
func TestTenantsAreHeldByTheirBound(t *testing.T) {
	race.OneGoroutine(t)
	nine := []string{"acme", "birch", "cedar", "delta", "ember", "fable", "grove", "haven", "inlet"}
	worst := func(r *Result) (p99 float64) {
		for _, e := range r.Endpoints {
			if slices.Contains(nine, e.Client) {
				d, _ := e.Latency.Quantile(0.99)
				p99 = max(p99, d.Seconds())
			}
		}
		return p99
	}
	flooded, quiet := shipped(t, "overload-tenants"), shipped(t, "overload-tenants", "changes=")
	between01(t, "the nine", succeeded(flooded, nine...), 0.999, 1)
	between01(t, "the tenth", succeeded(flooded, "flood"), 0.02, 0.1)
	if a, b := worst(flooded), worst(quiet); a > 1.5*b {
		t.Errorf("the worst p99 of the nine is %.3f s in the flood and %.3f s without", a, b)
	}
	between01(t, "the nine without a bound",
		succeeded(shipped(t, "overload-tenants", "shop:serve.tenants="), nine...), 0, 0.3)
	between01(t, "the nine without a policy",
		succeeded(shipped(t, "overload-tenants", "services.shop.policy="), nine...), 0, 0.05)
}

// Features go in the order of the list, and are all back in the end.
func TestFeaturesGoInOrder(t *testing.T) {
	d, err := config.OpenDraft("../testdata/scenarios/degrade.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	var first []string // levels as they are reached
	r, err := Run(s, Options{Trace: func(e core.Event) {
		if e.Kind == core.DegradeChanged && !slices.Contains(first, e.To) {
			first = append(first, e.To)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if up := []string{"1", "2", "3"}; len(first) < 3 || !slices.Equal(first[:3], up) {
		t.Errorf("levels %v", first)
	}
	if level := r.Services[0].Doors[0].Degrade.Level; level != 0 {
		t.Errorf("%d features are off at the end", level)
	}
	// A page takes 28 ms of work in all before and after the spike, and less
	// within it: slices of a second.
	perPage := func(from, to int) float64 {
		a, b := r.Services[0].Samples[from], r.Services[0].Samples[to]
		return (b.Worked - a.Worked).Seconds() / float64(b.Served-a.Served)
	}
	between01(t, "work before", perPage(5, 28), 0.026, 0.030)
	between01(t, "work in the spike", perPage(33, 68), 0.012, 0.016)
	between01(t, "work at the end", perPage(105, 118), 0.026, 0.030)

	between01(t, "success", succeeded(r), 0.985, 1)
	between01(t, "without degrade", succeeded(shipped(t, "degrade", "shop:serve.degrade=")), 0.6, 0.8)
	between01(t, "without a policy", succeeded(shipped(t, "degrade", "services.shop.policy=")), 0, 0.4)
}

// The collapse stays unless recovery, or an operator, ends it.
func TestMetastableIsEndedByTheDoor(t *testing.T) {
	race.OneGoroutine(t)
	for name, broken := range map[string][]string{
		"metastable-recovery": {"server:serve.recovery=", "services.server.policy="},
		"metastable-lever": {"changes.1=", "changes.2=",
			"changes.1={at: 60s, service: server, admit: 60%}"},
	} {
		r := shipped(t, name, "warmup=0s")
		before, during, after := slicesOK(r, 5, 15), slicesOK(r, 25, 28), slicesOK(r, 95, 115)
		if before < 0.99 || during > 0.05 || after < 0.99 {
			t.Errorf("%s: success of %.3f before, %.3f in the collapse, %.3f after", name, before, during,
				after)
		}
		for _, set := range broken {
			between01(t, name+" with "+set, succeeded(shipped(t, name, set)), 0, 0.1)
		}
	}
}

// slicesOK is the share of the requests of some slices that were answered.
func slicesOK(r *Result, from, to int) float64 {
	var sum Outcomes
	for _, o := range r.Endpoints[0].Slices[from:to] {
		sum.OK += o.OK
		sum.Refused += o.Failed()
	}
	p, _ := sum.Success()
	return p
}
