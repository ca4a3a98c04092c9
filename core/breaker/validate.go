package breaker

import (
	"errors"
	"fmt"
	"math"
)

const noShare = "a window of failures in a row has no share; leave it out, or choose another window"

// Validate reports every field that cannot be used, joined into one error.
func (c Config) Validate() error {
	var errs errorList
	errs.window(c.Window.Validate())
	row := c.Window.Consecutive > 0
	if c.MinCalls < 0 {
		errs.add("MinCalls: is %d; give 1 or more, or leave it out for %d", c.MinCalls,
			defaultMinCalls)
	}
	if n := c.Window.Calls; n > 0 && c.MinCalls > n {
		errs.add("MinCalls: is %d, but the window holds %d calls and it could never decide; "+
			"give %d or less", c.MinCalls, n, n)
	}
	if !isShare(c.Failures) {
		errs.add("Failures: is %v; give a share above 0 and up to 1 (100%%), or leave it out",
			c.Failures)
	}
	if row && c.Failures != 0 {
		errs.add("Failures: " + noShare)
	}
	if row && c.Slow != (Slow{}) {
		errs.add("Slow: " + noShare)
	}
	if !row && c.Failures == 0 && c.Slow.Share == 0 {
		errs.add("Failures: nothing would ever open the breaker; " +
			"give a share such as 0.5, or set Slow")
	}
	c.Slow.check(&errs)
	c.Open.check(&errs)
	c.Trials.check(&errs)
	c.checkGap(&errs)
	if c.Ramp < 0 || c.Ramp > 0 && c.Ramp < minTime {
		errs.add("Ramp: is %v; give a time such as 10s, at least %v, or leave it out", c.Ramp,
			minTime)
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
		errs.add("Slow.Share: is %v; give a share above 0 and up to 1 (100%%), such as 0.5",
			s.Share)
	}
}

func (p Pause) check(errs *errorList) {
	if p.For < minTime {
		errs.add("Open.For: is %v; give a time such as 30s, at least %v", p.For, minTime)
	}
	if p.Cap < 0 || p.Cap > 0 && p.Cap < p.For {
		errs.add("Open.Cap: is %v; give at least Open.For (%v), or leave it out for ten times that",
			p.Cap, p.For)
	}
	if !(p.Jitter >= 0 && p.Jitter < 1) {
		errs.add("Open.Jitter: is %v; give a share from 0 up to but not including 1, such as 0.2",
			p.Jitter)
	}
	if p.Growth != 0 && !(p.Growth >= 1 && p.Growth <= math.MaxInt32) {
		errs.add("Open.Growth: is %v; give a factor of 1 or more, such as 2, or leave it out",
			p.Growth)
	}
}

func (t Trials) check(errs *errorList) {
	if t.Calls < 0 || t.Calls > maxTrials {
		errs.add("Trials.Calls: is %d; give 1 to %d, or leave it out for %d", t.Calls, maxTrials,
			defaultTrials)
	}
	if t.AtOnce < 0 || t.AtOnce > maxAtOnce {
		errs.add("Trials.AtOnce: is %d; give 1 to %d, or leave it out", t.AtOnce, maxAtOnce)
	}
	if !isShare(t.Pass) {
		errs.add("Trials.Pass: is %v; give a share above 0 and up to 1 (100%%), "+
			"or leave it out for all", t.Pass)
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
			errs.add("Trials.Pass: is %v, so %d of %d trials may fail and the breaker closes, "+
				"but a share of %v opens it again and it would flap; give more than %v",
				t.Pass, mayFail, t.Calls, open, 1-open)
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
