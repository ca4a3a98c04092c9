package telemetry

import (
	"cmp"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seakeep/seakeep/core"
)

// Options are settings of Metrics. The zero value of each is its default.
type Options struct {
	// Policies is how many policies are told apart; the others together are
	// "other". The default is 1000.
	Policies int
	// Native also counts durations in buckets that grow by an eighth of a
	// doubling each, for Prometheus' native histograms. It takes 3 kB more for
	// each series of a histogram.
	Native bool
	// Build says which program runs, for seakeep_build_info; zero: it is left
	// out.
	Build Build
}

// Build is what seakeep_build_info tells.
type Build struct{ Version, Revision, Go string }

// Metrics counts decisions. It is an observer, and safe for use by many
// goroutines. Make it with New.
type Metrics struct {
	options  Options
	policies atomic.Pointer[map[string]*policy]
	door     door
	slo      table // of objectives: kind, direction

	mu      sync.Mutex // for what follows, and to make a policy
	sources []Source
}

const defaultPolicies = 1000

// New returns an empty Metrics.
func New(o Options) *Metrics {
	o.Policies = cmp.Or(o.Policies, defaultPolicies)
	m := &Metrics{options: o}
	m.policies.Store(&map[string]*policy{})
	m.slo = newTable(len(sloKinds), len(directions))
	m.door.init(o)
	return m
}

// of returns the counters of a policy, which are made when it is first heard of.
func (m *Metrics) of(name string) *policy {
	if p := (*m.policies.Load())[name]; p != nil {
		return p
	}
	return m.meet(name)
}

func (m *Metrics) meet(name string) *policy {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := *m.policies.Load()
	if p := known[name]; p != nil {
		return p
	}
	if len(known) >= m.options.Policies {
		if p := known[other]; p != nil {
			return p
		}
		name = other
	}
	next := maps.Clone(known)
	p := newPolicy(name, m.options)
	next[name] = p
	m.policies.Store(&next)
	return p
}

// split takes the name of a policy apart.
func split(name string) (dependency, operation string) {
	dependency, operation, _ = strings.Cut(name, "/")
	return dependency, operation
}

// Observe implements core.Observer.
func (m *Metrics) Observe(e core.Event) {
	switch e.Kind {
	case core.CallStarted:
		m.of(e.Policy).callStarted(&e)
	case core.AttemptStarted:
		if e.Took > 0 {
			m.of(e.Policy).wait.record(e.Took)
		}
	case core.AttemptEnded:
		m.of(e.Policy).attemptEnded(&e)
	case core.CallEnded:
		m.of(e.Policy).callEnded(&e)
	case core.RequestQueued, core.RequestAdmitted, core.RequestRefused, core.RequestEnded,
		core.LimitChanged, core.ShedChanged, core.DegradeChanged, core.RecoveryChanged:
		m.door.observe(&e)
	case core.BurnChanged:
		m.slo.add(0, fromTo(&e, "burning"))
	case core.BudgetChanged:
		m.slo.add(1, direction(&e))
	default:
		m.of(e.Policy).observe(&e)
	}
}

// CallOutcome is how a call ended, as seakeep_calls_total has it, from what the
// driver knows: why it ended and how its last attempt did. It is 0 for one that
// was rejected.
func CallOutcome(reason core.Reason, last core.Outcome) core.Outcome {
	switch {
	case reason == core.CallerCancelled:
		return core.Cancelled
	case reason == core.DeadlineExceeded && last == core.Cancelled:
		return core.Timeout // the caller's own limit
	}
	return last
}

// Tee passes events on to each of several observers, in turn. Those that are
// nil are left out.
func Tee(observers ...core.Observer) core.Observer {
	var all tee
	for _, o := range observers {
		if o != nil {
			all = append(all, o)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}

type tee []core.Observer

// Observe implements core.Observer.
func (t tee) Observe(e core.Event) {
	for _, o := range t {
		o.Observe(e)
	}
}
