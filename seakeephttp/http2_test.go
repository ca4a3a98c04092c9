package seakeephttp

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/internal/h2peer"
)

// peers starts a server of HTTP/2 in the clear that is written frame by frame: a
// function for each connection, the last for all further ones.
func peers(t *testing.T, serve ...func(*h2peer.Peer)) (url string, connections *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections = new(atomic.Int32)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			next := serve[min(int(connections.Add(1)), len(serve))-1]
			all.Go(func() {
				defer conn.Close()
				if p, err := h2peer.Accept(conn, 0); err == nil {
					next(p)
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String(), connections
}

// each answers the requests of a connection one by one.
func each(answer func(p *h2peer.Peer, stream uint32, body string)) func(*h2peer.Peer) {
	return func(p *h2peer.Peer) {
		for {
			stream, body, err := p.Request()
			if err != nil {
				return
			}
			answer(p, stream, string(body))
		}
	}
}

var echo = each(func(p *h2peer.Peer, stream uint32, body string) { _ = p.Answer(stream, body) })

// h2c is a transport to endpoints of HTTP/2 in the clear.
func h2c(t *testing.T, text string, endpoints ...string) *Transport {
	t.Helper()
	tr := fileTransport(t, "protocol: h2c\n    "+text, endpoints...)
	t.Cleanup(tr.Close)
	return tr
}

// reported sends a POST whose body cannot be made anew, and reports how that went.
func reported(t *testing.T, tr *Transport, method, body string) (got, seakeep.Report) {
	t.Helper()
	var report seakeep.Report
	req := request(t, method, "http://test/", nil)
	if body != "" {
		req = request(t, method, "http://test/", io.MultiReader(strings.NewReader(body)))
	}
	g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
	return g, report
}

// F160: a rolling restart. What the server says it has not processed is sent
// whole on a new connection, whatever its method, and no policy hears of it.
func TestF160RollingRestart(t *testing.T) {
	noLeak(t)
	var processed atomic.Int32
	begun := make(chan struct{})
	first := func(p *h2peer.Peer) {
		streams := []uint32{}
		for range 3 {
			stream, _, err := p.Request()
			if err != nil {
				return
			}
			if streams = append(streams, stream); len(streams) == 1 {
				close(begun)
			}
		}
		_ = p.GoAway(1, h2peer.NoError)
		time.Sleep(10 * time.Millisecond)
		processed.Add(1)
		_ = p.Answer(1, "first")
		_, _, _ = p.Request()
	}
	second := each(func(p *h2peer.Peer, stream uint32, body string) {
		processed.Add(1)
		_ = p.Answer(stream, body)
	})
	url, connections := peers(t, first, second)
	tr := h2c(t, "retry: {attempts: 2}\n    breaker: {window: {consecutive: 1}}", url)
	var all sync.WaitGroup
	for i, body := range []string{"first", strings.Repeat("b", 100), strings.Repeat("c", 100)} {
		all.Go(func() {
			if i > 0 {
				<-begun
			}
			g, report := reported(t, tr, "POST", body)
			if g.body != body || g.err != nil || len(report.Attempts) != 1 {
				t.Errorf("%+v, %+v", g, report)
			}
		})
	}
	all.Wait()
	if processed.Load() != 3 || connections.Load() != 2 {
		t.Errorf("%d processed, %d connections", processed.Load(), connections.Load())
	}
	if resent := tr.Snapshot().Connections[0].Resent; resent != 2 {
		t.Errorf("%d sent again", resent)
	}
}

// F160: a stream that may have been processed is not sent again by itself. A
// read is, by the policy; a write is not.
func TestF160BelowTheLastStream(t *testing.T) {
	noLeak(t)
	for method, attempts := range map[string]int{"GET": 2, "POST": 1} {
		dies := func(p *h2peer.Peer) {
			stream, _, _ := p.Request()
			_ = p.GoAway(stream, h2peer.NoError)
		}
		url, _ := peers(t, dies, each(func(p *h2peer.Peer, stream uint32, _ string) { _ = p.Answer(stream, "ok") }))
		g, report := reported(t, h2c(t, "retry: {attempts: 3}", url), method, "")
		want := core.Result{Outcome: core.Failure, Cause: core.Reset}
		if len(report.Attempts) != attempts || report.Attempts[0].Result != want || (g.err == nil) != (method == "GET") {
			t.Errorf("%s: %+v, %+v", method, g, report)
		}
	}
}

// F067: a server that refuses every stream: each attempt asks a bounded number
// of times, its cause says that nothing ran, and the attempts are bounded too.
func TestF067RefusedForEver(t *testing.T) {
	noLeak(t)
	var asked atomic.Int32
	url, _ := peers(t, each(func(p *h2peer.Peer, stream uint32, _ string) {
		asked.Add(1)
		_ = p.Reset(stream, h2peer.RefusedStream)
	}))
	tr := h2c(t, "timeout: {total: 1s}\n    retry: {attempts: 2, backoff: {base: 1ms}}", url)
	g, report := reported(t, tr, "POST", "body")
	want := core.Result{Outcome: core.Overloaded, Cause: core.Unsent}
	if g.err == nil || len(report.Attempts) != 2 || report.Attempts[1].Result != want || asked.Load() != 8 {
		t.Errorf("%+v, %+v, asked %d times", g, report, asked.Load())
	}
}

// One that is refused goes to another endpoint, although it is a write.
func TestRefusedGoesElsewhere(t *testing.T) {
	noLeak(t)
	refuses, _ := peers(t, each(func(p *h2peer.Peer, stream uint32, _ string) {
		_ = p.Reset(stream, h2peer.RefusedStream)
	}))
	takes, _ := peers(t, echo)
	tr := h2c(t, "retry: {attempts: 2, budget: none}\n    balance: {policy: round-robin}", refuses, takes)
	for range 4 {
		if g, _ := reported(t, tr, "POST", "whole"); g.body != "whole" {
			t.Errorf("%+v", g)
		}
	}
}

func TestResetsOfStreams(t *testing.T) {
	noLeak(t)
	for code, want := range map[uint32]core.Result{
		h2peer.Internal: {Outcome: core.Failure, Cause: core.Reset},
		h2peer.Cancel:   {Outcome: core.Failure, Cause: core.Reset},
		h2peer.Calm:     {Outcome: core.Overloaded, Cause: core.TooMany},
	} {
		url, _ := peers(t, each(func(p *h2peer.Peer, stream uint32, _ string) { _ = p.Reset(stream, code) }))
		_, report := reported(t, h2c(t, "retry: {attempts: 1}", url), "POST", "x")
		if len(report.Attempts) != 1 || report.Attempts[0].Result != want {
			t.Errorf("code %d: %+v, want %+v", code, report.Attempts, want)
		}
	}
}

// F149: a stream that is reset in the middle of its answer is a broken answer,
// never a clean end, and never tried again. Its slot was held until then.
func TestF149ResetInTheBody(t *testing.T) {
	noLeak(t)
	now := make(chan func(), 1)
	url, connections := peers(t, each(func(p *h2peer.Peer, stream uint32, _ string) {
		now <- func() { _ = p.Reset(stream, h2peer.Internal) }
		_ = p.Begin(stream, false)
		_ = p.Send(stream, "half", false)
	}))
	tr := h2c(t, "retry: {attempts: 3}\n    bulkhead: {limit: 1}\n    breaker: {window: {consecutive: 1}}", url)
	resp, err := tr.RoundTrip(request(t, "GET", "http://test/", nil))
	if err != nil {
		t.Fatal(err)
	}
	half := make([]byte, 4)
	if _, err := io.ReadFull(resp.Body, half); err != nil || string(half) != "half" {
		t.Error(string(half), err)
	}
	p := tr.set.MustPolicy("test")
	if n := p.Snapshot().Bulkhead.InUse; n != 1 {
		t.Errorf("%d slots while the body is open", n)
	}
	(<-now)()
	if n, err := resp.Body.Read(half); n != 0 || err == nil || err == io.EOF {
		t.Errorf("%d, %v", n, err)
	}
	idle(t, p)
	if s := p.Snapshot(); s.Breaker.State.String() != "open" || connections.Load() != 1 {
		t.Errorf("%+v, %d connections", s.Breaker, connections.Load())
	}
}

// F163: an answer with too large headers is refused, and not asked for again;
// over HTTP/2 by the size of the list (RFC 9113, section 6.5.2).
func TestF163LargeHeadersOverHTTP2(t *testing.T) {
	for _, size := range []int{60 << 10, 70 << 10} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for range size / 1024 {
				w.Header().Add("X-Large", strings.Repeat("x", 1024-len("X-Large")-32))
			}
		}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
		t.Cleanup(s.Close)
		g, report := reported(t, h2c(t, "retry: {attempts: 3}", s.URL), "GET", "")
		if size < 64<<10 {
			if g.status != 200 {
				t.Errorf("%d bytes: %+v", size, g)
			}
			continue
		}
		want := core.Result{Outcome: core.Failure, Cause: core.BadAnswer}
		if g.err == nil || len(report.Attempts) != 1 || report.Attempts[0].Result != want {
			t.Errorf("%d bytes: %+v, %+v", size, g, report)
		}
	}
}
