package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// A client of HTTP/2 that gives no window for its answer does not hold its place
// for ever, whether it reads its socket or not.
func TestHTTP2StalledReaderIsGivenUp(t *testing.T) {
	backend := web(t, func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 64<<10)
		for range 1 << 10 { // more than all sockets on the way hold
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	for name, window := range map[string]uint32{"no window": 100, "no reads": 1<<31 - 1} {
		if byNetHTTP && name == "no reads" {
			continue // it takes a ping there
		}
		u := startWith(t, policy(backend, "bulkhead: {limit: 1}"), Options{stallTime: 50 * time.Millisecond})
		p, _ := u.dialPeer("dep")
		_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
		_ = p.WriteWindowUpdate(0, 1<<31-1-65535)
		p.head(1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")
		until(t, name+": the answer to begin", func() bool { return u.snapshot("dep").Bulkhead.InUse == 1 })
		until(t, name+": its place to be free", func() bool { return u.snapshot("dep").Bulkhead.InUse == 0 })
		if s := u.snapshot("dep"); s.Stats.Failures != 0 {
			t.Errorf("%s: the client's slowness counts: %+v", name, s.Stats)
		}
	}
}

// F163: the limit is that of --max-head, by HTTP/2's rule, and only the request is
// refused.
func TestF163HeadsOfHTTP2(t *testing.T) {
	u := startWith(t, policy(web(t, func(http.ResponseWriter, *http.Request) {})), Options{MaxHead: 8 << 10})
	p, _ := u.dialPeer("dep")
	for i, size := range []int{100, 9 << 10, 15 << 10, 100} {
		id := uint32(2*i + 1)
		p.head(id, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h",
			"a", strings.Repeat("x", size))
		status := ""
		for ended := false; !ended; {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatalf("%d bytes: %v", size, err)
			}
			switch f := f.(type) {
			case *http2.MetaHeadersFrame:
				status = f.PseudoValue("status")
				ended = f.StreamEnded()
			case *http2.DataFrame:
				ended = f.StreamEnded()
			}
		}
		if want := map[bool]string{true: "200", false: "431"}[size == 100]; status != want {
			t.Errorf("%d bytes: %s", size, status)
		}
	}
}

// Over HTTP/2, too, a body that waits to be asked for is asked for when the ladder
// has let its request in, and not if it has not.
func TestHTTP2Expect(t *testing.T) {
	var bodies atomic.Int32
	u := start(t, policy(web(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
		bodies.Add(1)
		if r.URL.Path == "/fail" {
			panic(http.ErrAbortHandler)
		}
	}), "breaker: {window: 2 calls, calls: 1, failures: 1%, open: 1h}", "retry: {attempts: 1}"))
	p, _ := u.dialPeer("dep")
	ask := func(id uint32, path string) (statuses []string) {
		p.head(id, false, ":method", "POST", ":scheme", "http", ":path", path, ":authority", "h",
			"content-length", "3", "expect", "100-continue")
		for {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			switch f := f.(type) {
			case *http2.MetaHeadersFrame:
				statuses = append(statuses, f.PseudoValue("status"))
				if statuses[len(statuses)-1] == "100" {
					_ = p.WriteData(id, true, []byte("abc"))
				}
			}
			if e, ok := f.(interface{ StreamEnded() bool }); ok && f.Header().StreamID == id && e.StreamEnded() {
				return statuses
			}
		}
	}
	for i, want := range []string{"[100 200]", "[100 502]", "[503]"} {
		if got := fmt.Sprint(ask(uint32(2*i+1), []string{"/", "/fail", "/"}[i])); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	if bodies.Load() != 2 {
		t.Errorf("%d bodies came", bodies.Load())
	}
}
