package seakeephttp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

// till counts the writes that reach an application.
type till struct {
	http.Handler
	ran   atomic.Int32
	store *idempotency.Memory
}

// keyedTill protects an application that answers with its count, or as h does.
func keyedTill(tb testing.TB, c IdempotencyConfig, h http.HandlerFunc) *till {
	tb.Helper()
	a := new(till)
	store, err := idempotency.NewMemory(idempotency.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	a.store = store
	if c.Store == nil {
		c.Store = store
	}
	if c.Principal == nil {
		c.Principal = func(r *http.Request) string { return r.Header.Get("X-User") }
	}
	a.Handler = Idempotency(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := a.ran.Add(1)
		if h != nil {
			h(w, r)
			return
		}
		w.Header().Set("Location", fmt.Sprint("/orders/", n))
		w.WriteHeader(http.StatusCreated)
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d: %s", n, body)
	}), c)
	return a
}

// write sends a keyed write straight to the handler. Fields are pairs.
func (a *till) write(method, target, key, body string, fields ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w
}

func (a *till) post(key, body string) *httptest.ResponseRecorder {
	return a.write("POST", "/orders", key, body)
}

// expectReason fails unless an answer is ours, with this status and reason.
func expectReason(tb testing.TB, w *httptest.ResponseRecorder, status int, reason string) {
	tb.Helper()
	var p struct {
		Reason, Policy string
		Status         int
	}
	err := json.Unmarshal(w.Body.Bytes(), &p)
	if err != nil || w.Code != status || p.Status != status || p.Reason != reason || p.Policy != "idempotency" {
		tb.Errorf("got %d %s (%v), want %d %s", w.Code, w.Body, err, status, reason)
	}
}

func expectReplay(tb testing.TB, w *httptest.ResponseRecorder, status int, body string) {
	tb.Helper()
	if w.Code != status || w.Body.String() != body || w.Header().Get("Idempotency-Replayed") != "true" {
		tb.Errorf("got %d %q replayed %q, want %d %q", w.Code, w.Body,
			w.Header().Get("Idempotency-Replayed"), status, body)
	}
}

func (a *till) expectRuns(tb testing.TB, want int32) {
	tb.Helper()
	if got := a.ran.Load(); got != want {
		tb.Errorf("%d writes ran, want %d", got, want)
	}
}

func TestKeyedWriteRunsOnce(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, nil)
	first := a.post(`"k"`, "tea")
	if first.Code != 201 || first.Body.String() != "1: tea" || first.Header().Get("Idempotency-Replayed") != "" ||
		first.Header().Get("Content-Length") != "6" {
		t.Errorf("the first: %d %q %v", first.Code, first.Body, first.Header())
	}
	for _, key := range []string{`"k"`, "k"} {
		again := a.post(key, "tea")
		expectReplay(t, again, 201, "1: tea")
		if again.Header().Get("Location") != "/orders/1" || again.Header().Get("Content-Length") != "6" {
			t.Errorf("replayed fields %v", again.Header())
		}
	}
	a.expectRuns(t, 1)
	// Without a key, and with other methods, nothing is kept.
	a.post("", "tea")
	a.post("", "tea")
	a.write("PUT", "/orders", "k", "tea")
	a.write("PUT", "/orders", "two words are no key", "tea")
	a.expectRuns(t, 5)
}

func TestF188DifferentBody(t *testing.T) {
	running, release := make(chan bool), make(chan bool)
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		running <- true
		<-release
		w.WriteHeader(201)
	})
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- a.post("k", `{"a":1}`) }()
	<-running
	expectReason(t, a.post("k", `{"a":2}`), 422, "key-reused")
	busy := a.post("k", `{"a":1}`)
	expectReason(t, busy, 409, "key-busy")
	if busy.Header().Get("Retry-After") == "" || busy.Header().Get("X-Seakeep-No-Retry") != "" {
		t.Errorf("a busy key answers with %v", busy.Header())
	}
	close(release)
	if first := <-done; first.Code != 201 {
		t.Errorf("the first got %d", first.Code)
	}
	expectReason(t, a.post("k", `{"a":2}`), 422, "key-reused")
	expectReplay(t, a.post("k", `{"a":1}`), 201, "")
	// Whatever else is part of the request makes it another one.
	for _, other := range []*httptest.ResponseRecorder{
		a.write("POST", "/orders?x=1", "k", `{"a":1}`),
		a.write("POST", "/orders", "k", `{"a":1}`, "Content-Type", "text/plain"),
		a.write("POST", "/orders", "k", ""),
	} {
		expectReason(t, other, 422, "key-reused")
	}
	expectReplay(t, a.write("POST", "/orders", "k", `{"a":1}`, "X-Trace", "9"), 201, "")
	a.expectRuns(t, 1)
}

