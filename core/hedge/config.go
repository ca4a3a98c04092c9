package hedge

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Config says when copies are sent, and how many. The zero Config is one to
// use.
type Config struct {
	// After is how long the first attempt may take before a copy is due. 0: by
	// Quantile.
	After time.Duration

	// Quantile makes a copy due when the first attempt has taken longer than
	// this share of recent ones did, up to 0.9999. 0 without After is 0.95,
	// which the source found to work: a copy for one call in twenty, and the
	// tail beyond it gone. The time is 1ms at least: what is faster than
	// that, a copy does not make faster.
	Quantile float64

	// Copies is how many copies of one call there may be beside the first
	// attempt, each due when the one before has taken as long again. 0 is 1: a
	// second stall at the same moment is as rare as the first was among all
	// calls. At most 4.
	Copies int

	// Budget is how many copies there may be as a share of calls. 0 is 5 %: what
	// a copy beyond the 95th percentile costs. At most 1.
	Budget float64

	// Window is how far back the latencies reach that Quantile is of. 0 is 1m,
	// long enough for a few hundred calls at five a second, and short enough
	// that a slower afternoon is the measure of an afternoon.
	Window time.Duration

	// Minimum is how many latencies a quantile needs. 0 is 100, or as many as
	// there must be for one to lie beyond it.
	Minimum int

	// Slow is the share of calls with a copy due above which it is not the tail
	// that is slow but everything, and no copies are sent. 0 is 25 %: five
	// times what the 95th percentile lets through, and less than what half of
	// the endpoints would be if they were slow. 1 never stops.
	Slow float64

	// Same lets a copy go where the first attempt went. It is for functions
	// that choose a server of their own each time, since nothing here can know
	// that they do.
	Same bool
}

const (
	defaultQuantile = 0.95
	defaultCopies   = 1
	defaultBudget   = 0.05
	defaultWindow   = time.Minute
	defaultMinimum  = 100
	defaultSlow     = 0.25

	// MaxCopies is the most a Config may ask for. Whoever needs more than four
	// copies has no slow tail.
	MaxCopies = 4

	mostQuantile = 0.9999
	leastBudget  = 0.001
	minWindow    = time.Second
	maxWindow    = time.Hour
	mostMinimum  = 1_000_000
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(c.checkAfter(), c.checkQuantile(), c.checkCopies(), c.checkBudget(),
		c.checkWindow(), c.checkMinimum(), c.checkSlow())
}

func (c Config) checkAfter() error {
	switch {
	case c.After < 0:
		return bad("After", "is %v; give a time such as 50ms", c.After)
	case c.After > 0 && c.Quantile != 0:
		return bad("After", "is %v beside a Quantile; give one of the two", c.After)
	}
	return nil
}

func (c Config) checkQuantile() error {
	if c.Quantile >= 0 && c.Quantile <= mostQuantile {
		return nil
	}
	return bad("Quantile", "is %v; give a share such as 0.95, at most %v", c.Quantile, mostQuantile)
}

func (c Config) checkCopies() error {
	if c.Copies >= 0 && c.Copies <= MaxCopies {
		return nil
	}
	return bad("Copies", "is %d; give a number from 1 to %d", c.Copies, MaxCopies)
}

// Scaled returns a valid c with this share, over 0 and up to 1, of c's Budget.
func (c Config) Scaled(share float64) Config {
	if c.Budget == 0 {
		c.Budget = defaultBudget
	}
	c.Budget = max(c.Budget*share, leastBudget)
	return c
}

func (c Config) checkBudget() error {
	if c.Budget == 0 || c.Budget >= leastBudget && c.Budget <= 1 {
		return nil
	}
	return bad("Budget", "is %v; give a share of calls such as 5%%, from 0.1%% to 100%%", c.Budget)
}

func (c Config) checkWindow() error {
	if c.Window == 0 || c.Window >= minWindow && c.Window <= maxWindow {
		return nil
	}
	return bad("Window", "is %v; give a time such as 1m, from %v to %v",
		c.Window, minWindow, maxWindow)
}

func (c Config) checkMinimum() error {
	if c.Minimum >= 0 && c.Minimum <= mostMinimum {
		return nil
	}
	return bad("Minimum", "is %d; give a number of calls such as 100, at most %d",
		c.Minimum, mostMinimum)
}

func (c Config) checkSlow() error {
	if c.Slow >= 0 && c.Slow <= 1 {
		return nil
	}
	return bad("Slow", "is %v; give a share of calls such as 25%%, at most 100%%", c.Slow)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	if c.After == 0 && c.Quantile == 0 {
		c.Quantile = defaultQuantile
	}
	if c.Copies == 0 {
		c.Copies = defaultCopies
	}
	if c.Budget == 0 {
		c.Budget = defaultBudget
	}
	if c.Window == 0 {
		c.Window = defaultWindow
	}
	if c.Minimum == 0 {
		c.Minimum = defaultMinimum
		if c.Quantile > 0 {
			c.Minimum = max(c.Minimum, int(math.Ceil(1/(1-c.Quantile))))
		}
	}
	if c.Slow == 0 {
		c.Slow = defaultSlow
	}
	return c
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
