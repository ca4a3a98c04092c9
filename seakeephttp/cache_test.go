package seakeephttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
)

// cached is a policy with a cache and nothing else.
func cached(tb testing.TB, fresh, old time.Duration) *seakeep.Policy {
	return policy(tb, seakeep.Config{Fallback: &seakeep.Fallback{Order: []seakeep.Answer{
		{Cache: &seakeep.Cache{Fresh: fresh, Stale: old}}}}})
}

func TestF144OneRefreshAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		p := cached(t, 10*time.Second, time.Minute)
		rt := Wrap(p, baseFunc(func(r *http.Request) (*http.Response, error) {
			n := calls.Add(1)
			select {
			case <-time.After(500 * time.Millisecond):
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
			return answer(200, fmt.Sprintf("v%d", n)), nil
		}))
		get(t, rt, "http://test/")
		if g := get(t, rt, "http://test/"); g.body != "v1" || g.header.Get("Cache-Status") != "seakeep; hit; ttl=10" ||
			g.header.Get(FallbackHeader) != "" || calls.Load() != 1 {
			t.Errorf("%+v", g)
		}
		time.Sleep(10*time.Second + time.Millisecond)
		start := time.Now()
		old := storm(t, rt, 100)
		if calls.Load() != 2 || old != 99 || time.Since(start) != 500*time.Millisecond {
			t.Errorf("%d calls, %d old answers after %v", calls.Load(), old, time.Since(start))
		}
		if g := get(t, rt, "http://test/"); g.body != "v2" || g.header.Get("Age") != "0" {
			t.Errorf("%+v", g)
		}

		time.Sleep(11 * time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- send(rt, request(t, "GET", "http://test/", nil).WithContext(ctx)).err }()
		time.Sleep(100 * time.Millisecond)
		if g := get(t, rt, "http://test/"); g.body != "v2" || calls.Load() != 3 {
			t.Errorf("%+v", g)
		}
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if g := get(t, rt, "http://test/"); g.body != "v4" {
			t.Errorf("nobody renews the answer: %+v", g)
		}
	})
}

// storm makes n requests at once and returns how many had the old answer v1.
func storm(t *testing.T, rt http.RoundTripper, n int) int32 {
	var old atomic.Int32
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			g := get(t, rt, "http://test/")
			if g.body == "v1" && g.header.Get("Age") == "10" &&
				g.header.Get("Cache-Status") == "seakeep; hit; ttl=0; detail=stale-while-revalidate" {
				old.Add(1)
			} else if g.body != "v2" {
				t.Errorf("%+v", g)
			}
		})
	}
	wg.Wait()
	return old.Load()
}

func TestF145FailureReplacesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := answer(200, "v1")
		rt := Wrap(cached(t, 10*time.Second, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
			return next, nil
		}))
		get(t, rt, "http://test/")
		next = answer(503, "no")
		time.Sleep(11 * time.Second)
		var report seakeep.Report
		req := request(t, "GET", "http://test/", nil)
		g := send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
		if g.status != 200 || g.body != "v1" || g.header.Get("Age") != "11" || g.header.Get(FallbackHeader) != "cache" ||
			g.header.Get("Cache-Status") != "seakeep; hit; ttl=-1; detail=stale-if-error" {
			t.Errorf("%+v", g)
		}
		if report.Fallback != "cache" || report.Age != 11*time.Second {
			t.Errorf("%+v", report)
		}
		next = answer(200, "v2")
		time.Sleep(time.Second)
		if g := get(t, rt, "http://test/"); g.body != "v2" || g.header.Get("Age") != "" {
			t.Errorf("%+v", g)
		}
		next = answer(503, "no")
		time.Sleep(2 * time.Hour)
		if g := get(t, rt, "http://test/"); g.status != 503 || g.body != "no" {
			t.Errorf("older than it may be: %+v", g)
		}
	})
}

// TestCacheKeepsPeopleApart: what may depend on who asks is neither stored nor
// given.
func TestCacheKeepsPeopleApart(t *testing.T) {
	type header = http.Header
	for _, c := range []struct {
		name            string
		method          string
		request, answer header
		stored          bool
	}{
		{"plain", "GET", nil, nil, true},
		{"head", "HEAD", nil, nil, true},
		{"post", "POST", nil, nil, false},
		{"authorization", "GET", header{"Authorization": {"Bearer x"}}, nil, false},
		{"cookie", "GET", header{"Cookie": {"a=b"}}, nil, false},
		{"range", "GET", header{"Range": {"bytes=0-1"}}, nil, false},
		{"asks for none", "GET", header{"Cache-Control": {"max-age=0, no-store"}}, nil, false},
		{"private", "GET", nil, header{"Cache-Control": {"max-age=60, Private"}}, false},
		{"private field", "GET", nil, header{"Cache-Control": {`private="x"`}}, false},
		{"no-store", "GET", nil, header{"Cache-Control": {"public", "no-store"}}, false},
		{"must-revalidate", "GET", nil, header{"Cache-Control": {"must-revalidate"}}, false},
		{"public", "GET", nil, header{"Cache-Control": {"public, max-age=1"}}, true},
		{"set-cookie", "GET", nil, header{"Set-Cookie": {"a=b"}}, false},
		{"vary", "GET", nil, header{"Vary": {"Accept-Encoding, X-User"}}, false},
		{"vary star", "GET", nil, header{"Vary": {"*"}}, false},
		{"vary encoding", "GET", nil, header{"Vary": {"accept-encoding"}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := false
			rt := Wrap(cached(t, 0, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
				if broken {
					return nil, io.EOF
				}
				resp := answer(200, "mine")
				if c.answer != nil {
					resp.Header = c.answer.Clone()
				}
				return resp, nil
			}))
			ask := func() got {
				req := request(t, c.method, "http://test/", nil)
				if c.request != nil {
					req.Header = c.request.Clone()
				}
				return send(rt, req)
			}
			ask()
			broken = true
			if g := ask(); (g.status == 200) != c.stored {
				t.Errorf("%+v, want it stored: %v", g, c.stored)
			}
		})
	}
}

