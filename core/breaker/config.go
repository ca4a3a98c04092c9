package breaker

import (
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
