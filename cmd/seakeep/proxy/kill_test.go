package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// mortal is a server that can be killed and started again at its address.
type mortal struct {
	t       *testing.T
	address string
	served  atomic.Int64

	mu     sync.Mutex
	server *http.Server
	conns  map[net.Conn]struct{}
	done   chan struct{}
}

func newMortal(t *testing.T) *mortal {
	m := &mortal{t: t, address: "127.0.0.1:0"}
	m.start()
	t.Cleanup(m.kill)
	return m
}

func (m *mortal) start() {
	m.t.Helper()
	l, err := net.Listen("tcp", m.address)
	if err != nil {
		m.t.Fatal(err)
	}
	m.address = l.Addr().String()
	m.conns, m.done = map[net.Conn]struct{}{}, make(chan struct{})
	m.server = &http.Server{Handler: http.HandlerFunc(m.serve), ConnState: func(c net.Conn, s http.ConnState) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if s == http.StateNew {
			m.conns[c] = struct{}{}
		} else if s == http.StateClosed {
			delete(m.conns, c)
		}
	}}
	go func(s *http.Server, done chan struct{}) {
		defer close(done)
		_ = s.Serve(l)
	}(m.server, m.done)
}

func (m *mortal) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	time.Sleep(time.Millisecond) // the work
	m.served.Add(1)
	fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
}

// kill resets every connection, as the kernel does for a process that dies.
func (m *mortal) kill() {
	m.mu.Lock()
	for c := range m.conns {
		hard(c)
	}
	m.mu.Unlock()
	_ = m.server.Close()
	<-m.done
}

// loss is a request without its answer.
type loss struct {
	began, ended time.Time
	what         string
}

// traffic sends requests over and over.
type traffic struct {
	u      *under
	client *http.Client
	stop   chan struct{}
	wg     sync.WaitGroup
	sent   atomic.Int64

	mu   sync.Mutex
	lost map[string][]loss // by method
}

func (l *traffic) worker(method string, n int) {
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		default:
		}
		path := fmt.Sprintf("/%d/%d", n, i)
		began := time.Now()
		err := l.one(method, path)
		l.sent.Add(1)
		if err != nil {
			l.mu.Lock()
			l.lost[method] = append(l.lost[method], loss{began, time.Now(), err.Error()})
			l.mu.Unlock()
		}
	}
}

func (l *traffic) one(method, path string) error {
	body, sent := io.Reader(nil), ""
	if method == http.MethodPost {
		sent = "payload"
		body = strings.NewReader(sent)
	}
	req, err := http.NewRequest(method, l.u.url("dep", path), body)
	if err != nil {
		return err
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if want := method + " " + path + " " + sent; err != nil || resp.StatusCode != 200 || string(text) != want {
		return fmt.Errorf("%d %q, %v; want %q", resp.StatusCode, text, err, want)
	}
	return nil
}

// TestKillingAnEndpointUnderLoad: of two endpoints one dies and comes back,
// again and again. What is safe to repeat is never lost. Of what is not, only
// what was under way there when it died.
func TestKillingAnEndpointUnderLoad(t *testing.T) {
	const getters, posters, deaths = 12, 4, 3
	stays, dies := newMortal(t), newMortal(t)
	u := start(t, policy("http://"+stays.address+", http://"+dies.address,
		"timeout: {connect: 200ms, request: 2s, total: 5s}",
		"retry: {attempts: 3, backoff: {base: 1ms, cap: 10ms}}",
		"breaker: {window: 10s, calls: 50, failures: 50%}",
		"bulkhead: {limit: 100}"))
	transport := &http.Transport{MaxIdleConnsPerHost: getters + posters}
	defer transport.CloseIdleConnections()
	l := &traffic{u: u, client: &http.Client{Transport: transport, Timeout: patience},
		stop: make(chan struct{}), lost: map[string][]loss{}}
	for n := range getters {
		l.wg.Go(func() { l.worker(http.MethodGet, n) })
	}
	for n := range posters {
		l.wg.Go(func() { l.worker(http.MethodPost, n) })
	}
	end := sync.OnceFunc(func() { close(l.stop); l.wg.Wait() })
	defer end()
	var kills []loss
	for range deaths {
		served, sent := dies.served.Load(), l.sent.Load()
		until(t, "both to be in use", func() bool {
			return dies.served.Load() > served+200 && l.sent.Load() > sent+1000
		})
		k := loss{began: time.Now()}
		dies.kill()
		k.ended = time.Now()
		kills = append(kills, k)
		sent = l.sent.Load()
		until(t, "the other to carry on", func() bool { return l.sent.Load() > sent+500 })
		dies.start()
	}
	served := dies.served.Load()
	until(t, "the last return", func() bool { return dies.served.Load() > served+100 })
	end()
	for _, lost := range l.lost[http.MethodGet] {
		t.Errorf("a GET was lost: %s", lost.what)
	}
	posts := l.lost[http.MethodPost]
	if len(posts) > deaths*posters {
		t.Errorf("%d POSTs were lost, more than can have been under way", len(posts))
	}
	for _, lost := range posts {
		if !during(lost, kills) {
			t.Errorf("a POST was lost that was not under way at a death: %s", lost.what)
		}
	}
	t.Logf("%d requests, %d POSTs lost in %d deaths", l.sent.Load(), len(posts), deaths)
}

// during reports whether a request was under way at a death. Its sender may
// hear of that a moment later.
func during(lost loss, kills []loss) bool {
	const hear = 50 * time.Millisecond
	for _, k := range kills {
		if lost.began.Before(k.ended.Add(hear)) && lost.ended.After(k.began) {
			return true
		}
	}
	return false
}
