package seakeep

import (
	"github.com/seakeep/seakeep/telemetry"
)

// ReadState implements telemetry.Source: it adds the state of every policy of
// the set, of its failovers and of its door.
func (s *Set) ReadState(to *telemetry.State) {
	t := s.table.Load()
	to.At = Now()
	for _, d := range t.file.Dependencies {
		dep := t.dependencies[d.Name]
		dep.policy.ReadState(to)
		for _, p := range dep.operations {
			p.ReadState(to)
		}
		if dep.provided != nil {
			to.Failovers = append(to.Failovers, telemetry.FailoverState{Dependency: d.Name,
				Snapshot: dep.provided.state.Snapshot(to.At)})
		}
	}
	t.objectives.readState(to)
	if door := s.Door(); door != nil {
		door.ReadState(to)
	}
}

// ReadState implements telemetry.Source for a policy that is in no set.
func (p *Policy) ReadState(to *telemetry.State) {
	s := p.Snapshot()
	to.At = s.At
	state := telemetry.PolicyState{Snapshot: s.Snapshot}
	if s.Fallback != nil {
		state.Fallbacks, state.Cache = s.Fallback.Running, s.Fallback.Cache
	}
	to.Policies = append(to.Policies, state)
}

// ReadState implements telemetry.Source for a door that is in no set.
func (d *Door) ReadState(to *telemetry.State) {
	s := d.Snapshot()
	to.At, to.Door = s.At, &s
}

// Snapshots reads the state of every policy, in the order of the file.
func (s *Set) Snapshots() []Snapshot {
	t := s.table.Load()
	var out []Snapshot
	for _, d := range t.file.Dependencies {
		dep := t.dependencies[d.Name]
		out = append(out, dep.policy.Snapshot())
		for _, p := range dep.operations {
			out = append(out, p.Snapshot())
		}
	}
	return out
}
