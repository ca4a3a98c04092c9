package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// injured runs a caller of two instances for a while, a hundred calls a second,
// and returns the events that its policy causes.
func injured(t *testing.T, seed uint64, faults string) (events []core.Event) {
	t.Helper()
	f, err := config.Parse("f", []byte(`version: 1
service: caller
dependencies:
  server:
    endpoints: [http://a, http://b]
    timeout: {request: 1s}
    faults: {share: 100%, concurrent: 1000000, rules: [`+faults+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	sc := &config.Scenario{For: 100 * time.Second,
		Clients: []*config.Client{{Name: "client", To: "caller", Rate: 100}},
		Services: []*config.Service{
			{Name: "caller", Policy: f, Instances: 1, Routes: []*config.Route{{Name: "default",
				Calls: []config.Step{{Dependency: "server", To: "server"}}}}},
			{Name: "server", Instances: 2, Routes: []*config.Route{{Name: "default"}}}}}
	_, err = Run(sc, Options{Seed: seed, Trace: func(e core.Event) {
		if strings.HasPrefix(e.Policy, "caller") {
			events = append(events, e)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func count(events []core.Event, ok func(core.Event) bool) (n int) {
	for _, e := range events {
		if ok(e) {
			n++
		}
	}
	return n
}

func hurtBy(name string) func(core.Event) bool {
	return func(e core.Event) bool { return e.Kind == core.FaultInjected && e.Key == name }
}

// The share that was asked for, of the attempts to the endpoint that was named,
// for as long as the rule runs, and the same ones with the same seed.
func TestFaultsInTheSimulator(t *testing.T) {
	race.OneGoroutine(t)
	const whole = "{name: e, kind: error, status: 500, share: 30%, for: 50s}"
	events := injured(t, 1, whole)
	attempts := count(events, func(e core.Event) bool { return e.Kind == core.AttemptStarted })
	during := count(events, func(e core.Event) bool {
		return e.Kind == core.AttemptStarted && e.At < core.Instant(50*time.Second)
	})
	hurt := count(events, hurtBy("e"))
	failed := count(events, func(e core.Event) bool { return e.Kind == core.AttemptEnded && e.Cause == core.ServerError })
	if share := float64(hurt) / float64(during); attempts < 9000 || share < 0.28 || share > 0.32 || failed != hurt {
		t.Errorf("%d of %d are hurt, %d fail", hurt, during, failed)
	}
	if n := count(events, func(e core.Event) bool { return hurtBy("e")(e) && e.At >= core.Instant(50*time.Second) }); n > 0 {
		t.Errorf("%d are hurt after its end", n)
	}
	ends := count(events, func(e core.Event) bool {
		return e.Kind == core.FaultChanged && e.To == "off" && e.At == core.Instant(50*time.Second)
	})
	if ends != 1 {
		t.Errorf("it ends %d times on time", ends)
	}
	if again := injured(t, 1, whole); fmt.Sprint(again) != fmt.Sprint(events) {
		t.Error("the same seed gives something else")
	}
	some := injured(t, 1, "{name: e, kind: bandwidth, share: 100%, for: 1h, endpoint: http://b}")
	if n, all := count(some, hurtBy("e")), attempts; n < all*45/100 || n > all*55/100 {
		t.Errorf("%d of %d go to one of two endpoints", n, all)
	}
}

// Delays and hangs take the time that they should, and nothing is left over.
func TestFaultsTakeTimeInTheSimulator(t *testing.T) {
	race.OneGoroutine(t)
	for rule, want := range map[string]time.Duration{
		"{name: e, kind: latency, delay: 200ms, share: 100%, for: 1h}":      200 * time.Millisecond,
		"{name: e, kind: latency, delay: 5s, share: 100%, for: 1h}":         time.Second, // the attempt's limit
		"{name: e, kind: no-answer, share: 100%, for: 1h}":                  time.Second,
		"{name: e, kind: reset, share: 100%, for: 1h}":                      0,
		"{name: e, kind: slow-body, share: 100%, delay: 1s, for: 1h}":       0,
		"{name: e, kind: latency, delay: 200ms, share: 100%, marked: true}": 0,
	} {
		for _, e := range injured(t, 1, rule) {
			if e.Kind == core.AttemptEnded && e.Took != want {
				t.Errorf("%s: an attempt takes %v", rule, e.Took)
				break
			}
		}
	}
}
