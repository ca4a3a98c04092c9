package seakeephttp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// keyedServer serves an application over a real connection and returns what
// sends it a keyed request.
func keyedServer(t *testing.T, h http.HandlerFunc) (*till, func(method, key string) got) {
	a := keyedTill(t, IdempotencyConfig{Methods: []string{"POST", "HEAD"}}, h)
	s := serve(t, a.ServeHTTP)
	return a, func(method, key string) got {
		r := request(t, method, s.URL, nil)
		r.Header.Set("Idempotency-Key", key)
		return send(own(t), r)
	}
}

// same fails unless the replay is the first answer, but for its mark and date.
func same(t *testing.T, first, again got) {
	t.Helper()
	if first.err != nil || again.err != nil || again.status != first.status || again.body != first.body {
		t.Errorf("first %+v, then %+v", first, again)
		return
	}
	if again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("not a replay: %v", again.header)
	}
	for _, h := range []http.Header{first.header, again.header} {
		h.Del("Date")
		h.Del("Idempotency-Replayed")
	}
	if !reflect.DeepEqual(first.header, again.header) {
		t.Errorf("first %v\nthen %v", first.header, again.header)
	}
}

func TestKeyedAnswersOfManyKinds(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"nothing":    func(http.ResponseWriter, *http.Request) {},
		"no content": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"not modified": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Etag", `"1"`)
			w.WriteHeader(304)
			if _, err := w.Write([]byte("x")); err != http.ErrBodyNotAllowed {
				t.Errorf("a body with 304: %v", err)
			}
		},
		"sniffed": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>hello") },
		"no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>hello")
		},
		"fields": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Set-Cookie"] = []string{"a=1", "b=\xff"}
			w.Header().Set("X-Late", "no")
			w.WriteHeader(202)
			w.Header().Set("X-Late", "too late to be sent")
			w.WriteHeader(500)
		},
		"large": func(w http.ResponseWriter, _ *http.Request) {
			for range 300 {
				_, _ = w.Write(bytes.Repeat([]byte("x"), 1000))
			}
		},
		"stated length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			_, _ = io.WriteString(w, "hello")
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, send := keyedServer(t, h)
			same(t, send("POST", "k"), send("POST", "k"))
			same(t, send("HEAD", "k"), send("HEAD", "k"))
			a.expectRuns(t, 2)
		})
	}
}

func TestKeyedTrailers(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		if r.URL.Path == "/flushed" {
			w.(http.Flusher).Flush()
		}
		w.Header().Set("X-Sum", "42")
		w.Header().Set(http.TrailerPrefix+"X-Other", "43")
	})
	s := serve(t, a.ServeHTTP)
	for _, path := range []string{"/", "/", "/flushed", "/flushed"} {
		r := request(t, "POST", s.URL+path, nil)
		r.Header.Set("Idempotency-Key", "k")
		resp, err := own(t).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if string(body) != "body" || resp.Trailer.Get("X-Sum") != "42" || resp.Trailer.Get("X-Other") != "43" ||
			resp.Header.Get("X-Sum") != "" {
			t.Errorf("%s: %q with %v after %v", path, body, resp.Trailer, resp.Header)
		}
	}
	a.expectRuns(t, 2)
}

// A handler that flushes streams: its client has the first piece while the
// handler is still at the second. Repetitions get all of it.
func TestKeyedStream(t *testing.T) {
	next := make(chan bool)
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if err := c.SetWriteDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Errorf("a deadline for the connection: %v", err)
		}
		_, _ = io.WriteString(w, "one,")
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		<-next
		_, _ = io.WriteString(w, "two")
	})
	s := serve(t, a.ServeHTTP)
	r := request(t, "POST", s.URL, nil)
	r.Header.Set("Idempotency-Key", "k")
	resp, err := own(t).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	piece := make([]byte, 4)
	if _, err := io.ReadFull(resp.Body, piece); err != nil || string(piece) != "one," {
		t.Fatalf("%q %v", piece, err)
	}
	close(next)
	rest, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if string(rest) != "two" {
		t.Errorf("the rest is %q", rest)
	}
	expectReplay(t, a.write("POST", "/", "k", ""), 200, "one,two")
}

func TestKeyedInterimAnswers(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.WriteHeader(201)
	})
	s := serve(t, a.ServeHTTP)
	hints := 0
	trace := &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
		if code == 103 && h.Get("Link") != "" {
			hints++
		}
		return nil
	}}
	for i := range 2 {
		r := request(t, "POST", s.URL, nil)
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
		r.Header.Set("Idempotency-Key", "k")
		if got := send(own(t), r); got.status != 201 || got.header.Get("Link") != "" || hints != 1 {
			t.Errorf("request %d: %+v after %d hints", i, got, hints)
		}
	}
}

func TestHijackedWritesAreNotKept(t *testing.T) {
	a, post := keyedServer(t, func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		if _, err := w.Write([]byte("x")); err != http.ErrHijacked {
			t.Errorf("a write after it: %v", err)
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nmy")
	})
	if got := post("POST", "k"); got.body != "my" {
		t.Errorf("%+v", got)
	}
	eventually(t, "the run ends", func() bool { return a.store.Snapshot(0).Running == 0 })
	if got := post("POST", "k"); got.status != 409 || !strings.Contains(got.body, "key-not-stored") {
		t.Errorf("%+v", got)
	}
}

// slowStore lets a test look while an answer is being stored.
type slowStore struct {
	idempotency.Store
	reporting, release chan bool
}

func (s slowStore) Report(now core.Instant, c idempotency.Claim, e idempotency.Ending) (bool, error) {
	s.reporting <- true
	<-s.release
	return s.Store.Report(now, c, e)
}

// Whoever has seen an answer gets the same again: it is stored first.
func TestAnswersAreStoredBeforeTheyAreSeen(t *testing.T) {
	memory, _ := idempotency.NewMemory(idempotency.Config{})
	store := slowStore{memory, make(chan bool), make(chan bool)}
	a := keyedTill(t, IdempotencyConfig{Store: store}, nil)
	s := serve(t, a.ServeHTTP)
	r := request(t, "POST", s.URL, nil)
	r.Header.Set("Idempotency-Key", "k")
	seen := make(chan got, 1)
	go func() { seen <- send(own(t), r) }()
	<-store.reporting
	select {
	case got := <-seen:
		t.Errorf("the client has %+v before it is stored", got)
	case <-time.After(20 * time.Millisecond):
	}
	close(store.release)
	if got := <-seen; got.status != 201 {
		t.Errorf("%+v", got)
	}
}
