package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/shed"
	"github.com/seakeep/seakeep/sim"
)

// counter is a service of some workers behind core/shed and a bounded queue
// that serves by class and drops the lowest. What comes are tasks, of some
// calls that are made at once and must all be answered in time.
type counter struct {
	sim.Engine
	counterConfig
	arrivals, users, services *sim.Stream

	shedder *shed.Shedder
	tasks   []errand
	jobs    []piece
	queue   [core.Criticalities][]int64 // jobs, by class
	waiting int
	busy    int
}

type counterConfig struct {
	capacity float64 // calls a second, of all workers together
	workers  int
	bound    int
	calls    int  // of a task
	byUser   bool // all calls of a task are of one cohort
	patience time.Duration
	rates    [core.Criticalities]float64 // tasks a second, by class
}

// byClass returns rates of tasks of two classes.
func byClass(critical, sheddable float64) (rates [core.Criticalities]float64) {
	rates[core.Critical.Index()], rates[core.Sheddable.Index()] = critical, sheddable
	return rates
}

// errand is one task.
type errand struct {
	came  core.Instant
	class core.Criticality
	left  int // calls still to be answered in time; never 0 again once one is lost
}

// piece is one call of a task.
type piece struct {
	task int64
	came core.Instant
}

const (
	enters = iota
	isDone
)

func newCounter(c counterConfig, seed uint64) *counter {
	t := &counter{counterConfig: c, arrivals: stream(seed, "arrivals"), users: stream(seed, "users"),
		services: stream(seed, "services"), shedder: must(shed.New(shed.Config{}))}
	for class, rate := range c.rates {
		if rate > 0 {
			t.next(class)
		}
	}
	return t
}

func (t *counter) next(class int) {
	gap := t.arrivals.Exp() / t.rates[class] * float64(time.Second)
	t.At(t.Now()+core.Instant(gap), sim.Begins, t, enters, int64(class))
}

// wholeShare runs until the end and returns the share of a class's tasks, of
// those that came from then to then, whose calls were all answered in time.
func (t *counter) wholeShare(class core.Criticality, from, to time.Duration) float64 {
	t.Run(core.Instant(to + 2*t.patience))
	all, whole := 0, 0
	for _, e := range t.tasks {
		if e.class == class && e.came >= core.Instant(from) && e.came < core.Instant(to) {
			all++
			if e.left == 0 {
				whole++
			}
		}
	}
	return float64(whole) / float64(all)
}

// Fire implements sim.Actor.
func (t *counter) Fire(what int, arg int64) {
	switch what {
	case enters:
		t.begin(core.CriticalityAt(int(arg)))
		t.next(int(arg))
	case isDone:
		t.finish(t.jobs[arg])
	}
}

func (t *counter) begin(class core.Criticality) {
	task := int64(len(t.tasks))
	t.tasks = append(t.tasks, errand{came: t.Now(), class: class, left: t.calls})
	user := t.cohort()
	for range t.calls {
		level := shed.LevelOf(class, user)
		if !t.byUser {
			level = shed.LevelOf(class, t.cohort())
		}
		if t.shedder.Admit(t.Now(), level) != core.NoReason {
			continue
		}
		t.jobs = append(t.jobs, piece{task: task, came: t.Now()})
		t.enter(class.Index(), int64(len(t.jobs)-1))
		t.tell()
	}
}

func (t *counter) cohort() uint8 { return uint8(t.users.Uint64() % shed.Cohorts) }

func (t *counter) enter(class int, job int64) {
	if t.busy < t.workers {
		t.serve(job)
		return
	}
	if t.waiting >= t.bound && !t.evict(class) {
		t.shedder.Dropped(t.Now(), 0)
		return
	}
	t.queue[class] = append(t.queue[class], job)
	t.waiting++
}

// evict drops the newest call of the lowest class below another.
func (t *counter) evict(below int) bool {
	for class := range below {
		if q := t.queue[class]; len(q) > 0 {
			last := len(q) - 1
			t.shedder.Dropped(t.Now(), t.Now().Sub(t.jobs[q[last]].came))
			t.queue[class] = q[:last]
			t.waiting--
			return true
		}
	}
	return false
}

func (t *counter) serve(job int64) {
	t.busy++
	t.shedder.Report(t.Now(), t.Now().Sub(t.jobs[job].came))
	service := t.services.Exp() * float64(t.workers) / t.capacity * float64(time.Second)
	t.At(t.Now()+core.Instant(service), sim.Ends, t, isDone, job)
}

func (t *counter) finish(p piece) {
	t.busy--
	if t.Now().Sub(p.came) <= t.patience {
		t.tasks[p.task].left--
	}
	for class := core.Criticalities - 1; class >= 0 && t.busy < t.workers; class-- {
		for len(t.queue[class]) > 0 && t.busy < t.workers {
			job := t.queue[class][0]
			t.queue[class] = t.queue[class][1:]
			t.waiting--
			if wait := t.Now().Sub(t.jobs[job].came); wait > t.patience {
				t.shedder.Dropped(t.Now(), wait)
				continue
			}
			t.serve(job)
		}
	}
	t.tell()
}

func (t *counter) tell() { t.shedder.Busy(t.Now(), t.busy, t.workers, t.waiting) }
