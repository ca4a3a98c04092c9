package retry

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// MaxAttempts is the largest number of attempts a Config may ask for. More
// than that at one call is not a retry but a queue in the wrong place.
const MaxAttempts = 8

// Config says when and how to try again. Its numbers are per call; the load of
// all calls together is limited by package budget.
type Config struct {
	// Attempts is how many attempts a call may make in all, the first one
	// included: 3 means two retries, 1 none. It must be given: there is no
	// number that suits both a read and a payment.
	Attempts int

	// Backoff is the wait between attempts.
	Backoff Backoff

	// MaxWait caps the wait that a server may ask for. 0 is 30s: a caller
	// that can wait at all can seldom wait longer, and a wrong clock over
	// there must not silence us for hours.
	MaxWait time.Duration

	// Idempotent overrules what the call says of itself. Zero is ByCall.
	Idempotent Word

	// Causes are the causes worth a retry. 0 is DefaultCauses.
	Causes Causes

	// IgnoreRetryAfter makes the wait the backoff's alone.
	IgnoreRetryAfter bool
}

// Word is the policy file's word on whether calls may run twice.
type Word uint8

const (
	// ByCall goes by the call's own Safety.
	ByCall Word = iota
	// Always says that every call is idempotent, whatever its method.
	Always
	// Never says that no call is, not even one with an idempotency key.
	Never
)

// Safety is what is known of one call about running it twice.
type Safety uint8

const (
	// Unknown is treated like Unsafe.
	Unknown Safety = iota
	// Idempotent calls have the same effect however often they run.
	Idempotent
	// Keyed calls carry an idempotency key that the server honours.
	Keyed
	// Unsafe calls may do harm when they run twice.
	Unsafe
)

// MethodSafety returns what an HTTP method promises (RFC 9110, section 9.2.2,
// and QUERY). The empty method is GET, as in net/http.
func MethodSafety(method string) Safety {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY":
		return Idempotent
	}
	return Unsafe
}

// Causes is a set of causes.
type Causes uint16

// Of returns the set of the given causes.
func Of(causes ...core.Cause) Causes {
	var set Causes
	for _, c := range causes {
		set |= 1 << c
	}
	return set
}

// Has reports whether c is in the set.
func (s Causes) Has(c core.Cause) bool { return s>>c&1 != 0 }

// DefaultCauses may go away on their own. core.ServerError is left out, because
// a 500 is often a bug that fails the same way again; it can be added.
const DefaultCauses Causes = 1<<core.Unsent | 1<<core.Reset | 1<<core.TimedOut |
	1<<core.Unavailable | 1<<core.TooMany | 1<<core.BadGateway | 1<<core.Unknown

// possibleCauses are those a Config may name: the rest would repeat.
const possibleCauses = DefaultCauses | 1<<core.ServerError

const defaultMaxWait = 30 * time.Second

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	return errors.Join(
		c.checkAttempts(),
		c.Backoff.checkBase(),
		c.Backoff.checkCap(),
		c.Backoff.checkFactor(),
		c.Backoff.checkJitter(),
		c.checkMaxWait(),
		c.checkIdempotent(),
		c.checkCauses(),
	)
}

func (c Config) checkAttempts() error {
	if c.Attempts >= 1 && c.Attempts <= MaxAttempts {
		return nil
	}
	return bad("Attempts", "is %d; give a number from 1 (no retry) to %d, the first one included",
		c.Attempts, MaxAttempts)
}

func (c Config) checkMaxWait() error {
	if c.MaxWait >= 0 {
		return nil
	}
	return bad("MaxWait", "is %v; give a time such as 30s", c.MaxWait)
}

func (c Config) checkIdempotent() error {
	if c.Idempotent <= Never {
		return nil
	}
	return bad("Idempotent", "is %d; give ByCall, Always or Never", c.Idempotent)
}

func (c Config) checkCauses() error {
	if c.Causes&^possibleCauses == 0 {
		return nil
	}
	for i := range 16 {
		if cause := core.Cause(i); c.Causes.Has(cause) && !possibleCauses.Has(cause) {
			return bad("Causes", "%v would repeat, so a retry cannot help; leave it out", cause)
		}
	}
	return nil
}

func (b Backoff) checkBase() error {
	if b.Base >= 0 {
		return nil
	}
	return bad("Backoff.Base", "is %v; give a time such as %v", b.Base, defaultBase)
}

func (b Backoff) checkCap() error {
	switch {
	case b.Cap < 0:
		return bad("Backoff.Cap", "is %v; give a time such as %v", b.Cap, defaultCap)
	case b.Cap > 0 && b.Base >= 0 && b.Cap < b.base():
		return bad("Backoff.Cap", "is %v, less than Base, %v; give at least that", b.Cap, b.base())
	}
	return nil
}

func (b Backoff) checkFactor() error {
	if b.Factor == 0 || b.Factor >= 1 && !math.IsInf(b.Factor, 0) {
		return nil
	}
	return bad("Backoff.Factor", "is %v; give a number from 1 up, such as 2", b.Factor)
}

func (b Backoff) checkJitter() error {
	if b.Jitter <= None {
		return nil
	}
	return bad("Backoff.Jitter", "is %d; give Full, Equal, Decorrelated or None", b.Jitter)
}

// bad is the problem of one field, which the text begins with.
func bad(field, format string, args ...any) error {
	return fmt.Errorf(field+": "+format, args...)
}
