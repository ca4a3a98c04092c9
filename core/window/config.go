package window

import (
	"errors"
	"fmt"
	"time"
)

const (
	defaultBuckets = 10
	maxBuckets     = 1000
	maxCalls       = 100_000
	maxRow         = 1_000_000
	minOver        = time.Millisecond
	maxOver        = 24 * time.Hour
)

// Config says which results a Window counts. Exactly one of Calls, Over and
// Consecutive is set.
type Config struct {
	// Calls counts the last Calls results, 1 to 100,000. There is no default:
	// it must cover enough calls that noise does not reach a threshold. At a
	// failure share of 44 %, a window of 20 passes 50 % one time in three.
	Calls int

	// Over counts the results of the last Over, 1ms to 24h, less up to one
	// slice. There is no default.
	Over time.Duration

	// Consecutive counts failures in a row, 1 to 1,000,000. A success starts
	// the row anew. The number is for whoever decides by it: a Window only
	// counts.
	Consecutive int

	// Buckets cuts Over into slices, 1 to 1000; zero means 10: old results
	// then leave in steps of a tenth of the window. One slice makes a tumbling
	// window, which forgets everything at once.
	Buckets int
}

// Validate reports every field that cannot be used, joined into one error.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	set := 0
	for _, on := range []bool{c.Calls != 0, c.Over != 0, c.Consecutive != 0} {
		if on {
			set++
		}
	}
	switch {
	case set == 0:
		bad("Over: no window is set; give a time such as 10s, a number of calls, " +
			"or a number of failures in a row")
	case set > 1:
		bad("Over: more than one window is set; keep one of Calls, Over and Consecutive")
	}
	if c.Calls < 0 || c.Calls > maxCalls {
		bad("Calls: is %d; give 1 to %d", c.Calls, maxCalls)
	}
	if c.Over != 0 && (c.Over < minOver || c.Over > maxOver) {
		bad("Over: is %v; give %v to %v", c.Over, minOver, maxOver)
	}
	if c.Consecutive < 0 || c.Consecutive > maxRow {
		bad("Consecutive: is %d; give 1 to %d", c.Consecutive, maxRow)
	}
	if c.Buckets < 0 || c.Buckets > maxBuckets {
		bad("Buckets: is %d; give 1 to %d, or leave it out for %d", c.Buckets, maxBuckets,
			defaultBuckets)
	}
	if c.Buckets != 0 && c.Over == 0 {
		bad("Buckets: cuts a window of time; leave it out, or set Over")
	}
	return errors.Join(errs...)
}
