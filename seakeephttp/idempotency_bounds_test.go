package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/idempotency"
)

func TestF193Bounds(t *testing.T) {
	long := strings.Repeat("x", 3000)
	c := IdempotencyConfig{Limits: IdempotencyLimits{Body: 100, Answer: 1000}}
	a := keyedTill(t, c, func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(long); i += 500 {
			if n, err := io.WriteString(w, long[i:i+500]); n != 500 || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
		}
	})
	if w := a.post("k", ""); w.Code != 200 || w.Body.String() != long {
		t.Errorf("a large answer comes as %d with %d bytes", w.Code, w.Body.Len())
	}
	expectReason(t, a.post("k", ""), 409, "key-not-stored")
	expectReason(t, a.post("k", "other"), 422, "key-reused")
	// A body of a stated length that is too long is not even read.
	expectReason(t, a.post("k2", long), 413, "body-too-large")
	r := httptest.NewRequest("POST", "/orders", io.MultiReader(strings.NewReader(long)))
	r.Header.Set("Idempotency-Key", "k3")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	expectReason(t, w, 413, "body-too-large")
	a.expectRuns(t, 1)
	// Exactly as long as allowed is allowed.
	exact := keyedTill(t, c, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, long[:1000]) })
	exact.post("k", long[:100])
	expectReplay(t, exact.post("k", long[:100]), 200, long[:1000])
}

func TestF193FullStoreRefuses(t *testing.T) {
	store, _ := idempotency.NewMemory(idempotency.Config{Entries: 1})
	a := keyedTill(t, IdempotencyConfig{Store: store}, nil)
	a.post("k1", "")
	w := a.post("k2", "")
	expectReason(t, w, 503, "keys-exhausted")
	if w.Header().Get("Retry-After") == "" {
		t.Error("a full store does not say when to come back")
	}
	a.expectRuns(t, 1)
}

func TestF193TTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := keyedTill(t, IdempotencyConfig{}, nil)
		a.post("k", "tea")
		time.Sleep(24*time.Hour - time.Second)
		expectReplay(t, a.post("k", "tea"), 201, "1: tea")
		time.Sleep(2 * time.Second)
		if w := a.post("k", "tea"); w.Body.String() != "2: tea" {
			t.Errorf("after the ttl: %d %s", w.Code, w.Body)
		}
	})
}

// brokenStore is a store that fails.
type brokenStore struct{ admit, report error }

func (s brokenStore) Admit(core.Instant, idempotency.Claim) (idempotency.Record, core.Reason, error) {
	return idempotency.Record{}, core.NoReason, s.admit
}

func (s brokenStore) Report(core.Instant, idempotency.Claim, idempotency.Ending) (bool, error) {
	return false, s.report
}

func TestBrokenStore(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{Store: brokenStore{admit: errors.New("disk full")}}, nil)
	w := a.post("k", "")
	expectReason(t, w, 503, "key-store-failed")
	if strings.Contains(w.Body.String(), "disk") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%s %v", w.Body, w.Header())
	}
	a.expectRuns(t, 0)
	// It ran: the client has a right to know, even if we cannot keep it.
	b := keyedTill(t, IdempotencyConfig{Store: brokenStore{report: errors.New("disk full")}}, nil)
	if w := b.post("k", ""); w.Code != 201 {
		t.Errorf("the answer of a write that ran is %d", w.Code)
	}
}

func TestBodyThatBreaksOffIsNoClaim(t *testing.T) {
	a := keyedTill(t, IdempotencyConfig{}, nil)
	r := httptest.NewRequest("POST", "/orders", io.MultiReader(strings.NewReader("half"), failing{io.ErrUnexpectedEOF}))
	r.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	expectReason(t, w, 400, "body-incomplete")
	// Nor is a request whose client left before it began.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r = httptest.NewRequest("POST", "/orders", nil).WithContext(ctx)
	r.Header.Set("Idempotency-Key", "k")
	a.ServeHTTP(httptest.NewRecorder(), r)
	a.expectRuns(t, 0)
	if got := a.store.Snapshot(0); got.Entries != 0 {
		t.Errorf("%+v", got)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
