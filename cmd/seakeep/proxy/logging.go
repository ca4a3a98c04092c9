package proxy

import (
	"log/slog"
	"sync"
	"time"

	"github.com/seakeep/seakeep/core"
)

// linesPerSecond bounds the log of answers made here. When a dependency is
// down they come by the thousand, and all say the same.
const linesPerSecond = 10

// sampler logs the first lines of each second and counts the others.
type sampler struct {
	log *slog.Logger

	mu      sync.Mutex
	second  int64
	lines   int
	skipped int
}

func newSampler(log *slog.Logger) *sampler { return &sampler{log: log} }

// info logs a line, or counts it.
func (s *sampler) info(message string, args ...any) {
	s.mu.Lock()
	skipped := 0
	if now := time.Now().Unix(); now != s.second {
		skipped, s.skipped = s.skipped, 0
		s.second, s.lines = now, 0
	}
	s.lines++
	show := s.lines <= linesPerSecond
	if !show {
		s.skipped++
	}
	s.mu.Unlock()
	s.tell(skipped)
	if show {
		s.log.Info(message, args...)
	}
}

// flush tells how many lines were left out lately.
func (s *sampler) flush() {
	s.mu.Lock()
	skipped := s.skipped
	s.skipped = 0
	s.mu.Unlock()
	s.tell(skipped)
}

func (s *sampler) tell(skipped int) {
	if skipped > 0 {
		s.log.Info("more of these", "lines", skipped)
	}
}

// observer logs what an operator wants to know at once. It sees every decision
// and must be quick about the others.
type observer struct{ log *slog.Logger }

// Observe implements core.Observer.
func (o observer) Observe(e core.Event) {
	what := ""
	switch e.Kind {
	case core.BreakerChanged:
		what = "breaker changed"
	case core.FaultChanged:
		o.log.Warn("fault changed", "for", e.Policy, "name", e.Key, "from", e.From, "to", e.To,
			"why", e.Detail)
		return
	case core.BurnChanged:
		o.log.Warn("error budget", "objective", e.Key, "window", e.Detail, "from", e.From, "to", e.To)
		return
	case core.BudgetChanged:
		o.log.Warn("policy of the error budget", "objective", e.Key, "steps_from", e.From,
			"steps_to", e.To, "left", e.Detail, "observed", e.Observed)
		return
	case core.RecoveryChanged:
		what = "admission changed"
	case core.PanicChanged:
		what = "panic changed"
	case core.EndpointsFound, core.ResolveFailed:
		o.log.Warn("names: "+e.Kind.String(), "policy", e.Policy, "name", e.Key, "what", e.Detail)
		return
	case core.CertificatesRead:
		if e.Detail == "" {
			o.log.Info("certificates were read again", "policy", e.Policy)
		} else {
			o.log.Warn("certificates cannot be used, those before stay", "policy", e.Policy, "why", e.Detail)
		}
		return
	case core.DegradeChanged:
		what = "degradation changed"
	case core.ShedChanged:
		// The cut moves with every window; what matters is that there is one.
		if e.From != nothingShed && e.To != nothingShed {
			return
		}
		what = "shedding changed"
	default:
		return
	}
	args := []any{"policy", e.Policy, "from", e.From, "to", e.To, "reason", e.Reason.String()}
	if e.Key != "" {
		args = append(args, "key", e.Key)
	}
	o.log.Warn(what, args...)
}

// nothingShed is the level below which nothing is.
const nothingShed = "sheddable/0"
