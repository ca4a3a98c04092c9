package proxy

import (
	"io"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A client of HTTP/2 that stops within its body is told, holds its place no longer
// than the body, or the attempt, may take, and keeps its connection.
func TestHTTP2StalledUpload(t *testing.T) {
	for name, more := range map[string][]string{
		"of stated length": {"content-length", "10"},
		"that streams":     nil,
	} {
		backend := web(t, func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
		u := startWith(t, policy(backend, "timeout: {request: 50ms, total: 5s}", "bulkhead: {limit: 1}",
			"breaker: {window: 5 calls, calls: 1, failures: 1%}"), Options{bodyTime: 50 * time.Millisecond})
		p, c := u.dialPeer("dep")
		_ = c.SetDeadline(time.Now().Add(patience))
		fields := []string{":method", "POST", ":scheme", "http", ":path", "/", ":authority", "h"}
		p.head(1, false, append(fields, more...)...)
		_ = p.WriteData(1, false, []byte("abc"))
		if got := p.status(t, 1); got != "408" {
			t.Errorf("a body %s: %s", name, got)
		}
		until(t, "the call to end", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
		if s := u.snapshot("dep"); s.Breaker.Window.Calls != 0 {
			t.Errorf("the client's slowness counts: %+v", s.Breaker.Window)
		}
		p.head(3, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")
		if got := p.status(t, 3); got != "200" {
			t.Errorf("the next request: %s", got)
		}
	}
}

// A client that goes on sending and takes nothing waits for a dependency that does
// the same for it: neither can go on, until the client's time is up.
func TestHTTP2NeitherGoesOn(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.Copy(w, r.Body)
	})
	u := startWith(t, policy(backend, "bulkhead: {limit: 1}"), Options{stallTime: 100 * time.Millisecond})
	p, c := u.dialPeer("dep")
	_ = c.SetDeadline(time.Now().Add(patience))
	_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	p.head(1, false, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "h")
	window := 65535 // what there is to begin with
	for piece := make([]byte, 16<<10); window >= len(piece); window -= len(piece) {
		_ = p.WriteData(1, false, piece)
	}
	until(t, "the call to begin", func() bool { return u.snapshot("dep").Bulkhead.InUse == 1 })
	until(t, "the call to end", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
	if s := u.snapshot("dep"); s.Stats.Failures != 0 {
		t.Errorf("the client's slowness counts: %+v", s.Stats)
	}
	p.head(3, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")
	_ = p.WriteWindowUpdate(3, 100)
	if got := p.status(t, 3); got != "200" {
		t.Errorf("the next request: %s", got)
	}
}

// status reads on until a stream has an answer, or none.
func (p *peer) status(t *testing.T, id uint32) string {
	t.Helper()
	for {
		f, err := p.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if f.Header().StreamID != id {
			continue
		}
		switch f := f.(type) {
		case *http2.RSTStreamFrame:
			return f.ErrCode.String()
		case *http2.MetaHeadersFrame:
			return f.PseudoValue("status")
		}
	}
}
