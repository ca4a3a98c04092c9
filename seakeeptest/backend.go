package seakeeptest

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/deadline"
	"github.com/seakeep/seakeep/core/retry"
)

// Backend is an HTTP server that answers by a script. It ends with the test.
type Backend struct {
	url       string
	began     time.Time
	scripts   http.ServeMux
	server    http.Server
	transport http.Transport
	served    chan struct{} // closed when the server has stopped accepting
	closing   chan struct{}
	once      sync.Once
	handlers  sync.WaitGroup

	mu       sync.Mutex // for the scripts as well
	closed   bool
	requests []*Request
}

// Request is what a Backend was asked.
type Request struct {
	At      time.Duration // since the backend was made
	Method  string
	Path    string // with the query, if there is one
	Header  http.Header
	Body    string        // its first MiB
	Attempt int           // 1 for the first, as the request says of itself
	Left    time.Duration // how long its caller will wait; zero: it does not say
	Status  int           // of the answer; zero: none was sent
	Gone    bool          // the caller left before the answer was whole
}

const maxRecorded = 1 << 20

// NewBackend starts a server on a free port of the loopback interface. Its
// script is for all requests that no script of On is for. Without answers it
// answers 200.
func NewBackend(t testing.TB, script ...Answer) *Backend {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := newBackend(t, l, script)
	b.url = "http://" + l.Addr().String()
	return b
}

// NewMemoryBackend starts a server that no socket leads to, only the Backend's
// Transport. In a bubble of package testing/synctest it answers in fake time: a
// script with minutes in it takes none.
func NewMemoryBackend(t testing.TB, script ...Answer) *Backend {
	t.Helper()
	l := newMemory()
	b := newBackend(t, l, script)
	b.url = "http://memory.test"
	b.transport.DialContext = l.dial
	return b
}

func newBackend(t testing.TB, l net.Listener, script []Answer) *Backend {
	b := &Backend{began: time.Now(), served: make(chan struct{}), closing: make(chan struct{})}
	b.scripts.Handle("/", b.handler(script))
	b.server.Handler = &b.scripts
	b.server.ErrorLog = log.New(io.Discard, "", 0) // faults are what it is for
	b.transport.MaxIdleConnsPerHost = 1000
	b.transport.DisableCompression = true
	go func() {
		defer close(b.served)
		_ = b.server.Serve(l)
	}()
	t.Cleanup(b.Close)
	return b
}

// On gives requests that match a pattern a script of their own, and returns the
// backend. Patterns are those of http.ServeMux, such as "/stock/" or
// "GET /stock/{id}"; it panics as ServeMux does. "/" is taken by the script of
// the backend itself.
func (b *Backend) On(pattern string, script ...Answer) *Backend {
	b.scripts.Handle(pattern, b.handler(script))
	return b
}

// URL is where the backend is, without a slash at the end.
func (b *Backend) URL() string { return b.url }

// Transport reaches the backend, in memory too. Give it to
// seakeephttp.NewTransport or Wrap as the base.
func (b *Backend) Transport() *http.Transport { return &b.transport }

// Requests returns what the backend has been asked so far, in the order in
// which the requests came.
func (b *Backend) Requests() []Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]Request, len(b.requests))
	for i, r := range b.requests {
		out[i] = *r
	}
	return out
}

// Close ends the backend, with whatever is under way. From then on nobody
// listens at its address. Closing it again does nothing.
func (b *Backend) Close() {
	b.once.Do(func() {
		b.mu.Lock()
		b.closed = true
		b.mu.Unlock()
		close(b.closing)
		_ = b.server.Close()
		<-b.served
		b.handlers.Wait()
		b.transport.CloseIdleConnections()
	})
}

// handler answers by a script.
func (b *Backend) handler(script []Answer) http.Handler {
	s := newAnswers(script)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, a := b.note(r, s)
		if rec == nil {
			panic(http.ErrAbortHandler)
		}
		defer b.handlers.Done()
		status, whole := a.give(w, func(d time.Duration) bool { return b.wait(r, d) })
		b.mu.Lock()
		rec.Status, rec.Gone = status, !whole
		b.mu.Unlock()
		if a.Fault == CutOff || !whole {
			panic(http.ErrAbortHandler)
		}
	})
}

// note records a request and chooses its answer. It returns nil if the backend
// is closed; otherwise handlers.Done must follow.
func (b *Backend) note(r *http.Request, s *answers) (*Request, Answer) {
	rec := &Request{At: time.Since(b.began), Method: r.Method, Path: r.URL.RequestURI(),
		Header: r.Header.Clone(), Attempt: 1}
	if n, ok := retry.ParseAttempt(r.Header.Get(retry.AttemptHeader)); ok {
		rec.Attempt = n
	}
	if left, ok, err := deadline.Read(r.Header.Get); ok && err == nil {
		rec.Left = left
	}
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, Answer{}
	}
	b.handlers.Add(1)
	b.requests = append(b.requests, rec)
	a := s.next()
	b.mu.Unlock()
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxRecorded))
	b.mu.Lock()
	rec.Body = string(body)
	b.mu.Unlock()
	return rec, a
}

// wait waits, and reports false if whoever asked has left before.
func (b *Backend) wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-b.closing:
	}
	return false
}
