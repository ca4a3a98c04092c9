package demo

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"
)

// dependency is one of the services that checkout calls.
type dependency struct {
	index int
	slow  []Slow // its own
	rec   *recorder

	mu  sync.Mutex
	rng *rand.Rand
}

func newDependency(index int, o Options, rec *recorder) *dependency {
	d := &dependency{index: index, rec: rec,
		rng: rand.New(rand.NewPCG(o.Seed, uint64(index)+1))}
	for _, s := range o.Slow {
		if s.Name == names[index] {
			d.slow = append(d.slow, s)
		}
	}
	return d
}

// state returns what is wrong with the dependency, if anything.
func (d *dependency) state(at time.Duration) (s Slow, slow bool) {
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
	if at < 0 {
		return next // the run has not begun
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
	at := d.rec.clock.now()
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
		if pause(r.Context(), dies) {
			reset(w)
		}
		return
	}
	if pause(r.Context(), takes) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{%q:%q}\n", names[d.index], "fresh")
	}
}

// pause waits, and reports false if whoever asked has left before.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
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

// server is an HTTP server on a free port of the loopback interface.
type server struct {
	http http.Server
	url  string
	done chan error
}

func serve(h http.Handler) (*server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{url: "http://" + ln.Addr().String(), done: make(chan error, 1)}
	s.http.Handler = h
	s.http.ReadHeaderTimeout = 10 * time.Second
	// What users' leaving does to connections is in the figures, not in a log.
	s.http.ErrorLog = log.New(io.Discard, "", 0)
	go func() { s.done <- s.http.Serve(ln) }()
	return s, nil
}

// stop waits a moment for requests under way and ends the rest.
func (s *server) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
	<-s.done
}
