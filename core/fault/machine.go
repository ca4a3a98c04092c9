package fault

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

// Why a rule has ended.
const (
	overTime   = "time is up"
	overHand   = "stopped by hand"
	overAbort  = "too few calls succeed"
	overFile   = "not in the file any more"
	overDenied = "the file allows no orders any more"
)

// entry is a rule that runs, or has run.
type entry struct {
	rule   Rule // filled
	key    uint64
	until  core.Instant
	order  bool
	over   string // why it has ended; empty: it runs
	seen   uint64 // requests in its scope
	hurt   uint64
	spared uint64 // drawn, and let pass because too many were being hurt
}

// machine is the injector without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Injector clamps it.
type machine struct {
	cfg     Config // filled
	seed    uint64
	entries []entry
	running int
	next    core.Instant // when the next rule ends
	active  int          // requests that are being hurt
	calls   counts
	changed []change // since it was last asked
}

// change is a rule that has begun, or ended for a reason.
type change struct {
	name, over string
}

func newMachine(now core.Instant, c Config, seed uint64) machine {
	m := machine{seed: seed, next: core.Never}
	m.reconfigure(now, c)
	return m
}

// reconfigure takes the file's rules over. One that is the same as before goes
// on, or stays ended; orders go on if the file still allows them.
func (m *machine) reconfigure(now core.Instant, c Config) {
	m.sweep(now)
	m.cfg = c.Filled()
	m.calls.configure(now, m.cfg.Abort.Window)
	var kept []entry
	for _, r := range m.cfg.Rules {
		i := m.find(r.Name)
		if i >= 0 && !m.entries[i].order && m.entries[i].rule == r {
			kept = append(kept, m.entries[i])
			m.entries[i].over = overFile // it has moved
			continue
		}
		if i >= 0 { // another one takes its name
			m.note(&m.entries[i], overFile)
		}
		kept = append(kept, m.begin(now, r, false))
	}
	for i := range m.entries {
		e := &m.entries[i]
		switch {
		case e.over == overFile:
			continue
		case !e.order:
			m.note(e, overFile)
			continue
		case !m.cfg.Allow:
			m.note(e, overDenied)
		}
		if len(kept) < maxRules {
			kept = append(kept, *e)
		} else {
			m.note(e, overFile)
		}
	}
	m.entries = kept
	m.count()
}

// note ends a rule, if it runs, and remembers that.
func (m *machine) note(e *entry, over string) {
	if e.over == "" {
		m.changed = append(m.changed, change{e.rule.Name, over})
		e.over = over
	}
}

func (m *machine) begin(now core.Instant, r Rule, order bool) entry {
	m.changed = append(m.changed, change{name: r.Name})
	return entry{rule: r, key: keyOf(m.seed, r.Name), until: now.Add(r.For), order: order}
}

// count finds what follows from the entries.
func (m *machine) count() {
	before := m.running
	m.running, m.next = 0, core.Never
	for i := range m.entries {
		if e := &m.entries[i]; e.over == "" {
			m.running++
			m.next = min(m.next, e.until)
		}
	}
	if before == 0 || m.running == 0 {
		m.calls.clear()
	}
}

func (m *machine) find(name string) int {
	for i := range m.entries {
		if m.entries[i].rule.Name == name {
			return i
		}
	}
	return -1
}

// end ends the rules that which chooses.
func (m *machine) end(over string, which func(*entry) bool) (ended int) {
	for i := range m.entries {
		if e := &m.entries[i]; e.over == "" && which(e) {
			m.note(e, over)
			ended++
		}
	}
	if ended > 0 {
		m.count()
	}
	return ended
}

// sweep ends the rules whose time is up.
func (m *machine) sweep(now core.Instant) {
	if now >= m.next {
		m.end(overTime, func(e *entry) bool { return now >= e.until })
	}
}

// reach is the share of the requests that the running rules may hurt.
func (m *machine) reach() (sum float64) {
	for i := range m.entries {
		if m.entries[i].over == "" {
			sum += m.entries[i].rule.reach()
		}
	}
	return sum
}

