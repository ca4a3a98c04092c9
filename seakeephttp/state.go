package seakeephttp

import (
	"github.com/seakeep/seakeep/core/balance"
	"github.com/seakeep/seakeep/telemetry"
)

// ReadState implements telemetry.Source: it adds the endpoints of the transport,
// and of the transports that its fallbacks and its second provider have.
func (t *Transport) ReadState(to *telemetry.State) {
	t.readEndpoints(to)
	t.family.mu.Lock()
	var others []*Transport
	for _, s := range t.family.siblings {
		if s != t {
			others = append(others, s)
		}
	}
	t.family.mu.Unlock()
	for _, s := range others {
		s.readEndpoints(to)
	}
}

func (t *Transport) readEndpoints(to *telemetry.State) {
	s := t.Snapshot()
	if len(s.Endpoints) == 0 {
		return
	}
	states := make([]balance.State, 0, len(s.Endpoints))
	for i := range s.Endpoints {
		states = append(states, s.Endpoints[i].State)
	}
	to.Endpoints = append(to.Endpoints, telemetry.EndpointStates{Dependency: s.Dependency,
		States: states, Panic: s.Panic})
}

// ReadState implements telemetry.Source: it adds what became of tied requests.
func (g *Gate) ReadState(to *telemetry.State) {
	if c, on := g.Tied(); on {
		to.Tied = map[string]uint64{"registered": c.Registered, "cancelled": c.Cancelled, "told": c.Told,
			"untold": c.Untold, "too-late": c.TooLate}
	}
}
