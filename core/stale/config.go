package stale

import (
	"errors"
	"fmt"
	"time"
)

const (
	// defaultEntries and defaultBytes apply where Config says 0. A thousand
	// answers cover the pages that matter in an outage, as traffic is
	// concentrated on few keys; 64 MiB is a size nobody notices in a service.
	defaultEntries = 1000
	defaultBytes   = 64 << 20

	// leaseFor is how long a lease lasts that nobody gives back. It is longer
	// than a call should take, so that a slow renewal is not made twice, and
	// short enough that a lost one does not keep an answer old for long.
	leaseFor = 10 * time.Second
)

// Config sets how long answers may be used and how much room they take. Fresh
// or Stale must be given.
type Config struct {
	// Fresh is the age below which an answer is given without calling. The
	// default of zero always calls: most dependencies are asked because the
	// present answer matters.
	Fresh time.Duration
	// Stale is the age below which an answer may be given when the call fails,
	// counted from when it was stored, so it includes Fresh. Zero means never.
	// It has no other default, because only the owner knows how old an answer
	// does no harm.
	Stale time.Duration
	// Entries is how many answers are kept at most; 0 means 1000.
	Entries int
	// Bytes is how much room the answers and their keys take at most, as the
	// sizes given to Store say; 0 means 64 MiB.
	Bytes int64
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c Config) Validate() error {
	var errs []error
	if c.Fresh < 0 {
		errs = append(errs, fieldError("Fresh", "is %v; give a time such as 10s, "+
			"or 0 to always call", c.Fresh))
	}
	switch {
	case c.Stale < 0:
		errs = append(errs, fieldError("Stale", "is %v; give a time such as 5m, "+
			"or 0 for never", c.Stale))
	case c.Stale == 0 && c.Fresh == 0:
		errs = append(errs, fieldError("Stale", "is 0 and so is Fresh, so that no answer would "+
			"ever be used; give how old one may be when the call fails, such as 5m"))
	case c.Stale > 0 && c.Stale < c.Fresh:
		errs = append(errs, fieldError("Stale", "is %v, less than Fresh (%v); both count from "+
			"when the answer was stored, so give at least as much, or 0 for never",
			c.Stale, c.Fresh))
	}
	if c.Entries < 0 {
		errs = append(errs, fieldError("Entries", "is %d; give how many answers to keep, "+
			"or 0 for %d", c.Entries, defaultEntries))
	}
	if c.Bytes < 0 {
		errs = append(errs, fieldError("Bytes", "is %d; give a size in bytes, or 0 for %d",
			c.Bytes, defaultBytes))
	}
	return errors.Join(errs...)
}

// withDefaults puts the documented numbers in place of zeros.
func (c Config) withDefaults() Config {
	if c.Entries == 0 {
		c.Entries = defaultEntries
	}
	if c.Bytes == 0 {
		c.Bytes = defaultBytes
	}
	return c
}

// fieldError begins with the field, by which a policy file's line is found.
func fieldError(field, format string, args ...any) error {
	return errors.New(field + ": " + fmt.Sprintf(format, args...))
}
