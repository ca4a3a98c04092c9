package limit

import (
	"math"
	"time"
)

const (
	cutTo     = 0.7  // a step of a trial: enough to show above the noise
	allowance = 4    // requests that may wait however few are served
	growth    = 1.5  // the most that a limit grows in one window
	pressing  = 0.75 // from this share of the limit on, in use on average, it binds
	loosened  = 0.6  // below this share it does not
	lost      = 0.6  // throughput so much lower, in two windows, calls for a trial
	tooDeep   = 0.5  // the share of its throughput that a trial never goes on from
	harmful   = 20   // one dropped of so many is overload

	firstPeriod = 30  // windows between trials, at first
	lastPeriod  = 240 // and once they find nothing new

	enough   = 0.1 // the relative error of a mean that is good enough
	compared = 200 // samples of a window that is compared with another
	waits    = 60  // windows that it waits for that
)

// knee looks for the point where more concurrency stops to bring throughput
// and begins to bring latency. doc.go tells how.
type knee struct {
	cfg   Config
	draws draws
	base  float64 // the no-load latency; 0: not known
	known bool    // a trial has confirmed it

	from   mark    // what the next window is compared with; no limit: nothing
	trial  bool    // the limit is lowered to see what comes of it
	start  mark    // where the trial began
	back   float64 // the limit then, with its fraction
	first  float64 // a higher baseline that was seen once; 0: none
	losses int     // windows in a row with much less throughput than at start
	held   int     // windows in a row at Min and too slow
	wait   float64 // windows until the next trial
	period float64
}

// mark is a limit and what it brought.
type mark struct{ limit, rtt, rate float64 }

func newKnee(c Config, seed uint64) *knee {
	return &knee{cfg: c, draws: draws(seed), period: firstPeriod}
}

func (k *knee) begin(limit float64) verdict { return k.rule(verdict{limit: limit}) }

func (k *knee) baseline() float64 { return k.base }

// rule adds what the next window has to be.
func (k *knee) rule(v verdict) verdict {
	v.next.doubt, v.next.patience = enough, waits
	if k.from.limit > 0 {
		v.next.samples = compared
	}
	return v
}

func (k *knee) step(limit float64, w *window) verdict {
	if w.short || w.dropped*harmful > w.count() {
		return k.rule(k.stop(limit, w))
	}
	here := mark{float64(w.limit), w.mean(), w.rate()}
	k.learn(here.rtt + 2*w.doubt())
	var v verdict
	if k.trial {
		v = k.judge(here, w)
	} else {
		v = k.follow(limit, here, w)
	}
	if v.limit != limit {
		// What is under way has to end before the new limit shows.
		line := max(here.rtt, here.limit/here.rate)
		v.next.settle = time.Duration(min(line, float64(waits*k.cfg.Window)))
	}
	return k.rule(v)
}

// learn lowers the baseline toward a window's mean. The mean comes with twice
// its error, so that the least of many noisy ones is not less than the truth,
// and only a quarter of the way is gone, because windows that happen to be
// without a rare long time are no proof that there are none.
func (k *knee) learn(sure float64) {
	switch {
	case k.base == 0:
		k.base = sure
	case sure < 0.9*k.base:
		k.schedule(firstPeriod, 1)
		fallthrough
	case sure < k.base:
		k.base -= (k.base - sure) / 4
	}
}

// stop answers a window that says nothing of latency: traffic has gone, or is
// being dropped.
func (k *knee) stop(limit float64, w *window) verdict {
	v := verdict{limit: limit * 0.9, why: "dropped", gradient: 0.9}
	if w.short {
		v = verdict{limit: limit, why: "back"}
		if k.trial {
			v.limit = k.back
			k.schedule(k.period, k.period)
		}
	}
	k.end()
	return v
}

// end ends a trial and all comparing.
func (k *knee) end() { k.trial, k.from, k.first = false, mark{}, 0 }

// schedule sets when the next trial is due. It is spread out, so that servers
// that were started together do not try together.
func (k *knee) schedule(period, wait float64) {
	k.period = period
	k.wait = wait * k.draws.between(0.75, 1.25)
}

// goal is the latency at which the limit is right: what Tolerance allows, but
// with room for a few requests that wait, and never above Slow.
func (k *knee) goal(rate float64) float64 {
	return k.bounded(max(k.base*k.cfg.Tolerance, k.base+allowance/rate))
}

func (k *knee) bounded(latency float64) float64 {
	if k.cfg.Slow > 0 {
		return min(latency, float64(k.cfg.Slow))
	}
	return latency
}

