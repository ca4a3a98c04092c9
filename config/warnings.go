package config

import (
	"fmt"
	"time"
)

// warnings finds settings that are allowed but cannot do what they seem to.
func (o *object) warnings(s *Settings, m Measured) {
	if o.d.failures > 0 {
		return // half of the numbers may be defaults
	}
	request, total := s.Call.Timeout.Request, s.Call.Timeout.Total
	attempts := 1
	if s.Call.Retry != nil {
		attempts = s.Call.Retry.Attempts
	}
	fits := int(total / max(request, 1))
	switch {
	case request == 0 || total == 0:
	case request > total:
		o.warn("timeout.request", fmt.Sprintf("%s is never reached, because total ends the call after %s",
			showDuration(request), showDuration(total)), "give less than total, or leave it out")
	case attempts > 1 && fits < attempts:
		o.warn("retry.attempts", fmt.Sprintf("only %d of %d attempts fit in total, %s, when each takes its %s",
			fits, attempts, showDuration(total), showDuration(request)), "raise timeout.total, or give fewer attempts")
	}
	if needs := s.Call.Timeout.Needs; request > 0 && needs > request {
		o.warn("timeout.needs", fmt.Sprintf("an attempt ends after request, %s, sooner than it usually answers, %s",
			showDuration(request), showDuration(needs)), "raise request")
	}
	if b := s.Call.Breaker; b != nil && request > 0 && b.Slow.Over > request {
		o.warn("breaker.slow.over", fmt.Sprintf("no answer takes %s, because request ends the attempt after %s",
			showDuration(b.Slow.Over), showDuration(request)), "give less than timeout.request")
	}
	o.warnQuiet(s, m)
}

// warnQuiet warns of a breaker that the measured traffic never lets decide.
func (o *object) warnQuiet(s *Settings, m Measured) {
	b := s.Call.Breaker
	if b == nil || m.Rate == 0 || b.Window.Over == 0 {
		return
	}
	seen := m.Rate * b.Window.Over.Seconds()
	if seen >= float64(b.MinCalls) {
		return
	}
	enough := time.Duration(float64(b.MinCalls) / m.Rate * float64(time.Second)).Round(time.Second)
	o.warn("breaker.calls", fmt.Sprintf("the breaker never decides: at the measured %s a window of %s holds %.3g calls, "+
		"less than %d", showRate(m.Rate), showDuration(b.Window.Over), seen, b.MinCalls),
		fmt.Sprintf("give fewer calls, or a window above %s", showDuration(enough)))
}

// warn records a warning at the key, or at the closest section around it.
func (o *object) warn(key, problem, fix string) {
	w := Warning{File: o.d.file, Line: o.at.Line, Column: o.at.Column, Path: below(o.path, key),
		Problem: problem, Fix: fix}
	if f := o.closest(key); f != nil {
		w.Line, w.Column = f.node.Line, f.node.Column
	}
	for _, before := range o.d.warnings {
		if before.Line == w.Line && before.Column == w.Column && before.Problem == w.Problem {
			return // an operation inherits what its dependency was warned of
		}
	}
	o.d.warnings = append(o.d.warnings, w)
}
