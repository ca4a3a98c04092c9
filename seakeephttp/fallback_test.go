package seakeephttp

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
)

// fallback is a policy with these fallbacks and no retries.
func fallback(tb testing.TB, order ...seakeep.Answer) *seakeep.Policy {
	return policy(tb, seakeep.Config{Timeout: seakeep.Timeout{Request: time.Second},
		Bulkhead: &seakeep.Bulkhead{Limit: 1}, Fallback: &seakeep.Fallback{Order: order}})
}

func fixed(status int, body string) baseFunc {
	return func(*http.Request) (*http.Response, error) { return answer(status, body), nil }
}

var static1 = seakeep.Answer{Static: &seakeep.Static{Status: 200,
	Headers: []config.Header{{Name: "Content-Type", Value: "application/json"}}, Body: `{"price":null}`}}

// TestF157ReplacedAnswerHasItsOwnLength and nothing that belongs to the one it
// stands for.
func TestF157ReplacedAnswerHasItsOwnLength(t *testing.T) {
	body := &closes{Reader: strings.NewReader(strings.Repeat("z", 200))}
	for _, c := range []struct {
		method string
		a      seakeep.Answer
		status int
		body   string
		length int64
		header string
	}{
		{"GET", static1, 200, `{"price":null}`, 14, "14"},
		{"HEAD", static1, 200, "", 14, "14"},
		{"GET", seakeep.Answer{Omit: &seakeep.Omit{Status: 204}}, 204, "", 0, ""},
		{"GET", seakeep.Answer{Omit: &seakeep.Omit{Status: 200}}, 200, "", 0, "0"},
	} {
		p := fallback(t, c.a)
		rt := Wrap(p, baseFunc(func(*http.Request) (*http.Response, error) {
			resp := answer(503, "")
			resp.Header = http.Header{"Content-Encoding": {"gzip"}, "Etag": {`"1"`}, "Content-Length": {"200"}}
			resp.Body, resp.ContentLength = body, 200
			return resp, nil
		}))
		body.n.Store(0)
		var report seakeep.Report
		ctx := seakeep.With(t.Context(), seakeep.Call{Report: &report})
		resp, err := rt.RoundTrip(request(t, c.method, "http://test/", nil).WithContext(ctx))
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(resp.Body)
		h := resp.Header
		if resp.StatusCode != c.status || string(b) != c.body || resp.ContentLength != c.length ||
			h.Get("Content-Length") != c.header || h["Content-Encoding"] != nil || h["Etag"] != nil {
			t.Errorf("%d %q of %d, %v", resp.StatusCode, b, resp.ContentLength, h)
		}
		kind := h.Get(FallbackHeader)
		if st := p.Snapshot(); st.Fallback.Answered[kind] != 1 || report.Fallback != kind ||
			body.n.Load() != 1 || st.Bulkhead.InUse != 0 {
			t.Errorf("%s: %+v, %+v, closed %d times", kind, st.Fallback, report, body.n.Load())
		}
	}
}

func TestFallbackOnlyForWhatFailed(t *testing.T) {
	refusing := baseFunc(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	})
	for _, c := range []struct {
		base baseFunc
		want int
	}{{fixed(404, ""), 404}, {fixed(429, ""), 200}, {fixed(500, ""), 200}, {refusing, 200}} {
		p := fallback(t, static1)
		if g := get(t, Wrap(p, c.base), "http://test/"); g.status != c.want {
			t.Errorf("%+v, want %d", g, c.want)
		}
		idle(t, p)
	}
	p := policy(t, seakeep.Config{Breaker: breaker(), Fallback: &seakeep.Fallback{Order: []seakeep.Answer{static1}}})
	p.Plan().Force(seakeep.Now(), "", 1)
	if g := get(t, Wrap(p, fixed(204, "")), "http://test/"); g.status != 200 || g.header.Get(FallbackHeader) != "static" {
		t.Errorf("forced open: %+v", g)
	}
}

// TestAnswerWithoutAFallbackStaysWhole: when no fallback has one, the
// dependency's own failing answer passes; without one both errors are told.
func TestAnswerWithoutAFallbackStaysWhole(t *testing.T) {
	cache := seakeep.Answer{Cache: &seakeep.Cache{Stale: time.Minute}}
	if g := get(t, Wrap(fallback(t, cache), fixed(500, "boom")), "http://test/"); g.status != 500 || g.body != "boom" {
		t.Errorf("%+v", g)
	}
	broken := errors.New("broken")
	g := get(t, Wrap(fallback(t, cache), baseFunc(func(*http.Request) (*http.Response, error) {
		return nil, broken
	})), "http://test/")
	if !errors.Is(g.err, broken) || !errors.Is(g.err, seakeep.ErrFallback) || !errors.Is(g.err, errNothingCached) {
		t.Error(g.err)
	}
}

// two is a file in which "test" falls back to "backup".
const two = `version: 1
service: tests
dependencies:
  test:
    endpoints: [http://a:1]
    bulkhead: {limit: 1}
    retry: {attempts: 2, backoff: {base: 1ms, cap: 1ms}}
    fallback: {order: [dependency: backup], limit: 1, exercise: SHARE}
  backup:
    endpoints: [http://b:2]
    breaker: {window: {consecutive: 1}}
`

// hosts is a base that answers by host and keeps what it was sent.
type hosts struct {
	mu   sync.Mutex
	by   map[string]func(*http.Request) (*http.Response, error)
	seen []string
}

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	var b []byte
	if r.Body != nil {
		b, _ = io.ReadAll(r.Body)
		_ = r.Body.Close()
	}
	h.mu.Lock()
	h.seen = append(h.seen, r.Method+" "+r.URL.Host+" "+string(b))
	h.mu.Unlock()
	return h.by[r.URL.Host](r)
}

