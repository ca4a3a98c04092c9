package breaker

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/core/window"
)

const (
	defaultMinCalls = 20
	defaultTrials   = 3
	defaultWait     = time.Minute
	capFactor       = 10
	maxTrials       = 1000
	maxAtOnce       = 64 // a bit each in one word
	minTime         = time.Millisecond
)

// Counts says what one result is. The breaker only carries it: whoever calls
// Admit and Report acts on it.
type Counts uint8

const (
	// Attempts asks and reports for every attempt of a call. It is the
	// default: each attempt is load on the dependency and says how it is.
	Attempts Counts = iota
	// Calls asks and reports once for a call with all its retries.
	Calls
)

// String returns "attempts" or "calls".
func (c Counts) String() string { return nameOf(c, "attempts", "calls") }

// Config says when a breaker opens, for how long, and how it closes.
type Config struct {
	// Window is what the breaker remembers. It must be set.
	Window window.Config

	// MinCalls is how many calls the window must hold before a share decides.
	// Zero means 20, or all of a smaller window of calls: with fewer, the first
	// failure of a quiet minute is a share of 100 %. A window of failures in a
	// row needs none.
	MinCalls int

	// Failures is the share of failed calls, above 0 and up to 1, at which the
	// breaker opens. Zero switches this rule off. There is no default, because
	// what is normal differs; 50 % is a good start.
	Failures float64

	// Slow opens the breaker by the share of slow calls. The zero value
	// switches this rule off.
	Slow Slow

	// Open says how long the breaker stays open.
	Open Pause

	// Trials says how a half-open breaker decides.
	Trials Trials

	// Ramp is how long traffic is let back after closing, from a tenth at
	// first to all of it. Zero lets all of it back at once, which suits a
	// dependency without caches to warm or instances to start.
	Ramp time.Duration

	// Counts is Attempts or Calls. The zero value is Attempts.
	Counts Counts
}

// Slow is the rule for calls that succeed too late to be of use: the threads
// they hold are as lost as those of failed calls. Both fields are set or none.
type Slow struct {
	// Over is what makes a call slow: it took this long or longer. In
	// half-open a slow trial is a failed trial.
	Over time.Duration
	// Share is the share of slow calls, above 0 and up to 1, at which the
	// breaker opens. A slow call that failed counts here and in Failures.
	Share float64
}

// Pause is how long a breaker stays open: For times Growth for each opening in
// a row after the first, at most Cap, and then spread by Jitter.
type Pause struct {
	// For is the first open time, at least 1ms. There is no default; 5s to 60s
	// is usual. Recovery is noticed at most this late.
	For time.Duration
	// Cap is the longest open time before jitter. Zero means ten times For.
	Cap time.Duration
	// Jitter spreads the open time evenly over 1-Jitter to 1+Jitter times
	// itself; 0 up to but not including 1. Zero keeps it exact; 0.2 keeps a
	// fleet that opened in the same second from returning in the same second.
	Jitter float64
	// Growth is at least 1. Zero means 1: each open time is as long as the
	// first.
	Growth float64
}

// Trials are the calls that a half-open breaker lets through.
type Trials struct {
	// Calls is how many trials one half-open period admits, 1 to 1000. Zero
	// means 3: one lucky answer is not recovery.
	Calls int
	// AtOnce is how many of them may run at the same time, 1 to 64. Zero means
	// all of them, at most 64.
	AtOnce int
	// Pass is the share of Calls that must succeed to close, above 0 and up to
	// 1. Zero means 1, all: the first failed trial opens the breaker again.
	// With less, the trials that may fail must be a smaller share than opens
	// the breaker: that gap keeps it from flapping.
	Pass float64
	// Wait is how long a trial may stay silent before it counts as failed, at
	// least 1ms. Zero means 1m: longer than attempts are let run in front of a
	// breaker, short enough that a trial whose caller died is not missed long.
	Wait time.Duration
}

// Validate reports every field that cannot be used, joined into one error.
func (c Config) Validate() error {
	var errs errorList
	errs.window(c.Window.Validate())
	row := c.Window.Consecutive > 0
	if c.MinCalls < 0 {
		errs.add("MinCalls: is %d; give 1 or more, or leave it out for %d", c.MinCalls, defaultMinCalls)
	}
	if n := c.Window.Calls; n > 0 && c.MinCalls > n {
		errs.add("MinCalls: is %d, but the window holds %d calls, so it can never decide; give %d or less",
			c.MinCalls, n, n)
	}
	if !isShare(c.Failures) {
		errs.add("Failures: is %v; give a share above 0 and up to 1 (100%%), or leave it out", c.Failures)
	}
	if row && c.Failures != 0 {
		errs.add("Failures: a window of failures in a row has no share; leave it out, or choose another window")
	}
	if row && c.Slow != (Slow{}) {
		errs.add("Slow: a window of failures in a row has no share; leave it out, or choose another window")
	}
	if !row && c.Failures == 0 && c.Slow.Share == 0 {
		errs.add("Failures: nothing would ever open the breaker; give a share such as 0.5, or set Slow")
	}
	c.Slow.check(&errs)
	c.Open.check(&errs)
	c.Trials.check(&errs)
	c.checkGap(&errs)
	if c.Ramp < 0 || c.Ramp > 0 && c.Ramp < minTime {
		errs.add("Ramp: is %v; give a time such as 10s, at least %v, or leave it out", c.Ramp, minTime)
	}
	if c.Counts > Calls {
		errs.add("Counts: is %d; give Attempts or Calls", c.Counts)
	}
	return errors.Join(errs...)
}

