package study

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/sim"
)

func TestSummary(t *testing.T) {
	s := checkout(t, "    timeout: {request: 250ms}\n", "warmup: 2s\n"+slow)
	all := runs(t, s, 3)
	sum := Summarise(all)
	if sum.Runs != 3 || sum.Seed != 1 || sum.For != 30*time.Second || sum.First() != all[0] {
		t.Errorf("%+v", sum)
	}
	var keys []string
	for _, rows := range [][]Row{sum.Endpoints, sum.Services, sum.Dependencies} {
		for _, r := range rows {
			keys = append(keys, r.Key)
		}
	}
	want := []string{"endpoints.pricing", "endpoints.recommendations", "services.checkout",
		"services.pricing", "services.recommendations", "dependencies.checkout.pricing",
		"dependencies.checkout.recommendations", "dependencies.users.checkout"}
	if !slices.Equal(keys, want) {
		t.Errorf("rows are %v", keys)
	}
	// Figures against the counts they are made of.
	var answered, ended, sent uint64
	for _, r := range all {
		e := r.Endpoint("pricing")
		answered += e.Answered()
		ended += e.Answered() + e.Failed()
		sent += e.Sent
	}
	for key, x := range map[string]float64{
		"endpoints.pricing.success": float64(answered) / float64(ended),
		"endpoints.pricing.sent":    float64(sent) / 28 / 3,
		"services.checkout.busy": (all[0].Services[0].Busy + all[1].Services[0].Busy +
			all[2].Services[0].Busy) / 3,
	} {
		if f, err := sum.Get(key); err != nil || !near(f.Mean, x, 1e-9*x) || !(f.Half > 0) {
			t.Errorf("%s is %+v, want %v (%v)", key, f, x, err)
		}
	}
	for _, key := range sum.Keys() {
		if f, err := sum.Get(key); err != nil || f.Key != key {
			t.Errorf("%s: %+v, %v", key, f, err)
		}
	}
	if n := len(sum.Keys()); n != 2*13+3*15+3*10 {
		t.Errorf("%d figures", n)
	}
}

func TestUnknownKeys(t *testing.T) {
	sum := Summarise(runs(t, checkout(t, "", "runs: 1\n"), 1))
	for key, want := range map[string]string{
		"endpoints.pricing.sucess":      "did you mean endpoints.pricing.success?",
		"pricing.success":               "did you mean endpoints.pricing.success?",
		"services.checkuot.busy":        "did you mean services.checkout.busy?",
		"services.x":                    "give one such as services.checkout.rate",
		"x":                             "give one such as endpoints.pricing.sent",
		"dependencies.checkout.pricing": "dependencies.",
	} {
		_, err := sum.Get(key)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}
}

const twoShops = `version: 1
name: two
for: 2s
clients:
  web: {to: shop, rate: 50/s, routes: {buy: 1}}
  app: {to: shop, rate: 50/s, routes: {buy: 1}}
services:
  shop: {routes: {buy: {work: 1ms}}}
`

// Two clients that ask for the same route have endpoints of their own.
func TestEndpointsOfTwoClients(t *testing.T) {
	sum := Summarise(runs(t, scenarioOf(t, twoShops, nil), 2))
	if _, err := sum.Get("endpoints.buy.success"); err == nil ||
		!strings.Contains(err.Error(), "endpoints.web.buy.success") {
		t.Errorf("%v", err)
	}
	if f, err := sum.Get("endpoints.app.buy.success"); err != nil || f.Mean != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A service without routes has one endpoint, by the service's name, and by the
// name that the route has in the file.
func TestEndpointWithoutName(t *testing.T) {
	s := scenarioOf(t, "version: 1\nname: one\nfor: 2s\nclients: {users: {to: shop, rate: 50/s}}\n"+
		"services: {shop: {work: 1ms}}\n", nil)
	blank, err := Blank(s)
	if err != nil {
		t.Fatal(err)
	}
	sum := Summarise(runs(t, s, 2))
	for _, key := range []string{"endpoints.shop.success", "endpoints.default.success"} {
		if f, err := sum.Get(key); err != nil || f.Mean != 1 {
			t.Errorf("%s: %+v, %v", key, f, err)
		}
		if _, err := blank.Get(key); err != nil {
			t.Errorf("before any run: %v", err)
		}
	}
	if !slices.Equal(blank.Keys(), sum.Keys()) {
		t.Error("the keys before a run are others than after it")
	}
	if f, _ := sum.Get("endpoints.shop.refused"); f.Mean != 0 || math.IsInf(f.Half, 1) {
		t.Errorf("%+v", f)
	}
}

func TestRowFigurePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a figure that is none was returned")
		}
	}()
	(&Row{Key: "x"}).Figure("y")
}

// A curve is made of the slices of all runs; where nothing ended it has a gap.
func TestSeries(t *testing.T) {
	s := checkout(t, "    breaker: {window: 20 calls, calls: 10, failures: 50%, open: {for: 3s, jitter: 0%}}\n"+
		"    timeout: {request: 100ms}\n", slow)
	all := runs(t, s, 2)
	sum := Summarise(all)
	c := sum.Over("endpoints.pricing." + Success)
	if c == nil || len(c.Values) != 120 || c.Slice != 250*time.Millisecond || c.Unit != Share {
		t.Fatalf("%+v", c)
	}
	for k, v := range c.Values {
		a, b := all[0].Endpoints[0].Slices[k], all[1].Endpoints[0].Slices[k]
		want := float64(a.Answered()+b.Answered()) / float64(a.Answered()+a.Failed()+b.Answered()+b.Failed())
		if v != want {
			t.Errorf("slice %d: %v, want %v", k, v, want)
		}
	}
	arrived := 0.0
	for _, v := range sum.Over("services.checkout." + Rate).Values {
		arrived += v * 0.25
	}
	if n := all[0].Services[0].Arrived + all[1].Services[0].Arrived; !near(arrived, float64(n)/2, 1e-6) {
		t.Errorf("the rates come to %v arrivals, there were %v", arrived, float64(n)/2)
	}
	busy := 0.0
	for _, v := range sum.Over("services.checkout." + Busy).Values {
		busy += v / 120
	}
	if want := (all[0].Services[0].Busy + all[1].Services[0].Busy) / 2; !near(busy, want, 1e-6*want) {
		t.Errorf("the mean of the curve is %v busy workers, want %v", busy, want)
	}
	open := sum.Over("dependencies.checkout.recommendations." + Open)
	if open.Values[10] != 0 || open.Values[30] != 1 {
		t.Errorf("breakers that are not closed: %v", open.Values)
	}
	if sum.Over("endpoints.pricing.p99") != nil {
		t.Error("there is a curve of a figure that has none")
	}
	if s := sampleAt(nil, 3); s.Full != -1 || s.Arrived != 0 {
		t.Errorf("a sample of nothing is %+v", s)
	}
}

func TestNotClosed(t *testing.T) {
	d := &sim.DependencyResult{Users: 3, Timeline: []sim.Transition{
		{At: 1, User: 0, To: "open"}, {At: 2, User: 2, To: "open"}, {At: 5, User: 0, To: "half-open"},
		{At: 6, User: 0, To: "closed"}}}
	for at, want := range []int{0, 1, 2, 2, 2, 2, 1} {
		if got := notClosed(d, time.Duration(at)); got != want {
			t.Errorf("at %d %d breakers are not closed, want %d", at, got, want)
		}
	}
}
