package demo

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/curves"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/cmd/seakeep/lab"
	"github.com/seakeep/seakeep/core/breaker"
)

const (
	// lead is how long a simulated program needs until it is as the real one was at
	// that moment: its breakers, budgets and windows begin anew.
	lead = 15 * time.Second
	// shown is how far back a prediction goes beyond that.
	shown = 60 * time.Second
	// foreseen is how long a prediction is in all, what is still to come included.
	foreseen = 2 * time.Minute
)

// worldView is what predicts the demo: "seakeep sim" takes it as it is.
type worldView struct {
	Version int         `json:"version"`
	FromMS  float64     `json:"from_ms"` // Unix time at the simulation's start
	ForS    float64     `json:"for_s"`
	LeadS   float64     `json:"lead_s"` // of which the beginning is not to be looked at
	World   lab.World   `json:"world"`
	Slow    []spellView `json:"slow"` // what is wrong in that time, as it was planned and ordered
	Workers int         `json:"workers"`
	Protect string      `json:"protect"`
}

// spellView is a time in which a dependency is not well.
type spellView struct {
	slowOrder
	FromMS float64 `json:"from_ms"`
	ToMS   float64 `json:"to_ms"`
}

// world returns what predicts the demo, from a minute ago to a while from now, if
// everything stays as it is ordered.
func (s *stage) world(url.Values) (any, error) {
	now := max(s.rec.clock.Now(), 0)
	from := max(now-shown-lead, 0).Truncate(time.Second)
	to := from + foreseen
	v := &worldView{Version: version, FromMS: s.unixMS(from), ForS: foreseen.Seconds(),
		LeadS: min(from, lead).Seconds(), Workers: s.options.Pool, Protect: s.options.Protect.String(),
		World: lab.World{Scenario: s.scenario(from, to), Sets: []string{},
			Files: map[string]string{policyName: policyText(s.options.Protect)}},
		Slow: []spellView{}}
	for _, spell := range s.spells(from, to) {
		v.Slow = append(v.Slow, spellView{slowOrder{spell.Name, spell.latency()}, s.unixMS(spell.Start),
			s.unixMS(spell.end())})
	}
	return v, nil
}

// spells returns what is wrong with any dependency from one moment to another.
func (s *stage) spells(from, to time.Duration) (all []Slow) {
	for _, name := range names {
		all = append(all, spells(ofDependency(s.options.Slow, name), s.orders.of(name), from, to)...)
	}
	return all
}

// scenario writes the demo's world as a scenario file.
func (s *stage) scenario(from, to time.Duration) string {
	o := s.options
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	shares := strings.Join(names[:], ": 1, ") + ": 1"
	line("version: 1\nname: demo\nabout: The demo's program, its users, and what they have been up against.")
	line("for: %s\nwarmup: %s", live.Short(to-from), live.Short(min(from, lead)))
	line("\nclients:\n  users: {to: checkout, rate: %d/s, patience: %s, routes: {%s}}", o.Rate,
		live.Short(patience), shares)
	line("\nservices:\n  checkout:\n    policy: %s\n    workers: %d", policyName, o.Pool)
	if o.Queue > 0 {
		line("    queue: {rule: fifo, length: %d}", o.Queue)
	}
	if o.Protect.has(Timeout) {
		line("    abandoned: stops")
	} else {
		line("    abandoned: runs-on\n    ignore-deadline: true")
	}
	line("    routes:")
	for _, name := range names {
		line("      %s: {work: %s, calls: [%s]}", name, live.Short(ownWork), name)
	}
	for _, name := range names {
		line("  %s: {work: %s, abandoned: stops}", name, work(usual))
	}
	for i, spell := range s.spells(from, to) {
		if i == 0 {
			line("\nchanges:")
		}
		line("  - %s", spell.change(from, to))
	}
	return b.String()
}

// version is that of the demo's part of the API.
const version = 1

// measuredView is what was measured.
type measuredView struct {
	Version int            `json:"version"`
	FromMS  float64        `json:"from_ms"` // Unix time at the start of the first step
	Curves  *curves.Curves `json:"curves"`
	LateMS  []*float64     `json:"late_ms"` // how late users' requests were made at most
}

// measured returns what was measured of the last seconds. Its steps are those of
// the clock of the run, as a prediction's are.
func (s *stage) measured(q url.Values) (any, error) {
	over := shown
	if text := q.Get("over"); text != "" {
		var err error
		if over, err = time.ParseDuration(text); err != nil || over < time.Second ||
			over > keptSeconds*time.Second {
			return nil, fmt.Errorf("over: give a time such as 60s, from 1s to %ds", keptSeconds)
		}
	}
	now := max(s.rec.clock.Now(), 0)
	from := max(now-over, 0).Truncate(time.Second)
	steps := int((now - from) / time.Second)
	v := &measuredView{Version: version, FromMS: s.unixMS(from)}
	v.Curves, v.LateMS = s.rec.past.between(int(from/time.Second), steps)
	changes := s.rec.transitions(0)
	for i := range v.Curves.Endpoints {
		e := &v.Curves.Endpoints[i]
		var own []curves.Change
		for _, t := range changes {
			if t.policy == e.Name {
				own = append(own, curves.Change{At: t.at - from, On: t.to != breaker.Closed.String()})
			}
		}
		e.Open = curves.Shares(own, steps, time.Second)
	}
	return v, nil
}

func (s *stage) unixMS(at time.Duration) float64 {
	return float64(s.rec.clock.Time(at).UnixMicro()) / 1000
}

// slowView says what is wrong with each dependency now.
type slowView struct {
	Version      int         `json:"version"`
	Dependencies []slowState `json:"dependencies"`
}

type slowState struct {
	slowOrder        // what holds
	Ordered   bool   `json:"ordered"` // at the dashboard; otherwise it is as planned
	Planned   string `json:"planned"` // what --slow says now
}

func (s *stage) slowNow(url.Values) (any, error) {
	v := &slowView{Version: version}
	now := s.rec.clock.Now()
	for i, name := range names {
		plan := Slow{Name: name, Mean: usual}
		for _, w := range s.dependencies[i].slow {
			if w.holds(now) {
				plan = w
			}
		}
		state := slowState{slowOrder: slowOrder{name, plan.latency()}, Planned: plan.latency()}
		if o := s.dependencies[i].order.Load(); o != nil {
			state.Latency, state.Ordered = o.latency(), true
		}
		v.Dependencies = append(v.Dependencies, state)
	}
	return v, nil
}
