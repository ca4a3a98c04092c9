package config

import (
	"fmt"
	"math"
	"time"
)

// warnings finds settings that are allowed but cannot do what they seem to.
func (o *object) warnings(s *Settings, m Measured) {
	if o.d.failures > 0 {
		return // half of the numbers may be defaults
	}
	o.warnTimes(s)
	o.warnQuiet(s, m)
	o.warnHeld(s, m)
	o.warnIdle(s)
}

// warnTimes warns of times that do not fit into one another.
func (o *object) warnTimes(s *Settings) {
	request, total, needs := s.Call.Timeout.Request, s.Call.Timeout.Total, s.Call.Timeout.Needs
	if request == 0 {
		return
	}
	if total > 0 && request > total {
		o.warn([]string{"timeout.request", "timeout.total"},
			fmt.Sprintf("%s is never reached, because total ends the call after %s",
				showDuration(request), showDuration(total)), "give less than total")
	}
	fits := int(total / request)
	if s.Call.Retry != nil && fits >= 1 && fits < s.Call.Retry.Attempts {
		o.warn([]string{"retry.attempts", "timeout.request", "timeout.total"},
			fmt.Sprintf("only %d of %d attempts fit in total, %s, when each takes its %s",
				fits, s.Call.Retry.Attempts, showDuration(total), showDuration(request)),
			"raise timeout.total, or give fewer attempts")
	}
	if needs > request {
		o.warn([]string{"timeout.needs", "timeout.request"},
			fmt.Sprintf("an attempt ends after request, %s, sooner than it usually answers, %s",
				showDuration(request), showDuration(needs)), "raise request")
	}
	if b := s.Call.Breaker; b != nil && b.Slow.Over > request {
		o.warn([]string{"breaker.slow.over", "timeout.request"},
			fmt.Sprintf("no answer takes %s, because request ends the attempt after %s",
				showDuration(b.Slow.Over), showDuration(request)), "give less than timeout.request")
	}
}

// warnIdle warns of a retry budget without retries.
func (o *object) warnIdle(s *Settings) {
	own := *o
	own.base = nil
	if s.Call.Retry == nil || s.Call.Retry.Attempts > 1 {
		return
	}
	if at := own.lookup("retry.budget"); at != nil && !at.is(off) {
		o.warn([]string{"retry.budget"}, "a budget has nothing to limit, because attempts is 1",
			"raise attempts, or remove the budget")
	}
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
	enough := time.Duration(math.Ceil(float64(b.MinCalls)/m.Rate)) * time.Second
	o.warn([]string{"breaker.calls", "breaker.window"},
		fmt.Sprintf("the breaker never decides: %s for %s is %.3g calls, less than %d",
			showRate(m.Rate), showDuration(b.Window.Over), seen, b.MinCalls),
		fmt.Sprintf("give fewer calls, or a window of %s", showDuration(enough)))
}

// warn records a warning about the first of keys. In an operation it points at
// the first that the operation writes; if it writes none, its dependency was
// warned already.
func (o *object) warn(keys []string, problem, fix string) {
	w := Warning{File: o.d.file, Line: o.at.Line, Column: o.at.Column,
		Path: below(o.path, keys[0]), Problem: problem, Fix: fix}
	operation, own := o.base != nil, *o
	own.base = nil
	if !operation {
		keys = keys[:1]
	}
	var at *field
	for _, key := range keys {
		if at = own.closest(key); at != nil {
			w.Line, w.Column = at.node.Line, at.node.Column
			break
		}
	}
	if at != nil || !operation {
		o.d.warnings = append(o.d.warnings, w)
	}
}
