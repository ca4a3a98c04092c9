package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// drip is a body that comes in pieces, each after a wait. It ends with its
// context, as those of transports do.
type drip struct {
	ctx    context.Context
	pieces []piece
	closed int
}

type piece struct {
	after time.Duration
	text  string
}

func (d *drip) Read(p []byte) (int, error) {
	if len(d.pieces) == 0 {
		return 0, io.EOF
	}
	now := d.pieces[0]
	select {
	case <-time.After(now.after):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	n := copy(p, now.text)
	if d.pieces[0] = (piece{0, now.text[n:]}); d.pieces[0].text == "" {
		d.pieces = d.pieces[1:]
	}
	return n, nil
}

func (d *drip) Close() error {
	d.closed++
	return nil
}

// dripping is a base whose answers drip.
func dripping(last **drip, pieces ...piece) baseFunc {
	return func(r *http.Request) (*http.Response, error) {
		d := &drip{ctx: r.Context(), pieces: append([]piece(nil), pieces...)}
		*last = d
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ContentLength: -1, Header: http.Header{},
			Body: d}, nil
	}
}

func TestBodyLimits(t *testing.T) {
	s := time.Second
	kib := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		what, response string
		pieces         []piece
		got            int // bytes that arrive
		err            error
		after          time.Duration
		outcome        core.Outcome
	}{
		{"exactly as many", "{body: 4B}", []piece{{0, "abcd"}}, 4, nil, 0, core.Success},
		{"one more", "{body: 4B}", []piece{{0, "abcde"}}, 4, ErrBodyTooLarge, 0, core.Failure},
		{"one more, later", "{body: 4B}", []piece{{0, "abcd"}, {s, "e"}}, 4, ErrBodyTooLarge, s, core.Failure},
		{"pauses", "{idle: 30s}", []piece{{29 * s, "a"}, {29 * s, "b"}}, 2, nil, 58 * s, core.Success},
		{"silence", "{idle: 30s}", []piece{{29 * s, "a"}, {31 * s, "b"}}, 1, ErrBodyIdle, 59 * s, core.Timeout},
		{"fast enough", "{rate: 1KiB, grace: 1s}", []piece{{s / 2, kib}, {s, kib}, {s, kib}}, 3072, nil,
			s * 5 / 2, core.Success},
		{"too slow", "{rate: 1KiB, grace: 1s}", []piece{{s * 9 / 10, kib[:512]}, {s, "b"}}, 512, ErrBodySlow,
			s * 3 / 2, core.Timeout},
		{"a drop at a time", "{rate: 1KiB, grace: 5s}", []piece{{s, "a"}, {s, "b"}, {s, "c"}, {s, "d"}, {s, "e"},
			{s, "f"}}, 5, ErrBodySlow, 5*s + 5*s/1024, core.Timeout},
		{"none", "none", []piece{{time.Hour, kib}}, 1024, nil, time.Hour, core.Success},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var last *drip
				set := setOf(t, file("response: "+c.response, "http://a"))
				tr := transport(t, set, dripping(&last, c.pieces...))
				start := time.Now()
				var report seakeep.Report
				req := request(t, "GET", "http://test/", nil)
				g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
				took := time.Since(start)
				if len(g.body) != c.got || !errors.Is(g.err, c.err) || (took-c.after).Abs() > time.Millisecond {
					t.Errorf("%d bytes, %v after %v; want %d, %v after %v", len(g.body), g.err, took, c.got, c.err, c.after)
				}
				var limit *BodyError
				if c.err != nil && (!errors.As(g.err, &limit) || limit.Timeout() != (c.outcome == core.Timeout)) {
					t.Errorf("%#v", g.err)
				}
				if last.closed == 0 {
					t.Error("the body was not closed")
				}
			})
		})
	}
}

// The reader's own pauses are not the sender's.
func TestSlowReaderIsNotASlowAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last *drip
		set := setOf(t, file("response: {rate: 1KiB, grace: 1s, idle: 1s}", "http://a"))
		tr := transport(t, set, dripping(&last, piece{0, "a"}, piece{0, "b"}))
		resp, err := tr.RoundTrip(request(t, "GET", "http://test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			time.Sleep(time.Hour)
			if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
				t.Error(err)
			}
		}
		_ = resp.Body.Close()
	})
}

// An answer that says beforehand that it is too large is refused at once, and is
// the server's fault, which another attempt would not mend. An operation may
// have another limit.
func TestTooLargeBeforehand(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		}))
		protocol := "http1"
		if h2 {
			protocol = "h2c"
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
		}
		s.Start()
		t.Cleanup(s.Close)
		text := fmt.Sprintf(`protocol: %s
    retry: {attempts: 3}
    response: {body: 99B}
    operations:
      - {name: export, match: {path: /export}, response: {body: 100B}}
      - {name: free, match: {path: /free}, response: none}`, protocol)
		tr := fileTransport(t, text, s.URL)
		var report seakeep.Report
		req := request(t, "GET", "http://test/", nil)
		g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		want := core.Result{Outcome: core.Failure, Cause: core.BadAnswer}
		if !errors.Is(g.err, ErrBodyTooLarge) || len(report.Attempts) != 1 || report.Attempts[0].Result != want {
			t.Errorf("%v, %+v", g.err, report.Attempts)
		}
		if want := "the answer's body is larger than response.body allows, 99B, at 100 bytes"; g.err.Error() != want {
			t.Errorf("%q, want %q", g.err, want)
		}
		for _, path := range []string{"/export", "/free"} {
			if g := get(t, tr, "http://test"+path); g.err != nil || len(g.body) != 100 {
				t.Errorf("%s: %+v", path, g)
			}
		}
		if g := send(tr, request(t, "HEAD", "http://test/", nil)); g.err != nil || g.header.Get("Content-Length") != "100" {
			t.Errorf("an answer without a body has none that is too large: %+v", g)
		}
	}
}

// An answer that never ends costs as much memory as its limit, and its
// connection, not the other calls' on it.
func TestRunawayAnswer(t *testing.T) {
	noLeak(t)
	for _, protocol := range []config.Protocol{config.HTTP1, config.H2C} {
		left := make(chan struct{}, 1)
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
					left <- struct{}{}
					return
				}
			}
		}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
		tr := fileTransport(t, "protocol: "+protocol.String()+"\n    bulkhead: {limit: 1}\n    response: {body: 1MiB}", s.URL)
		g := get(t, tr, "http://test/")
		if len(g.body) != 1<<20 || !errors.Is(g.err, ErrBodyTooLarge) {
			t.Errorf("%v: %d bytes, %v", protocol, len(g.body), g.err)
		}
		<-left // the server is told
		eventually(t, "the connection is free or gone", func() bool {
			c := tr.Snapshot().Connections
			return len(c) == 0 || c[0].InFlight == 0
		})
		tr.Close()
		s.Close()
	}
}

// A slow body is cut over real connections too.
func TestSilentBody(t *testing.T) {
	noLeak(t)
	for _, protocol := range []string{"http1", "h2c"} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begin")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		s.Config.Protocols = new(http.Protocols)
		s.Config.Protocols.SetHTTP1(true)
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
		tr := fileTransport(t, "protocol: "+protocol+"\n    response: {idle: 30ms}", s.URL)
		if g := get(t, tr, "http://test/"); g.body != "begin" || !errors.Is(g.err, ErrBodyIdle) {
			t.Errorf("%s: %q, %v", protocol, g.body, g.err)
		}
		tr.Close()
		s.Close()
	}
}
