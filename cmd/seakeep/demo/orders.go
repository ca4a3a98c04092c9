package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// maxOrders bounds how many orders are kept; the oldest go.
const maxOrders = 1000

// orders are what the dashboard's control has ordered, the oldest first.
type orders struct {
	mu   sync.Mutex
	list []order
	all  int // that there were
}

// order is one of them.
type order struct {
	at   time.Duration // since the run began
	name string
	slow *Slow // nil: as --slow says
}

func (o *orders) add(n order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all++; len(o.list) == maxOrders {
		o.list = append([]order(nil), o.list[1:]...)
	}
	o.list = append(o.list, n)
}

// count returns how many there were.
func (o *orders) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all
}

// of returns those about one dependency.
func (o *orders) of(name string) (all []order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range o.list {
		if n.name == name {
			all = append(all, n)
		}
	}
	return all
}

// slowOrder is what the dashboard's control of a dependency sends, and in an answer
// what holds.
type slowOrder struct {
	Name    string `json:"name"`
	Latency string `json:"latency"` // a time, down, none for no answer, or auto for what --slow says
}

// orderSlow makes a dependency slow, or well again.
func (s *stage) orderSlow(text []byte) error {
	var o slowOrder
	if err := json.Unmarshal(text, &o); err != nil {
		return fmt.Errorf(`give {"name": "recommendations", "latency": "2s"}: %w`, err)
	}
	i := slices.Index(names[:], o.Name)
	if i < 0 {
		return fmt.Errorf("there is no dependency %q; give %s", o.Name, alternatives(names[:]))
	}
	slow := &Slow{Name: o.Name}
	switch o.Latency {
	case "auto":
		slow = nil
	case "down":
		slow.Fault = Down
	case "none":
		slow.Fault = Silent
	default:
		var err error
		slow.Mean, err = time.ParseDuration(o.Latency)
		if err != nil || slow.Mean < floor || slow.Mean > maxMean {
			return fmt.Errorf("%q is no latency; give a time such as 2s, from %v to %v, or down, none or auto",
				o.Latency, floor, maxMean)
		}
	}
	s.dependencies[i].order.Store(slow)
	s.orders.add(order{max(s.rec.clock.Now(), 0), o.Name, slow})
	return nil
}

// spells returns what is wrong with a dependency from one moment to another, in
// order: what was planned, and instead of it what was ordered while that held.
func spells(plan []Slow, all []order, from, to time.Duration) (list []Slow) {
	add := func(s Slow, begin, end time.Duration) {
		begin, end = max(begin, from), min(end, to)
		if begin < end && s.wrong() {
			s.Start, s.Length = begin, end-begin
			list = append(list, s)
		}
	}
	since, now := time.Duration(0), (*Slow)(nil)
	until := func(end time.Duration) {
		if now != nil {
			add(*now, since, end)
			return
		}
		for _, s := range plan {
			add(s, max(s.Start, since), min(s.end(), end))
		}
	}
	for _, o := range all {
		until(o.at)
		since, now = o.at, o.slow
	}
	until(to)
	slices.SortFunc(list, func(a, b Slow) int { return int(a.Start - b.Start) })
	return list
}

// ofDependency returns what is planned for one.
func ofDependency(all []Slow, name string) (own []Slow) {
	for _, s := range all {
		if s.Name == name {
			own = append(own, s)
		}
	}
	return own
}

// change writes a spell as a scenario has it, from the scenario's start on.
func (s Slow) change(from, to time.Duration) string {
	text := "{at: " + live.Short(s.Start-from)
	if s.end() < to {
		text += ", for: " + live.Short(s.Length)
	}
	text += ", service: " + s.Name
	switch s.Fault {
	case Down:
		return text + ", down: true}"
	case Silent:
		return text + ", silent: true}"
	}
	return text + ", work: " + work(s.Mean) + "}"
}

// work writes a dependency's latency as a scenario has it.
func work(mean time.Duration) string {
	if mean <= floor {
		return live.Short(floor)
	}
	return fmt.Sprintf("{floor: %s, mean: %s}", live.Short(floor), live.Short(mean))
}