// may says whether a rule may begin by order, and in whose place; -1: nobody's.
func (m *machine) may(now core.Instant, r *Rule, force bool) (at int, err error) {
	m.sweep(now)
	if err := r.Validate(); err != nil {
		return 0, err
	}
	if !m.cfg.Allow {
		return 0, refuse("the policy file does not allow faults here; add faults: {allow: true}")
	}
	at = m.find(r.Name)
	if at >= 0 {
		switch e := &m.entries[at]; {
		case e.over == "":
			return 0, refuse("a fault named " + r.Name + " is running; stop it first")
		case !e.order:
			return 0, refuse("the file has a fault named " + r.Name + "; give another name")
		}
	}
	if sum := m.reach() + r.reach(); r.reach() > 0 && sum > m.cfg.Share+rounding && !force {
		return 0, refuse("with it " + percent(sum) + " of the requests may be hurt, " +
			"and the limit is " + percent(m.cfg.Share) + "; give a smaller share, or force it")
	}
	if at < 0 && len(m.entries) >= maxRules {
		if at = m.forgettable(); at < 0 {
			return 0, refuse("there are as many faults as there may be; stop one first")
		}
	}
	return at, nil
}

// start begins a rule by order.
func (m *machine) start(now core.Instant, r Rule, force bool) error {
	at, err := m.may(now, &r, force)
	if err != nil {
		return err
	}
	if at >= 0 {
		m.entries = append(m.entries[:at], m.entries[at+1:]...)
	}
	m.entries = append(m.entries, m.begin(now, r.filled(), true))
	m.count()
	return nil
}

// forgettable is the order that is over for longest; -1: none is over.
func (m *machine) forgettable() int {
	for i := range m.entries {
		if e := &m.entries[i]; e.order && e.over != "" {
			return i
		}
	}
	return -1
}

// admit says what happens to a request.
func (m *machine) admit(now core.Instant, t *Target) (in Injury) {
	m.sweep(now)
	for i := range m.entries {
		e := &m.entries[i]
		if e.over != "" || !e.rule.covers(t) {
			continue
		}
		d := drawsOf(e.key, e.seen)
		e.seen++
		if d.uniform() >= e.rule.Share {
			continue
		}
		if in.By == "" && m.active >= m.cfg.Concurrent {
			e.spared++
			continue
		}
		e.hurt++
		in.add(e, &d)
	}
	if in.By != "" {
		m.active++
	}
	return in
}

// report counts how a call ended, and ends everything if too few succeed.
func (m *machine) report(now core.Instant, succeeded bool) {
	m.sweep(now)
	if m.running == 0 {
		return
	}
	m.calls.add(now, succeeded)
	a := m.cfg.Abort
	if n := m.calls.sum; n.calls >= int64(a.Minimum) &&
		float64(n.good) < a.Success*float64(n.calls) {
		m.end(overAbort, func(*entry) bool { return true })
	}
}

// slices is how finely the window of calls slides.
const slices = 10

type tally struct{ calls, good int64 }

// counts are the calls of a sliding window.
type counts struct {
	width time.Duration
	end   core.Instant // of the current slice
	at    int
	ring  [slices]tally
	sum   tally
}

func (c *counts) configure(now core.Instant, window time.Duration) {
	if width := window / slices; width != c.width {
		*c = counts{width: width, end: now.Add(width)}
	}
}

func (c *counts) clear() { c.ring, c.sum = [slices]tally{}, tally{} }

func (c *counts) add(now core.Instant, good bool) {
	for steps := 0; now >= c.end; steps++ {
		if steps == slices {
			c.end = now.Add(c.width)
			break
		}
		c.at = (c.at + 1) % slices
		c.sum.calls -= c.ring[c.at].calls
		c.sum.good -= c.ring[c.at].good
		c.ring[c.at] = tally{}
		c.end = c.end.Add(c.width)
	}
	c.ring[c.at].calls++
	c.sum.calls++
	if good {
		c.ring[c.at].good++
		c.sum.good++
	}
}
