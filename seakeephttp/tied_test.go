package seakeephttp

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// doors are two servers that serve one request at a time.
type doors struct {
	t    *testing.T
	gate [2]*Gate
	set  [2]*seakeep.Set
	url  [2]string
	hold [2]chan int // a request takes the status that it answers with

	mu   sync.Mutex
	runs []string // as "0 /path", and what they say of being copies
	seen []http.Header
}

const behindOne = "{concurrency: {algorithm: fixed, limit: 1}, queue: {length: 9}, tied: {trust: [127.0.0.1]}}"

func newDoors(t *testing.T) *doors {
	d := &doors{t: t}
	for i := range d.gate {
		d.hold[i] = make(chan int)
		h, set := guarded(t, behindOne, func(w http.ResponseWriter, r *http.Request) {
			d.mu.Lock()
			d.runs = append(d.runs, fmt.Sprint(i, " ", r.URL.Path))
			d.seen = append(d.seen, r.Header)
			d.mu.Unlock()
			select {
			case status := <-d.hold[i]:
				w.WriteHeader(status)
				fmt.Fprint(w, "from ", i)
			case <-r.Context().Done():
			}
		})
		d.set[i] = set
		d.url[i] = serve(t, h.ServeHTTP).URL
		d.gate[i] = gateIn(h)
		t.Cleanup(d.gate[i].Close)
	}
	return d
}

// gateIn is the gate of a Handler.
func gateIn(h http.Handler) *Gate { return h.(*guard).gate }

// transport is a client of both, whose calls are tied.
func (d *doors) transport(delay string, settings ...string) (*Transport, *seakeep.Policy) {
	lines := "hedge: {tied: {delay: " + delay + "}}"
	for _, s := range settings {
		lines += "\n    " + s
	}
	set := setOf(d.t, file(lines, d.url[0], d.url[1]))
	tr := transport(d.t, set, own(d.t))
	policy, err := set.Policy(tr.name)
	if err != nil {
		d.t.Fatal(err)
	}
	return tr, policy
}

// busy keeps both servers busy with a request each, and returns when they are.
func (d *doors) busy() {
	d.t.Helper()
	for i := range d.url {
		go func() { _ = get(d.t, own(d.t), d.url[i]+"/before") }()
	}
	eventually(d.t, "both servers are busy", func() bool { return len(d.ran("/before")) == 2 })
}

// ran lists where a path was served.
func (d *doors) ran(path string) (at []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, run := range d.runs {
		if where, ok := strings.CutSuffix(run, " "+path); ok {
			at = append(at, where)
		}
	}
	return at
}

func (d *doors) waiting(i int) bool { return d.set[i].Door().Snapshot().Slots.Queued == 1 }

func (d *doors) counts(i int) TiedCounts {
	c, on := d.gate[i].Tied()
	if !on {
		d.t.Fatal("the door takes no tied requests")
	}
	return c
}

// sent sends a request, and returns what comes of it when it has.
func sent(t *testing.T, rt http.RoundTripper) func() got {
	out := make(chan got, 1)
	go func() { out <- get(t, rt, "http://x/tied") }()
	return func() got {
		select {
		case g := <-out:
			return g
		case <-time.After(10 * time.Second):
			t.Fatal("there is no answer")
			return got{}
		}
	}
}

