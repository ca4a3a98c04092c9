package h2

import (
	"sync"
	"time"
)

const (
	// maxFree is how many goroutines wait for handlers to run.
	maxFree = 64
	// freeTime is how long one may wait, if others come and go.
	freeTime = 10 * time.Second
)

// workers are goroutines that run handlers one after the other: a handler's stack
// is deep, and a new goroutine would have to grow its own each time.
type workers struct {
	mu    sync.Mutex
	free  []*worker // the one that ended last is at the end
	ended bool
}

type worker struct {
	next  chan *stream
	since time.Time // when it became free
}

// run has a stream's handler run.
func (ws *workers) run(st *stream) {
	ws.mu.Lock()
	n := len(ws.free)
	if n == 0 {
		ws.mu.Unlock()
		go ws.work(&worker{next: make(chan *stream, 1)}, st)
		return
	}
	w := ws.free[n-1]
	ws.free[n-1] = nil
	ws.free = ws.free[:n-1]
	ws.mu.Unlock()
	w.next <- st
}

func (ws *workers) work(w *worker, st *stream) {
	for {
		st.handle()
		if !ws.wait(w) {
			return
		}
		if st = <-w.next; st == nil {
			return
		}
	}
}

// wait makes a worker one that is free, and reports false if there are enough.
func (ws *workers) wait(w *worker) bool {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.ended || len(ws.free) >= maxFree {
		return false
	}
	w.since = time.Now()
	if len(ws.free) > 0 && w.since.Sub(ws.free[0].since) > freeTime {
		close(ws.free[0].next)
		ws.free = append(ws.free[:0], ws.free[1:]...)
	}
	ws.free = append(ws.free, w)
	return true
}

// end ends those that are free, and the others when they are.
func (ws *workers) end() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.ended = true
	for _, w := range ws.free {
		close(w.next)
	}
	ws.free = nil
}