func (h *hosts) log() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := strings.Join(h.seen, ", ")
	h.seen = nil
	return s
}

func share(s string) string { return strings.Replace(two, "SHARE", s, 1) }

func TestAnotherDependencyAnswersThroughItsOwnLadder(t *testing.T) {
	h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
		"a:1": fixed(503, "busy"), "b:2": fixed(200, "backup")}}
	set := setOf(t, share("0"))
	tr := transport(t, set, h)
	var report seakeep.Report
	req := request(t, "PUT", "http://test/x", strings.NewReader("abc"))
	g := send(tr, req.WithContext(seakeep.With(t.Context(), seakeep.Call{Report: &report})))
	if g.body != "backup" || g.header.Get(FallbackHeader) != "dependency" {
		t.Errorf("%+v", g)
	}
	if report.Policy != "test" || len(report.Attempts) != 2 || report.Fallback != "dependency" {
		t.Errorf("%+v", report)
	}
	if got := h.log(); got != "PUT a:1 abc, PUT a:1 abc, PUT b:2 abc" {
		t.Error(got)
	}
	h.by["b:2"] = fixed(500, "no")
	if g := get(t, tr, "http://test/x"); g.status != 503 || g.body != "busy" {
		t.Errorf("%+v", g)
	}
	if g := get(t, tr, "http://test/x"); g.status != 503 || g.body != "busy" { // its breaker is open now
		t.Errorf("%+v", g)
	}
	if n := strings.Count(h.log(), "b:2"); n != 1 {
		t.Errorf("the backup was called %d times", n)
	}
	if st := set.MustPolicy("test").Snapshot(); st.Fallback.Refused != 2 || st.Bulkhead.InUse != 0 ||
		st.Fallback.Running != 0 {
		t.Errorf("%+v", st)
	}
}

// TestWriteThatMayHaveRunIsNotSentElsewhere: a second provider does not know
// the key, and charges the card a second time.
func TestWriteThatMayHaveRunIsNotSentElsewhere(t *testing.T) {
	asked := answer(503, "")
	asked.Header.Set("Retry-After", "60")
	fails := func(err error) baseFunc {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	for _, c := range []struct {
		a    baseFunc
		want bool
	}{
		{fails(io.ErrUnexpectedEOF), false},
		{fixed(500, "half"), false},
		{func(*http.Request) (*http.Response, error) { return asked, nil }, true},
		{fails(&net.OpError{Op: "dial", Err: errors.New("refused")}), true},
	} {
		synctest.Test(t, func(t *testing.T) { // as a minute is waited for between attempts
			h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
				"a:1": c.a, "b:2": fixed(200, "backup")}}
			req := request(t, "POST", "http://test/", strings.NewReader("abc"))
			req.Header.Set("Idempotency-Key", "k")
			g := send(transport(t, setOf(t, share("0")), h), req)
			elsewhere := strings.Contains(h.log(), "b:2")
			if elsewhere != c.want || elsewhere != (g.body == "backup") {
				t.Errorf("sent elsewhere: %v; %+v", elsewhere, g)
			}
		})
	}
}

// TestF143FallbacksHaveALimit: and both causes are told when it is reached.
func TestF143FallbacksHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
			"a:1": func(*http.Request) (*http.Response, error) { return nil, broken },
			"b:2": func(*http.Request) (*http.Response, error) {
				time.Sleep(time.Second)
				return answer(200, "backup"), nil
			}}}
		tr := transport(t, setOf(t, share("0")), h)
		done := make(chan got)
		go func() { done <- get(t, tr, "http://test/") }()
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		g := get(t, tr, "http://test/")
		if !errors.Is(g.err, broken) || !errors.Is(g.err, seakeep.ErrFallbackFull) || time.Since(start) > 5*time.Millisecond {
			t.Errorf("%v after %v", g.err, time.Since(start))
		}
		if g := <-done; g.body != "backup" {
			t.Errorf("%+v", g)
		}
	})
}

// TestHealthyCallsExerciseTheFallback: exactly the share, in the shadow, and
// nothing that may change something.
func TestHealthyCallsExerciseTheFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hosts{by: map[string]func(*http.Request) (*http.Response, error){
			"a:1": fixed(200, "fine"), "b:2": fixed(500, "backup is ill")}}
		events := &recorder{}
		set, err := seakeep.NewSet(fileOf(t, share("25%")), seakeep.Options{Observer: events})
		if err != nil {
			t.Fatal(err)
		}
		tr := transport(t, set, h)
		for i := range 12 {
			req := request(t, []string{"GET", "POST", "GET"}[i/4], "http://test/", nil)
			ctx, cancel := context.WithCancel(t.Context())
			if g := send(tr, req.WithContext(ctx)); g.body != "fine" {
				t.Errorf("%+v", g)
			}
			cancel()
			synctest.Wait()
		}
		if got := h.log(); strings.Count(got, "GET b:2") != 1 || strings.Contains(got, "POST b:2") {
			t.Error(got)
		}
		n := events.count(func(e core.Event) bool {
			return e.Reason == core.Exercise && e.Kind == core.FallbackRefused && e.Detail == "dependency"
		})
		if n != 2 { // and the second time its breaker refused
			t.Errorf("%d events say that the fallback does not work", n)
		}
	})
}