// Both copies wait; the one that is served first has the other called off,
// wherever that is. Nobody takes it for a failure, and its place is free.
func TestTiedTwinIsCalledOff(t *testing.T) {
	for winner := range 2 {
		noLeak(t)
		d := newDoors(t)
		tr, policy := d.transport("1ms", "retry: {attempts: 3, budget: {ratio: 1%, floor: 0.001/s}}",
			"breaker: {window: {consecutive: 1}}", "outlier: {consecutive: 1}", "bulkhead: {limit: 2}")
		d.busy()
		answer := sent(t, tr)
		eventually(t, "both copies wait", func() bool { return d.waiting(0) && d.waiting(1) })
		d.hold[winner] <- 200 // what was before it is done
		eventually(t, "the twin is gone", func() bool {
			return !d.waiting(1-winner) && d.counts(1-winner).Cancelled == 1 && d.counts(winner).Told == 1
		})
		idleSlots(t, policy, 1)
		d.hold[winner] <- 200
		if g := answer(); g.err != nil || g.status != 200 || g.body != fmt.Sprint("from ", winner) {
			t.Errorf("answered %+v", g)
		}
		if at := d.ran("/tied"); len(at) != 1 || at[0] != fmt.Sprint(winner) {
			t.Errorf("it ran at %v, want %d", at, winner)
		}
		d.hold[1-winner] <- 200
		idle(t, policy)
		for _, e := range tr.Snapshot().Endpoints {
			if e.InFlight != 0 || e.Failing != 0 || e.Picked != 2 && e.Picked != 1 || e.State != 0 {
				t.Errorf("the balancer has %+v", e)
			}
		}
		if s := policy.Snapshot(); s.Breaker.State != 0 || s.Hedge.Counts.Sent != 1 {
			t.Errorf("the policy has %+v", s)
		}
		h := d.seen[2]
		if h["X-Seakeep-Attempt"] != nil || h[HedgeHeader] != nil || h[TiedHeader] != nil {
			t.Errorf("the program is told %v", h)
		}
		if left := d.set[1-winner].Door().Snapshot().Classes[core.Critical.Index()].Left; left != 1 {
			t.Errorf("%d have left the other door, want the twin", left)
		}
	}
}

// idleSlots waits until the client has n slots in use.
func idleSlots(t *testing.T, p *seakeep.Policy, n int) {
	t.Helper()
	eventually(t, "the twin's slot is free", func() bool { return p.Snapshot().Bulkhead.InUse == n })
}

// A copy that comes when its twin is served already is not served, though the
// door is free.
func TestTiedTwinThatComesLate(t *testing.T) {
	noLeak(t)
	d := newDoors(t)
	tr, policy := d.transport("200ms")
	answer := sent(t, tr)
	eventually(t, "the copy is turned away", func() bool {
		return d.counts(0).Cancelled+d.counts(1).Cancelled == 1
	})
	at := d.ran("/tied")
	if len(at) != 1 {
		t.Fatalf("it runs at %v", at)
	}
	d.hold[at[0][0]-'0'] <- 200
	if g := answer(); g.status != 200 {
		t.Errorf("answered %+v", g)
	}
	idle(t, policy)
}

// The twin was called off for a request that then fails. Being called off was
// no attempt, so the retry that the file allows is still there; and the failure
// is the call's.
func TestTiedRequestFailsAfterItsTwinIsGone(t *testing.T) {
	for _, attempts := range []int{1, 2} {
		noLeak(t)
		d := newDoors(t)
		tr, policy := d.transport("1ms", fmt.Sprintf("retry: {attempts: %d, backoff: {base: 1ms}}", attempts))
		d.busy()
		answer := sent(t, tr)
		eventually(t, "both copies wait", func() bool { return d.waiting(0) && d.waiting(1) })
		d.hold[0] <- 200
		eventually(t, "the twin is gone", func() bool { return d.counts(1).Cancelled == 1 })
		d.hold[1] <- 200
		eventually(t, "it is served", func() bool { return len(d.ran("/tied")) == 1 })
		d.hold[0] <- 503
		want := 503
		if attempts == 2 {
			want = 200
			select { // wherever the retry is
			case d.hold[0] <- 200:
			case d.hold[1] <- 200:
			case <-time.After(10 * time.Second):
				t.Fatal("there is no retry")
			}
		}
		if g := answer(); g.err != nil || g.status != want {
			t.Errorf("%d attempts: answered %+v, want %d", attempts, g, want)
		}
		idle(t, policy)
	}
}
