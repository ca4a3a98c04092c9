package shed

import (
	"math/rand/v2"
	"time"

	"github.com/seakeep/seakeep/core"
)

// world is a server of some slots behind a shedder and a bounded queue that
// serves by class, the oldest of a class first, and drops the lowest when it
// overflows. Its callers wait for so long and do not come back.
type world struct {
	capacity float64 // requests a second, of all slots together
	slots    int
	bound    int
	patience time.Duration
	load     func(t time.Duration) float64 // requests a second
	mix      [core.Criticalities]float64   // shares by class, from the lowest
	single   bool                          // nobody tells users apart: one cohort
	hidden   bool                          // the driver reports the dropped as served
	blind    bool                          // the driver tells nothing of slots
	lazy     bool                          // it tells of slots only when one leaves the queue
	shedder  *Shedder                      // nil: everything comes to the queue
	watch    func(t time.Duration, s Snapshot)
	hangs    [2]time.Duration // nothing ends in between
	until    time.Duration
	from     time.Duration // counted from here on

	rng     *rand.Rand
	now     core.Instant
	ends    []core.Instant // of the slots in use
	queue   [core.Criticalities][]job
	waiting int
	offered [core.Criticalities]int
	good    [core.Criticalities]int
	refused int
	dropped int
	waits   time.Duration
	served  int
}

type job struct {
	came  core.Instant
	level Level
}

// mixed is the brief's mix of classes, from the lowest.
var mixed = [core.Criticalities]float64{0.2, 0.4, 0.3, 0.1}

func (w *world) run(seed uint64) {
	w.rng = rand.New(rand.NewPCG(seed, 7))
	next := w.now + w.gap()
	look := w.now
	for w.now < core.Instant(w.until) {
		end, which := core.Never, -1
		for i, at := range w.ends {
			if at < end {
				end, which = at, i
			}
		}
		w.now = min(next, end)
		if w.watch != nil && w.now >= look {
			w.watch(time.Duration(w.now), w.shedder.Snapshot(w.now))
			look = w.now.Add(100 * time.Millisecond)
		}
		if end <= next {
			w.ends = append(w.ends[:which], w.ends[which+1:]...)
			w.take()
		} else {
			w.arrive()
			next = w.now + w.gap()
		}
	}
}

func (w *world) gap() core.Instant {
	rate := w.load(time.Duration(w.now))
	if rate <= 0 {
		return core.Instant(10 * time.Millisecond)
	}
	return core.Instant(w.rng.ExpFloat64() / rate * float64(time.Second))
}

func (w *world) arrive() {
	if w.load(time.Duration(w.now)) <= 0 {
		return
	}
	x, class := w.rng.Float64(), 0
	for class < core.Criticalities-1 && x >= w.mix[class] {
		x -= w.mix[class]
		class++
	}
	cohort := uint8(w.rng.UintN(Cohorts))
	if w.single {
		cohort = 0
	}
	l := LevelOf(core.CriticalityAt(class), cohort)
	counted := w.now >= core.Instant(w.from)
	if counted {
		w.offered[class]++
	}
	if w.shedder != nil && w.shedder.Admit(w.now, l) != core.NoReason {
		w.refused++
		return
	}
	j := job{came: w.now, level: l}
	switch {
	case len(w.ends) < w.slots:
		w.serve(j)
	case w.waiting < w.bound:
		w.push(j)
	default:
		w.evict(j)
	}
	if !w.lazy {
		w.tell()
	}
}

func (w *world) push(j job) {
	w.queue[j.level.class()] = append(w.queue[j.level.class()], j)
	w.waiting++
}

// evict drops the newest of the lowest class that waits, or the newcomer.
func (w *world) evict(j job) {
	for class := range j.level.class() {
		if q := w.queue[class]; len(q) > 0 {
			out := q[len(q)-1]
			w.queue[class] = q[:len(q)-1]
			w.waiting--
			w.drop(out)
			w.push(j)
			return
		}
	}
	w.drop(j)
}

func (w *world) drop(j job) {
	w.dropped++
	if w.shedder == nil {
		return
	}
	if w.hidden {
		w.shedder.Report(w.now, w.now.Sub(j.came))
	} else {
		w.shedder.Dropped(w.now, w.now.Sub(j.came))
	}
}

// take serves the oldest of the highest class that is still waited for.
func (w *world) take() {
	if !w.lazy {
		defer w.tell()
	}
	for class := core.Criticalities - 1; class >= 0; class-- {
		for len(w.queue[class]) > 0 {
			j := w.queue[class][0]
			w.queue[class] = w.queue[class][1:]
			w.waiting--
			if w.now.Sub(j.came) < w.patience {
				w.serve(j)
				return
			}
			w.drop(j)
		}
	}
}

func (w *world) serve(j job) {
	wait := w.now.Sub(j.came)
	w.ends = append(w.ends, core.Never) // until its end is known below
	w.tell()
	if w.shedder != nil {
		w.shedder.Report(w.now, wait)
	}
	service := w.rng.ExpFloat64() * float64(w.slots) / w.capacity * float64(time.Second)
	end := w.now.Add(time.Duration(service))
	if h := w.hangs; end >= core.Instant(h[0]) && end < core.Instant(h[1]) {
		end = core.Instant(h[1])
	}
	w.ends[len(w.ends)-1] = end
	if w.now >= core.Instant(w.from) {
		w.served++
		w.waits += wait
		if end.Sub(j.came) <= w.patience {
			w.good[j.level.class()]++
		}
	}
}

func (w *world) tell() {
	if w.shedder != nil && !w.blind {
		w.shedder.Busy(w.now, len(w.ends), w.slots, w.waiting)
	}
}

// goodput returns the useful answers a second.
func (w *world) goodput() float64 {
	n := 0
	for _, g := range w.good {
		n += g
	}
	return float64(n) / (w.until - w.from).Seconds()
}

// share returns what part of a class was answered, in per cent.
func (w *world) share(class int) float64 {
	return 100 * float64(w.good[class]) / float64(max(w.offered[class], 1))
}

// ideal returns the best shares there are, in per cent: all of the higher
// classes before any of the lower.
func ideal(load float64, mix [core.Criticalities]float64) (shares [core.Criticalities]float64) {
	left := 1.0
	for class := core.Criticalities - 1; class >= 0; class-- {
		demand := load * mix[class]
		if demand > 0 {
			shares[class] = 100 * min(1, left/demand)
		}
		left = max(0, left-demand)
	}
	return shares
}
