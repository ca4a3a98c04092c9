package search

import (
	"math"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/race"
)

const clientPolicy = `
version: 1
service: client
dependencies:
  server:
    timeout: {request: 1s}
    retry: {attempts: 3, backoff: {base: 0s, jitter: none}, budget: none, idempotent: always}
`

// spike is a FIFO server of 100 requests a second with clients that retry
// three times, a load of 80 and a spike of 150 for five seconds. The server
// does not learn that a client has given up.
func spike(t testing.TB) *config.Scenario {
	t.Helper()
	f, err := config.Parse("client.yaml", []byte(clientPolicy))
	if err != nil {
		t.Fatal(err)
	}
	return &config.Scenario{Name: "spike", Seed: 1, For: 120 * time.Second,
		Clients: []*config.Client{{Name: "users", To: "server", Rate: 80, Arrivals: config.Even,
			Member: config.Member{File: f, Dependency: "server"}}},
		Services: []*config.Service{{Name: "server", Instances: 1, Workers: 1,
			Queue:  config.Queue{Rule: config.FIFO},
			Routes: []*config.Route{{Name: "default", Work: config.Latency{Floor: 10e6}, Status: 500}}}},
		Changes: []config.Change{{Kind: config.SetRate, Of: "users", At: 10 * time.Second,
			Length: 5 * time.Second, Rate: 150}}}
}

var watch = Watch{After: 110 * time.Second}

// A spike of two seconds is survived, one of three is not: the backlog must
// not reach what clients wait for.
func TestSpikeLengthDecides(t *testing.T) {
	cells, err := Map(spike(t), []float64{1}, []time.Duration{1e9, 2e9, 3e9, 5e9}, watch)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		if stuck := c.Length > 2*time.Second; (c.Phase == Stuck) != stuck {
			t.Errorf("a spike of %v: %v", c.Length, c.Phase)
		}
	}
	if last := cells[3]; last.Goodput > 1 || math.Abs(last.Offered-240) > 3 {
		t.Errorf("stuck: goodput %.1f, offered %.1f, want 0 and 240", last.Goodput, last.Offered)
	}
}

// What ends it: a budget, a bound, dropping expired work or LIFO; jitter does
// not.
func TestSwitches(t *testing.T) {
	got, err := TrySwitches(spike(t), watch)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"as it is": false, "no retries": true, "full jitter": false,
		"retry budget 10 %": true, "drop expired work": true, "bounded queue": true, "LIFO queue": true}
	for _, r := range got {
		if ends := r.Phase != Stuck; ends != want[r.Name] {
			t.Errorf("%s: %v after %v", r.Name, r.Phase, r.At)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d switches, want %d", len(got), len(want))
	}
}

// Below capacity over attempts the system always comes back.
func TestSafeLoad(t *testing.T) {
	race.OneGoroutine(t)
	r, err := SafeLoad(spike(t), watch)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Flipping || r.Edge < 31.5 || r.Edge > 34 {
		t.Errorf("safe up to %.1f, want about 33 (100 over 3 attempts)", r.Edge)
	}
}

func TestRampHasTwoStates(t *testing.T) {
	points, err := Ramp(spike(t), 130, 13, 30*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		switch {
		case p.Load <= 90 && p.Up < 0.95*p.Load:
			t.Errorf("on the way up at %.0f: %.1f", p.Load, p.Up)
		case p.Load >= 50 && p.Load <= 90 && p.Down > 0.2*p.Load:
			t.Errorf("on the way down at %.0f: %.1f, want the other state", p.Load, p.Down)
		}
	}
}

func TestWaysOut(t *testing.T) {
	race.OneGoroutine(t)
	ways, err := WaysOut(spike(t), []time.Duration{5 * time.Second, 40 * time.Second}, watch)
	if err != nil {
		t.Fatal(err)
	}
	short, long := ways[0], ways[1]
	if long.To < 0 || long.To <= short.To && short.To >= 0 && short.To != long.To {
		t.Errorf("ways out: %+v", ways)
	}
	if long.After.Phase == Stuck {
		t.Errorf("the way out leads nowhere: %+v", long)
	}
}

func TestEdge(t *testing.T) {
	for _, c := range []struct {
		name  string
		edge  float64
		noise float64
		whole bool
	}{{"sharp", 573, 0, true}, {"noisy", 300, 40, true}, {"falling", 0.25, 0, false}} {
		t.Run(c.name, func(t *testing.T) {
			q := EdgeQuery{From: 1, To: 1000, Whole: c.whole, Within: 0.002, Present: 20}
			if !c.whole {
				q = EdgeQuery{From: 0, To: 1, Present: 0.5}
			}
			r, err := Edge(q, func(x float64, seeds []uint64) ([]bool, error) {
				out := make([]bool, len(seeds))
				for i, s := range seeds {
					out[i] = x < c.edge+c.noise*(float64(s)/2-1)
				}
				return out, nil
			})
			if err != nil || !r.Flipping || !r.AtFrom || r.AtTo {
				t.Fatalf("%+v, %v", r, err)
			}
			if off := math.Abs(r.Edge - c.edge); off > max(2, c.noise/2) && c.whole || off > 0.02 && !c.whole {
				t.Errorf("edge at %v, want %v", r.Edge, c.edge)
			}
			if r.Low > c.edge-c.noise || r.High < c.edge+c.noise {
				t.Errorf("band %v to %v does not hold the disagreement", r.Low, r.High)
			}
			if want := safety(q.Present, r.Edge); r.Safety != want || want < 1 {
				t.Errorf("safety %v", r.Safety)
			}
		})
	}
	if _, err := Edge(EdgeQuery{From: 2, To: 1}, nil); err == nil {
		t.Error("a range that is none was taken")
	}
	r, err := Edge(EdgeQuery{From: 1, To: 2}, func(_ float64, s []uint64) ([]bool, error) {
		return make([]bool, len(s)), nil
	})
	if err != nil || r.Flipping || r.AtFrom || r.AtTo {
		t.Errorf("no edge: %+v, %v", r, err)
	}
}

// The same requests, with and without retries.
func TestCompare(t *testing.T) {
	a := spike(t)
	a.For = 60 * time.Second
	b := Clone(a)
	Switches()[0].Set(b)
	c, err := Compare(a, b, Seeds(2), Serial)
	if err != nil {
		t.Fatal(err)
	}
	if c.Saved < 1000 || c.Lost > c.Saved/10 || c.Changed < c.Saved || len(c.Examples) != examples {
		t.Errorf("saved %d, lost %d, changed %d of %d, %d examples", c.Saved, c.Lost, c.Changed,
			c.Requests, len(c.Examples))
	}
	if at := time.Duration(c.Diverged); at < 10*time.Second || at > 16*time.Second {
		t.Errorf("diverged at %v, want soon after the spike began", at)
	}
	if same, err := Compare(a, Clone(a), Seeds(1), Serial); err != nil || same.Changed != 0 ||
		same.Diverged != core.Never {
		t.Errorf("a scenario differs from itself: %+v, %v", same, err)
	}
}
