package sim

import (
	"reflect"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// doorPolicy is a policy file with this serve section.
func doorPolicy(t testing.TB, section string) *config.File {
	t.Helper()
	f, err := config.Parse("door.yaml", []byte("version: 1\nservice: shop\nserve:\n"+section))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// page is a service with a door, called at the given times.
func page(t testing.TB, section string, times ...time.Duration) *config.Scenario {
	s := &config.Scenario{Name: "page", Seed: 1, For: 20 * time.Second,
		Clients: []*config.Client{{Name: "users", To: "shop", Times: times, Patience: time.Second}},
		Services: []*config.Service{{Name: "shop", Instances: 1,
			Routes: []*config.Route{{Name: "default", Work: config.Latency{Floor: 10 * ms}}}}}}
	if section != "" {
		s.Services[0].Policy = doorPolicy(t, section)
	}
	return s
}

// took is how long each request of a run took, by its number.
func took(t testing.TB, s *config.Scenario) (all []time.Duration) {
	t.Helper()
	if _, err := Run(s, Options{Fate: func(f Fate) { all = append(all, f.Took) }}); err != nil {
		t.Fatal(err)
	}
	return all
}

// A feature's time is added to the work, unless the door leaves it out.
func TestFeaturesTakeTheirTime(t *testing.T) {
	features := []config.Feature{{Name: "prefetch", Work: config.Latency{Floor: 5 * ms}},
		{Name: "ads", Work: config.Latency{Floor: 2 * ms}}}
	for name, tc := range map[string]struct {
		section string
		first   time.Duration // of the first request
		later   time.Duration // of one after half a second
	}{
		"no door": {"", 17 * ms, 17 * ms},
		"no list": {"  concurrency: {}\n", 17 * ms, 17 * ms},
		// Each request waits for the one before it, which is pressure enough.
		"a list": {"  concurrency: {algorithm: fixed, limit: 1}\n  queue: {length: 10}\n" +
			"  degrade: {features: [prefetch], on: 0.01, step: 100ms}\n", 17 * ms, 12 * ms},
	} {
		s := page(t, tc.section, 0, 0, 0, 200*ms, 500*ms)
		s.Services[0].Routes[0].Features = features
		if all := took(t, s); len(all) != 5 || all[0] != tc.first || all[4] != tc.later {
			t.Errorf("%s: the requests take %v", name, all)
		}
	}
}

// The draws of a feature are its own and belong to the request: one more
// feature changes neither the work nor the other feature.
func TestFeaturesDoNotShiftDraws(t *testing.T) {
	expo := config.Latency{Shape: config.Exponential, Mean: 5 * ms}
	var times []time.Duration
	for n := range time.Duration(50) {
		times = append(times, n*300*ms)
	}
	with := func(features ...config.Feature) []time.Duration {
		s := page(t, "", times...)
		s.Services[0].Routes[0].Work = expo
		s.Services[0].Routes[0].Features = features
		return took(t, s)
	}
	a, b := config.Feature{Name: "a", Work: expo}, config.Feature{Name: "b", Work: expo}
	none, onlyA, onlyB, both, turned := with(), with(a), with(b), with(a, b), with(b, a)
	for k := range none {
		if own := onlyA[k] - none[k]; both[k]-onlyB[k] != own || own < 0 {
			t.Fatalf("request %d: a takes %v beside b, %v without", k, both[k]-onlyB[k], own)
		}
	}
	if !reflect.DeepEqual(both, turned) {
		t.Error("the order of the features matters")
	}
	if reflect.DeepEqual(onlyA, onlyB) || reflect.DeepEqual(onlyA, none) {
		t.Error("two features draw the same")
	}
}

// What a service counts of its doors is what they count themselves, warm-up
// apart, however the requests leave.
func TestDoorsAreCounted(t *testing.T) {
	s := page(t, "  deadline: {default: 200ms}\n  concurrency: {min: 2, limit: 4, max: 20}\n"+
		"  queue: {length: 10, discipline: fifo}\n  shed: {}\n  tenants: {header: T, limit: 3}\n")
	v := s.Services[0]
	v.Workers, v.Instances, v.Queue.Rule, v.IgnoreDeadline = 3, 2, config.FIFO, true
	v.Routes[0].Work = config.Latency{Shape: config.Exponential, Mean: 40 * ms}
	v.Routes[0].Fails, v.Routes[0].Status = 0.1, 500
	c := s.Clients[0]
	c.Times, c.Rate, c.Patience = nil, 250, 150*ms
	other := *c
	other.Name, other.Criticality, other.Tenant, other.Rate = "rest", core.Sheddable, "acme", 100
	s.Clients = append(s.Clients, &other)
	all := run(t, s, 0).Services[0]
	var want DoorResult
	count := map[core.Reason]uint64{}
	for _, d := range all.Doors {
		for i, x := range d.Classes {
			c := &want.Classes[i]
			*c = serve.Class{Offered: c.Offered + x.Offered, Admitted: c.Admitted + x.Admitted,
				Refused: c.Refused + x.Refused, Left: c.Left + x.Left, Useful: c.Useful + x.Useful}
		}
		for _, r := range d.Refused {
			count[r.Reason] += r.Count
		}
	}
	if all.Door.Classes != want.Classes {
		t.Errorf("counted %+v, the doors have %+v", all.Door.Classes, want.Classes)
	}
	for _, r := range all.Door.Refused {
		if count[r.Reason] != r.Count {
			t.Errorf("%v: counted %d, the doors have %d", r.Reason, r.Count, count[r.Reason])
		}
		delete(count, r.Reason)
	}
	if len(count) > 0 || len(all.Door.Refused) < 3 {
		t.Errorf("not counted: %v; counted: %v", count, all.Door.Refused)
	}
	x := all.Door.Classes[core.Critical.Index()]
	if x.Left == 0 || x.Refused == 0 || x.Useful == 0 || x.Useful >= x.Admitted {
		t.Errorf("the class of users: %+v", x)
	}
	s.Warmup = 10 * time.Second
	if late := run(t, s, 0).Services[0].Door.Classes[core.Critical.Index()]; late.Offered*3 > x.Offered*2 {
		t.Errorf("half of the run has %d of %d", late.Offered, x.Offered)
	}
}

// BenchmarkEngineDoor is BenchmarkEngineTryIt with a door before the checkout,
// and nothing else.
func BenchmarkEngineDoor(b *testing.B) {
	s := tryScenario(b, tryTimeout+tryRetry+"serve:\n  deadline: {default: 1s}\n"+
		"  concurrency: {max: 400}\n  queue: {length: 20}\n  shed: {}\n", time.Second, false)
	benchmarkScenario(b, s)
}
