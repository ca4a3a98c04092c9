package seakeephttp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// TestF147CallerThatLeaves: its going says nothing about the dependency, and
// the dependency learns of it.
func TestF147CallerThatLeaves(t *testing.T) {
	noLeak(t)
	arrived, left := make(chan struct{}), make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(left)
	})
	p := policy(t, seakeep.Config{Retry: &seakeep.Retry{Attempts: 3, Backoff: quick}, Breaker: breaker(),
		Bulkhead: &seakeep.Bulkhead{Limit: 1}, Fallback: &seakeep.Fallback{Order: []seakeep.Answer{
			{Static: &seakeep.Static{Status: 200, Body: "nobody wants this"}}}}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	g := send(Wrap(p, own(t)), request(t, "GET", s.URL, nil).WithContext(ctx))
	if !errors.Is(g.err, context.Canceled) || errors.Is(g.err, seakeep.ErrRejected) {
		t.Errorf("%+v", g)
	}
	<-left
	st := p.Snapshot()
	if st.Stats.Cancelled != 1 || st.Stats.Failures+st.Stats.Timeouts+st.Stats.Overloads != 0 ||
		st.Breaker.State.String() != "closed" || st.Bulkhead.InUse != 0 {
		t.Errorf("%+v", st)
	}
}

// TestF148F149BodyCutShort: the caller sees the break, never a clean end; the
// breaker sees one failure, and nothing is tried again. How long a chunked body
// is nobody knows, so its breaker heard of a success when it began as well.
func TestF148F149BodyCutShort(t *testing.T) {
	noLeak(t)
	for _, c := range []struct {
		name, head string
		want       string
		state      string
	}{
		{"sized", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + strings.Repeat("x", 50),
			strings.Repeat("x", 50), "open"},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n32\r\n" +
			strings.Repeat("x", 50) + "\r\n", strings.Repeat("x", 50), "open"},
	} {
		for _, end := range []string{"close", "reset"} {
			t.Run(c.name+" "+end, func(t *testing.T) {
				s := rawServer(t, func(conn net.Conn, r *bufio.Reader) {
					readRequest(r)
					_, _ = io.WriteString(conn, c.head)
					if end == "reset" {
						time.Sleep(20 * time.Millisecond)
						reset(conn)
					}
				})
				p := policy(t, seakeep.Config{Retry: &seakeep.Retry{Attempts: 3, Backoff: quick},
					Breaker: breaker(), Bulkhead: &seakeep.Bulkhead{Limit: 1}})
				g := get(t, Wrap(p, own(t)), s.url)
				if g.err == nil || g.body != c.want || s.accepted.Load() != 1 {
					t.Errorf("%+v after %d attempts", g, s.accepted.Load())
				}
				if end == "close" && !errors.Is(g.err, io.ErrUnexpectedEOF) {
					t.Error(g.err)
				}
				st := p.Snapshot()
				if st.Breaker.State.String() != c.state || st.Bulkhead.InUse != 0 {
					t.Errorf("breaker %v, %d slots in use", st.Breaker.State, st.Bulkhead.InUse)
				}
			})
		}
	}
}

func TestBodyClosedEarlyIsASuccess(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(make([]byte, 1000000))
	})
	p := within(t, time.Second, time.Second)
	resp, err := Wrap(p, own(t)).RoundTrip(request(t, "GET", s.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = resp.Body.Read(make([]byte, 10))
	_ = resp.Body.Close()
	_ = resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 10)); err == nil {
		t.Error("a closed body can be read")
	}
	if st := p.Snapshot(); st.Breaker.State.String() != "closed" || st.Bulkhead.InUse != 0 {
		t.Errorf("%+v", st)
	}
}

