package sim

import (
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/failover"
)

// provided is what a member knows of its two providers.
type provided struct {
	to       string
	observes bool
	state    *failover.Failover
}

// provide puts a policy's failover to use. Its state stays if the second
// provider does.
func (m *member) provide(f *config.File) {
	d := dependencyOf(f, m.name)
	switch {
	case d == nil || d.Failover == nil:
		m.provided = nil
	case m.provided != nil && m.provided.to == d.Failover.To:
		m.provided.observes = d.Failover.Observe
		_ = m.provided.state.Reconfigure(d.Failover.Config) // the reader has checked it
	default:
		state, err := failover.New(d.Failover.Config)
		if err != nil {
			panic("sim: " + err.Error()) // the reader has checked it
		}
		m.provided = &provided{d.Failover.To, d.Failover.Observe, state}
	}
}

// secondOf names the dependency that a policy has calls move to, or "".
func secondOf(f *config.File, name string) string {
	if d := dependencyOf(f, name); d != nil && d.Failover != nil {
		return d.Failover.To
	}
	return ""
}

// turn decides who makes a call of this member's dependency: itself, or the one
// that calls the second provider. Calls of a scenario may run twice.
func (m *member) turn(id, part uint64) (by *member, permit failover.Permit) {
	if m.provided == nil {
		return m, permit
	}
	luck := m.draws.Of(id, mix(part^0xfa110e42))
	draw := luck.Float64()
	if m.world.draw != nil {
		draw = m.world.draw()
	}
	permit, ch := m.provided.state.Admit(m.world.now, false, draw)
	m.moved(ch)
	if permit.Second() && !m.provided.observes {
		for _, o := range m.others {
			if o.name == m.provided.to {
				return o, permit
			}
		}
	}
	return m, permit
}

// judged counts how a call ended that the first provider was asked for.
func (m *member) judged(o *outcall, v call.Verdict) {
	if m.provided == nil || o.turn.Second() {
		return
	}
	outcome := o.call.Last().Outcome
	switch v {
	case call.Succeeded:
		outcome = core.Success
	case call.Cancelled:
		outcome = core.Cancelled
	case call.Rejected:
		if outcome = core.Cancelled; failover.Blames(o.call.Reason()) {
			outcome = core.Failure
		}
	}
	m.moved(m.provided.state.Report(m.world.now, o.turn, outcome))
}

func (m *member) moved(ch failover.Change) {
	if ch.Happened() {
		m.plan.Emit(core.Event{At: m.world.now, Kind: core.FailoverChanged, Reason: ch.Reason,
			Observed: m.provided.observes, From: ch.From.String(), To: ch.To.String(), Seq: ch.Seq,
			Detail: m.provided.to})
	}
}

// alike returns the service's route of the same name as another's, or its first.
func (s *service) alike(r *route) *route {
	if same := s.route(r.cfg.Name); same != nil {
		return same
	}
	return s.routes[0]
}
