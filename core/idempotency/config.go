package idempotency

import (
	"errors"
	"fmt"
	"time"
)

const (
	// defaultTTL is what clients of payment services know: they repeat within
	// seconds, and a person at a desk within a day.
	defaultTTL = 24 * time.Hour
	// defaultLongest is far beyond any request, because a run that is taken for
	// lost while it goes on makes its client ask people.
	defaultLongest = time.Hour
	// A million keys are 11 writes a second for a day. 256 MiB is full before
	// that where a key and its answer have more than a few bytes: with 200 it
	// holds 580,000 of them. Who writes more must say so, because what is above
	// a bound is refused.
	defaultEntries = 1_000_000
	defaultBytes   = 256 << 20
	// defaultEntryBytes is ample for what a write answers, and keeps a few
	// downloads from taking all the room.
	defaultEntryBytes = 1 << 20

	// overhead is what a key takes beside its text and its answer: the record,
	// and its places in the map and the heap.
	overhead = 256
)

// Config says how long keys live and how much room they take. The zero value
// is ready to use.
type Config struct {
	// TTL is how long the end of a write is remembered, counted from the end; 0
	// means 24h. After it the same key runs again, so it must be longer than
	// any client goes on repeating.
	TTL time.Duration
	// RunAgainAfter is how long a key stays unknown before the same request may
	// run again, perhaps for the second time. The default of 0 refuses it for
	// the whole TTL: to run a payment twice is worse than to ask somebody. If
	// you set it, give more than a write can go on for after its caller died.
	RunAgainAfter time.Duration
	// Longest is how long a run may take before its key counts as unknown; 0
	// means 1h. It frees keys of runs that hang or whose end could not be
	// stored. A run that ends after it is stored all the same.
	Longest time.Duration
	// Entries is how many keys are kept at most; 0 means 1,000,000.
	Entries int
	// EntryBytes is how large an answer may be; 0 means 1 MiB. A larger one
	// reaches its client and is kept as "not replayable".
	EntryBytes int64
	// Bytes is how much room keys and answers take at most, with 256 bytes for
	// each key beside its text; 0 means 256 MiB.
	Bytes int64
}

// Validate returns nil, or one error for each field at fault, joined. Each
// names the field first and says how to mend it.
func (c Config) Validate() error {
	var errs []error
	if c.TTL < 0 {
		errs = append(errs, fieldError("TTL", "is %v; give how long answers are kept, "+
			"such as 24h, or 0 for %v", c.TTL, defaultTTL))
	}
	if c.RunAgainAfter < 0 {
		errs = append(errs, fieldError("RunAgainAfter", "is %v; give a time such as 10m, "+
			"or 0 to refuse for the whole TTL", c.RunAgainAfter))
	}
	if d := c.WithDefaults(); c.TTL >= 0 && c.RunAgainAfter > d.TTL {
		errs = append(errs, fieldError("RunAgainAfter", "is %v, more than TTL (%v), "+
			"after which a key is free anyway; give less, or 0", c.RunAgainAfter, d.TTL))
	}
	if c.Longest < 0 {
		errs = append(errs, fieldError("Longest", "is %v; give more than any run takes, "+
			"such as 1h, or 0 for %v", c.Longest, defaultLongest))
	}
	if c.Entries < 0 {
		errs = append(errs, fieldError("Entries", "is %d; give how many keys to keep, "+
			"or 0 for %d", c.Entries, defaultEntries))
	}
	if c.EntryBytes < 0 {
		errs = append(errs, fieldError("EntryBytes", "is %d; give a size in bytes, or 0 for %d",
			c.EntryBytes, defaultEntryBytes))
	}
	if c.Bytes < 0 {
		errs = append(errs, fieldError("Bytes", "is %d; give a size in bytes, or 0 for %d",
			c.Bytes, defaultBytes))
	}
	return errors.Join(errs...)
}

// WithDefaults puts the documented numbers in place of zeros. Stores keep the
// result.
func (c Config) WithDefaults() Config {
	if c.TTL == 0 {
		c.TTL = defaultTTL
	}
	if c.Longest == 0 {
		c.Longest = defaultLongest
	}
	if c.Entries == 0 {
		c.Entries = defaultEntries
	}
	if c.EntryBytes == 0 {
		c.EntryBytes = defaultEntryBytes
	}
	if c.Bytes == 0 {
		c.Bytes = defaultBytes
	}
	return c
}

// doubt is how long a key stays unknown.
func (c Config) doubt() time.Duration {
	if c.RunAgainAfter > 0 {
		return c.RunAgainAfter
	}
	return c.TTL
}

// fieldError begins with the field, by which a policy file's line is found.
func fieldError(field, format string, args ...any) error {
	return errors.New(field + ": " + fmt.Sprintf(format, args...))
}
