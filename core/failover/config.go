package failover

import (
	"errors"
	"fmt"
	"time"
)

// Config says when to leave the first provider and when to come back. The zero
// Config is one to use.
type Config struct {
	// Share is the share of failed calls at which calls move to the second
	// provider, over 0 and at most 1. 0 is 0.2: of a provider that fails one
	// call in five nobody thinks that it works, and what retries cannot mend
	// in one call of five is no blip.
	Share float64

	// Window is how long calls are counted, in tenths. 0 is 30s: long enough
	// that a restart over there, of a few seconds, does not move everything.
	Window time.Duration

	// Calls is how many the window must hold before anything is decided, from
	// 1. 0 is 20: with fewer a share of 20 % is a matter of luck.
	Calls int

	// Back is the way back.
	Back Back
}

// Back says how calls return to the first provider. The zero Back is one to use.
type Back struct {
	// After is how long all calls stay away. 0 is 60s: twice the window, so
	// that it is not shorter than it took to see that something was wrong.
	// After each return that fails the wait doubles, up to eight times this.
	After time.Duration

	// Begin is the share of calls that tries the first provider to begin with,
	// over 0 and at most 1. 0 is 0.05: if it is still down, one call in twenty
	// hears of it, for as long as it takes to see that.
	Begin float64

	// Step is how long each share is kept at least before it doubles. 0 is
	// 10s. With a beginning of 5 % the way back has five steps, 50 seconds.
	Step time.Duration

	// Calls is how many must have been judged in a step. 0 is 10. With fewer
	// calls than that the step goes on.
	Calls int

	// Share is the share of failed calls, at most Config.Share, beyond which a
	// step has failed. 0 is half of Config.Share: a provider has to be clearly
	// better than when it was left.
	Share float64
}

const (
	defaultShare  = 0.2
	defaultWindow = 30 * time.Second
	defaultCalls  = 20
	defaultAfter  = 60 * time.Second
	defaultBegin  = 0.05
	defaultStep   = 10 * time.Second
	defaultTrials = 10

	minTime   = 10 * time.Millisecond
	maxWindow = time.Hour
	maxWait   = 24 * time.Hour
	mostCalls = 1_000_000

	// mostDoubled is how often the wait doubles: a provider that is down for
	// hours is tried every eight minutes with the default.
	mostDoubled = 3
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	b := c.Back
	f := c.Filled()
	return errors.Join(
		share("Share", c.Share), span("Window", c.Window, maxWindow), calls("Calls", c.Calls),
		span("Back.After", b.After, maxWait), share("Back.Begin", b.Begin),
		span("Back.Step", b.Step, maxWait), calls("Back.Calls", b.Calls),
		share("Back.Share", b.Share), apart(f))
}

func share(field string, v float64) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a share such as 20%%, at most 1", field, v)
}

func span(field string, v, most time.Duration) error {
	if v == 0 || v >= minTime && v <= most {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a time such as 30s, from %v to %v", field, v, minTime, most)
}

func calls(field string, v int) error {
	if v >= 0 && v <= mostCalls {
		return nil
	}
	return fmt.Errorf("%s: is %d; give a number of calls such as 20, at most %d", field, v,
		mostCalls)
}

// apart holds the two limits against each other.
func apart(c Config) error {
	if c.Back.Share <= c.Share {
		return nil
	}
	return fmt.Errorf("Back.Share: is %v and more than Share, %v; give less, or calls come "+
		"back to a provider that they would leave again", c.Back.Share, c.Share)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	fill(&c.Share, defaultShare)
	fill(&c.Window, defaultWindow)
	fill(&c.Calls, defaultCalls)
	fill(&c.Back.After, defaultAfter)
	fill(&c.Back.Begin, defaultBegin)
	fill(&c.Back.Step, defaultStep)
	fill(&c.Back.Calls, defaultTrials)
	fill(&c.Back.Share, c.Share/2)
	return c
}

func fill[T comparable](v *T, with T) {
	var zero T
	if *v == zero {
		*v = with
	}
}
