package alerts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/promrules"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/telemetry"
)

// lead is the quiet before the changes of a scenario: the rules look ten minutes
// back, and what is well must have time to set off an alert that should not be.
const (
	lead   = 15 * time.Minute
	judged = 10*time.Minute + 30*time.Second
)

// member is one instance of a simulated service or client: its decisions are
// counted by the very counters of a program.
type member struct {
	job, name string
	metrics   *telemetry.Metrics
	states    map[string]breaker.State // by policy
	limits    map[string]int           // of bulkheads, by policy
	inUse     map[string]int
}

// ReadState implements telemetry.Source, of what events tell of states.
func (m *member) ReadState(s *telemetry.State) {
	s.At = m.now()
	for name, state := range m.states {
		p := telemetry.PolicyState{Snapshot: call.Snapshot{Name: name, Breaker: &breaker.Snapshot{State: state}}}
		if limit := m.limits[name]; limit > 0 {
			p.Bulkhead = &bulkhead.Snapshot{Limit: limit, InUse: m.inUse[name]}
		}
		s.Policies = append(s.Policies, p)
	}
}

var clock core.Instant // of the run; tests of a package's run one at a time

func (m *member) now() core.Instant { return clock }

// observe takes in an event and keeps what Source needs.
func (m *member) observe(e core.Event) {
	switch e.Kind {
	case core.BreakerChanged:
		for _, s := range []breaker.State{breaker.Closed, breaker.Open, breaker.HalfOpen} {
			if s.String() == e.To {
				m.states[e.Policy] = s
			}
		}
	case core.CallStarted:
		m.inUse[e.Policy]++
		if _, known := m.states[e.Policy]; !known {
			m.states[e.Policy] = breaker.Closed
		}
	case core.CallEnded:
		m.inUse[e.Policy]--
	}
	m.metrics.Observe(e)
}

// world is a scenario whose decisions become series.
type world struct {
	t       *testing.T
	series  promrules.Series
	members map[string]*member
	order   []string
	limits  map[string]int
	next    core.Instant
}

func (w *world) trace(e core.Event) {
	for e.At >= w.next {
		w.scrape(w.next)
		w.next = w.next.Add(scrape)
	}
	who, policy, _ := strings.Cut(e.Policy, ">")
	m := w.members[who]
	if m == nil {
		job, _, _ := strings.Cut(who, "[")
		m = &member{job: job, name: who, metrics: telemetry.New(telemetry.Options{}),
			states: map[string]breaker.State{}, limits: w.limits, inUse: map[string]int{}}
		m.metrics.Watch(m)
		w.members[who] = m
		w.order = append(w.order, who)
	}
	e.Policy = policy
	clock = e.At
	m.observe(e)
}

// scrape collects from everybody.
func (w *world) scrape(at core.Instant) {
	clock = at
	for _, who := range w.order {
		m := w.members[who]
		m.metrics.Collect(func(s telemetry.Sample) {
			if s.Timing != nil {
				return // no rule reads a histogram
			}
			with := map[string]string{"job": m.job, "instance": m.name}
			for i, name := range s.Labels {
				if s.Values[i] != "" {
					with[name] = s.Values[i]
				}
			}
			w.series.Add(s.Name, with, epoch.Add(time.Duration(at)), s.Value)
		})
	}
}

// incident is a shipped scenario made longer and smaller, with other words in it.
type incident struct {
	file    string
	replace []string // old, new, ...
	scale   float64  // of the rates; 0: as they are
	after   time.Duration
	limits  map[string]int // of bulkheads
	only    int            // of the changes so many are kept; 0: all
}

// load reads the scenario and moves its changes behind the lead.
func (in incident) load(t *testing.T) *config.Scenario {
	t.Helper()
	path := filepath.Join("../../../testdata/scenarios", in.file)
	if strings.Contains(in.file, "/") {
		path = in.file
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i+1 < len(in.replace); i += 2 {
		if !strings.Contains(text, in.replace[i]) {
			t.Fatalf("%s has no %q", in.file, in.replace[i])
		}
		text = strings.ReplaceAll(text, in.replace[i], in.replace[i+1])
	}
	s, err := config.Draft{Name: path, Data: []byte(text), Open: os.ReadFile}.Parse()
	if err != nil {
		t.Fatal(err)
	}
	s.For, s.Warmup, s.Expect = lead+in.after, time.Second, nil
	if in.only > 0 {
		s.Changes = s.Changes[:in.only]
	}
	for i := range s.Changes {
		s.Changes[i].At += lead - 10*time.Second
	}
	for _, c := range s.Clients {
		if in.scale > 0 {
			c.Rate *= in.scale
		}
	}
	return s
}

// fired runs an incident and returns the alerts that fired before its changes, as
// long as all was well, and after them.
func (in incident) fired(t *testing.T, policies string) (well, names []string) {
	t.Helper()
	file := parse(t, policies)
	rules, err := promrules.Parse([]byte((&File{Groups: []Group{Failures(file, Options{})}}).String()))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, members: map[string]*member{}, limits: in.limits}
	s := in.load(t)
	if _, err := sim.Run(s, sim.Options{Trace: w.trace}); err != nil {
		t.Fatal(err)
	}
	p := promrules.NewPlayer(rules, &w.series)
	defer p.Close()
	for at := judged; at < s.For; at += Step {
		changes, err := p.Eval(epoch.Add(at))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			name := strings.TrimPrefix(c.Alert, "Seakeep")
			if c.Firing && at <= lead {
				well = append(well, name)
			}
			if c.Firing && !slices.Contains(names, name) {
				names = append(names, name)
				t.Logf("%v after the change: %s %v = %.3g", at-lead, name, c.Labels, c.Value)
			}
		}
	}
	return well, names
}
