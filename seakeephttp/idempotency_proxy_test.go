package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// keyedProxy passes keyed writes on to an address, and says of those without an
// answer whether they were sent.
func keyedProxy(t *testing.T, to string) *till {
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	p := &httputil.ReverseProxy{Transport: own(t), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) },
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
				KeyedWriteOf(r.Context()).NotSent()
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			KeyedWriteOf(r.Context()).NotAnswered()
			w.WriteHeader(http.StatusGatewayTimeout)
		}}
	return keyedTill(t, IdempotencyConfig{}, p.ServeHTTP)
}

// Nothing was sent: the repetition runs. Everything was sent and no answer came:
// the repetition does not reach the upstream.
func TestF191ThroughAProxy(t *testing.T) {
	a := keyedProxy(t, refused(t))
	for range 2 {
		if w := a.post("k", "tea"); w.Code != 502 {
			t.Errorf("nobody listens: %d %s", w.Code, w.Body)
		}
	}
	a.expectRuns(t, 2)

	var writes atomic.Int32
	release := make(chan bool)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		writes.Add(1)
		<-release
	})
	t.Cleanup(func() { close(release) }) // before the server waits for its handlers
	b := keyedProxy(t, s.URL)
	front := serve(t, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 50*time.Millisecond)
		defer cancel()
		b.ServeHTTP(w, r.WithContext(ctx))
	})
	for _, want := range []int{504, 409, 409} {
		r := request(t, "POST", front.URL, nil)
		r.Header.Set("Idempotency-Key", "k")
		if got := send(own(t), r); got.status != want {
			t.Errorf("%+v, want %d", got, want)
		}
	}
	if got := writes.Load(); got != 1 {
		t.Errorf("the upstream has seen %d writes", got)
	}
}
