package shed

import (
	"errors"
	"time"
)

// RecoveryConfig holds the numbers of the way back. A field that is zero has
// its default.
type RecoveryConfig struct {
	// Window is how long is judged at a time. 0 is 1s: some dozens of requests
	// even in a small service, and a client's timeout or more.
	Window time.Duration

	// Useful is the share of the usual useful work, or of the demand if that
	// is less, below which a window is bad. 0 is 50 %: what a service that is
	// merely slow or short of servers stays above.
	Useful float64

	// Wasted is the share of ended work that must have been for nothing in a
	// bad window. 0 is 50 %: a service that sheds its overload wastes next to
	// nothing, one that has collapsed next to everything.
	Wasted float64

	// Retries is how many retries a first attempt must have brought in a bad
	// window. 0 is 50 %: beyond any retry budget, and so a sign that retries
	// are what keeps the load up. A backlog without retries drains by itself.
	Retries float64

	// Windows is how many bad windows in a row make a collapse. 0 is 10: a
	// queue that drops its expired requests may need that long after a spike
	// to recover by itself, and a collapse lasts for hours.
	Windows int

	// Admit is the share of the usual useful work that is let in by a cut,
	// retries included. 0 is 25 %: the rest of the capacity drains what has
	// queued, and the service need not be as fast as it was.
	Admit float64

	// Ramp is how long the way back to full admission takes. 0 is 30s: many
	// times a client's timeout, so that caches and connection pools fill, and
	// a relapse shows while most is still kept out.
	Ramp time.Duration
}

const (
	defaultRecoveryWindow = time.Second
	defaultUseful         = 0.5
	defaultWasted         = 0.5
	defaultRetries        = 0.5
	defaultWindows        = 10
	defaultAdmit          = 0.25
	defaultRamp           = 30 * time.Second

	maxWindows = 1000
	minRamp    = time.Second
	maxRamp    = time.Hour
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c RecoveryConfig) Validate() error {
	return errors.Join(
		between("Window", c.Window, minWindow, maxWindow),
		share("Useful", c.Useful, 1),
		share("Wasted", c.Wasted, 1),
		share("Retries", c.Retries, 10),
		c.checkWindows(),
		share("Admit", c.Admit, 1),
		between("Ramp", c.Ramp, minRamp, maxRamp),
	)
}

func (c RecoveryConfig) checkWindows() error {
	if c.Windows < 0 || c.Windows > maxWindows {
		return bad("Windows", "is %d; give a number such as 10, at most %d", c.Windows, maxWindows)
	}
	return nil
}

func (c RecoveryConfig) withDefaults() RecoveryConfig {
	set(&c.Window, defaultRecoveryWindow)
	set(&c.Useful, defaultUseful)
	set(&c.Wasted, defaultWasted)
	set(&c.Retries, defaultRetries)
	set(&c.Windows, defaultWindows)
	set(&c.Admit, defaultAdmit)
	set(&c.Ramp, defaultRamp)
	return c
}
