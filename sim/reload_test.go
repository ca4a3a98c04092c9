package sim

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// parsed is a policy for back and spare.
func parsed(t testing.TB, rungs string) *config.File {
	t.Helper()
	return exact(t, rungs).Services[0].Policy
}

const quick = "    breaker: {window: {consecutive: 1}, open: {for: 50ms, jitter: 0%, growth: 1}}\n"

// A breaker that a new policy replaced has changed its state as often as it
// has, and what it did is in the timeline.
func TestTransitionsOutliveAPolicy(t *testing.T) {
	for _, next := range []string{"", "    breaker: {window: 4 calls, calls: 2, open: {for: 1s, jitter: 0%}}\n"} {
		s := exact(t, quick)
		s.Warmup = 300 * ms
		s.Clients[0].Rate, s.Clients[0].Arrivals = 100, config.Even
		s.Services[1].Routes[0].Fails, s.Services[1].Workers = 1, 0
		s.Changes = []config.Change{{Kind: config.SetPolicy, Of: "front", At: 500 * ms,
			Policy: parsed(t, next)}}
		_, r := fates(t, s)
		d := r.Dependencies[0]
		if d.Transitions == 0 || d.Transitions > 50 {
			t.Errorf("%d transitions", d.Transitions)
		}
		before := 0
		for i, c := range d.Timeline {
			if c.At < 500*ms {
				before++
			}
			if i > 0 && c.At < d.Timeline[i-1].At {
				t.Errorf("the timeline is out of order at %v", c.At)
			}
		}
		if before < 10 || d.OpenShare < 0.3 || d.OpenShare > 1 {
			t.Errorf("%d changes before the new policy, open share %v", before, d.OpenShare)
		}
	}
}

// A policy that comes later may have another dependency as a fallback.
func TestNewPolicyBringsItsFallback(t *testing.T) {
	s := exact(t, "")
	s.Clients[0].Times = []time.Duration{100 * ms, 600 * ms}
	s.Services[1].Routes[0].Fails = 1
	s.Changes = []config.Change{{Kind: config.SetPolicy, Of: "front", At: 500 * ms,
		Policy: parsed(t, "    fallback: [{dependency: spare}]\n")}}
	all, r := fates(t, s)
	if all[0].Answered || !all[1].Answered || !all[1].Fallback || all[1].Took != 20*ms {
		t.Errorf("%+v", all)
	}
	if r.Services[2].Arrived != 1 {
		t.Errorf("%d arrived at the spare", r.Services[2].Arrived)
	}
}

// A request whose caller left while it was on its way has nobody to hang for.
func TestNobodyHangsForNobody(t *testing.T) {
	s := exact(t, "    timeout: {request: 5ms}\n", 0, 10*ms, 20*ms)
	s.Services[1].Network.Delay = config.Latency{Floor: 8 * ms}
	s.Changes = []config.Change{{Kind: config.GoSilent, Of: "back"}}
	w, err := newWorld(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.clients[0].start()
	w.plan(&s.Changes[0])
	w.Engine.Run(core.Instant(900 * ms))
	w.check()
	if back := w.services[1]; back.count.hung != 3 || back.count.here.n != 0 {
		t.Errorf("%d hung, %d are still here", back.count.hung, back.count.here.n)
	}
}
