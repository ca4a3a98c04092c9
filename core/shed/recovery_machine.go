package shed

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	// enough is how many healthy windows must have been seen before anything
	// is judged, and memory is how many are remembered, about.
	enough = 10
	memory = 60

	// clean is the share of ended work that is useful in a healthy window, and
	// once a cut works.
	clean = 0.9

	// A demand between half and one and a half of the normal one is normal;
	// more is a spike, which is for shedding to deal with.
	quiet, spike = 0.5, 1.5

	// sure is how many clean windows in a row end a cut, and how many wasted
	// ones during the way back make another.
	sure = 3

	// A cut that has not made work useful after so many windows, or did not
	// last, is followed by one that lets in half as much, and by a way back
	// that is twice as slow. The fourth is the last: if even that makes nothing
	// useful, cuts do not help.
	trial   = 60
	deepest = 4

	leastShare = 0.01
	mostShare  = 0.5
)

// recovery is Recovery without its lock. It never reads a clock; now may
// repeat but, seen from here, never goes back, because Recovery clamps it.
type recovery struct {
	cfg RecoveryConfig

	began core.Instant // of the window
	open  bool         // or else nothing has come yet, and began is not known
	win   tally
	last  tally // of the last window judged

	learnt int     // healthy windows
	normal float64 // first attempts in a healthy window
	usual  float64 // useful answers in a healthy window

	state State // Suspected is told by bad alone, see stateNow
	bad   int   // windows in a row: healthy, or on the way back
	good  int   // in a cut: clean windows in a row
	spent int   // windows in this state
	share float64
	ramp  time.Duration
	depth int // cuts since it was last well for long
	cuts  uint64
}

// tally is what came and ended in a window.
type tally struct{ first, retries, useful, wasted float64 }

func (t tally) arrived() float64 { return t.first + t.retries }
func (t tally) ended() float64   { return t.useful + t.wasted }

func newRecovery(c RecoveryConfig) recovery { return recovery{cfg: c, share: 1} }

func (r *recovery) start(now core.Instant) {
	if !r.open {
		r.open, r.began = true, now
	}
}

func (r *recovery) arrived(now core.Instant, retry bool) {
	r.start(now)
	if retry {
		r.win.retries++
	} else {
		r.win.first++
	}
}

func (r *recovery) ended(now core.Instant, useful bool) {
	r.start(now)
	if useful {
		r.win.useful++
	} else {
		r.win.wasted++
	}
}

// sweep judges the window if it is over. A longer time that nobody has swept
// is judged as one window, by its mean.
func (r *recovery) sweep(now core.Instant) (Order, bool) {
	if !r.open || now.Sub(r.began) < r.cfg.Window {
		return r.order(r.state), false
	}
	n := float64(now.Sub(r.began)) / float64(r.cfg.Window)
	w := r.win
	r.last = tally{w.first / n, w.retries / n, w.useful / n, w.wasted / n}
	r.win, r.began = tally{}, now
	from, share := r.stateNow(), r.share
	r.spent += int(n)
	switch r.state {
	case Cut:
		r.inCut()
	case Returning:
		r.onTheWay()
	default:
		r.watch()
	}
	return r.order(from), r.state != from && (r.state != Healthy || from != Suspected) ||
		r.share != share
}

func (r *recovery) order(from State) Order {
	ramp := r.ramp
	if r.state != Returning {
		ramp = 0
	}
	return Order{Share: r.share, Ramp: ramp, From: from, To: r.stateNow()}
}

func (r *recovery) stateNow() State {
	if r.state == Healthy && r.bad > 0 {
		return Suspected
	}
	return r.state
}

// watch judges a window in which nothing is held back.
func (r *recovery) watch() {
	if r.depth > 0 && r.spent > int(2*r.ramp/r.cfg.Window) {
		r.depth = 0
	}
	switch {
	case r.isBad():
		r.bad++
		if r.bad >= r.cfg.Windows {
			r.cut()
		}
	default:
		r.bad = 0
		r.learn()
	}
}

// isBad reports whether the last window looks like a collapse: the usual
// demand, hardly any useful work, and servers busy for nobody. Retries tell it
// from a backlog that drains by itself.
func (r *recovery) isBad() bool {
	w := r.last
	return r.learnt >= enough &&
		w.first >= quiet*r.normal &&
		w.first <= spike*r.normal+2*math.Sqrt(r.normal) &&
		w.useful < r.cfg.Useful*min(r.usual, w.first) &&
		w.wasted >= r.cfg.Wasted*w.ended() &&
		w.retries >= r.cfg.Retries*w.first
}

// learn takes a healthy window into what is normal.
func (r *recovery) learn() {
	w := r.last
	if w.useful == 0 || w.useful < clean*w.ended() || w.useful < clean*w.first {
		return
	}
	r.learnt++
	weight := 1 / float64(min(r.learnt, memory))
	r.normal += (w.first - r.normal) * weight
	r.usual += (w.useful - r.usual) * weight
}

// cut holds admission at a share of the usual useful work, and deeper each
// time: by the arrivals as they are now, so that however many tries a request
// takes, all that are let in fit.
func (r *recovery) cut() {
	r.depth = min(r.depth, deepest-1)
	deeper := float64(uint(1) << r.depth)
	share := r.cfg.Admit * r.usual / max(r.last.arrived(), r.usual) / deeper
	r.share = min(max(share, leastShare), mostShare)
	r.ramp = r.cfg.Ramp * time.Duration(deeper)
	r.depth++
	r.cuts++
	r.enter(Cut)
}

// inCut waits until what is let in is answered in time.
func (r *recovery) inCut() {
	w := r.last
	switch {
	case w.ended() == 0:
	case w.useful >= clean*w.ended():
		r.good++
	default:
		r.good = 0
	}
	switch {
	case r.good >= sure:
		r.enter(Returning)
	case r.spent >= trial && r.depth < deepest:
		r.cut()
	case r.spent >= trial:
		r.giveUp()
	}
}

// onTheWay ends with the ramp, or sooner if work is wasted again.
func (r *recovery) onTheWay() {
	w := r.last
	r.bad++
	if w.ended() == 0 || w.wasted < r.cfg.Wasted*w.ended() {
		r.bad = 0
	}
	switch {
	case r.bad >= sure:
		r.cut()
	case time.Duration(r.spent)*r.cfg.Window >= r.ramp:
		r.share = 1
		r.enter(Healthy)
	}
}

// giveUp lets everything in: work stays useless however little is let in, so
// that it is not load that makes it so. What is normal must be learnt again
// before the next cut.
func (r *recovery) giveUp() {
	r.share, r.depth = 1, 0
	r.learnt, r.normal, r.usual = 0, 0, 0
	r.enter(Healthy)
}

func (r *recovery) enter(s State) { r.state, r.bad, r.good, r.spent = s, 0, 0, 0 }

func (r *recovery) snapshot() RecoverySnapshot {
	perSecond := 1 / r.cfg.Window.Seconds()
	s := RecoverySnapshot{State: r.stateNow(), Share: r.share, Cuts: r.cuts,
		Useful: r.last.useful * perSecond}
	if r.learnt >= enough {
		s.Normal, s.Best = r.normal*perSecond, r.usual*perSecond
	}
	return s
}