func (s Slow) check(errs *errorList) {
	if s.Over < 0 || s.Over == 0 && s.Share != 0 {
		errs.add("Slow.Over: is %v; give the time from which a call is slow, such as 200ms", s.Over)
	}
	if !isShare(s.Share) || s.Share == 0 && s.Over > 0 {
		errs.add("Slow.Share: is %v; give a share above 0 and up to 1 (100%%), such as 0.5", s.Share)
	}
}

func (p Pause) check(errs *errorList) {
	if p.For < minTime {
		errs.add("Open.For: is %v; give a time such as 30s, at least %v", p.For, minTime)
	}
	if p.Cap < 0 || p.Cap > 0 && p.Cap < p.For {
		errs.add("Open.Cap: is %v; give at least Open.For (%v), or leave it out for ten times that", p.Cap, p.For)
	}
	if !(p.Jitter >= 0 && p.Jitter < 1) {
		errs.add("Open.Jitter: is %v; give a share from 0 up to but not including 1, such as 0.2", p.Jitter)
	}
	if p.Growth != 0 && !(p.Growth >= 1 && p.Growth <= math.MaxInt32) {
		errs.add("Open.Growth: is %v; give a factor of 1 or more, such as 2, or leave it out", p.Growth)
	}
}

func (t Trials) check(errs *errorList) {
	if t.Calls < 0 || t.Calls > maxTrials {
		errs.add("Trials.Calls: is %d; give 1 to %d, or leave it out for %d", t.Calls, maxTrials, defaultTrials)
	}
	if t.AtOnce < 0 || t.AtOnce > maxAtOnce {
		errs.add("Trials.AtOnce: is %d; give 1 to %d, or leave it out", t.AtOnce, maxAtOnce)
	}
	if !isShare(t.Pass) {
		errs.add("Trials.Pass: is %v; give a share above 0 and up to 1 (100%%), or leave it out for all", t.Pass)
	}
	if t.Wait < 0 || t.Wait > 0 && t.Wait < minTime {
		errs.add("Trials.Wait: is %v; give a time such as 30s, at least %v, or leave it out for %v",
			t.Wait, minTime, defaultWait)
	}
}

// checkGap demands that trials which close do better than calls which open.
func (c Config) checkGap(errs *errorList) {
	t := c.filled().Trials
	if !(t.Pass > 0 && t.Pass <= 1) || t.Calls < 1 || t.Calls > maxTrials {
		return // reported already
	}
	mayFail := t.Calls - t.need()
	for _, open := range []float64{c.Failures, c.Slow.Share} {
		if reached(uint64(mayFail), uint64(t.Calls), open) {
			errs.add("Trials.Pass: is %v, so %d of %d trials may fail and the breaker closes, but a share of %v opens "+
				"it again and it would flap; give more than %v", t.Pass, mayFail, t.Calls, open, 1-open)
			return
		}
	}
}

// need is how many trials must succeed.
func (t Trials) need() int {
	n := 1
	for float64(n)/float64(t.Calls) < t.Pass {
		n++
	}
	return n
}

// filled returns c with its defaults written out.
func (c Config) filled() Config {
	if c.MinCalls == 0 {
		c.MinCalls = defaultMinCalls
		if n := c.Window.Calls; n > 0 {
			c.MinCalls = min(c.MinCalls, n)
		}
	}
	if c.Open.Cap == 0 {
		c.Open.Cap = math.MaxInt64
		if c.Open.For < math.MaxInt64/capFactor {
			c.Open.Cap = c.Open.For * capFactor
		}
	}
	if c.Open.Growth == 0 {
		c.Open.Growth = 1
	}
	if c.Trials.Calls == 0 {
		c.Trials.Calls = defaultTrials
	}
	if c.Trials.AtOnce == 0 {
		c.Trials.AtOnce = maxAtOnce
	}
	c.Trials.AtOnce = min(c.Trials.AtOnce, c.Trials.Calls)
	if c.Trials.Pass == 0 {
		c.Trials.Pass = 1
	}
	if c.Trials.Wait == 0 {
		c.Trials.Wait = defaultWait
	}
	return c
}

// isShare reports whether s is a share, or zero for none. NaN is neither.
func isShare(s float64) bool { return s >= 0 && s <= 1 }

type errorList []error

func (l *errorList) add(format string, args ...any) { *l = append(*l, fmt.Errorf(format, args...)) }

// window adds the errors of the window's config, one by one, under its name.
func (l *errorList) window(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			l.add("Window.%w", e)
		}
	}
}
