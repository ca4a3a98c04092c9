package sim

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// hedgedWorld is a shop that asks four instances, each of which answers an
// attempt after what slow says.
func hedgedWorld(t *testing.T, rungs string, slow func(request uint64, attempt int) time.Duration) call.Snapshot {
	t.Helper()
	text := "version: 1\nservice: shop\ndependencies:\n  search:\n" + rungs
	policy, err := config.Parse("shop.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &config.Scenario{For: 20 * time.Second,
		Clients: []*config.Client{{Name: "users", To: "shop", Rate: 100}},
		Services: []*config.Service{
			{Name: "shop", Policy: policy, Instances: 1, Routes: []*config.Route{{Name: "find",
				Calls: []config.Step{{Dependency: "search", To: "search"}}}}},
			{Name: "search", Instances: 4, Routes: []*config.Route{{Name: "query"}}}}}
	w, err := newWorld(s, Options{Answer: func(service string, request uint64, attempt int) (
		time.Duration, core.Result, bool) {
		if service != "search" {
			return 0, core.Result{}, false
		}
		return slow(request, attempt), core.Result{Outcome: core.Success}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.clients[0].start()
	w.Engine.Run(w.end)
	w.check()
	return w.services[0].instances[0].members[0].plan.Snapshot(w.now)
}

// A stall of one attempt in twenty is over when the copy is answered.
func TestCopiesInTheSimulator(t *testing.T) {
	stalls := func(request uint64, attempt int) time.Duration {
		if request%20 == 0 && attempt == 0 {
			return time.Second
		}
		return 10 * time.Millisecond
	}
	for _, c := range []struct {
		rungs     string
		p99, sent float64
	}{
		{"    bulkhead: {limit: 100}\n", 1000, 0},
		{"    bulkhead: {limit: 100}\n    hedge: {after: 20ms, budget: 10%}\n", 20, 0.05},
		{"    bulkhead: {limit: 100}\n    hedge: {after: p90, budget: 10%}\n", 20, 0.05},
	} {
		s := hedgedWorld(t, c.rungs, stalls)
		p99, _ := s.Stats.Latency.Quantile(0.99)
		if c.sent == 0 {
			if s.Hedge != nil || p99 < time.Second/2 {
				t.Errorf("without a hedge: %+v, p99 %v", s.Hedge, p99)
			}
			continue
		}
		share := float64(s.Hedge.Counts.Sent) / float64(s.Hedge.Counts.Calls)
		if share < c.sent-0.01 || share > c.sent+0.005 || s.Hedge.Counts.Won != s.Hedge.Counts.Sent ||
			p99 > 25*time.Millisecond {
			t.Errorf("%s: %+v, p99 %v", c.rungs, s.Hedge.Counts, p99)
		}
		if s.Bulkhead.InUse > 2 || s.Stats.Abandoned != 0 {
			t.Errorf("%d slots in use, %d abandoned", s.Bulkhead.InUse, s.Stats.Abandoned)
		}
	}
}

// F088: when every call is slow there are few copies, and with nothing slow
// none.
func TestF088EverythingSlow(t *testing.T) {
	for after, most := range map[time.Duration]uint64{50 * time.Millisecond: 11, 5 * time.Millisecond: 0} {
		s := hedgedWorld(t, "    hedge: {after: 20ms, budget: 10%}\n",
			func(uint64, int) time.Duration { return after })
		if s.Hedge.Counts.Sent > most || s.Hedge.Counts.Calls < 1900 {
			t.Errorf("all take %v: %+v, want at most %d copies", after, s.Hedge.Counts, most)
		}
	}
}
