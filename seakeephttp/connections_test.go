package seakeephttp

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// held is a server whose requests wait until they are let go.
func held(t *testing.T) (url string, arrived chan struct{}, free func()) {
	t.Helper()
	arrived, gate := make(chan struct{}, 100), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		arrived <- struct{}{}
		<-gate
		_, _ = w.Write(b)
	})
	free = sync.OnceFunc(func() { close(gate) })
	t.Cleanup(free)
	return s.URL, arrived, free
}

// A write that finds all connections to one endpoint in use has not been sent,
// and goes to another; the endpoint that was too busy is not taken for dead.
func TestBusyConnectionsSendACallElsewhere(t *testing.T) {
	noLeak(t)
	a, arrived, free := held(t)
	b := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	tr := fileTransport(t, `timeout: {acquire: 10ms}
    retry: {attempts: 2, budget: none}
    balance: {policy: round-robin}
    connections: {max: 1}`, a, b.URL)
	t.Cleanup(tr.Close)
	var first sync.WaitGroup
	for range 2 { // one to each
		first.Go(func() { reported(t, tr, "POST", "first") })
	}
	<-arrived
	for range 4 {
		if g, _ := reported(t, tr, "POST", "whole"); g.body != "whole" {
			t.Errorf("%+v", g)
		}
	}
	s := tr.Snapshot()
	if s.Endpoints[0].Resting || s.Connections[0].Open+s.Connections[1].Open != 2 {
		t.Errorf("%+v", s)
	}
	free()
	first.Wait()
}

// With nowhere else to go the error says what was missing.
func TestBusyConnections(t *testing.T) {
	noLeak(t)
	a, arrived, free := held(t)
	set := setOf(t, file(`timeout: {acquire: 10ms}
    connections: {max: 1}
    operations:
      - {name: patient, match: {path: /patient}, timeout: {acquire: 10s}}`, a))
	tr := transport(t, set, nil)
	t.Cleanup(tr.Close)
	var all sync.WaitGroup
	all.Go(func() { get(t, tr, "http://test/") })
	<-arrived
	g, report := reported(t, tr, "POST", "x")
	var full *AcquireError
	want := core.Result{Outcome: core.Overloaded, Cause: core.Unsent}
	if !errors.As(g.err, &full) || full.Max != 1 || report.Attempts[0].Result != want {
		t.Errorf("%+v, %+v", g, report)
	}
	all.Go(func() {
		if g := get(t, tr, "http://test/patient"); g.status != 200 {
			t.Errorf("an operation with more patience: %+v", g)
		}
	})
	eventually(t, "it waits", func() bool { return tr.Snapshot().Connections[0].Waiting == 1 })

	// A reload that allows more lets it through.
	if err := set.Apply(fileOf(t, file("connections: {max: 3}", a))); err != nil {
		t.Fatal(err)
	}
	tr.Snapshot() // which brings it up to date, as a request would
	<-arrived
	free()
	all.Wait()
}

// Connections are there before anybody asks, and after a reload at the new
// endpoint as well; Close ends them.
func TestWarmConnections(t *testing.T) {
	noLeak(t)
	hello := func(w http.ResponseWriter, r *http.Request) {}
	a, b := serve(t, hello), serve(t, hello)
	set := setOf(t, file("connections: {warm: 2}", a.URL))
	tr := transport(t, set, nil)
	open := func(want int) func() bool {
		return func() bool {
			n := 0
			for _, c := range tr.Snapshot().Connections {
				n += c.Idle
			}
			return n == want
		}
	}
	eventually(t, "two are open", open(2))
	if err := set.Apply(fileOf(t, file("connections: {warm: 2}", a.URL, b.URL))); err != nil {
		t.Fatal(err)
	}
	get(t, tr, "http://test/")
	eventually(t, "two are open to each", open(4))
	tr.Close()
	eventually(t, "none is open", open(0))
}

// F064: an option holds for all attempts: after a timeout a Retry-After is
// ignored as before it.
func TestF064OptionsSurviveAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		base := baseFunc(func(r *http.Request) (*http.Response, error) {
			switch n++; n {
			case 1:
				<-r.Context().Done()
				return nil, r.Context().Err()
			case 2:
				a := answer(503, "")
				a.Header.Set("Retry-After", "60")
				return a, nil
			}
			return answer(200, "ok"), nil
		})
		tr := transport(t, setOf(t, file(`timeout: {request: 100ms}
    retry: {attempts: 3, ignore-retry-after: true, backoff: {base: 10ms, jitter: none}}`, "http://a")), base)
		start := time.Now()
		g := get(t, tr, "http://test/")
		if took := time.Since(start); g.body != "ok" || took != 130*time.Millisecond {
			t.Errorf("%+v after %v", g, took)
		}
	})
}

// F065: attempts are attempts.
func TestF065AttemptsAreNotRetries(t *testing.T) {
	for attempts, text := range map[int]string{3: "retry: {attempts: 3, budget: none, backoff: {base: 0s}}",
		1: "retry: {attempts: 1}"} {
		n := 0
		tr := transport(t, setOf(t, file(text, "http://a")), baseFunc(func(*http.Request) (*http.Response, error) {
			n++
			return answer(503, ""), nil
		}))
		if g := get(t, tr, "http://test/"); n != attempts || g.status != 503 {
			t.Errorf("%s: %d, %+v", text, n, g)
		}
	}
	_, err := config.Parse("f", []byte(file("retry: {attempts: 0}", "http://a")))
	if err == nil {
		t.Error("no attempt at all is allowed")
	}
}

// F059: an answer that is looked at before a retry is whole for the caller if it
// stays the last.
func TestF059TheLastAnswerIsWhole(t *testing.T) {
	for _, size := range []int{12, wholeLimit, wholeLimit + 1, 1 << 20} {
		body := strings.Repeat("x", size)
		n := 0
		tr := transport(t, setOf(t, file("retry: {attempts: 2, budget: none, backoff: {base: 0s}}", "http://a")),
			baseFunc(func(*http.Request) (*http.Response, error) {
				n++
				return answer(503, body), nil
			}))
		if g := get(t, tr, "http://test/"); g.body != body || n != 2 || g.err != nil {
			t.Errorf("%d bytes: %d bytes after %d attempts, %v", size, len(g.body), n, g.err)
		}
	}
}
