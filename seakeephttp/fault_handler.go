package seakeephttp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/internal/incoming"
)

// behindFaults serves a request that the door has let in, unless a fault does
// something to it. Health checks are never hurt.
func behindFaults(set *seakeep.Set, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	f := set.Faults("")
	KeepMarks(f.Settings(), r)
	if f.Idle() || seakeep.VisitOf(r.Context()) == nil {
		next(w, r)
		return
	}
	h := f.Begin(fault.Target{Method: r.Method, Path: r.URL.EscapedPath(),
		Marks: faultMarks(r.Header, &seakeep.Call{})})
	if h == nil {
		next(w, r)
		return
	}
	defer h.End()
	setMark(w.Header(), h.By)
	if err := h.Before(r.Context()); err != nil {
		failed := &seakeep.FaultError{}
		switch {
		case !errors.As(err, &failed): // the time is up, or the caller has left
		case failed.Hurt.Kind == fault.Error:
			writeFaulty(w, failed)
		default:
			resetConn(w)
		}
		return
	}
	if h.Body == (fault.Body{}) {
		h.End()
		next(w, r)
		return
	}
	servePaced(w, r, h, next)
}

// KeepMarks takes X-Seakeep-Fault out of a request unless its sender is trusted
// with it by c, which may be nil. What is left is taken at its word.
func KeepMarks(c *config.Faults, r *http.Request) {
	if r.Header[config.FaultHeader] == nil {
		return
	}
	if addr, err := incoming.Addr(r.RemoteAddr); c == nil || err != nil || !c.Trusts(addr) {
		delete(r.Header, config.FaultHeader)
	}
}

func writeFaulty(w http.ResponseWriter, f *seakeep.FaultError) {
	resp := faulty(&http.Request{}, f)
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(resp.StatusCode)
	if f.Hurt.GRPC == 0 {
		_, _ = w.Write([]byte(f.Error() + "\n"))
	}
}

// beneath is the writer of the server itself.
func beneath(w http.ResponseWriter) http.ResponseWriter {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}

// cutOff breaks a client's connection so that it notices a reset, where the
// server can do that. It goes past the writers in between: for them the request
// has failed.
func cutOff(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(beneath(w)).Hijack()
	if err != nil {
		return // HTTP/2: the panic that follows resets the stream
	}
	under := conn
	if t, ok := under.(interface{ NetConn() net.Conn }); ok {
		under = t.NetConn()
	}
	if l, ok := under.(interface{ SetLinger(seconds int) error }); ok {
		_ = l.SetLinger(0)
	}
	_ = under.Close()
}

func resetConn(w http.ResponseWriter) {
	cutOff(w)
	panic(http.ErrAbortHandler)
}

// servePaced lets next answer through a writer that is slow, or whose
// connection breaks.
func servePaced(w http.ResponseWriter, r *http.Request, h *seakeep.Hurt, next http.HandlerFunc) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	// The body may go on after the deadline, as slowly as before.
	open := seakeep.VisitOf(r.Context()).Open()
	p := &pacedWriter{ResponseWriter: w, h: h, ctx: open, began: time.Now()}
	stop := h.Cut(func() {
		p.cut()
		cancel(h.Broken())
	})
	defer stop()
	next(p, r.WithContext(ctx))
	if p.broken.Load() {
		panic(http.ErrAbortHandler)
	}
}

// pacedWriter is an answer that a fault slows down, or breaks off.
type pacedWriter struct {
	http.ResponseWriter
	h       *seakeep.Hurt
	ctx     context.Context
	began   time.Time
	written int64
	broken  atomic.Bool
	mu      sync.Mutex // the connection is broken between two writes
}

// cut breaks the connection, also under a write that the client does not take.
func (w *pacedWriter) cut() {
	w.broken.Store(true)
	_ = http.NewResponseController(beneath(w)).SetWriteDeadline(time.Now())
	w.mu.Lock()
	defer w.mu.Unlock()
	cutOff(w)
}

// WriteHeader implements http.ResponseWriter.
func (w *pacedWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.broken.Load() {
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write implements http.ResponseWriter.
func (w *pacedWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		var m int
		m, err = w.put(w.wait(p))
		n += m
		w.written += int64(m)
		p = p[m:]
	}
	return n, err
}

// put sends a piece on its way.
func (w *pacedWriter) put(piece []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken.Load() {
		return 0, w.h.Broken()
	}
	if n, err = w.ResponseWriter.Write(piece); err == nil && w.h.Body != (fault.Body{Cut: w.h.Body.Cut}) {
		err = http.NewResponseController(w.ResponseWriter).Flush()
	}
	return n, err
}

// wait does what comes before the next piece, and returns it.
func (w *pacedWriter) wait(p []byte) []byte {
	body := &w.h.Body
	if body.Piece > 0 && !w.h.Over(fault.SlowBody) {
		w.h.Pause(w.ctx, body.Pause, fault.SlowBody)
		p = p[:min(int64(len(p)), body.Piece)]
	}
	if body.Rate > 0 && !w.h.Over(fault.Bandwidth) {
		p = p[:min(int64(len(p)), max(1, body.Rate/ticks))]
		takes := time.Duration(float64(w.written+int64(len(p))) / float64(body.Rate) * 1e9)
		w.h.Pause(w.ctx, takes-time.Since(w.began), fault.Bandwidth)
	}
	return p
}

// Flush implements http.Flusher.
func (w *pacedWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController.
func (w *pacedWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken.Load() {
		return w.h.Broken()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
