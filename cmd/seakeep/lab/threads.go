package lab

import (
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

const (
	frameStep  = 50 * time.Millisecond
	mostFrames = 2000
	mostSlots  = 1000 // threads that a page draws
	mostRoutes = 63   // that fit into a frame's byte
)

// threads is what the workers of one service did in the first run, frame by
// frame.
type threads struct {
	Service string   `json:"service"`
	Workers int      `json:"workers"`
	Routes  []string `json:"routes"`
	StepS   float64  `json:"step_s"`
	// Frames holds a byte for each worker, frame after frame; the first is of
	// the start. A byte is 0 for an idle worker, and else 4 times the route's
	// place in Routes plus 1 works, 2 waits to try again, or 3 works for nobody.
	Frames []byte `json:"frames"`
}

// watch draws the frames while a run goes on.
type watch struct {
	threads
	per, step int // workers of an instance, and nanoseconds
	route     map[string]int
	now       []byte
	left      int // frames that are still to come
}

// watchThreads returns nil if the scenario has no service whose threads can be
// drawn.
func watchThreads(s *config.Scenario, name string) *watch {
	var of *config.Service
	for _, v := range s.Services {
		n := v.Workers * max(1, v.Instances)
		if (name == "" || v.Name == name) && n > 0 && n <= mostSlots && len(v.Routes) <= mostRoutes {
			of = v
			break
		}
	}
	if of == nil {
		return nil
	}
	step := max(frameStep, s.For/mostFrames)
	w := &watch{per: of.Workers, step: int(step), route: map[string]int{}}
	w.left = int(s.For/step) + 1
	w.threads = threads{Service: of.Name, Workers: of.Workers * max(1, of.Instances),
		StepS: step.Seconds()}
	for k, r := range of.Routes {
		w.Routes = append(w.Routes, r.Name)
		w.route[r.Name] = k
	}
	w.now = make([]byte, w.Workers)
	w.Frames = make([]byte, 0, w.left*w.Workers)
	return w
}

func (w *watch) observe(c sim.WorkerChange) {
	w.until(int(c.At))
	w.now[c.Instance*w.per+c.Worker] = 0
	if c.State != sim.WorkerIdle {
		w.now[c.Instance*w.per+c.Worker] = byte(4*w.route[c.Route]) + byte(c.State)
	}
}

// until draws the frames before an instant.
func (w *watch) until(at int) {
	for w.left > 0 && len(w.Frames)/w.Workers*w.step < at {
		w.draw()
	}
}

func (w *watch) draw() {
	w.Frames = append(w.Frames, w.now...)
	w.left--
}

func (w *watch) done() *threads {
	for w.left > 0 {
		w.draw()
	}
	return &w.threads
}
