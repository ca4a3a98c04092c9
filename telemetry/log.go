package telemetry

import (
	"log/slog"

	"github.com/seakeep/seakeep/core"
)

// Logger logs the decisions that matter, one line each: what has changed its
// state and, if it is asked to, what happened to single calls. Each kind of line
// has a Sampler of its own, so that a storm of one does not hide another. It is
// an observer, and safe for use by many goroutines.
type Logger struct {
	log     *slog.Logger
	calls   bool
	changes [maxKinds]*Sampler
}

// LogOptions are settings of a Logger. The zero value of each is its default.
type LogOptions struct {
	// Calls also logs refusals, retries that were not made, and fallbacks. A
	// proxy, or a program that logs its requests, knows more of them.
	Calls bool
	// PerSecond is how many lines of one kind there are a second at most. The
	// default is 10.
	PerSecond int
}

const (
	maxKinds     = 64
	defaultLines = 10
	limitLines   = 1 // the limit of concurrency moves all the time, which is its nature
)

// NewLogger returns a Logger. A nil log is slog.Default.
func NewLogger(log *slog.Logger, o LogOptions) *Logger {
	if log == nil {
		log = slog.Default()
	}
	if o.PerSecond == 0 {
		o.PerSecond = defaultLines
	}
	l := &Logger{log: log, calls: o.Calls}
	for i := range l.changes {
		n := o.PerSecond
		if core.EventKind(i) == core.LimitChanged {
			n = min(n, limitLines)
		}
		l.changes[i] = NewSampler(log, n)
	}
	return l
}

// Flush tells how many lines were left out lately.
func (l *Logger) Flush() {
	for _, s := range l.changes {
		s.Flush()
	}
}

// Observe implements core.Observer. It sees every decision and must be quick
// about those that it leaves alone.
func (l *Logger) Observe(e core.Event) {
	switch e.Kind {
	case core.CallStarted, core.AttemptStarted, core.AttemptEnded, core.CallEnded, core.RequestAdmitted,
		core.RequestEnded, core.RequestQueued, core.CallQueued:
		return
	case core.CallRejected, core.RetryDenied, core.FallbackAnswered, core.FallbackRefused,
		core.RequestRefused:
		if l.calls {
			l.call(&e)
		}
	case core.BreakerChanged, core.PanicChanged, core.RecoveryChanged, core.DegradeChanged,
		core.ShedChanged, core.LimitChanged, core.FailoverChanged, core.EndpointChanged:
		l.changed(&e)
	default:
		l.told(&e)
	}
}

func (l *Logger) say(e *core.Event, level slog.Level, message string, args ...any) {
	l.changes[int(e.Kind)%maxKinds].Log(level, message, args...)
}

var changes = map[core.EventKind]string{
	core.BreakerChanged:  "breaker changed",
	core.PanicChanged:    "panic changed",
	core.RecoveryChanged: "admission changed",
	core.DegradeChanged:  "degradation changed",
	core.ShedChanged:     "shedding changed",
	core.LimitChanged:    "limit changed",
	core.FailoverChanged: "failover changed",
	core.EndpointChanged: "endpoint changed",
}

// changed logs that something has another state.
func (l *Logger) changed(e *core.Event) {
	level := slog.LevelWarn
	switch {
	case e.Kind == core.ShedChanged && e.From != nothingShed && e.To != nothingShed:
		return // the cut moves with every window; what matters is that there is one
	case e.Kind == core.LimitChanged:
		level = slog.LevelInfo
	}
	args := []any{"policy", e.Policy, "from", e.From, "to", e.To}
	if e.Reason != core.NoReason || e.Kind == core.BreakerChanged {
		args = append(args, "reason", e.Reason.String())
	}
	if e.Key != "" {
		args = append(args, "key", e.Key)
	}
	if e.Detail != "" {
		args = append(args, "why", e.Detail)
	}
	if e.Observed {
		args = append(args, "observed", true)
	}
	l.say(e, level, changes[e.Kind], args...)
}

// nothingShed is the level below which nothing is.
const nothingShed = "sheddable/0"

// told logs what else an operator wants to know at once.
func (l *Logger) told(e *core.Event) {
	switch e.Kind {
	case core.FaultChanged:
		l.say(e, slog.LevelWarn, "fault changed", "for", e.Policy, "name", e.Key, "from", e.From, "to", e.To,
			"why", e.Detail)
	case core.BurnChanged:
		l.say(e, slog.LevelWarn, "error budget", "objective", e.Key, "window", e.Detail, "from", e.From, "to", e.To)
	case core.BudgetChanged:
		l.say(e, slog.LevelWarn, "policy of the error budget", "objective", e.Key, "steps_from", e.From,
			"steps_to", e.To, "left", e.Detail, "observed", e.Observed)
	case core.EndpointsFound, core.ResolveFailed:
		l.say(e, slog.LevelWarn, "names: "+e.Kind.String(), "policy", e.Policy, "name", e.Key, "what", e.Detail)
	case core.CertificatesRead:
		if e.Detail == "" {
			l.say(e, slog.LevelInfo, "certificates were read again", "policy", e.Policy)
		} else {
			l.say(e, slog.LevelWarn, "certificates cannot be used, those before stay", "policy", e.Policy,
				"why", e.Detail)
		}
	}
}

var happenings = map[core.EventKind]string{
	core.CallRejected:     "a call was refused",
	core.RetryDenied:      "a failure stands",
	core.FallbackAnswered: "a fallback answers",
	core.FallbackRefused:  "no fallback answers",
	core.RequestRefused:   "a request was refused",
}

// call logs what happened to one call or request. Of the failures that stand
// those that nobody would repeat are left out: they are the dependency's answers.
func (l *Logger) call(e *core.Event) {
	if e.Kind == core.RetryDenied && (e.Reason == core.NotRetryable || e.Reason == core.AttemptsExhausted) {
		return
	}
	if e.Reason == core.Exercise || e.Reason == core.CallerCancelled {
		return
	}
	args := []any{"policy", e.Policy}
	if e.Reason != core.NoReason {
		args = append(args, "reason", e.Reason.String())
	}
	if e.Detail != "" {
		args = append(args, "by", e.Detail)
	}
	if e.Kind == core.RequestRefused {
		args = append(args, "criticality", e.Criticality.String())
	}
	if e.Observed {
		args = append(args, "observed", true)
	}
	l.say(e, slog.LevelInfo, happenings[e.Kind], args...)
}
