package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core/idempotency"
)

// Which answers end a write, and which leave it to be run again.
func TestF192CachedErrors(t *testing.T) {
	doubt := idempotency.Fates{ServerErrors: idempotency.Doubt}
	forget := idempotency.Fates{ServerErrors: idempotency.Forget}
	for _, c := range []struct {
		fates  idempotency.Fates
		status int
		again  int // what the second request gets; 0: it runs
	}{
		{idempotency.Fates{}, 200, 200}, {idempotency.Fates{}, 302, 302}, {idempotency.Fates{}, 400, 400},
		{idempotency.Fates{}, 422, 422}, {idempotency.Fates{}, 401, 0}, {idempotency.Fates{}, 429, 0},
		{idempotency.Fates{}, 503, 0}, {idempotency.Fates{}, 500, 500}, {idempotency.Fates{}, 504, 504},
		{doubt, 500, 409}, {doubt, 504, 409}, {doubt, 503, 0}, {forget, 500, 0}, {forget, 404, 404},
	} {
		a := keyedTill(t, IdempotencyConfig{Fates: c.fates}, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
		})
		if w := a.post("k", ""); w.Code != c.status {
			t.Errorf("the first gets %d, want %d", w.Code, c.status)
		}
		again := a.post("k", "")
		switch c.again {
		case 0:
			a.expectRuns(t, 2)
			if again.Code != c.status || again.Header().Get("Idempotency-Replayed") != "" {
				t.Errorf("after %d, the second gets %d %v", c.status, again.Code, again.Header())
			}
		case 409:
			a.expectRuns(t, 1)
			expectReason(t, again, 409, "key-unknown")
			if again.Header().Get("X-Seakeep-No-Retry") != "1" {
				t.Error("an unknown key does not ask to be left alone")
			}
		default:
			a.expectRuns(t, 1)
			expectReplay(t, again, c.again, "")
		}
	}
	// What we refuse ourselves is not kept under the key.
	a := keyedTill(t, IdempotencyConfig{}, nil)
	a.post("k", "one")
	expectReason(t, a.post("k", "two"), 422, "key-reused")
	expectReplay(t, a.post("k", "one"), 201, "1: one")
}

// A proxy knows more than its 502 and 504 tell.
func TestF191FailedAfterEffect(t *testing.T) {
	said := func(status int, say func(*KeyedWrite)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			say(KeyedWriteOf(r.Context()))
			w.WriteHeader(status)
		}
	}
	refused := keyedTill(t, IdempotencyConfig{}, said(502, (*KeyedWrite).NotSent))
	refused.post("k", "")
	refused.post("k", "")
	refused.expectRuns(t, 2)

	timedOut := said(504, (*KeyedWrite).NotAnswered)
	a := keyedTill(t, IdempotencyConfig{}, timedOut)
	if w := a.post("k", ""); w.Code != 504 {
		t.Errorf("the first gets %d", w.Code)
	}
	expectReason(t, a.post("k", ""), 409, "key-unknown")
	a.expectRuns(t, 1)

	for fate, check := range map[idempotency.Fate]func(*till, *httptest.ResponseRecorder){
		idempotency.Keep:   func(_ *till, w *httptest.ResponseRecorder) { expectReplay(t, w, 504, "") },
		idempotency.Forget: func(a *till, _ *httptest.ResponseRecorder) { a.expectRuns(t, 2) },
	} {
		b := keyedTill(t, IdempotencyConfig{Fates: idempotency.Fates{Unanswered: fate}}, timedOut)
		b.post("k", "")
		check(b, b.post("k", ""))
	}
	// Of two attempts the first was sent: then the last one's luck is no comfort.
	both := keyedTill(t, IdempotencyConfig{}, said(503, func(k *KeyedWrite) { k.NotAnswered(); k.NotSent() }))
	both.post("k", "")
	expectReason(t, both.post("k", ""), 409, "key-unknown")
	// Without a key there is nothing to say it of.
	KeyedWriteOf(t.Context()).NotSent()
	KeyedWriteOf(t.Context()).NotAnswered()
}

// The client leaves while its write runs. The write is done to its end, and
// when the client comes back the answer is there.
func TestF192ClientLeaves(t *testing.T) {
	running, release := make(chan bool), make(chan bool)
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		running <- true
		<-release
		if err := r.Context().Err(); err != nil {
			t.Errorf("the write's context has ended: %v", err)
		}
		body, _ := io.ReadAll(r.Body)
		w.WriteHeader(201)
		for range 100 {
			if _, err := w.Write(body); err != nil {
				t.Errorf("the write hears of its client's connection: %v", err)
			}
		}
	})
	s := serve(t, a.ServeHTTP)
	ctx, leave := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "POST", s.URL+"/orders", nil)
	r.Header.Set("Idempotency-Key", "k")
	gone := make(chan error)
	go func() {
		_, err := own(t).RoundTrip(r)
		gone <- err
	}()
	<-running
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // until the server has noticed; without it there is less to test
	close(release)
	eventually(t, "the answer is stored", func() bool { return a.store.Snapshot(0).Running == 0 })
	again, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/orders", nil)
	again.Header.Set("Idempotency-Key", "k")
	if got := send(own(t), again); got.status != 201 || got.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%+v", got)
	}
	a.expectRuns(t, 1)
}

// The deadline of the request stays, and an answer made after it is not taken
// for "nothing was done".
func TestKeyedWriteKeepsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			if err := r.Context().Err(); err != context.DeadlineExceeded {
				t.Error(err)
			}
			w.WriteHeader(503)
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := httptest.NewRequest("POST", "/orders", nil).WithContext(ctx)
		r.Header.Set("Idempotency-Key", "k")
		start := time.Now()
		a.ServeHTTP(httptest.NewRecorder(), r)
		if took := time.Since(start); took != time.Second {
			t.Errorf("the write was ended after %v", took)
		}
		expectReason(t, a.post("k", ""), 409, "key-unknown")
	})
}

// A panic goes on to the server, and the key is unknown; unless the handler
// knew that nothing had been sent.
func TestPanicsOfKeyedWrites(t *testing.T) {
	notSent := false
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		if notSent {
			KeyedWriteOf(r.Context()).NotSent()
		}
		_, _ = io.WriteString(w, "half an ans")
		panic(http.ErrAbortHandler)
	})
	try := func(key string) (w *httptest.ResponseRecorder) {
		w = httptest.NewRecorder()
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("the panic became %v", got)
			}
		}()
		r := httptest.NewRequest("POST", "/orders", nil)
		r.Header.Set("Idempotency-Key", key)
		a.ServeHTTP(w, r)
		return w
	}
	if w := try("k"); w.Body.Len() != 0 {
		t.Errorf("half an answer was let through: %q", w.Body)
	}
	expectReason(t, a.post("k", ""), 409, "key-unknown")
	notSent = true
	try("k2")
	try("k2")
	a.expectRuns(t, 3)
}

// An answer that is shorter than it says is no answer to give again.
func TestCutAnswersAreUnknown(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "half")
	})
	a.post("k", "")
	expectReason(t, a.post("k", ""), 409, "key-unknown")
	// More than it says does not get out of the handler at all.
	b := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "4")
		_, _ = io.WriteString(w, "half")
		if _, err := io.WriteString(w, "more"); err != http.ErrContentLength {
			t.Errorf("more than was announced: %v", err)
		}
	})
	b.post("k", "")
	expectReplay(t, b.post("k", ""), 200, "half")
}
