package telemetry

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/serve"
	"github.com/seakeep/seakeep/core/slo"
	"github.com/seakeep/seakeep/core/stale"
)

// State is what a program is like at one moment: what gauges are made of.
type State struct {
	At         core.Instant // of the clock that events are by
	Policies   []PolicyState
	Door       *serve.Snapshot // nil: there is none
	Endpoints  []EndpointStates
	Failovers  []FailoverState
	Objectives []ObjectiveState
	Tied       map[string]uint64 // requests by what became of them; nil: none are taken
	Proxy      *ProxyState       // nil: it is no proxy
}

// PolicyState is a policy of a dependency or an operation.
type PolicyState struct {
	call.Snapshot
	Fallbacks int             // that are at work
	Cache     *stale.Snapshot // of answers; nil: there is none
}

// EndpointStates are the endpoints of a dependency.
type EndpointStates struct {
	Dependency string
	States     []balance.State
	Panic      bool
}

// FailoverState is where the calls of a dependency go.
type FailoverState struct {
	Dependency string
	failover.Snapshot
}

// ObjectiveState is an objective and what was counted of it by this process.
type ObjectiveState struct {
	Name        string
	Events, Bad uint64 // since the start of the process
	slo.Snapshot
}

// ProxyState is what a proxy knows of itself.
type ProxyState struct {
	Ready            bool
	Loaded           time.Time // when the policy file was put to use; zero: there is none
	Reloads, Refused uint64    // policy files
	// Beacons are what clients told at the door of what they saw, and
	// BeaconsRefused those beyond their rate.
	Beacons, BeaconsRefused uint64

	Listeners []ListenerState
}

// ListenerState is one address that a proxy listens at.
type ListenerState struct {
	Name                           string // a name of the policy file, serve or admin
	Connections, InFlight, Tunnels int
}

// Source is something whose state can be read: a seakeep.Set or Policy, a
// seakeephttp.Transport or Gate, a proxy.
type Source interface {
	// ReadState adds what it knows.
	ReadState(*State)
}

// Watch adds sources, which every collection reads. What is counted by the time
// spent in a state begins with this.
func (m *Metrics) Watch(sources ...Source) {
	m.mu.Lock()
	m.sources = append(m.sources, sources...)
	m.mu.Unlock()
	m.state()
}

// state reads all sources, and takes note of the states they are in.
func (m *Metrics) state() *State {
	m.mu.Lock()
	sources := m.sources
	m.mu.Unlock()
	s := &State{}
	for _, source := range sources {
		source.ReadState(s)
	}
	for i := range s.Policies {
		p := &s.Policies[i]
		m.of(p.Name) // so that it has its zeros from the beginning
		if p.Breaker != nil && !p.Shared.Has(call.RungBreaker) {
			m.of(p.Name).breaker.seen(s.At, p.Breaker.State.String())
		}
	}
	for i := range s.Failovers {
		f := &s.Failovers[i]
		m.of(f.Dependency).failover.seen(s.At, f.State.String())
	}
	return s
}
