package config

import (
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/throttle"
)

func (o *object) throttle(s *Settings) {
	t, on := o.rung("throttle", "{k: 2, window: 30s}")
	if !on {
		return
	}
	defer t.close()
	c := throttle.Config{}.Filled()
	s.Call.Throttle = &c
	t.factor("k", &c.K, within[float64](1, 1000, "2"))
	t.duration("window", &c.Window, within(10*time.Millisecond, time.Hour, "30s"))
	t.share("cap", &c.Cap, within(0.0001, 0.99, "90%"))
	t.integer("minimum", &c.Minimum, within[int](1, 1e6, "10"))
	t.mode(&s.Call, call.RungThrottle)
	t.check(c.Validate(), throttleFields)
}

// throttleFields are the keys of the throttle's fields.
var throttleFields = map[string]string{
	"K": "k", "Window": "window", "Cap": "cap", "Minimum": "minimum",
}

// warnHeld warns of a throttle that the measured traffic never lets decide.
func (o *object) warnHeld(s *Settings, m Measured) {
	t := s.Call.Throttle
	if t == nil || m.Rate == 0 {
		return
	}
	seen := m.Rate * t.Window.Seconds()
	if seen >= float64(t.Minimum) {
		return
	}
	fix := "give a smaller minimum"
	if enough := math.Ceil(float64(t.Minimum) / m.Rate); enough <= time.Hour.Seconds() {
		fix += ", or a window of " + showDuration(time.Duration(enough)*time.Second)
	}
	o.warn([]string{"throttle.minimum", "throttle.window"},
		fmt.Sprintf("the throttle never decides: %s for %s is %.3g requests, less than %d",
			showRate(m.Rate), showDuration(t.Window), seen, t.Minimum), fix)
}
