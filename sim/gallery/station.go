package gallery

import (
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim"
)

// station is one server with one queue, and clients who wait for so long, leave
// without the server's learning of it, and try again. Most of what is known of
// overload shows in it.
type station struct {
	sim.Engine
	stationConfig
	arrivals, services, waits *sim.Stream

	rate     float64 // arrivals a second at present
	slow     float64 // what the service time is multiplied by at present
	cut      bool    // nothing passes the network at present
	held     []job   // sent while it was cut, to be delivered
	line     line
	serving  job
	busy     bool
	emptied  core.Instant // when the queue was last seen empty
	calls    []patron
	budget   *budget.Budget
	good     []int // answers in time, by second
	offered  []int // attempts that reached the server, by second
	worked   tally
	sojourns []time.Duration // of good answers, if kept
}

// stationConfig is what a station is. Its zero rules are FIFO without a bound.
type stationConfig struct {
	service   time.Duration // mean, or exact if even
	random    bool          // service times are exponential
	load      []phase       // arrivals, from the start of each phase on
	poisson   bool          // arrivals are a Poisson process, or else evenly spaced
	patience  time.Duration // 0: for ever
	retry     retry.Config  // Attempts 1: none
	budget    *budget.Config
	lifo      bool
	bound     int  // places in the queue; 0: as many as it takes
	expired   bool // who is no longer waited for is dropped
	short     time.Duration
	long      time.Duration // short and long: a limit on waiting, see limit
	slowed    []phase       // what the service time is multiplied by
	outage    [2]time.Duration
	lost      bool // what is sent in the outage is lost, or else delivered after it
	keepTimes bool
}

// phase is a number that holds from an instant on.
type phase struct {
	from  time.Duration
	value float64
}

// patron is one client's call.
type patron struct {
	began   core.Instant
	timer   sim.Timer
	prev    time.Duration // the wait before
	attempt int32         // the present one, from 1
	waits   bool          // for the present attempt's answer
	over    bool
}

// job is one attempt at the server.
type job struct {
	call    int32
	attempt int32
	until   core.Instant // dropped if taken from the queue later
}

// tally counts attempts at the server, so that none gets lost.
type tally struct{ came, served, refused, dropped int }

const (
	arrives = iota
	served
	givesUp
	again
	loads
	slows
	cuts
	mends
)

// newStation returns a station that has not begun.
func newStation(c stationConfig, seed uint64) *station {
	s := &station{stationConfig: c, slow: 1, rate: c.load[0].value,
		arrivals: stream(seed, "arrivals"), services: stream(seed, "services"),
		waits: stream(seed, "waits")}
	s.line.lifo = c.lifo
	if c.retry.Attempts == 0 {
		s.stationConfig.retry.Attempts = 1
	}
	if c.budget != nil {
		s.budget = must(budget.New(*c.budget))
	}
	for i, p := range c.load[1:] {
		s.At(core.Instant(p.from), sim.Changes, s, loads, int64(i+1))
	}
	for i, p := range c.slowed {
		s.At(core.Instant(p.from), sim.Changes, s, slows, int64(i))
	}
	if c.outage[1] > 0 {
		s.At(core.Instant(c.outage[0]), sim.Changes, s, cuts, 0)
		s.At(core.Instant(c.outage[1]), sim.Changes, s, mends, 0)
	}
	s.At(s.gap(), sim.Begins, s, arrives, 0)
	return s
}

// simulate runs a station until the given time and checks that no attempt got
// lost.
func simulate(c stationConfig, seed uint64, until time.Duration) *station {
	s := newStation(c, seed)
	seconds := int(until/time.Second) + 1
	s.good, s.offered = make([]int, seconds), make([]int, seconds)
	s.Run(core.Instant(until))
	inside := s.line.len()
	if s.busy {
		inside++
	}
	if w := s.worked; w.came != w.served+w.refused+w.dropped+inside {
		panic("gallery: the station has lost an attempt")
	}
	return s
}

// Fire implements sim.Actor.
func (s *station) Fire(what int, arg int64) {
	switch what {
	case arrives:
		s.calls = append(s.calls, patron{began: s.Now()})
		if s.budget != nil {
			s.budget.Deposit(s.Now())
		}
		s.send(int32(len(s.calls) - 1))
		s.At(s.Now()+s.gap(), sim.Begins, s, arrives, 0)
	case served:
		s.finish()
	case givesUp:
		s.fail(int32(arg), core.Timeout)
	case again:
		s.send(int32(arg))
	case loads:
		s.rate = s.load[arg].value
	case slows:
		s.slow = s.slowed[arg].value
	case cuts:
		s.cut = true
	case mends:
		s.cut = false
		for _, j := range s.held {
			s.reach(j)
		}
		s.held = nil
	}
}

// gap draws the time to the next arrival.
func (s *station) gap() core.Instant {
	mean := float64(time.Second) / s.rate
	if s.poisson {
		mean *= s.arrivals.Exp()
	}
	return core.Instant(mean + 0.5)
}

// send starts the next attempt of a call.
func (s *station) send(call int32) {
	p := &s.calls[call]
	p.attempt++
	p.waits = true
	j := job{call: call, attempt: p.attempt}
	if s.patience > 0 {
		p.timer = s.At(s.Now().Add(s.patience), sim.Due, s, givesUp, int64(call))
	}
	switch {
	case !s.cut:
		s.reach(j)
	case !s.lost:
		s.held = append(s.held, j)
	}
}

// reach is an attempt's arrival at the server.
func (s *station) reach(j job) {
	s.worked.came++
	s.offered[s.second()]++
	if s.line.len() == 0 {
		s.emptied = s.Now()
	}
	j.until = s.Now().Add(s.limit())
	switch {
	case !s.busy:
		s.serve(j)
	case s.bound > 0 && s.line.len() >= s.bound:
		s.worked.refused++
		s.fail(j.call, core.Overloaded)
	default:
		s.line.push(j)
	}
}

func (s *station) serve(j job) {
	s.serving, s.busy = j, true
	mean := float64(s.service) * s.slow
	if s.random {
		own := s.services.Of(uint64(j.call), uint64(j.attempt))
		mean *= own.Exp()
	}
	s.At(s.Now()+core.Instant(mean+0.5), sim.Ends, s, served, 0)
}

// finish ends the service under way and takes the next.
func (s *station) finish() {
	s.worked.served++
	s.busy = false
	j := s.serving
	if p := &s.calls[j.call]; p.waits && p.attempt == j.attempt {
		p.over, p.waits = true, false
		s.Cancel(p.timer)
		s.good[s.second()]++
		if s.keepTimes {
			s.sojourns = append(s.sojourns, s.Now().Sub(p.began))
		}
		s.close(core.Success, j.attempt)
	}
	for s.line.len() > 0 && !s.busy {
		j := s.line.pop()
		if s.worthless(j) {
			s.worked.dropped++
			continue
		}
		s.serve(j)
	}
	if s.line.len() == 0 {
		s.emptied = s.Now()
	}
}

func (s *station) second() int {
	return min(int(s.Now()/core.Instant(time.Second)), len(s.good)-1)
}

// mean returns the mean of per-second counts from one second to another.
func mean(counts []int, from, to int) float64 {
	sum := 0
	for _, n := range counts[from:to] {
		sum += n
	}
	return float64(sum) / float64(to-from)
}
