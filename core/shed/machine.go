package shed

import (
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	// keep is the part of what was counted that stays after a window. A half
	// smooths the chance of one window and forgets a load within a second.
	keep = 0.5

	// slack is the part of the demand that may go unserved before anything is
	// shed: so little is left to the queue, which drops the lowest itself.
	slack = 0.05

	// patience is for how many windows in a row the queue may stand before
	// shedding begins even if nearly all that comes is served.
	patience = 8

	// few is how many served requests make a window that may be judged, and
	// stretch is how many times as long it may take for them to be served. A
	// silence of more than that lets everything in again.
	few     = 50
	stretch = 8

	// fastest is how many times as much is let in at most after one window.
	fastest = 2.0

	// dust is demand that no request stands for any more.
	dust = 1e-6
)

// machine is the shedder without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Shedder clamps it.
type machine struct {
	cfg Config

	// What came, by level: in this window, and before it, where each window
	// counts half as much as the one after it.
	fresh  [levels]uint32
	demand [levels]float64
	total  float64 // sum of demand
	served float64 // remembered like demand
	win    window

	load  gate // by the overload
	lever gate // by Reduce
	order order

	over   bool          // the last judgement
	late   bool          // the scheduler was, when last measured
	mute   int           // windows since that measurement
	streak int           // judgements in a row that went as the last one
	stands int           // overloaded windows in a row in which a slot was never free
	wait   time.Duration // mean of the last window with any
	slots  slots
	stood  core.Instant // when somebody waited last, as far as is known

	classes [core.Criticalities]Class
}

// window is what is counted until the next judgement.
type window struct {
	open    bool // or else nothing has happened yet, and began is not known
	began   core.Instant
	came    int
	served  int
	dropped int
	waited  float64 // nanoseconds, of those served and dropped
	latency time.Duration
	saw     int     // requests that found anything known of slots
	used    float64 // sum of the shares of the slots that these found in use
	stood   int     // of these, those that found others waiting
}

// slots are as last told; with a limit of 0 nothing is known.
type slots struct{ inUse, limit, queued int }

func newMachine(c Config) machine { return machine{cfg: c, order: order{share: 1}} }

func (m *machine) admit(now core.Instant, l Level) core.Reason {
	m.advance(now)
	if m.win.came >= m.cfg.Requests && m.win.served >= few {
		m.judge(now, 1)
	}
	m.count(now, l)
	reason := core.NoReason
	switch {
	case !m.lever.pass(l):
		reason = core.AdmissionReduced
	case m.load.shut && !m.load.pass(l) && !m.spare(now, l):
		reason = core.Shed
	default:
		m.expect(now)
		return core.NoReason
	}
	m.classes[l.class()].Refused++
	return reason
}

// expect takes a request that is let in for one that has a slot or waits,
// until the driver tells how it is.
func (m *machine) expect(now core.Instant) {
	switch {
	case m.slots.limit <= 0:
	case m.slots.inUse < m.slots.limit:
		m.slots.inUse++
	default:
		m.slots.queued++
		m.stood = now
	}
}

// count takes a request into the demand.
func (m *machine) count(now core.Instant, l Level) {
	m.start(now)
	m.win.came++
	m.fresh[l]++
	m.classes[l.class()].Offered++
	if m.slots.limit > 0 {
		if m.slots.queued > 0 {
			m.win.stood++
		}
		m.win.saw++
		m.win.used += min(float64(m.slots.inUse)/float64(m.slots.limit), 1)
	}
}

// free reports whether it is known that nobody waits: to refuse then would
// only leave a slot without work. Where the scheduler is late, slots say nothing.
func (m *machine) free() bool {
	return m.slots.limit > 0 && m.slots.queued <= 0 && !m.late
}

// spare reports whether a request below the cut may have what is left over. To
// refuse while nobody waits would leave a slot idle; but what is left is first
// for the class that the cut goes through, and for those below it only when
// nobody has waited for a window.
func (m *machine) spare(now core.Instant, l Level) bool {
	return m.free() && (l.class() >= m.load.cut.class() || now.Sub(m.stood) >= m.cfg.Window)
}

// left is that of a request that left the queue.
func (m *machine) left(now core.Instant, wait time.Duration, served bool) {
	m.advance(now)
	m.start(now)
	m.win.waited += float64(max(wait, 0))
	if served {
		m.win.served++
	} else {
		m.win.dropped++
	}
}

func (m *machine) scheduler(now core.Instant, latency time.Duration) {
	m.advance(now)
	m.start(now)
	m.win.latency = max(m.win.latency, latency, 1) // 0: not measured
	m.mute = 0
}

func (m *machine) busy(now core.Instant, inUse, limit, queued int) {
	if queued > 0 || m.slots.queued > 0 {
		m.stood = now
	}
	m.slots = slots{inUse: inUse, limit: limit, queued: queued}
}

// start begins the first window with the first thing that happens.
func (m *machine) start(now core.Instant) {
	if !m.win.open {
		m.win.open, m.win.began = true, now
	}
}

// allowed returns the share of the known demand that is let in.
func (m *machine) allowed() float64 {
	sum := m.known()
	if sum == 0 {
		return m.order.share
	}
	return min(m.admitted(&m.load), m.admitted(&m.lever)) / sum
}

// retryAfter asks for as many seconds as there are times too many requests, so
// that those who come back are about as many a second as those let in. Past a
// few seconds people leave, and an overload that is over would be felt on.
func (m *machine) retryAfter(now core.Instant) time.Duration {
	m.advance(now)
	if !m.load.shut && !m.lever.shut {
		return 0
	}
	const least, most = 1, 5 // seconds
	return time.Duration(min(max(1/m.allowed(), least), most) * float64(time.Second))
}

func (m *machine) snapshot(now core.Instant) Snapshot {
	m.advance(now)
	s := Snapshot{Share: m.allowed(), Reduced: m.order.at(now), Overloaded: m.over,
		Wait: m.wait, Classes: m.classes}
	if m.load.shut {
		s.Cut = m.load.cut
	}
	return s
}
