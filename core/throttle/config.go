package throttle

import (
	"errors"
	"fmt"
	"time"
)

// Config holds a throttle's numbers. The zero Config is one to use.
type Config struct {
	// K is how many requests may be sent for each that is accepted, from 1 to
	// 1000. 0 is 2, which the source found to work: half of what an overloaded
	// backend is asked is refused by it, which it can afford, and clients
	// learn within a few answers that it has recovered. Nearer to 1 spares
	// the backend more and learns more slowly.
	K float64

	// Window is how long requests are remembered, in tenths. 0 is 30s. The
	// source has two minutes, and coming back takes a multiple of the window:
	// a window of 30s is through with an outage four times as soon, and still
	// holds enough requests to divide by.
	Window time.Duration

	// Cap is the largest share of requests that is refused, over 0 and at
	// most 0.99. 0 is 0.9: a tenth of the demand gets through whatever
	// happens, which a dead backend cannot feel and which notices within
	// seconds that it is back.
	Cap float64

	// Minimum is how many requests the window must hold before any is
	// refused. 0 is 10; 1 is to act on the first. Fewer than ten say too
	// little: three failures of three would refuse 75 %.
	Minimum int
}

const (
	defaultK       = 2.0
	defaultWindow  = 30 * time.Second
	defaultCap     = 0.9
	defaultMinimum = 10

	mostK       = 1000
	minWindow   = 10 * time.Millisecond // ten slices of 1 ms
	maxWindow   = time.Hour
	mostCap     = 0.99
	mostMinimum = 1_000_000
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(c.checkK(), c.checkWindow(), c.checkCap(), c.checkMinimum())
}

func (c Config) checkK() error {
	if c.K == 0 || c.K >= 1 && c.K <= mostK {
		return nil
	}
	return bad("K", "is %v; give how many requests may be sent for each that is accepted, "+
		"such as 2, from 1 to %d", c.K, mostK)
}

func (c Config) checkWindow() error {
	if c.Window == 0 || c.Window >= minWindow && c.Window <= maxWindow {
		return nil
	}
	return bad("Window", "is %v; give a time such as 30s, from %v to %v",
		c.Window, minWindow, maxWindow)
}

func (c Config) checkCap() error {
	if c.Cap >= 0 && c.Cap <= mostCap {
		return nil
	}
	return bad("Cap", "is %v; give a share such as 90%%, at most %v: "+
		"who sends nothing never learns that the backend is back", c.Cap, mostCap)
}

func (c Config) checkMinimum() error {
	if c.Minimum >= 0 && c.Minimum <= mostMinimum {
		return nil
	}
	return bad("Minimum", "is %d; give a number of requests such as 10, at most %d",
		c.Minimum, mostMinimum)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	if c.K == 0 {
		c.K = defaultK
	}
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	if c.Cap == 0 {
		c.Cap = defaultCap
	}
	if c.Minimum == 0 {
		c.Minimum = defaultMinimum
	}
	return c
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
