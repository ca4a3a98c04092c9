package sim

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

func run(t testing.TB, s *config.Scenario, seed uint64) *Result {
	t.Helper()
	r, err := Run(s, Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const tryEverything = tryTimeout + tryBudget + tryBreaker + tryBulkhead + tryFallback

// Same scenario and seed, same bytes; another seed, other bytes.
func TestF196SameSeedSameBytes(t *testing.T) {
	s := tryScenario(t, tryTimeout+tryBudget+tryBreaker, 300*time.Millisecond, false)
	s.For = 20 * time.Second
	first := text(t, run(t, s, 0))
	for range 3 {
		if text(t, run(t, s, 0)) != first {
			t.Fatal("a second run differs")
		}
	}
	if text(t, run(t, s, 1)) == first {
		t.Error("another seed gave the same run")
	}
}

// A trace must not change what happens, and has every decision in order.
func TestTraceChangesNothing(t *testing.T) {
	s := tryScenario(t, tryEverything, time.Second, false)
	s.For = 12 * time.Second
	var events []core.Event
	r, err := Run(s, Options{Trace: func(e core.Event) { events = append(events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := text(t, r), text(t, run(t, s, 0)); got != want {
		t.Error("the traced run differs")
	}
	for i := 1; i < len(events); i++ {
		if events[i].At < events[i-1].At {
			t.Fatalf("event %d is out of order", i)
		}
	}
	if len(events) < 10_000 || events[0].Policy == "" {
		t.Errorf("%d events, the first %+v", len(events), events[0])
	}
}

// Common random numbers: switching a protection on leaves arrivals and service
// times as they were, so that what differs is its doing.
func TestProtectionDoesNotShiftDraws(t *testing.T) {
	race.OneGoroutine(t)
	bare := run(t, tryScenario(t, "", 0, false), 0)
	full := run(t, tryScenario(t, tryEverything, 0, false), 0)
	for i := range bare.Endpoints {
		a, b := bare.Endpoints[i], full.Endpoints[i]
		if a.Sent != b.Sent {
			t.Errorf("%s: %d and %d sent", a.Name, a.Sent, b.Sent)
		}
	}
	a, b := bare.Endpoint("pricing"), full.Endpoint("pricing")
	if a.Latency.Sum != b.Latency.Sum {
		t.Errorf("pricing's latencies differ: %v and %v", a.Latency.Sum, b.Latency.Sum)
	}
	// An unrelated client leaves the others' draws alone.
	more := tryScenario(t, "", 0, false)
	more.Services = append(more.Services, &config.Service{Name: "other", Instances: 1,
		Routes: []*config.Route{{Name: "default", Work: config.Latency{Floor: 1e6}}}})
	more.Clients = append(more.Clients, &config.Client{Name: "others", To: "other", Rate: 50})
	if c := run(t, more, 0).Endpoint("pricing"); c.Latency.Sum != a.Latency.Sum {
		t.Error("an unrelated client changed pricing's latencies")
	}
}

// randomScenario makes a world of anything: rules, gates, faults, layers.
func randomScenario(t *testing.T, rng *rand.Rand) *config.Scenario {
	s := tryScenario(t, []string{"", tryTimeout, tryTimeout + tryRetry, tryEverything,
		tryBudget + "    bulkhead: {limit: 5, queue: 3}\n" +
			"    timeout: {request: 100ms, acquire: 50ms}\n"}[rng.IntN(5)],
		time.Duration(rng.IntN(1000)+6)*time.Millisecond, false)
	s.For, s.Warmup = 6*time.Second, time.Second
	s.Seed = rng.Uint64()
	s.Clients[0].Rate = float64(rng.IntN(1500) + 1)
	s.Clients[0].Members = rng.IntN(3)
	if rng.IntN(3) == 0 {
		s.Clients[0].Users, s.Clients[0].Think = 50, config.Latency{Floor: 1e7}
	}
	for _, v := range s.Services {
		v.Instances = 1 + rng.IntN(3)
		v.Workers = rng.IntN(60)
		v.Queue = config.Queue{Rule: config.Rule(rng.IntN(4)), Length: rng.IntN(100),
			DropExpired: rng.IntN(2) == 0, Target: 5e6, Interval: 1e8}
		v.Abandoned = config.Abandoned(rng.IntN(2))
		v.ReleaseWhileWaiting = rng.IntN(2) == 0
		v.IgnoreDeadline = rng.IntN(2) == 0
		v.Routes[0].Fails = float64(rng.IntN(3)) / 10
		if rng.IntN(3) == 0 {
			v.Capacity = config.Capacity{Rate: 100, Over: config.Over(rng.IntN(2))}
		}
		if rng.IntN(3) == 0 {
			v.Network = config.Network{Delay: config.Latency{Floor: 1e6}, Loss: 0.01}
		}
		if rng.IntN(4) == 0 {
			v.Health = &config.HealthModel{Interval: 5e8, Timeout: 1e8, Failures: 2, Restart: 1e9,
				Deep: rng.IntN(2) == 0}
		}
		if rng.IntN(4) == 0 {
			v.Cache = &config.CacheModel{Hits: 0.9, Fill: 100}
		}
	}
	for range rng.IntN(5) {
		s.Changes = append(s.Changes, config.Change{
			At:     time.Duration(rng.IntN(6000)) * time.Millisecond,
			Length: time.Duration(rng.IntN(3000)) * time.Millisecond,
			Kind: []config.ChangeKind{config.SetWork, config.SetFails, config.GoDown, config.GoSilent,
				config.Restart, config.CutNetwork, config.SetCapacity}[rng.IntN(7)],
			Of: s.Services[rng.IntN(len(s.Services))].Name, Share: 0.5, Buffered: rng.IntN(2) == 0,
			Work: config.Latency{Floor: 1e8}, Capacity: config.Capacity{Rate: 50, Over: config.Turn}})
	}
	return s
}

// The books of any world balance, and nothing is used after it was given back:
// Run panics otherwise. The same world again gives the same result.
func TestBooksBalanceInAnyWorld(t *testing.T) {
	n := uint64(200)
	if race.Enabled || testing.Short() {
		n = 5
	}
	for seed := range n {
		s := randomScenario(t, rand.New(rand.NewPCG(seed, 3)))
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d: %v", seed, p)
				}
			}()
			first := text(t, run(t, s, 0))
			if seed%10 == 0 && text(t, run(t, s, 0)) != first {
				t.Fatalf("seed %d: a second run differs", seed)
			}
		}()
	}
}

// Memory grows with what is under way, not with what was.
func TestMemoryDoesNotGrowWithCalls(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector's own memory grows")
	}
	live := func(d time.Duration) uint64 {
		s := tryScenario(t, tryEverything, time.Second, false)
		s.For = d
		w, err := newWorld(s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range w.clients {
			c.start()
		}
		w.Engine.Run(w.end)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		runtime.KeepAlive(w)
		return m.HeapAlloc
	}
	live(time.Second)
	short, long := live(15*time.Second), live(150*time.Second)
	if long > short+short/4+1<<20 {
		t.Errorf("%d bytes are in use after 15 s, %d after 150 s", short, long)
	}
}

// BenchmarkEngineFullLadder: every call goes through all rungs.
func BenchmarkEngineFullLadder(b *testing.B) {
	s := tryScenario(b, tryEverything, 0, false)
	for _, name := range []string{"pricing", "inventory"} {
		d := s.Services[0].Policy.Dependency(name)
		d.Settings.Call = s.Services[0].Policy.Dependency("recommendations").Settings.Call
		d.Settings.Call.Name = name
	}
	benchmarkScenario(b, s)
}

// BenchmarkEngineTryIt: 65 s of 1,000 requests a second, one dependency slow.
func BenchmarkEngineTryIt(b *testing.B) {
	benchmarkScenario(b, tryScenario(b, tryTimeout+tryRetry, time.Second, false))
}

func benchmarkScenario(b *testing.B, s *config.Scenario) {
	b.ReportAllocs()
	events := uint64(0)
	for b.Loop() {
		events += run(b, s, 0).Events
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/run")
}
