package shed

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"github.com/seakeep/seakeep/core"
)

// storm is a FIFO server of 100 requests a second whose callers wait for a
// time and try again at once. The server does not learn that they have left.
type storm struct {
	load     func(second float64) float64 // first attempts a second
	capacity func(second float64) float64 // requests a second
	attempts int
	patience time.Duration
	budget   float64 // retries that a first attempt earns; 0: no budget
	bound    int     // places in the queue; 0: no bound
	expired  bool    // who is no longer waited for is dropped when taken
	lifo     bool
	even     bool // arrivals are evenly spaced
	recovery *Recovery
	shedder  *Shedder
	full     bool // the shedder is told of waits, and sheds by itself
	untold   bool // retries do not say that they are
	until    int  // seconds
	good     []int
	offered  []int
	orders   []string
	ordered  []float64 // seconds
	rng      *rand.Rand
	now      core.Instant
	events   events
	queue    []try
	serving  *try
	calls    []caller
	tokens   float64
	sequence int
}

type try struct {
	call    int
	attempt int
	came    core.Instant
}

type caller struct {
	attempt int
	over    bool
}

type event struct {
	at   core.Instant
	seq  int
	what byte // a: arrives, s: served, g: gives up, w: sweeps
	try  try
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

func (s *storm) at(when core.Instant, what byte, t try) {
	s.sequence++
	heap.Push(&s.events, event{when, s.sequence, what, t})
}

func (s *storm) seconds() float64 { return time.Duration(s.now).Seconds() }

func (s *storm) run(seed uint64) {
	s.rng = rand.New(rand.NewPCG(seed, 3))
	s.good, s.offered = make([]int, s.until+1), make([]int, s.until+1)
	s.at(s.gap(), 'a', try{})
	s.at(core.Instant(100*time.Millisecond), 'w', try{})
	for {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		if s.seconds() >= float64(s.until) {
			return
		}
		switch e.what {
		case 'a':
			s.calls = append(s.calls, caller{})
			s.tokens = min(s.tokens+s.budget, 100)
			s.at(s.now+s.gap(), 'a', try{})
			s.send(len(s.calls) - 1)
		case 's':
			s.finish()
		case 'g':
			if c := s.calls[e.try.call]; !c.over && c.attempt == e.try.attempt {
				s.fail(e.try.call)
			}
		case 'w':
			s.sweep()
			s.at(s.now.Add(100*time.Millisecond), 'w', try{})
		}
	}
}

func (s *storm) gap() core.Instant {
	mean := float64(time.Second) / s.load(s.seconds())
	if !s.even {
		mean *= s.rng.ExpFloat64()
	}
	return core.Instant(mean)
}

func (s *storm) sweep() {
	if s.recovery == nil {
		return
	}
	order, changed := s.recovery.Sweep(s.now)
	if !changed {
		return
	}
	s.orders = append(s.orders, order.To.String())
	s.ordered = append(s.ordered, s.seconds())
	s.shedder.Reduce(s.now, order.Share, order.Ramp)
}

func (s *storm) send(call int) {
	c := &s.calls[call]
	c.attempt++
	s.offered[int(s.seconds())]++
	if s.recovery != nil {
		s.recovery.Arrived(s.now, c.attempt > 1 && !s.untold)
	}
	if s.shedder != nil && s.shedder.Admit(s.now, LevelOf(core.Critical, 0)) != core.NoReason {
		s.fail(call)
		return
	}
	t := try{call, c.attempt, s.now}
	s.at(s.now.Add(s.patience), 'g', t)
	switch {
	case s.serving == nil:
		s.serve(t)
	case s.bound > 0 && len(s.queue) >= s.bound:
		if s.full {
			s.shedder.Dropped(s.now, 0)
		}
		s.fail(call)
	default:
		s.queue = append(s.queue, t)
	}
	s.busy()
}

func (s *storm) busy() {
	if s.full {
		n := 0
		if s.serving != nil {
			n = 1
		}
		s.shedder.Busy(s.now, n, 1, len(s.queue))
	}
}

func (s *storm) fail(call int) {
	c := &s.calls[call]
	if c.attempt >= s.attempts || s.budget > 0 && s.tokens < 1 {
		c.over = true
		return
	}
	if s.budget > 0 {
		s.tokens--
	}
	s.send(call)
}

func (s *storm) serve(t try) {
	s.serving = &t
	if s.full {
		s.shedder.Report(s.now, s.now.Sub(t.came))
	}
	s.at(s.now.Add(time.Duration(float64(time.Second)/s.capacity(s.seconds()))), 's', t)
}

func (s *storm) waited(t try) bool {
	c := s.calls[t.call]
	return !c.over && c.attempt == t.attempt
}

func (s *storm) finish() {
	t := *s.serving
	s.serving = nil
	s.ended(s.waited(t))
	if s.waited(t) {
		s.calls[t.call].over = true
		s.good[int(s.seconds())]++
	}
	for len(s.queue) > 0 && s.serving == nil {
		next, rest := s.queue[0], s.queue[1:]
		if s.lifo {
			last := len(s.queue) - 1
			next, rest = s.queue[last], s.queue[:last]
		}
		s.queue = rest
		if s.expired && !s.waited(next) {
			s.ended(false)
			continue
		}
		s.serve(next)
	}
	s.busy()
}

func (s *storm) ended(useful bool) {
	if s.recovery != nil {
		s.recovery.Ended(s.now, useful)
	}
}
