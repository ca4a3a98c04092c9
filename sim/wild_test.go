package sim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// wildRungs are those of recommendations in a wild world: any of them may be
// exchanged for any other while calls are under way.
var wildRungs = []string{
	"",
	tryTimeout,
	tryTimeout + tryRetry,
	tryEverything,
	tryTimeout + tryRetry + "    fallback: [{dependency: inventory}]\n",
	tryRetry + tryBreaker + "    bulkhead: {limit: 5, queue: 3}\n" +
		"    timeout: {request: 200ms, total: 400ms, acquire: 50ms}\n",
	tryBudget + "    bulkhead: {limit: 3, queue: 9, holds: attempts}\n" +
		"    timeout: {request: 100ms, acquire: 300ms}\n    fallback: [{dependency: pricing}, omit: {}]\n",
	tryTimeout + tryRetry + "    throttle: {k: 1.5, window: 500ms, minimum: 3}\n    bulkhead: {limit: 9}\n",
	tryTimeout + tryRetry + "    hedge: {after: 20ms, budget: 50%, slow: 100%, same: true}\n    bulkhead: {limit: 9}\n",
	tryBreaker + "    hedge: {after: p80, minimum: 5, copies: 3, budget: 100%, slow: 100%, same: true}\n" +
		"    timeout: {request: 150ms, acquire: 50ms}\n    bulkhead: {limit: 4, queue: 2}\n",
}

// wildScenario is a random one with what changes while calls are under way:
// policies, workers given back, calls side by side, other dependencies.
func wildScenario(t *testing.T, rng *rand.Rand) *config.Scenario {
	s := randomScenario(t, rng)
	rungs := func() string { return wildRungs[rng.IntN(len(wildRungs))] }
	front := s.Services[0]
	front.Policy = tryPolicy(t, rungs())
	front.ReleaseWhileWaiting = rng.IntN(4) > 0
	front.Workers = 1 + rng.IntN(20)
	front.Routes[2].Calls = append(front.Routes[2].Calls,
		config.Step{Dependency: "recommendations", To: "recommendations", Parallel: true},
		config.Step{Dependency: "pricing", To: "pricing", Parallel: rng.IntN(2) == 0},
		config.Step{Dependency: "recommendations", To: "recommendations"})
	s.Services[3].Routes[0].Status, s.Services[3].Routes[0].Fails = 503, rng.Float64()
	c := s.Clients[0]
	c.Rate = min(c.Rate, 300)
	c.Members = rng.IntN(4)
	if c.Users == 0 {
		c.Times = []time.Duration{0, time.Second, time.Second, 7 * time.Second}
	} else {
		c.Rate = 0
	}
	for range rng.IntN(6) {
		s.Changes = append(s.Changes, config.Change{Kind: config.SetPolicy, Of: "checkout",
			At:     time.Duration(rng.IntN(6000)) * time.Millisecond,
			Length: time.Duration(rng.IntN(2)*rng.IntN(2000)) * time.Millisecond,
			Policy: tryPolicy(t, rungs())})
	}
	for range rng.IntN(6) {
		s.Changes = append(s.Changes, config.Change{Of: "checkout",
			Kind:   []config.ChangeKind{config.GoDown, config.Restart, config.GoSilent}[rng.IntN(3)],
			At:     time.Duration(rng.IntN(6000)) * time.Millisecond,
			Length: time.Duration(1+rng.IntN(500)) * time.Millisecond})
	}
	return s
}

// The books of a wild world balance; nobody is given back twice or works
// without a worker; and when everything has ended nothing is held.
func TestBooksBalanceInAWildWorld(t *testing.T) {
	n := uint64(150)
	if race.Enabled || testing.Short() {
		n = 5
	}
	for seed := range n {
		s := wildScenario(t, rand.New(rand.NewPCG(seed, 9)))
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d: %v", seed, p)
				}
			}()
			wild(t, s, seed)
		}()
	}
}

func wild(t *testing.T, s *config.Scenario, seed uint64) *Result {
	first := run(t, s, 0)
	if seed%5 == 0 && text(t, run(t, s, 0)) != text(t, first) {
		t.Fatalf("seed %d: a second run differs", seed)
	}
	open := 0
	w, err := newWorld(s, Options{Trace: func(e core.Event) {
		switch e.Kind {
		case core.CallStarted:
			open++
		case core.CallEnded:
			open--
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.clients {
		c.start()
	}
	for i := range s.Changes {
		w.plan(&s.Changes[i])
	}
	const step = core.Instant(3 * time.Millisecond)
	for at := core.Instant(0); at < w.end; at += step {
		w.Engine.Run(at)
		w.noneTwice(t, seed)
		if at/step%10 == 0 { // it takes long to look at a door
			w.doorsHold(t, seed)
		}
	}
	w.check()
	under := 0
	for _, m := range w.members {
		x := m.plan.Snapshot(w.now).Stats
		under += int(m.begun) - int(x.Succeeded+x.Failed+x.Rejected+x.Cancelled)
	}
	if open != under {
		t.Fatalf("seed %d: the trace has %d calls under way, the counts have %d", seed, open, under)
	}
	return first
}

// noneTwice checks that what was given back is there once, and not in use, and
// that whoever calls has a worker.
func (w *World) noneTwice(t *testing.T, seed uint64) {
	calls, jobs := map[*outcall]bool{}, map[*job]bool{}
	for _, o := range w.outcalls {
		if calls[o] {
			t.Fatalf("seed %d: at %v a call was given back twice", seed, time.Duration(w.now))
		}
		calls[o] = true
	}
	for _, j := range w.jobs {
		if jobs[j] {
			t.Fatalf("seed %d: at %v a request was given back twice", seed, time.Duration(w.now))
		}
		jobs[j] = true
	}
	for _, s := range w.services {
		for _, i := range s.instances {
			for j := i.active; j != nil; j = j.after {
				for _, o := range j.calls {
					switch {
					case jobs[j] || o != nil && calls[o]:
						t.Fatalf("seed %d: at %v something is used after it was given back", seed,
							time.Duration(w.now))
					case o != nil && o.live != 0 && !j.worker:
						t.Fatalf("seed %d: at %v a request without a worker makes a call", seed,
							time.Duration(w.now))
					}
				}
			}
		}
	}
}