// TestF156AnswersWithoutABody: they keep the length they state, and their
// connection is used again.
func TestF156AnswersWithoutABody(t *testing.T) {
	noLeak(t)
	for _, c := range []struct {
		method, text, header, want string
		length                     int64
	}{
		{"GET", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", "ETag", `"1"`, 0},
		{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n", "Content-Length", "1234", 1234},
		{"GET", "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n", "Content-Encoding", "gzip", 0},
		{"HEAD", "HTTP/1.1 503 Busy\r\nContent-Length: 99999\r\n\r\n", "Content-Length", "99999", 99999},
	} {
		s := rawServer(t, answers(c.text))
		p := policy(t, seakeep.Config{Retry: &seakeep.Retry{Attempts: 2, Backoff: quick},
			Bulkhead: &seakeep.Bulkhead{Limit: 1}})
		tr := Wrap(p, own(t))
		for range 2 {
			resp, err := tr.RoundTrip(request(t, c.method, s.url, nil))
			if err != nil {
				t.Fatal(err)
			}
			if n := p.Snapshot().Bulkhead.InUse; n != 0 {
				t.Errorf("%d slots in use before the body is closed", n)
			}
			b, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if len(b) != 0 || err != nil || resp.Header.Get(c.header) != c.want ||
				resp.ContentLength != c.length || len(resp.TransferEncoding) != 0 {
				t.Errorf("%q, %v, %d, %v", b, err, resp.ContentLength, resp.Header)
			}
		}
		if n := s.accepted.Load(); n != 1 {
			t.Errorf("%s took %d connections", c.text[:12], n)
		}
	}
}

func TestF157UntouchedAnswerKeepsAll(t *testing.T) {
	noLeak(t)
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = io.WriteString(zip, strings.Repeat("hello ", 100))
	_ = zip.Close()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("ETag", `"1"`)
		_, _ = w.Write(packed.Bytes())
	})
	resp, err := fileTransport(t, "kind: critical", s.URL).RoundTrip(request(t, "GET", "http://test/", nil))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Equal(b, packed.Bytes()) || resp.ContentLength != int64(packed.Len()) ||
		resp.Header.Get("Content-Encoding") != "gzip" || resp.Header.Get("ETag") != `"1"` {
		t.Errorf("%d bytes of %d, %v", len(b), packed.Len(), resp.Header)
	}
}

// TestF152EarlyAnswersPass: the caller's trace sees them, and the final answer
// has none of their headers.
func TestF152EarlyAnswersPass(t *testing.T) {
	noLeak(t)
	early := "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
	s := rawServer(t, answers(early+early+"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 2\r\n\r\nok"))
	for _, method := range []string{"GET", "POST"} { // a POST has a trace of ours as well
		n := 0
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			Got1xxResponse: func(int, textproto.MIMEHeader) error { n++; return nil }})
		g := send(Wrap(within(t, time.Second, 0), own(t)), request(t, method, s.url, nil).WithContext(ctx))
		if n != 2 || g.status != 200 || g.body != "ok" || g.header.Get("Link") != "" || g.header.Get("X") != "y" {
			t.Errorf("%s: %d early answers, %+v", method, n, g)
		}
	}
}

func TestTrailersPass(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "Sum")
		_, _ = io.WriteString(w, "abc")
		w.Header().Set("Sum", "3")
	})
	resp, err := Wrap(retries(t, 2), own(t)).RoundTrip(request(t, "GET", s.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if resp.Trailer.Get("Sum") != "3" {
		t.Error(resp.Trailer)
	}
}

// TestEarlyAnswerToALongUpload: an upload that is refused while it goes on ends,
// and its body is closed.
func TestEarlyAnswerToALongUpload(t *testing.T) {
	noLeak(t)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(413) })
	r, w := io.Pipe()
	body := &closes{Reader: r}
	go func() {
		for {
			if _, err := w.Write(make([]byte, 1024)); err != nil {
				return
			}
		}
	}()
	defer r.Close()
	g := send(Wrap(retries(t, 3), own(t)), request(t, "PUT", s.URL, body))
	if g.status != 413 && g.err == nil {
		t.Errorf("%+v", g)
	}
	_ = r.Close()
	eventually(t, "the body is closed", func() bool { return body.n.Load() == 1 })
}

// TestLimitPassesWithTheHeaders: an answer that comes at the last moment, whose
// context is over, is an attempt whose time was up and not a body that breaks.
func TestLimitPassesWithTheHeaders(t *testing.T) {
	body := &closes{Reader: strings.NewReader("late")}
	p := within(t, 20*time.Millisecond, 0)
	rt := Wrap(p, baseFunc(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		resp := answer(200, "late")
		resp.Body = body
		return resp, nil
	}))
	var report seakeep.Report
	req := request(t, "GET", "http://test/", nil)
	g := send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
	if !errors.Is(g.err, context.DeadlineExceeded) {
		t.Errorf("%+v", g)
	}
	if st := p.Snapshot(); body.n.Load() != 1 || st.Bulkhead.InUse != 0 || st.Breaker.State.String() != "open" {
		t.Errorf("closed %d times, %+v", body.n.Load(), st)
	}
	if report.Verdict != call.Failed || report.Attempts[0].Result.Cause != core.TimedOut {
		t.Errorf("%+v", report)
	}
}
