package config

import (
	"time"

	"github.com/seakeep/seakeep/core/call"
)

// positive are the limits of a time that cannot be zero: no time at all is
// never meant, and no limit is had by leaving the key out.
func positive(like string) limits[time.Duration] {
	return limits[time.Duration]{min: time.Microsecond, max: longest, like: like, off: "off"}
}

// natural are the limits of a time whose zero means what it says.
func natural(like string) limits[time.Duration] {
	return limits[time.Duration]{min: 0, max: longest, like: like}
}

type mode bool

const (
	enforce mode = false
	observe mode = true
)

// mode reads whether a rung acts or only watches.
func (o *object) mode(c *call.Config, rung call.Rungs) {
	m := enforce
	choose(o, "mode", &m, option[mode]{"enforce", enforce}, option[mode]{"observe", observe})
	if m == observe {
		c.Observe |= rung
	}
}

func (o *object) timeout(s *Settings) {
	t := o.layer("timeout", "a section such as {request: 250ms, total: 800ms}")
	defer t.close()
	t.duration("connect", &s.Connect, positive("100ms"))
	t.duration("acquire", &s.Acquire, positive("20ms"))
	t.duration("request", &s.Call.Timeout.Request, positive("250ms"))
	t.duration("total", &s.Call.Timeout.Total, positive("800ms"))
	t.duration("reserve", &s.Call.Timeout.Reserve, natural("5ms"))
	t.duration("needs", &s.Call.Timeout.Needs, natural("20ms"))
	accepted := within(0.00001, 0.1, "1%") // UsualFalseTimeouts, if it is not there
	accepted.off = "0.1%"
	t.share("false-timeouts", &s.FalseTimeouts, accepted)
	t.mode(&s.Call, call.RungTimeout)

	total, needs := s.Call.Timeout.Total, s.Call.Timeout.Needs
	if total > 0 && needs > total {
		t.refuse("needs", showDuration(needs)+" never fits in total, "+showDuration(total)+
			", so that every call would be refused", "give less, or raise total")
	}
	t.check(s.Call.Timeout.Validate(), timeoutFields)
}

var timeoutFields = map[string]string{
	"Request": "request", "Total": "total", "Reserve": "reserve", "Needs": "needs",
}
