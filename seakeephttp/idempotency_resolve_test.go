package seakeephttp

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core/idempotency"
)

// An operator's hook finds out about writes of which nobody knows.
func TestResolve(t *testing.T) {
	var unknown = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Fail") != "" {
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "ran with %s", body)
	}
	for name, c := range map[string]struct {
		answer *KeyedAnswer
		ran    bool
		err    error
		check  func(*till, *httptest.ResponseRecorder)
	}{
		"not run": {check: func(a *till, w *httptest.ResponseRecorder) {
			if w.Code != 200 || w.Body.String() != "ran with tea" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			a.expectRuns(t, 2)
		}},
		"ran": {&KeyedAnswer{Status: 201, Header: http.Header{"X-From": {"books"}}, Body: []byte("b")}, true, nil,
			func(a *till, w *httptest.ResponseRecorder) {
				expectReplay(t, w, 201, "b")
				if w.Header().Get("X-From") != "books" {
					t.Error(w.Header())
				}
				a.expectRuns(t, 1)
			}},
		"ran, answer gone": {nil, true, nil, func(a *till, w *httptest.ResponseRecorder) {
			expectReason(t, w, 409, "key-not-stored")
			a.expectRuns(t, 1)
		}},
		"nobody knows": {nil, false, errors.New("books are closed"), func(a *till, w *httptest.ResponseRecorder) {
			expectReason(t, w, 409, "key-unknown")
			a.expectRuns(t, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := keyedTill(t, IdempotencyConfig{Resolve: func(r *http.Request, key string,
				found idempotency.Record) (*KeyedAnswer, bool, error) {
				body, _ := io.ReadAll(r.Body)
				if key != "k" || string(body) != "tea" || found.Name != "POST /orders k" || found.State != idempotency.Unknown {
					t.Errorf("asked about %q %q %+v", key, body, found)
				}
				return c.answer, c.ran, c.err
			}}, unknown)
			func() {
				defer func() { _ = recover() }()
				a.write("POST", "/orders", "k", "tea", "X-Fail", "1")
			}()
			c.check(a, a.post("k", "tea"))
		})
	}
}

// Many repetitions hear at once that the write has not run. One of them runs.
func TestResolveRace(t *testing.T) {
	const many = 20
	var asked sync.WaitGroup
	asked.Add(many)
	var failed atomic.Bool
	a := keyedTill(t, IdempotencyConfig{Resolve: func(*http.Request, string, idempotency.Record) (*KeyedAnswer, bool, error) {
		asked.Done()
		asked.Wait() // until all have seen the key unknown
		return nil, false, nil
	}}, func(w http.ResponseWriter, r *http.Request) {
		if !failed.Swap(true) {
			panic(http.ErrAbortHandler)
		}
	})
	func() {
		defer func() { _ = recover() }()
		a.post("k", "")
	}()
	var answered, busy atomic.Int32
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			switch w := a.post("k", ""); w.Code {
			case 200:
				answered.Add(1)
			case 409:
				busy.Add(1)
			default:
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	a.expectRuns(t, 2)
	if answered.Load() < 1 || answered.Load()+busy.Load() != many {
		t.Errorf("%d answered, %d busy", answered.Load(), busy.Load())
	}
}

// A storm of repetitions over real connections, through a client with a breaker
// that one failure opens: each write runs once, and who lost the race is no
// failure to anybody.
func TestF187LostRace(t *testing.T) {
	const keys, clients = 20, 8
	a := keyedTill(t, IdempotencyConfig{}, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Millisecond)
		fmt.Fprintf(w, "answer to %s", r.Header.Get("Idempotency-Key"))
	})
	s := serve(t, a.ServeHTTP)
	p := policy(t, seakeep.Config{Breaker: breaker(), Retry: &seakeep.Retry{Attempts: 3, Backoff: quick},
		More: &seakeep.More{Unbudgeted: true}})
	rt := Wrap(p, own(t))
	var replayed, busy, ran atomic.Int32
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for k := range keys {
				r := request(t, "POST", s.URL, nil)
				r.Header.Set("Idempotency-Key", fmt.Sprint("k", k))
				got := send(rt, r)
				switch {
				case got.err != nil:
					t.Error(got.err)
				case got.status == 409:
					busy.Add(1)
				case got.status != 200 || got.body != fmt.Sprint("answer to k", k):
					t.Errorf("%d %s", got.status, got.body)
				case got.header.Get("Idempotency-Replayed") != "":
					replayed.Add(1)
				default:
					ran.Add(1)
				}
			}
		})
	}
	wg.Wait()
	a.expectRuns(t, keys)
	if ran.Load() != keys || ran.Load()+busy.Load()+replayed.Load() != keys*clients || busy.Load() == 0 {
		t.Errorf("%d ran, %d busy, %d replayed", ran.Load(), busy.Load(), replayed.Load())
	}
	if b := p.Snapshot().Breaker; b == nil || b.State.String() != "closed" {
		t.Errorf("the breaker: %+v", b)
	}
}
