package proxy

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// h2c is a client of HTTP/2 with prior knowledge.
func h2c(t *testing.T) *http.Client {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: protocols, DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: patience}
}

// What comes in over HTTP/2 goes on over HTTP/1.1, whole, and comes back so.
func TestHTTP2Carries(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB: it streams
	u := start(t, policy(web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		got, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "Sum")
		w.Header().Set("X-Via", r.Header.Get("Via"))
		w.Header().Set("X-Proto", r.Header.Get("X-Forwarded-Proto"))
		w.Header().Set("X-Last", r.Trailer.Get("Last"))
		w.Header().Set("X-Length", strconv.FormatInt(r.ContentLength, 10))
		_, _ = w.Write(got)
		w.Header().Set("Sum", "7")
	})))
	client := h2c(t)
	for name, body := range map[string][]byte{"none": nil, "small": large[:100], "large": large} {
		length := strconv.Itoa(len(body))
		early := 0
		req, _ := http.NewRequest(http.MethodPut, u.url("dep", "/p?q=1"), bytes.NewReader(body))
		if name == "large" {
			req.ContentLength, length = -1, "-1"
			req.Trailer = http.Header{"Last": {"one"}}
		}
		req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
				if code == http.StatusEarlyHints && h.Get("Link") == "</a>" {
					early++
				}
				return nil
			}}))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !bytes.Equal(got, body) || resp.ProtoMajor != 2 {
			t.Errorf("%s: %d bytes over %s, %v", name, len(got), resp.Proto, err)
		}
		h := resp.Header
		if !strings.HasPrefix(h.Get("X-Via"), "2 seakeep (") || h.Get("Via") != "1.1 seakeep" ||
			h.Get("X-Proto") != "http" || resp.Trailer.Get("Sum") != "7" || early != 1 ||
			h.Get("X-Last") != req.Trailer.Get("Last") || h.Get("X-Length") != length {
			t.Errorf("%s: %v, trailer %v, %d early", name, h, resp.Trailer, early)
		}
	}
}

// F104 and full duplex: each piece is there before the next one is sent.
func TestHTTP2FullDuplex(t *testing.T) {
	u := start(t, policy(web(t, func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		_ = rc.EnableFullDuplex()
		_ = rc.Flush()
		buf := make([]byte, 100)
		for {
			n, err := r.Body.Read(buf)
			_, _ = w.Write(buf[:n])
			_ = rc.Flush()
			if err != nil {
				return
			}
		}
	})))
	r, w := io.Pipe()
	req, _ := http.NewRequest(http.MethodPost, u.url("dep", "/"), r)
	resp, err := h2c(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, piece := range []string{"a", "bc", "def"} {
		_, _ = io.WriteString(w, piece)
		got := make([]byte, len(piece))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != piece {
			t.Fatalf("%q came back as %q, %v", piece, got, err)
		}
	}
	_ = w.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("behind the end: %q, %v", rest, err)
	}
}

// F149: an answer that breaks off resets its stream, and only that.
func TestF149BrokenAnswerResetsItsStream(t *testing.T) {
	u := start(t, policy(web(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole" {
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, strings.Repeat("x", 50))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})))
	p, _ := u.dialPeer("dep")
	for i, path := range []string{"/", "/whole"} {
		id := uint32(2*i + 1)
		p.head(id, true, ":method", "GET", ":scheme", "http", ":path", path, ":authority", "h")
		reset := false
		for done := false; !done; {
			f, err := p.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			switch f := f.(type) {
			case *http2.RSTStreamFrame:
				reset, done = true, true
			case *http2.DataFrame:
				done = f.StreamEnded()
			case *http2.MetaHeadersFrame:
				done = f.StreamEnded()
			}
		}
		if reset != (path == "/") {
			t.Errorf("%s: reset is %v", path, reset)
		}
	}
}

