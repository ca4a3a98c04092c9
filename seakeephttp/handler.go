package seakeephttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/problem"
)

// Handler protects an HTTP server by the serve section of its policy file: next
// sees as many requests as it can serve, the most important first, and the rest
// get 429, 503 or 504 with a problem document, at once. next's context carries
// the request's deadline and ends when the caller leaves; seakeep.Allows tells
// it what to leave out under pressure. Health checks pass untouched.
//
// A request keeps its slot until next returns. If next returns without an
// answer although the time is up, the answer is 504.
func Handler(set *seakeep.Set, next http.Handler) (http.Handler, error) {
	return HandlerWith(set, next, HandlerOptions{})
}

// HandlerWith is Handler with options.
func HandlerWith(set *seakeep.Set, next http.Handler, o HandlerOptions) (http.Handler, error) {
	g, err := NewGate(set)
	if err != nil {
		return nil, err
	}
	k := NewKeys(next, o)
	if err := k.Prepare(set.File().Serve.Idempotency); err != nil {
		return nil, err
	}
	return &guard{g, k, set}, nil
}

// guard is what Handler makes.
type guard struct {
	gate *Gate
	keys *Keys
	set  *seakeep.Set
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.gate.CallOff(w, r) {
		return
	}
	in, refused := g.gate.Enter(r)
	switch {
	case refused != nil:
		refused.Write(w, r)
	case in == nil:
		givenUp.WriteFor(w, r)
	default:
		in.Serve(w, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			behindFaults(g.set, w, r, func(w http.ResponseWriter, r *http.Request) { g.keys.serve(w, r, g.set) })
		}))
	}
}

// serve is Serve by the section of a set's file. If a reload has brought the
// section in and its store cannot be had, writes with a key are refused: better
// than to run them unprotected.
func (k *Keys) serve(w http.ResponseWriter, r *http.Request, set *seakeep.Set) {
	s := set.File().Serve
	if s == nil || s.Idempotency == nil {
		k.next.ServeHTTP(w, r)
		return
	}
	if err := k.Prepare(s.Idempotency); err != nil {
		problem.WriteFor(w, r, problem.Problem{Status: http.StatusServiceUnavailable, Attempts: -1,
			Error: problem.InternalError, Reason: core.KeysExhausted.String(),
			Detail: "Idempotency keys cannot be kept."})
		return
	}
	k.Serve(w, r, s.Idempotency)
}

// Serve lets next answer the request and closes its accounts.
func (p *Passage) Serve(w http.ResponseWriter, next http.Handler) {
	if p.visit == nil {
		next.ServeHTTP(w, p.Request)
		return
	}
	s := &statusWriter{ResponseWriter: w, in: p}
	p.body = timeBody(w, p.Request)
	returned := false
	defer func() {
		if !returned && s.status == 0 { // it panicked
			s.status = http.StatusInternalServerError
		}
		p.End(settled(s.status, s.Header()))
	}()
	next.ServeHTTP(s, p.Request)
	returned = true
	switch {
	case s.status != 0:
	case p.Late():
		tooLate.WriteFor(s, p.Request)
	default:
		s.status = http.StatusOK // as net/http answers then
	}
}

var (
	tooLate = problem.Problem{Status: http.StatusGatewayTimeout, Error: problem.ResponseTimeout,
		Reason: core.DeadlineExceeded.String(), Detail: details[core.DeadlineExceeded],
		Attempts: -1, NoRetry: true}.Prepare()
	// givenUp is for a request whose context has ended before it was let in.
	// Most such clients are gone and hear nothing; but it may also be a server
	// that shuts down, and without a word net/http would say 200.
	givenUp = problem.Problem{Status: http.StatusServiceUnavailable, Error: problem.Unavailable,
		Reason: core.CallerCancelled.String(), Attempts: -1,
		Detail: "The request was given up before it was let in."}.Prepare()
)

// statusWriter remembers the status of the answer.
type statusWriter struct {
	http.ResponseWriter
	in     *Passage
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) implied() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
}

// Write implements http.ResponseWriter.
func (w *statusWriter) Write(p []byte) (int, error) {
	w.implied()
	return w.ResponseWriter.Write(p)
}

// ReadFrom implements io.ReaderFrom, so that files are still sent without a
// copy.
func (w *statusWriter) ReadFrom(r io.Reader) (int64, error) {
	w.implied()
	return io.Copy(w.ResponseWriter, r)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush implements http.Flusher, which many handlers ask for by type.
func (w *statusWriter) Flush() { _ = w.FlushError() }

// FlushError is Flush for http.ResponseController. With it a stream of events
// has begun, which goes on at the client's pace.
func (w *statusWriter) FlushError() error {
	w.implied()
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		w.in.Aged(w.Header())
		w.in.Answered()
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack implements http.Hijacker, which many handlers ask for by type. The
// connection is the handler's then, at whatever pace and for any time.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = http.StatusSwitchingProtocols
		w.in.Answered()
	}
	return c, rw, err
}
