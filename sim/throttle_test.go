package sim

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

// shipped runs a scenario of testdata/scenarios with changed keys.
func shipped(t *testing.T, name string, sets ...string) *Result {
	t.Helper()
	d, err := config.OpenDraft("../testdata/scenarios/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		key, value, _ := strings.Cut(set, "=")
		if d, err = d.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := d.Parse()
	if err != nil {
		t.Fatal(err)
	}
	return run(t, s, 0)
}

// Where refusing is work, a client that holds back is the difference between
// what the dependency can do and nothing: docs/policies/throttle.md.
func TestThrottleKeepsRefusalsSmall(t *testing.T) {
	race.OneGoroutine(t)
	on := shipped(t, "costly-refusals")
	off := shipped(t, "costly-refusals", "dependencies.search.throttle=")
	observed := shipped(t, "costly-refusals", "dependencies.search.throttle.mode=observe")
	// In the minute of 400 calls a second, slices 30 to 90 of 120.
	served := func(r *Result) (n float64) {
		for _, s := range r.Endpoint("find").Slices[35:90] {
			n += float64(s.OK) / 55
		}
		return n
	}
	if a, b := served(on), served(off); a < 70 || a > 81 || b > 1 {
		t.Errorf("%.1f a second are served with a throttle and %.1f without, want 80 and none", a, b)
	}
	find := func(r *Result) Outcomes { return r.Endpoint("find").Outcomes }
	if !reflect.DeepEqual(find(observed), find(off)) {
		t.Errorf("a throttle that watches changes %+v to %+v", find(off), find(observed))
	}
}

// Each decision, when every draw is a half: 503s fill the window, and from the
// tenth on calls are refused until it has forgotten them.
func TestThrottleToTheNanosecond(t *testing.T) {
	var times []time.Duration
	for n := range time.Duration(40) {
		times = append(times, n*50*ms)
	}
	s := exact(t, "    throttle: {window: 1s}\n", times...)
	s.For = 3 * time.Second
	s.Services[1].Routes[0].Fails = 1
	var refused []time.Duration
	_, err := Run(s, Options{Draw: func() float64 { return 0.5 }, Trace: func(e core.Event) {
		if e.Kind == core.CallRejected && strings.HasPrefix(e.Policy, "front") {
			if e.Reason != core.Throttled {
				t.Errorf("refused for %v", e.Reason)
			}
			refused = append(refused, time.Duration(e.At))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	// Ten answers, at 10 ms to 460 ms, and from the call at 500 ms on all are held
	// back: what is refused keeps the window full, and 0.5 is below the cap.
	if len(refused) != 30 || refused[0] != 500*ms {
		t.Errorf("%d refused, the first at %v", len(refused), refused[:min(1, len(refused))])
	}
}

// Every call that is made for a request is of its class, retries and calls
// further down included.
func TestTheClassGoesDown(t *testing.T) {
	s := exact(t, retries("2", "{base: 1ms, jitter: none}")+"    fallback: [{dependency: spare}]\n", 0, 100*ms)
	s.Services[1].Routes[0].Fails = 1
	s.Clients[0].Criticality = core.SheddablePlus
	seen := map[core.EventKind]int{}
	_, err := Run(s, Options{Trace: func(e core.Event) {
		if seen[e.Kind]++; e.Criticality != core.SheddablePlus {
			t.Errorf("%v of %s is %v", e.Kind, e.Policy, e.Criticality)
		}
	}})
	if err != nil || seen[core.CallStarted] != 6 || seen[core.AttemptStarted] != 8 {
		t.Errorf("%v, %v", seen, err)
	}
}

// A throttle draws from a stream of its own: the jitter of the retries stays.
func TestThrottleDoesNotShiftJitter(t *testing.T) {
	waits := func(rungs string) (all []time.Duration) {
		s := exact(t, retries("3", "{base: 20ms, jitter: full}")+rungs, 0, 100*ms, 200*ms)
		s.Services[1].Routes[0].Fails = 1
		_, err := Run(s, Options{Trace: func(e core.Event) {
			if e.Kind == core.RetryScheduled {
				all = append(all, e.Took)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	without, with := waits(""), waits("    throttle: {minimum: 1000}\n")
	if len(without) != 6 || !reflect.DeepEqual(without, with) {
		t.Errorf("waits of %v become %v", without, with)
	}
}
