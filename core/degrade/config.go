package degrade

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Config holds a degrader's list and numbers. A number that is zero has its
// default.
type Config struct {
	// Features are what can be given up, the first of them first: prefetch and
	// personalization, then live pages for cached ones, then batch work. What
	// is not in the list is never given up. At most 64.
	Features []string

	// On is the pressure at or above which a feature is given up. 0 is 1: the
	// target itself.
	On float64

	// Off is the pressure at or below which a feature may come back. 0 is 70 %
	// of On: between the two nothing changes, so that the relief a feature's
	// going brings does not call it back at once.
	Off float64

	// Step is the least time between two features that go. 0 is 5s: long
	// enough for what went first to show in the pressure.
	Step time.Duration

	// Back is how long the pressure must have been low before a feature comes
	// back, and before each further one. 0 is 30s: going is cheap and coming
	// back is the risk, so it takes several times as long.
	Back time.Duration
}

const (
	defaultOn   = 1.0
	defaultOff  = 0.7 // of On
	defaultStep = 5 * time.Second
	defaultBack = 30 * time.Second

	maxFeatures = 64
	maxPressure = 1000
	minTime     = 10 * time.Millisecond
	maxTime     = 24 * time.Hour
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(c.checkFeatures(), c.checkPressures(),
		between("Step", c.Step), between("Back", c.Back))
}

func (c Config) checkFeatures() error {
	switch n := len(c.Features); {
	case n == 0:
		return bad("Features", "is empty; name what can be given up, such as prefetch")
	case n > maxFeatures:
		return bad("Features", "has %d names; give at most %d", n, maxFeatures)
	}
	seen := make(map[string]bool, len(c.Features))
	for i, name := range c.Features {
		switch {
		case name == "":
			return bad("Features", "has an empty name at place %d; leave it out", i+1)
		case seen[name]:
			return bad("Features", "names %q twice; a feature goes once", name)
		}
		seen[name] = true
	}
	return nil
}

func (c Config) checkPressures() error {
	switch {
	case !(c.On >= 0 && c.On <= maxPressure):
		return bad("On", "is %v; give a pressure such as 1, over 0 and at most %d",
			c.On, maxPressure)
	case !(c.Off >= 0) || math.IsInf(c.Off, 0):
		return bad("Off", "is %v; give a pressure such as 0.7, below On", c.Off)
	}
	if d := c.withDefaults(); d.Off >= d.On {
		return bad("Off", "is %v, not below On, which is %v; give 0.7 times that", d.Off, d.On)
	}
	return nil
}

// withDefaults returns c with its defaults written in.
func (c Config) withDefaults() Config {
	if c.On == 0 {
		c.On = defaultOn
	}
	if c.Off == 0 {
		c.Off = defaultOff * c.On
	}
	if c.Step == 0 {
		c.Step = defaultStep
	}
	if c.Back == 0 {
		c.Back = defaultBack
	}
	return c
}

func between(field string, d time.Duration) error {
	if d != 0 && (d < minTime || d > maxTime) {
		return bad(field, "is %v; give a time from %v to %v, or leave it out", d, minTime, maxTime)
	}
	return nil
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