// flat reports whether a lower limit has cost throughput and not gained
// latency. Little's law makes these one, unless something else changes; then
// they contradict each other and nothing is concluded.
func (k *knee) flat(here mark) bool {
	cut := math.Log(k.from.limit / here.limit)
	gain := math.Log(k.from.rtt / here.rtt)
	cost := math.Log(k.from.rate / here.rate)
	return gain < cut/2 && cost > cut/4 && !k.rose(here)
}

// rose reports whether latency went up although the limit went down: something
// else has changed.
func (k *knee) rose(here mark) bool { return here.rtt > 1.15*k.from.rtt }

// judge looks at what a trial has brought so far.
func (k *knee) judge(here mark, w *window) verdict {
	if w.busy() < loosened*here.limit {
		k.end()
		k.schedule(k.period, k.period)
		return verdict{limit: k.back, why: "back"}
	}
	// One step may mislead, so the whole trial has a say, and with much less
	// throughput than at its start beyond all noise it decides alone.
	left := here.rate / k.start.rate
	noise := 3 / math.Sqrt(float64(w.count()))
	flat := left < 0.85 && k.flat(here) || left < 0.9-noise
	last := here.limit <= float64(k.cfg.Min) || left < tooDeep
	if !flat {
		k.first = 0
	}
	if !last && (!flat || k.doubtful(here)) {
		k.from = here
		return verdict{limit: here.limit * cutTo, why: "trial", gradient: cutTo}
	}
	period, old := 2*k.period, k.base
	k.base = k.bounded(k.least(here))
	if math.Abs(k.base-old) > 0.1*old {
		period = firstPeriod
	}
	period = min(period, lastPeriod)
	if k.known {
		k.schedule(period, period)
	} else {
		k.schedule(period, period/3) // the first finding is soon looked at again
	}
	k.end()
	k.known = true
	// Little's law again: what the throughput of before needs at that latency.
	rate := max(k.start.rate, here.rate)
	next := rate * k.goal(rate)
	return verdict{limit: next, why: "knee", gradient: next / here.limit}
}

// doubtful reports whether a much higher baseline is seen for the first time.
// It has to be seen twice, because a wrong one is dear.
func (k *knee) doubtful(here mark) bool {
	if k.first > 0 || here.rtt <= 1.25*k.base {
		return false
	}
	k.first = here.rtt
	return true
}

// least returns the baseline that the last step of a trial shows.
func (k *knee) least(here mark) float64 {
	if k.first > 0 {
		return min(k.first, here.rtt)
	}
	return here.rtt
}

// follow keeps the latency at its goal between trials.
func (k *knee) follow(limit float64, here mark, w *window) verdict {
	pressed := w.busy() >= pressing*here.limit
	lowest := here.limit <= float64(k.cfg.Min)
	if pressed && !lowest && here.limit <= 0.8*k.from.limit {
		if k.flat(here) {
			k.first = here.rtt
			return k.try(limit, k.from, here)
		}
		k.from = here
	}
	if pressed && k.due(here) && !lowest {
		return k.try(limit, here, here)
	}
	if w.idle() {
		return verdict{limit: limit}
	}
	gradient := min(max(k.goal(here.rate)/here.rtt, cutTo), growth)
	next := limit * gradient
	if gradient > 1.03 {
		k.from = mark{}
	} else if gradient < 1 && pressed && k.from.limit == 0 {
		k.from = here
	}
	k.settleAtMin(here, lowest && pressed && gradient < 1)
	return verdict{limit: next, why: moved(limit, next), gradient: gradient}
}

// due reports whether a trial is. It is called once for each window in which
// the limit binds.
func (k *knee) due(here mark) bool {
	k.wait--
	// Less throughput under the same pressure: the server has changed.
	k.losses++
	if here.rate >= lost*k.start.rate {
		k.losses = 0
	}
	return k.wait <= 0 || !k.known || k.losses >= 2
}

// settleAtMin keeps a wrong baseline from holding the limit at Min for ever,
// where no trial can show that it is wrong. Min is a limit that is always
// right, so that what it brings is a baseline.
func (k *knee) settleAtMin(here mark, held bool) {
	k.held++
	if !held {
		k.held = 0
	}
	if k.held >= atFloor {
		k.base, k.held = k.bounded(max(k.base, here.rtt)), 0
		k.schedule(firstPeriod, firstPeriod)
	}
}

// try begins a trial.
func (k *knee) try(limit float64, start, here mark) verdict {
	k.trial, k.start, k.from, k.back, k.losses = true, start, here, limit, 0
	return verdict{limit: here.limit * cutTo, why: "trial", gradient: cutTo}
}
