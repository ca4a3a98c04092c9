package conformance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
)

// doorWorld is a service that is asked for twice what it can do, by four kinds
// of clients. Its times are such that no two things happen at once, because the
// library's goroutines would have no order then.
const doorWorld = `
version: 1
name: door
for: 3s
clients:
  plus: {to: shop, rate: 21/s, arrivals: even, patience: 300ms, criticality: critical_plus}
  usual: {to: shop, rate: 61/s, arrivals: even, patience: 290ms, tenant: acme}
  batch: {to: shop, rate: 83/s, arrivals: even, patience: 250ms, criticality: sheddable_plus}
  spare: {to: shop, rate: 41/s, arrivals: even, patience: 30ms, criticality: sheddable}
services:
  shop: {policy: p.yaml, work: 20.00017ms}
`

var doorPolicies = map[string]string{
	"fixed": "concurrency: {algorithm: fixed, limit: 2}\n  queue: {length: 6, wait: 200ms}",
	"fifo":  "concurrency: {algorithm: fixed, limit: 2}\n  queue: {length: 6, wait: 100ms, discipline: fifo, full: reject}",
	"tenants": "concurrency: {algorithm: fixed, limit: 3}\n  queue: {length: 8, wait: 100ms}\n" +
		"  tenants: {header: X-Tenant, limit: 1, queue: 2}",
	"observe": "concurrency: {algorithm: fixed, limit: 1, mode: observe}\n  deadline: {needs: 50ms, mode: observe}",
	"aimd":    "concurrency: {algorithm: aimd, min: 1, max: 4, limit: 1, window: 100ms}\n  queue: {length: 4}",
	"needs":   "deadline: {default: 200ms, needs: 40ms}\n  concurrency: {algorithm: fixed, limit: 2}\n  queue: {length: 30}",
}

// decisions is a log that both drivers fill.
type decisions struct {
	mu    sync.Mutex
	start core.Instant
	lines []string
}

// Observe implements core.Observer.
func (d *decisions) Observe(e core.Event) {
	if e.Kind < core.RequestQueued { // the clients' own calls
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%v %v %v %v %s>%s", time.Duration(e.At-d.start), e.Kind,
		e.Criticality, e.Reason, e.From, e.To))
}

// settle puts decisions of one instant in one order: two requests that were let
// in together may end in either.
func (d *decisions) settle() {
	slices.SortStableFunc(d.lines, func(a, b string) int {
		at := func(line string) time.Duration {
			d, _ := time.ParseDuration(line[:strings.IndexByte(line, ' ')])
			return d
		}
		return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a, b))
	})
}

// The door decides the same, at the same nanoseconds, whether goroutines or
// events come through it.
func TestDoor(t *testing.T) {
	for name, policy := range doorPolicies {
		t.Run(name, func(t *testing.T) {
			s, file := doorScenario(t, policy)
			var want decisions
			if _, err := sim.Run(s, sim.Options{Trace: want.Observe}); err != nil {
				t.Fatal(err)
			}
			var got decisions
			synctest.Test(t, func(t *testing.T) { throughDoor(t, s, file, &got) })
			if len(want.lines) < 300 {
				t.Errorf("only %d decisions", len(want.lines))
			}
			got.settle()
			want.settle()
			for i := range min(len(got.lines), len(want.lines)) {
				if got.lines[i] != want.lines[i] {
					t.Fatalf("decision %d:\nlibrary   %s\nsimulator %s", i, got.lines[i], want.lines[i])
				}
			}
			if len(got.lines) != len(want.lines) {
				t.Errorf("the library decides %d times, the simulator %d", len(got.lines), len(want.lines))
			}
		})
	}
}

func doorScenario(t *testing.T, serve string) (*config.Scenario, *config.File) {
	t.Helper()
	text := []byte("version: 1\nservice: shop\nserve:\n  " + serve + "\n")
	s, err := config.ParseScenario("door.yaml", []byte(doorWorld),
		func(string) ([]byte, error) { return text, nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.Clients { // to no common beat
		gap := time.Duration(float64(time.Second)/c.Rate) + time.Duration(13*i+1)
		for at := gap + time.Duration(i)*137*time.Microsecond; at < s.For; at += gap {
			c.Times = append(c.Times, at)
		}
		c.Rate = 0
	}
	return s, s.Services[0].Policy
}

// throughDoor sends the scenario's requests through a Door of the library.
func throughDoor(t *testing.T, s *config.Scenario, file *config.File, d *decisions) {
	d.start = seakeep.Now()
	set, err := seakeep.NewSet(file, seakeep.Options{Observer: d})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, c := range s.Clients {
		for _, at := range c.Times {
			all.Go(func() {
				time.Sleep(at)
				ctx, cancel := context.WithTimeout(context.Background(), c.Patience)
				defer cancel()
				v, err := set.Door().Enter(ctx, seakeep.Arrival{Class: c.Criticality, Tenant: c.Tenant})
				if err != nil {
					return
				}
				time.Sleep(time.Duration(s.Services[0].Routes[0].Work.Floor))
				v.End(core.Result{Outcome: core.Success})
			})
		}
	}
	time.Sleep(s.For)
	d.mu.Lock()
	lines := d.lines
	d.mu.Unlock()
	all.Wait()
	d.lines = lines
}
