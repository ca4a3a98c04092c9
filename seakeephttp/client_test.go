package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/deadline"
)

// TestClientSeesOneServer: redirects, their bodies and relative addresses work
// although the endpoints have other addresses.
func TestClientSeesOneServer(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/new", http.StatusTemporaryRedirect)
			return
		}
		b, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, b)
	})
	client := &http.Client{Transport: fileTransport(t, "retry: {attempts: 2}", s.URL), Timeout: 5 * time.Second}
	resp, err := client.Post("http://test/old", "text/plain", strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if string(b) != "POST /new abc" || resp.Request.URL.String() != "http://test/new" {
		t.Errorf("%s from %s", b, resp.Request.URL)
	}
}

// TestClientsTimeoutIsTheCallers: it also bounds a stream.
func TestClientsTimeoutIsTheCallers(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	p := within(t, time.Second, 0)
	client := &http.Client{Transport: Wrap(p, own(t)), Timeout: 50 * time.Millisecond}
	resp, err := client.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	idle(t, p)
}

// TestDeadlineThatCameWithTheRequest bounds the call, and is told to the next
// as what is left of it; a stream goes on after it.
func TestDeadlineThatCameWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &silent{}
		p := policy(t, seakeep.Config{Timeout: seakeep.Timeout{Request: 100 * time.Millisecond},
			Retry: &seakeep.Retry{Attempts: 3, Backoff: quick}, More: &seakeep.More{Unbudgeted: true}})
		req := request(t, "GET", "http://test/", nil)
		req.Header.Set(deadline.Header, "250")
		start := time.Now()
		g := send(Wrap(p, base), req)
		if took := time.Since(start).Round(time.Millisecond); took != 245*time.Millisecond ||
			base.told(deadline.Header) != "100 100 45" || !errors.Is(g.err, context.DeadlineExceeded) {
			t.Errorf("told %s, %v after %v", base.told(deadline.Header), g.err, took)
		}
		req.Header.Set(deadline.Header, "0")
		if g := send(Wrap(p, base), req); !errors.Is(g.err, seakeep.ErrRejected) || len(base.sent) != 3 {
			t.Errorf("no time left: %v", g.err)
		}
		req.Header.Set(deadline.Header, "50")
		if g := send(Wrap(p, slowly(10, time.Second, -1)), req); len(g.body) != 10 || g.err != nil {
			t.Errorf("the stream had %d bytes, %v", len(g.body), g.err)
		}
	})
}

// TestSecondProviderHasWhatIsLeft of a deadline that came with the request.
func TestSecondProviderHasWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told string
		h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
			"a:1": func(*http.Request) (*http.Response, error) {
				time.Sleep(100 * time.Millisecond)
				return nil, io.ErrUnexpectedEOF
			},
			"b:2": func(r *http.Request) (*http.Response, error) {
				told = r.Header.Get(deadline.Header)
				return answer(200, "backup"), nil
			}}}
		req := request(t, "GET", "http://test/", nil)
		req.Header.Set(deadline.Header, "250") // less 5, and two attempts take 200
		g := send(transport(t, setOf(t, share("0")), h), req)
		if g.body != "backup" || told != "45" || req.Header.Get(deadline.Header) != "250" {
			t.Errorf("told %q; %+v", told, g)
		}
	})
}

// TestEndpointIsKilledAndComesBack: under load, with the defaults of the file,
// no request that may be repeated is lost.
func TestEndpointIsKilledAndComesBack(t *testing.T) {
	noLeak(t)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * time.Millisecond)
		_, _ = io.WriteString(w, "ok")
	})
	steady := serve(t, handler)
	start := func(address string) *httptest.Server {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler}}
		s.Start()
		return s
	}
	mortal := start("127.0.0.1:0")
	address := mortal.Listener.Addr().String()
	tr := fileTransport(t, "retry: {attempts: 3}\n    timeout: {request: 2s}", steady.URL, mortal.URL)

	var wg sync.WaitGroup
	var sent, lost atomic.Int32
	stop := make(chan struct{})
	for range 8 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				sent.Add(1)
				if g := get(t, tr, "http://test/"); g.err != nil || g.body != "ok" {
					lost.Add(1)
					t.Logf("lost: %+v", g)
				}
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	mortal.CloseClientConnections() // in the middle of answers, too
	mortal.Close()
	time.Sleep(200 * time.Millisecond)
	mortal = start(address)
	time.Sleep(1500 * time.Millisecond) // until its rest is over
	close(stop)
	wg.Wait()
	s := tr.Snapshot()
	mortal.Close()
	if lost.Load() != 0 || s.Endpoints[1].Resting || s.Endpoints[1].InFlight != 0 {
		t.Errorf("%d of %d lost; %+v", lost.Load(), sent.Load(), s)
	}
}

// TestHTTP2: limits, slots and broken bodies are the same over HTTP/2.
func TestHTTP2(t *testing.T) {
	noLeak(t)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/break":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/stream":
			for range 3 {
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(50 * time.Millisecond)
			}
		case "/hang":
			<-r.Context().Done()
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	base := s.Client().Transport.(*http.Transport)
	defer base.CloseIdleConnections()
	for _, c := range []struct {
		path, body, state string
		broken            bool
	}{{"/stream", "xxx", "closed", false}, {"/break", "half", "open", true}, {"/hang", "", "open", true}} {
		p := within(t, 60*time.Millisecond, 100*time.Millisecond)
		g := get(t, Wrap(p, base), s.URL+c.path)
		if (g.err != nil) != c.broken || g.body != c.body {
			t.Errorf("%s: %+v", c.path, g)
		}
		if st := p.Snapshot(); st.Breaker.State.String() != c.state || st.Bulkhead.InUse != 0 {
			t.Errorf("%s: breaker %v, %d slots in use", c.path, st.Breaker.State, st.Bulkhead.InUse)
		}
	}
}
