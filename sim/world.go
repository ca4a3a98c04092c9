package sim

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// parts is how many slices a run's time is divided into for its charts.
const parts = 120

// World is one run of a scenario.
type World struct {
	Engine
	scenario *config.Scenario
	seed     uint64
	warm     core.Instant // when the warm-up ends
	end      core.Instant
	width    core.Instant // of a slice of time
	services []*service
	clients  []*client
	members  []*member
	samples  [][]Sample       // by slice, and by service
	inForce  []*config.Change // in the order in which they began
	trace    func(core.Event)
	fate     func(Fate)
	worker   func(WorkerChange)
	answer   func(string, uint64, int) (time.Duration, core.Result, bool)
	draw     func() float64
	jobs     []*job             // to be used again
	outcalls []*outcall         // to be used again
	faults   map[string]*faults // by user and dependency
}

// Options change how a run is made.
type Options struct {
	// Seed is added to the scenario's own.
	Seed uint64
	// Trace receives every decision of every policy, in order. It makes a run
	// several times as slow.
	Trace func(core.Event)
	// Answer, if it knows one, replaces what a service does with an attempt: it
	// answers after a time with a result. The request counts from 1 for each
	// client, the attempt from 0.
	Answer func(service string, request uint64, attempt int) (time.Duration, core.Result, bool)
	// Fate receives the end of every user's request, in order.
	Fate func(Fate)
	// Worker receives every change of what a worker does, in order.
	Worker func(WorkerChange)
	// Draw, if set, is where calls get their random numbers from, in [0, 1): the
	// jitter of waits and the throttle. The rest of the world keeps its streams.
	Draw func() float64
}

// Fate is how one user's request ended. Its ID is the same in every run of the
// same clients and seed, whatever the policies.
type Fate struct {
	ID       uint64
	Began    core.Instant
	Took     time.Duration
	Endpoint string
	Answered bool
	Fallback bool
}

// Run makes one run of a scenario. It panics if the books of the run do not
// balance, which is a fault of this package.
func Run(s *config.Scenario, o Options) (*Result, error) {
	w, err := newWorld(s, o)
	if err != nil {
		return nil, err
	}
	for _, c := range w.clients {
		c.start()
	}
	for i := range s.Changes {
		w.plan(&s.Changes[i])
	}
	for at := w.width; at < w.end+w.width; at += w.width {
		w.At(min(at, w.end), Changes, sampler{w}, 0, 0)
	}
	w.Engine.Run(w.warm - 1) // what happens when it ends is not a part of it
	w.now = w.warm
	base := w.tally()
	w.Engine.Run(w.end)
	w.check()
	return w.result(base), nil
}

// check panics if the books do not balance.
func (w *World) check() {
	for _, s := range w.services {
		s.check()
	}
	for _, c := range w.clients {
		c.check()
	}
}

// newJob returns a request to use.
func (w *World) newJob(i *instance, r *route) *job {
	n := len(w.jobs)
	if n == 0 {
		return &job{inst: i, route: r}
	}
	j := w.jobs[n-1]
	w.jobs = w.jobs[:n-1]
	*j = job{inst: i, route: r, gen: j.gen + 1, visit: j.visit}
	return j
}

func (w *World) freeJob(j *job) { w.jobs = append(w.jobs, j) }

// newCall returns a call to use.
func (w *World) newCall(m *member, by owner) *outcall {
	n := len(w.outcalls)
	if n == 0 {
		return &outcall{member: m, owner: by, gen: 1}
	}
	o := w.outcalls[n-1]
	w.outcalls = w.outcalls[:n-1]
	*o = outcall{member: m, owner: by, gen: o.gen + 1}
	return o
}

func (w *World) freeCall(o *outcall) {
	w.Cancel(o.timer)
	o.timer = Timer{}
	o.gen++
	w.outcalls = append(w.outcalls, o)
}

// sampler notes the state of the world at the end of each slice of time.
type sampler struct{ w *World }

// Fire implements Actor.
func (s sampler) Fire(int, int64) {
	row := make([]Sample, len(s.w.services))
	for k, v := range s.w.services {
		row[k] = v.sample()
	}
	s.w.samples = append(s.w.samples, row)
}

func (w *World) service(name string) *service {
	for _, s := range w.services {
		if s.cfg.Name == name {
			return s
		}
	}
	return nil
}

func (w *World) client(name string) *client {
	for _, c := range w.clients {
		if c.cfg.Name == name {
			return c
		}
	}
	return nil
}

func (c *client) check() {
	c.here.add(c.world.now, 0)
	if c.sent != c.ended+uint64(c.here.n) {
		panic("sim: " + c.cfg.Name + ": what was sent has not ended and is not here")
	}
	if c.here.n == 0 && c.stayed != c.here.area {
		panic("sim: " + c.cfg.Name + ": Little's law does not hold")
	}
}