// F161: whoever opens streams and resets them has no more than 250 requests under
// way, takes nobody's slot for good, and is no failure of the dependency's.
func TestF161ResetFlood(t *testing.T) {
	var now, most, all atomic.Int64
	u := start(t, policy(web(t, func(_ http.ResponseWriter, r *http.Request) {
		all.Add(1)
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		<-r.Context().Done()
	}), "breaker: {window: 10s, calls: 5, failures: 50%, open: 10s}", "retry: {attempts: 3}"))
	before := heap()
	streams := uint32(10_000)
	if byNetHTTP {
		streams = 2000 // net/http answers each of them
	}
	p, c := u.dialPeer("dep")
	go func() { _, _ = io.Copy(io.Discard, c) }()
	under := func() (n int64) {
		for _, l := range u.status().Listeners {
			if l.For == "dep" {
				n = l.Requests
			}
		}
		return n
	}
	ended, here := false, int64(0)
	const batch = 200
	for id := uint32(1); id < 2*streams && !ended; id += 2 * batch {
		for i := range uint32(batch) {
			p.head(id+2*i, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")
		}
		here = max(here, under())
		for i := range uint32(batch) {
			ended = p.WriteRSTStream(id+2*i, http2.ErrCodeCancel) != nil
		}
	}
	t.Logf("connection ended: %v; %d at the dependency, %d at once, %d here", ended, all.Load(),
		most.Load(), here)
	until(t, "nothing is under way", func() bool {
		return under() == 0 && now.Load() == 0
	})
	if most.Load() > 250 || here > 250 || all.Load() > int64(streams) {
		t.Errorf("%d and %d requests at once, %d in all", most.Load(), here, all.Load())
	}
	v := u.dependencyView(u.set.File().Dependency("dep"))
	if v.Breaker.State != "closed" || v.Calls.Failures > 0 || v.Calls.Retries > 0 || v.Breaker.Window.Calls > 0 {
		t.Errorf("the policy counts %+v, %+v", v.Calls, v.Breaker.Window)
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("the heap has grown by %d KiB", grown>>10)
	}
	resp, err := h2c(t).Get("http://" + u.Addr("admin").String() + "/readyz")
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("the proxy is not well: %v", err)
	}
	resp.Body.Close()
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A drain says GOAWAY, ends what is under way, and then the connection.
func TestHTTP2Drain(t *testing.T) {
	release := make(chan struct{})
	var here atomic.Int32
	u := start(t, policy(web(t, func(w http.ResponseWriter, _ *http.Request) {
		here.Add(1)
		<-release
		_, _ = io.WriteString(w, "done")
	})))
	p, c := u.dialPeer("dep")
	p.head(1, true, ":method", "GET", ":scheme", "http", ":path", "/", ":authority", "h")
	until(t, "the request is there", func() bool { return here.Load() == 1 })
	u.stop()
	away, body := false, ""
	for {
		_ = c.SetReadDeadline(time.Now().Add(patience))
		f, err := p.ReadFrame()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			if !away {
				close(release)
			}
			away = true
			if f.ErrCode != http2.ErrCodeNo {
				t.Errorf("GOAWAY with %v", f.ErrCode)
			}
		case *http2.DataFrame:
			body += string(f.Data())
		case *http2.PingFrame:
			_ = p.WritePing(true, f.Data)
		}
	}
	if !away || body != "done" {
		t.Errorf("GOAWAY %v, body %q", away, body)
	}
	_ = c.Close() // or the proxy waits a second for that
	if err := u.wait(); err != nil {
		t.Error(err)
	}
}

// More requests than streams wait for their turn.
func TestHTTP2MoreRequestsThanStreams(t *testing.T) {
	u := start(t, policy(web(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path)
	})))
	client := h2c(t)
	errs := make(chan error, 400)
	for range 400 {
		go func() {
			resp, err := client.Get(u.url("dep", "/x"))
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			errs <- err
		}()
	}
	for range 400 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}
