package sim

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

const ms = time.Millisecond

// exact is a world without chance: users ask front at given times, and front
// asks back, whose work takes 10 ms.
func exact(t testing.TB, rungs string, times ...time.Duration) *config.Scenario {
	t.Helper()
	f, err := config.Parse("exact.yaml", []byte("version: 1\nservice: front\ndependencies:\n"+
		"  back:\n    kind: optional\n"+rungs+"  spare:\n    kind: optional\n"))
	if err != nil {
		t.Fatal(err)
	}
	work := config.Latency{Floor: 10 * ms}
	return &config.Scenario{Name: "exact", For: time.Second,
		Clients: []*config.Client{{Name: "users", To: "front", Times: times}},
		Services: []*config.Service{
			{Name: "front", Policy: f, Instances: 1, Routes: []*config.Route{{Name: "default",
				Status: 500, Calls: []config.Step{{Dependency: "back", To: "back"}}}}},
			{Name: "back", Instances: 1, Workers: 1, Queue: config.Queue{Rule: config.FIFO},
				Routes: []*config.Route{{Name: "default", Work: work, Status: 503}}},
			{Name: "spare", Instances: 1,
				Routes: []*config.Route{{Name: "default", Work: work, Status: 503}}}}}
}

// fates runs and returns the ends of all requests.
func fates(t testing.TB, s *config.Scenario) (all []Fate, r *Result) {
	t.Helper()
	r, err := Run(s, Options{Fate: func(f Fate) { all = append(all, f) }})
	if err != nil {
		t.Fatal(err)
	}
	return all, r
}

func retries(n, more string) string {
	return "    retry: {attempts: " + n + ", backoff: " + more + ", budget: none, idempotent: always}\n"
}

// A request made at the very start, or at the very end of the warm-up, counts
// for users, services and dependencies alike.
func TestWhatBeginsWithTheMeasuringCounts(t *testing.T) {
	for _, warm := range []time.Duration{0, 100 * ms} {
		s := exact(t, "", warm)
		s.Warmup = warm
		_, r := fates(t, s)
		d := r.Dependencies[0]
		if r.Endpoints[0].Sent != 1 || r.Services[0].Arrived != 1 || r.Services[1].Arrived != 1 ||
			d.Amplification != 1 || d.Calls == 0 {
			t.Errorf("warm-up %v: sent %d, arrived %d and %d, amplification %v", warm,
				r.Endpoints[0].Sent, r.Services[0].Arrived, r.Services[1].Arrived, d.Amplification)
		}
	}
}

// Two requests at once and one worker: the second waits for the first.
func TestQueueOfTwoToTheNanosecond(t *testing.T) {
	all, r := fates(t, exact(t, "", 5*ms, 5*ms))
	if len(all) != 2 || all[0].Took != 10*ms || all[1].Took != 20*ms {
		t.Errorf("%+v", all)
	}
	if back := r.Services[1]; back.MostQueued != 1 || back.MostBusy != 1 {
		t.Errorf("%+v", back)
	}
}

// A slot given back at an instant is there for whoever arrives at it: a retry
// without a wait finds the worker that its failed attempt has left, and so does
// the next of a request's calls.
func TestAnEndedRequestHasLeftItsWorker(t *testing.T) {
	s := exact(t, retries("3", "{base: 0s, cap: 1s, jitter: none}"), 0)
	back := s.Services[1]
	back.Queue.Rule, back.Routes[0].Fails = config.Refuse, 1
	all, r := fates(t, s)
	if r.Services[1].Refused != 0 || all[0].Took.Round(time.Microsecond) != 30*ms {
		t.Errorf("retries: %d refused, took %v", r.Services[1].Refused, all[0].Took)
	}
	s = exact(t, "", 0)
	s.Services[1].Queue.Rule = config.Refuse
	calls := &s.Services[0].Routes[0].Calls
	*calls = append(*calls, (*calls)[0], (*calls)[0])
	all, r = fates(t, s)
	if r.Services[1].Refused != 0 || !all[0].Answered || all[0].Took != 30*ms {
		t.Errorf("calls: %d refused, %+v", r.Services[1].Refused, all[0])
	}
}

