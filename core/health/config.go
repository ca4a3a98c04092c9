package health

import (
	"errors"
	"fmt"
	"time"
)

// Config holds a monitor's numbers. The zero Config is one to use.
type Config struct {
	// Every is how often an endpoint is checked.
	Every Every
	// Unhealthy is how many checks in a row must fail. 0 is 3: one lost packet
	// or one slow answer is no illness.
	Unhealthy int
	// Healthy is how many checks in a row must pass. 0 is 2: a process that is
	// about to die answers once more now and then.
	Healthy int
	// Jitter is by which share an interval is drawn longer or shorter. 0 is
	// 0.1. Off has none.
	Jitter float64
	// MaxOut is the share of endpoints that may be out, rounded down. 0 is 0.5:
	// the only endpoint is never out, and a check that fails everywhere, for
	// example because it asks a shared database, leaves half.
	MaxOut float64
	// Seed is what the draws of the jitter come from.
	Seed uint64
}

// Off as the Jitter switches it off.
const Off = -1

// Every holds the intervals between the starts of two checks.
type Every struct {
	// Up is for endpoints that are healthy. 0 is 5s.
	Up time.Duration
	// Down is for those that are not. 0 is Up.
	Down time.Duration
	// Edge is for those of which nothing is known yet, or whose last check
	// differs from what is known. 0 is a fifth of Up: the default takes a dead
	// endpoint out within 5s + 2 * 1s and two timeouts.
	Edge time.Duration
}

const (
	minEvery = time.Millisecond
	maxEvery = 24 * time.Hour
	mostRow  = 1000

	maxEndpoints = 64 // bits of a mask
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(
		span("Every.Up", c.Every.Up),
		span("Every.Down", c.Every.Down),
		span("Every.Edge", c.Every.Edge),
		row("Unhealthy", c.Unhealthy, "3"),
		row("Healthy", c.Healthy, "2"),
		c.checkJitter(),
		c.checkMaxOut(),
	)
}

func span(field string, d time.Duration) error {
	if d == 0 || d >= minEvery && d <= maxEvery {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a time such as 5s, from %v to %v",
		field, d, minEvery, maxEvery)
}

func row(field string, n int, like string) error {
	if n >= 0 && n <= mostRow {
		return nil
	}
	return fmt.Errorf("%s: is %d; give a number of checks such as %s, at most %d", field, n, like,
		mostRow)
}

func (c Config) checkJitter() error {
	if c.Jitter == Off || c.Jitter >= 0 && c.Jitter <= 0.5 {
		return nil
	}
	return fmt.Errorf("Jitter: is %v; give a share such as 0.1, at most 0.5, or Off", c.Jitter)
}

func (c Config) checkMaxOut() error {
	if c.MaxOut >= 0 && c.MaxOut <= 1 {
		return nil
	}
	return fmt.Errorf("MaxOut: is %v; give a share such as 0.5, at most 1", c.MaxOut)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	fill(&c.Every.Up, 5*time.Second)
	fill(&c.Every.Down, c.Every.Up)
	fill(&c.Every.Edge, max(c.Every.Up/5, minEvery))
	fill(&c.Unhealthy, 3)
	fill(&c.Healthy, 2)
	fill(&c.Jitter, 0.1)
	fill(&c.MaxOut, 0.5)
	return c
}

func fill[T int | float64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
