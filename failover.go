package seakeep

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/failover"
	"github.com/seakeep/seakeep/core/retry"
)

// FailoverSnapshot is a failover at one moment.
type FailoverSnapshot = failover.Snapshot

// provided is a dependency with a second provider. Its state outlives reloads.
type provided struct {
	name     string
	to       string
	writes   config.Writes
	observes bool
	state    *failover.Failover
	observer core.Observer
	draw     func() float64
}

// newProvided prepares the failover of a dependency, which takes over what is
// running; nil if it has none.
func newProvided(old *dependency, d *config.Dependency, o Options) (*provided, error) {
	c := d.Failover
	if c == nil {
		return nil, nil
	}
	p := &provided{name: d.Name, to: c.To, writes: c.Write, observes: c.Observe, observer: o.Observer, draw: o.Draw}
	if p.draw == nil {
		p.draw = rand.Float64
	}
	if old != nil && old.provided != nil && old.provided.to == c.To {
		p.state = old.provided.state
		return p, nil
	}
	var err error
	p.state, err = failover.New(c.Config)
	return p, err
}

// useFailovers gives failovers that go on their new settings.
func (b *builder) useFailovers(file *config.File) {
	for _, d := range file.Dependencies {
		if p := b.next.dependencies[d.Name].provided; p != nil {
			_ = p.state.Reconfigure(d.Failover.Config) // newProvided or the reader has checked it
		}
	}
}

// Turn is where one call of a dependency goes: to the dependency, or to its
// second provider.
type Turn struct {
	of     *provided
	permit failover.Permit
}

// Turn decides where a call of a dependency goes. safety is what is known of
// running it twice: one that may not stays with the dependency, because nobody
// here can know whether it was made there before, unless the file says that both
// providers know the same keys and it has one. Who takes a turn reports how the
// call ended with Ended.
func (s *Set) Turn(dependency string, safety retry.Safety) Turn {
	d := s.table.Load().dependencies[dependency]
	if d == nil || d.provided == nil {
		return Turn{}
	}
	p := d.provided
	stays := safety != retry.Idempotent && (safety != retry.Keyed || p.writes != config.Keyed)
	now := Now()
	permit, ch := p.state.Admit(now, stays, p.draw())
	p.tell(now, ch)
	return Turn{p, permit}
}

// To names the second provider; it is empty if the call goes to the dependency.
func (t Turn) To() string {
	if t.of == nil || t.of.observes || !t.permit.Second() {
		return ""
	}
	return t.of.to
}

// Ended tells how a call of the dependency ended. What a retry has mended is no
// failure. A call that was refused counts as one if it was because of the
// dependency: its breaker, or its throttle. A fallback's answer does not make
// the call a good one.
func (t Turn) Ended(end *Ending) {
	if t.of == nil {
		return
	}
	o := end.Last.Outcome
	switch end.Verdict {
	case call.Succeeded:
		o = core.Success
	case call.Cancelled:
		o = core.Cancelled
	case call.Rejected:
		if o = core.Cancelled; failover.Blames(end.Reason) {
			o = core.Failure
		}
	}
	now := Now()
	t.of.tell(now, t.of.state.Report(now, t.permit, o))
}

func (p *provided) tell(now core.Instant, ch failover.Change) {
	if ch.Happened() && p.observer != nil {
		p.observer.Observe(core.Event{At: now, Kind: core.FailoverChanged, Reason: ch.Reason,
			Observed: p.observes, Policy: p.name, From: ch.From.String(), To: ch.To.String(),
			Seq: ch.Seq, Detail: p.to})
	}
}

// Failover returns the state of a dependency's failover; it reports false if it
// has none.
func (s *Set) Failover(dependency string) (FailoverSnapshot, bool) {
	d := s.table.Load().dependencies[dependency]
	if d == nil || d.provided == nil {
		return FailoverSnapshot{}, false
	}
	return d.provided.state.Snapshot(Now()), true
}

// DoFailover is Do for a dependency of a policy file that may have a second
// provider. The call goes to one of the two and runs under that one's policy; fn
// is told which. The name may be one of an operation, as
// "dependency/operation": at the second provider it runs under the operation
// of that name, if there is one.
//
// A call that is not known to be safe to repeat, by With, stays with the first.
func DoFailover[T any](ctx context.Context, s *Set, name string,
	fn func(ctx context.Context, dependency string) (T, error)) (v T, err error) {
	dependency, operation, _ := strings.Cut(name, "/")
	info := CallOf(ctx)
	turn := s.Turn(dependency, info.Safety())
	if to := turn.To(); to != "" {
		dependency, name = to, s.nameAt(to, operation)
	}
	p, err := s.Policy(name)
	if err != nil {
		return v, err
	}
	reported := *info
	if reported.Report == nil {
		reported.Report = new(Report)
	}
	v, err = Do(With(ctx, reported), p, func(ctx context.Context) (T, error) {
		return fn(ctx, dependency)
	})
	if end, made := reported.Report.ending(); made {
		turn.Ended(&end)
	}
	return v, err
}

// nameAt is the policy for an operation's calls at another dependency.
func (s *Set) nameAt(dependency, operation string) string {
	name := dependency + "/" + operation
	if operation != "" && s.table.Load().policies[name] != nil {
		return name
	}
	return dependency
}

// ending is what a report tells of the call's end. It reports false if the
// ladder was not entered, as the answer was at hand.
func (r *Report) ending() (end Ending, made bool) {
	end.Verdict, end.Reason = r.Verdict, r.Reason
	if n := len(r.Attempts); n > 0 {
		end.Last = r.Attempts[n-1].Result
	}
	return end, r.Verdict != call.Succeeded || len(r.Attempts) > 0
}
