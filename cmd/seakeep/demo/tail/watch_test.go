package tail

import (
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// A replica is out from the event that says so to the one that says the
// contrary, or to the end.
func TestEjections(t *testing.T) {
	clock := new(live.Clock)
	clock.StartAt(1)
	w := newWatcher(clock)
	w.know([]string{"a", "b", "c"})
	tell := func(second int, key, from, to string) {
		w.Observe(core.Event{At: clock.Instant(time.Duration(second) * time.Second),
			Kind: core.EndpointChanged, Key: key, From: from, To: to, Detail: "latency"})
	}
	tell(1, "c", "up", "ejected")
	tell(2, "c", "ejected", "ejected, unhealthy")
	tell(3, "b", "up", "unhealthy")
	tell(4, "nobody", "up", "ejected")
	tell(5, "c", "ejected, unhealthy", "unhealthy")
	tell(6, "a", "up", "ejected")
	tell(7, "c", "unhealthy", "ejected, unhealthy")
	tell(8, "c", "ejected, unhealthy", "up")
	w.Observe(core.Event{At: 1, Kind: core.EndpointChanged, Key: "b", To: "ejected", Observed: true})
	w.Observe(core.Event{At: 1, Kind: core.BreakerChanged, Key: "b", To: "ejected"})
	want := []Ejection{{3, -1, 4, "latency"}, {3, 5, 1, "latency"}, {1, 4, 4, "latency"}}
	if got := w.ejections(2*time.Second, 10*time.Second); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
