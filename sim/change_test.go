package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

// Changes may lie within each other: the one that began last counts, and what
// held before holds again when it ends.
func TestChangesNest(t *testing.T) {
	s := tryScenario(t, "", 0, false)
	s.For, s.Warmup = 40*time.Second, 0
	s.Clients[0].Rate, s.Clients[0].Arrivals = 100, config.Even
	rate := func(at, length time.Duration, r float64) config.Change {
		return config.Change{Kind: config.SetRate, Of: "users", At: at * time.Second,
			Length: length * time.Second, Rate: r}
	}
	down := func(at, length time.Duration) config.Change {
		return config.Change{Kind: config.GoDown, Of: "pricing", At: at * time.Second,
			Length: length * time.Second}
	}
	s.Changes = []config.Change{rate(5, 30, 150), rate(20, 15, 200), rate(20, 5, 300),
		down(6, 6), down(8, 2)}
	r := run(t, s, 0)
	sent := func(from, to int) (n uint64) {
		for _, e := range r.Endpoints {
			for i := from * 3; i < to*3; i++ { // a slice is a third of a second
				n += e.Slices[i].Sent
			}
		}
		return n
	}
	for _, c := range []struct {
		from, to int
		rate     float64
	}{{1, 5, 100}, {6, 20, 150}, {21, 25, 300}, {26, 35, 200}, {36, 40, 100}} {
		got := float64(sent(c.from, c.to)) / float64(c.to-c.from)
		near(t, fmt.Sprintf("rate from %d to %d s", c.from, c.to), got, c.rate, 2)
	}
	pricing := r.Endpoint("pricing")
	for _, c := range []struct {
		at int
		up bool
	}{{5, true}, {7, false}, {11, false}, {13, true}} {
		if o := pricing.Slices[c.at*3]; (o.OK > 0) != c.up {
			t.Errorf("at %d s pricing answers %d of %d", c.at, o.OK, o.Sent)
		}
	}
}

// An undone change puts back what it changed and nothing else.
func TestUndoingOneChangeLeavesTheOther(t *testing.T) {
	s := tryScenario(t, "", 0, false)
	s.For, s.Warmup = 20*time.Second, 0
	s.Changes = []config.Change{
		{Kind: config.SetFails, Of: "pricing", At: 2 * time.Second, Length: 4 * time.Second, Share: 1},
		{Kind: config.SetWork, Of: "pricing", At: 4 * time.Second, Work: config.Latency{Floor: 100e6}}}
	r := run(t, s, 0)
	late := r.Endpoint("pricing").Slices[100]
	if late.OK == 0 || late.Errored > 0 {
		t.Errorf("after the failures ended: %+v", late)
	}
	if p50, _ := r.Endpoint("pricing").Latency.Quantile(0.5); p50 < 100*time.Millisecond {
		t.Errorf("the slowness went with the failures: p50 %v", p50)
	}
}