func TestF189Scope(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{Required: true}, nil)
	a.write("POST", "/a", "k", "", "X-User", "u1")
	a.write("POST", "/b", "k", "", "X-User", "u1")
	a.write("POST", "/a", "k", "", "X-User", "u2")
	a.expectRuns(t, 3)
	a.write("PATCH", "/a", "k", "", "X-User", "u1")
	a.expectRuns(t, 4)
	expectReplay(t, a.write("POST", "/a", "k", "", "X-User", "u2"), 201, "3: ")
	// What ends one name and begins the next is no matter of guessing.
	a.write("POST", "/a", "k", "", "X-User", "u1POST")
	a.expectRuns(t, 5)
	for _, key := range []string{strings.Repeat("k", 256), `""`, " ", "a b"} {
		expectReason(t, a.write("POST", "/a", key, ""), 400, "key-invalid")
	}
	expectReason(t, a.write("POST", "/a", "k", "", "Idempotency-Key", "k"), 400, "key-invalid")
	expectReason(t, a.write("POST", "/a", "", ""), 400, "key-missing")
	a.expectRuns(t, 5)
}

func TestEventsOfKeys(t *testing.T) {
	seen := new(recorder)
	a := keyedTill(t, IdempotencyConfig{Observer: seen}, nil)
	a.write("POST", "/"+strings.Repeat("o", 500), "k", "")
	if len(seen.events) != 0 {
		t.Errorf("a write that runs: %+v", seen.events)
	}
	a.write("POST", "/"+strings.Repeat("o", 500), "k", "")
	a.post("a b", "")
	want := []core.Event{
		{Reason: core.KeyReplayed, Key: "POST /" + strings.Repeat("o", 199) + " k"},
		{Reason: core.KeyInvalid, Key: "POST /orders ", Detail: "key-invalid"},
	}
	if len(seen.events) != len(want) {
		t.Fatalf("%d events, want %d", len(seen.events), len(want))
	}
	for i, e := range seen.events {
		if e.At == 0 || e.Kind != core.RequestRefused || e.Reason != want[i].Reason || e.Key != want[i].Key ||
			e.Policy != "idempotency" {
			t.Errorf("event %d is %+v", i, e)
		}
	}
}

func TestIdempotencyConfigValidate(t *testing.T) {
	who := func(*http.Request) string { return "" }
	store, _ := idempotency.NewMemory(idempotency.Config{})
	for _, c := range []struct {
		cfg  IdempotencyConfig
		want []string
	}{
		{IdempotencyConfig{Store: store, Principal: who}, nil},
		{IdempotencyConfig{}, []string{"Store: ", "Principal: "}},
		{IdempotencyConfig{Store: store, Principal: who, Methods: []string{}}, []string{"Methods: is empty"}},
		{IdempotencyConfig{Store: store, Principal: who, Methods: []string{"POST", "", "CONNECT"},
			Limits: IdempotencyLimits{-1, -2}}, []string{`Methods: has ""`, `Methods: has "CONNECT"`,
			"Limits.Body: is -1", "Limits.Answer: is -2"}},
	} {
		err := c.cfg.Validate()
		if (err == nil) != (c.want == nil) {
			t.Errorf("%+v: %v", c.cfg, err)
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "seakeephttp: Store: is nil") {
			t.Errorf("an invalid config: %s", got)
		}
	}()
	Idempotency(nil, IdempotencyConfig{})
}