// Fixed backoff: 10 ms of work, 40 ms of wait, and so on.
func TestFixedBackoffToTheNanosecond(t *testing.T) {
	s := exact(t, retries("3", "{base: 40ms, cap: 40ms, jitter: none}"), 7*ms)
	s.Services[1].Routes[0].Fails = 1
	all, r := fates(t, s)
	if all[0].Took != 110*ms || r.Services[1].Arrived != 3 || r.Dependencies[0].Amplification != 3 {
		t.Errorf("%+v, %d arrived", all, r.Services[1].Arrived)
	}
}

// Calls that wait for their retries while their request has no worker are each
// woken once, and no call goes on before its own wait is over.
func TestParallelRetriesWithoutAWorker(t *testing.T) {
	s := exact(t, retries("3", "{base: 40ms, cap: 40ms, jitter: none}")+
		"    timeout: {total: 80ms}\n", 0, 0, 0)
	front, back := s.Services[0], s.Services[1]
	front.Workers, front.ReleaseWhileWaiting = 1, true
	front.Queue = config.Queue{Rule: config.FIFO}
	front.Routes[0].Work = config.Latency{Floor: 35 * ms}
	calls := &front.Routes[0].Calls
	*calls = append(*calls, (*calls)[0])
	(*calls)[1].Parallel = true
	back.Workers, back.Routes[0].Fails = 0, 1
	open := map[string]int{}
	r, err := Run(s, Options{Trace: func(e core.Event) {
		switch e.Kind {
		case core.CallStarted:
			open[e.Policy]++
		case core.CallEnded:
			open[e.Policy]--
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	for who, n := range open {
		if n != 0 {
			t.Errorf("%s: %d calls more began than ended", who, n)
		}
	}
	if r.Endpoints[0].Unended != 0 {
		t.Errorf("%d are not ended", r.Endpoints[0].Unended)
	}
}

// A worker is given back when all calls of a request wait for a retry, not
// while one of them is under way.
func TestOneWaitingCallDoesNotFreeTheWorker(t *testing.T) {
	s := exact(t, retries("2", "{base: 40ms, cap: 40ms, jitter: none}"), 0, 1*ms)
	front := s.Services[0]
	front.Workers, front.ReleaseWhileWaiting = 1, true
	front.Queue = config.Queue{Rule: config.FIFO}
	front.Routes[0].Calls = append(front.Routes[0].Calls,
		config.Step{Dependency: "spare", To: "spare", Parallel: true})
	s.Services[1].Routes[0].Fails = 1
	s.Services[2].Routes[0].Work.Floor = 100 * ms
	all, _ := fates(t, s)
	// The first fails at 10+40+10 ms, and only then the second begins.
	if all[0].Took != 60*ms || all[1].Took != 119*ms {
		t.Errorf("%+v", all)
	}
}

// A retry that waits for a place at the bulkhead keeps its worker: nobody
// would give it one when the place is there.
func TestWaitForASlotKeepsTheWorker(t *testing.T) {
	s := exact(t, retries("3", "{base: 10ms, cap: 10ms, jitter: none}")+
		"    bulkhead: {limit: 1, queue: 5, holds: attempts}\n    timeout: {acquire: 1s}\n", 0, 1*ms, 2*ms, 3*ms)
	front := s.Services[0]
	front.Workers, front.ReleaseWhileWaiting = 2, true
	front.Queue = config.Queue{Rule: config.FIFO}
	s.Services[1].Routes[0].Fails = 1
	w, err := newWorld(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.clients[0].start()
	for at := core.Instant(0); at < core.Instant(time.Second); at += core.Instant(ms) / 2 {
		w.Engine.Run(at)
		for j := w.services[0].instances[0].active; j != nil; j = j.after {
			for _, o := range j.calls {
				if o != nil && o.live != 0 && !j.worker {
					t.Fatalf("at %v an attempt is under way for a request without a worker",
						time.Duration(at))
				}
			}
		}
	}
	w.end = w.now
	w.check()
}
