package dashboard

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/telemetry"
)

// maxMeters is how many dependencies are told apart; what is beyond shows no
// latency. Policy files are smaller.
const maxMeters = 1000

// remembered is how many attempts that failed or were slow are kept of a dependency,
// to show what changed its breaker.
const remembered = 16

// meters hears of every call. What every call touches takes no lock.
type meters struct {
	of   atomic.Pointer[map[string]*meter] // by dependency
	mu   sync.Mutex                        // to make one
	door meter
}

// meter is what is counted of a dependency beside telemetry.
type meter struct {
	took, left window.Histogram
	dead       atomic.Uint64 // came with no time left
	slow       atomic.Int64  // from when on its breaker counts an attempt as slow; 0: never

	mu     sync.Mutex
	latest [remembered]core.Event // attempts that failed or were slow
	n      int
}

func (m *meters) init() { m.of.Store(&map[string]*meter{}) }

func (m *meters) get(policy string) *meter {
	name, _, _ := strings.Cut(policy, "/")
	if one := (*m.of.Load())[name]; one != nil {
		return one
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := *m.of.Load()
	if one := known[name]; one != nil {
		return one
	}
	if len(known) >= maxMeters {
		return nil
	}
	next := maps.Clone(known)
	next[name] = &meter{}
	m.of.Store(&next)
	return next[name]
}

func (m *meters) observe(e *core.Event) {
	switch e.Kind {
	case core.CallStarted, core.CallEnded, core.AttemptEnded:
		if one := m.get(e.Policy); one != nil {
			one.call(e)
		}
	case core.RequestAdmitted:
		m.door.arrived(e.Left)
	case core.RequestRefused:
		if !e.Observed && e.Key == "" && e.Detail == "" {
			m.door.arrived(e.Left)
		}
	case core.RequestEnded:
		m.door.took.Record(e.Took)
	}
}

func (m *meter) call(e *core.Event) {
	switch e.Kind {
	case core.CallStarted:
		m.arrived(e.Left)
	case core.CallEnded:
		if telemetry.CallOutcome(e.Reason, e.Outcome) != 0 { // else it was refused, which took no time
			m.took.Record(e.Took)
		}
	case core.AttemptEnded:
		if slow := m.slow.Load(); e.Outcome.Failed() || slow > 0 && int64(e.Took) >= slow {
			m.mu.Lock()
			m.latest[m.n%remembered] = *e
			m.n++
			m.mu.Unlock()
		}
	}
}

func (m *meter) arrived(left time.Duration) {
	if left == 0 {
		return
	}
	if left < 0 {
		m.dead.Add(1)
	}
	m.left.Record(left)
}

// causes returns the latest attempts that failed or were slow.
func (m *meter) causes() (all []core.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := max(0, m.n-remembered); i < m.n; i++ {
		all = append(all, m.latest[i%remembered])
	}
	return all
}