// TestCacheKey: two requests that may have different answers have different
// keys.
func TestCacheKey(t *testing.T) {
	rt := Wrap(cached(t, time.Hour, time.Hour), baseFunc(func(r *http.Request) (*http.Response, error) {
		return answer(200, r.URL.String()+r.Host+r.Header.Get("Accept-Encoding")), nil
	}))
	ask := func(url, host, encoding string, c seakeep.Call) {
		req := request(t, "GET", url, nil).WithContext(seakeep.With(t.Context(), c))
		req.Host = host
		req.Header.Set("Accept-Encoding", encoding)
		if g := send(rt, req); g.header.Get("Age") != "" {
			t.Errorf("%s %s %s %+v: another's answer", url, host, encoding, c)
		}
		if g := send(rt, req); g.header.Get("Age") != "0" {
			t.Errorf("%s: not stored", url)
		}
	}
	ask("http://test/", "", "", seakeep.Call{})
	ask("http://test/?a", "", "", seakeep.Call{})
	ask("http://test/?a=", "", "", seakeep.Call{})
	ask("http://test/%2F", "", "", seakeep.Call{})
	ask("http://test//", "", "", seakeep.Call{})
	ask("http://test/", "other", "", seakeep.Call{})
	ask("http://test/", "", "gzip", seakeep.Call{})
	ask("http://test/", "", "", seakeep.Call{Key: "tenant"})
	ask("http://test/", "", "", seakeep.Call{CacheKey: "quote"})
}

// TestCachedHead keeps the length of the body that it never had, and the age
// that the answer had already.
func TestCachedHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := Wrap(cached(t, time.Hour, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
			resp := answer(200, "")
			resp.Body, resp.ContentLength = http.NoBody, 1234
			resp.Header = http.Header{"Content-Length": {"1234"}, "Age": {"60"}}
			return resp, nil
		}))
		send(rt, request(t, "HEAD", "http://test/", nil))
		time.Sleep(5 * time.Second)
		resp, err := rt.RoundTrip(request(t, "HEAD", "http://test/", nil))
		if err != nil {
			t.Fatal(err)
		}
		h := resp.Header
		if resp.ContentLength != 1234 || h.Get("Content-Length") != "1234" || h.Get("Age") != "65" ||
			h.Get("Cache-Status") != "seakeep; hit; ttl=3535" {
			t.Errorf("%d, %v", resp.ContentLength, h)
		}
	})
}

// TestCallersOwnKey makes an answer to a request with credentials storable,
// because whoever names what is asked for knows that it is the same for all.
func TestCallersOwnKey(t *testing.T) {
	n := 0
	rt := Wrap(cached(t, time.Hour, time.Hour), baseFunc(func(*http.Request) (*http.Response, error) {
		n++
		return answer(200, "list"), nil
	}))
	for i := range 2 {
		req := request(t, "GET", fmt.Sprintf("http://test/?nonce=%d", i), nil)
		req.Header.Set("Authorization", "Bearer x")
		send(rt, req.WithContext(seakeep.With(t.Context(), seakeep.Call{CacheKey: "list"})))
	}
	if n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestOnlyWholeAnswersAreStored(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		length int64
		read   int
		stored bool
	}{
		{"whole", 1000, 1000, 1000, true},
		{"stream", 1000, -1, 1000, true},
		{"left early", 1000, 1000, 10, false},
		{"largest", maxCached, -1, maxCached, true},
		{"too large", maxCached + 1, -1, maxCached + 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cached(t, time.Hour, time.Hour)
			rt := Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
				resp := answer(200, strings.Repeat("x", c.size))
				resp.ContentLength = c.length
				resp.Header.Set("Connection", "X-Hop")
				resp.Header.Set("X-Hop", "1")
				resp.Header.Set("X-End", "1")
				return resp, nil
			}))
			resp, err := rt.RoundTrip(request(t, "GET", "http://test/", nil))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.CopyN(io.Discard, resp.Body, int64(c.read)+1)
			if c.read < c.size {
				_ = resp.Body.Close()
			}
			if s := p.Snapshot().Fallback.Cache; (s.Stored == 1) != c.stored {
				t.Errorf("%+v, want it stored: %v", s, c.stored)
			}
			if g := get(t, rt, "http://test/"); c.stored && (len(g.body) != c.size ||
				g.header.Get("X-Hop") != "" || g.header.Get("X-End") != "1") {
				t.Errorf("%d bytes, %v", len(g.body), g.header)
			}
		})
	}
}
