package demo

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// dependency is one of the services that checkout calls.
type dependency struct {
	index int
	slow  []Slow // its own
	rec   *recorder
	order atomic.Pointer[Slow] // somebody's, at the dashboard; nil: as planned

	mu  sync.Mutex
	rng *rand.Rand
}

func newDependency(index int, o Options, rec *recorder) *dependency {
	return &dependency{index: index, rec: rec, slow: ofDependency(o.Slow, names[index]),
		rng: rand.New(rand.NewPCG(o.Seed, uint64(index)+1))}
}

// state returns what is wrong with the dependency, if anything. What is ordered has
// no length.
func (d *dependency) state(at time.Duration) (s Slow, slow bool) {
	if o := d.order.Load(); o != nil {
		return *o, o.wrong()
	}
	for _, s := range d.slow {
		if s.holds(at) {
			return s, true
		}
	}
	return Slow{}, false
}

// latency draws how long an answer takes.
func (d *dependency) latency(mean time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return floor + time.Duration(d.rng.ExpFloat64()*float64(mean-floor))
}

// untilDown returns how long it is until the dependency goes down; negative if
// it never does.
func (d *dependency) untilDown(at time.Duration) time.Duration {
	next := time.Duration(-1)
	if at < 0 || d.order.Load() != nil {
		return next // the run has not begun, or nothing goes by the plan
	}
	for _, s := range d.slow {
		if s.Fault == Down && s.Start > at && (next < 0 || s.Start-at < next) {
			next = s.Start - at
		}
	}
	return next
}

// ServeHTTP implements http.Handler.
func (d *dependency) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.rec.called(d.index)
	at := d.rec.clock.Now()
	mean := usual
	if s, slow := d.state(at); slow {
		switch s.Fault {
		case Down:
			reset(w)
			return
		case Silent:
			<-r.Context().Done()
			return
		}
		mean = s.Mean
	}
	takes, dies := d.latency(mean), d.untilDown(at)
	if dies >= 0 && dies < takes {
		if live.Pause(r.Context(), dies) {
			reset(w)
		}
		return
	}
	if live.Pause(r.Context(), takes) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{%q:%q}\n", names[d.index], "fresh")
	}
}

// reset ends the connection as a program that has died does: with a reset, and
// not in good order.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
