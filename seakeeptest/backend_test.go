package seakeeptest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// both runs a test against a backend on a socket and against one in memory, in
// fake time. What people see must be the same.
func both(t *testing.T, script []Answer, test func(*testing.T, *Backend)) {
	t.Run("socket", func(t *testing.T) { test(t, NewBackend(t, script...)) })
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, NewMemoryBackend(t, script...)) })
	})
}

// got is what a request came to.
type got struct {
	status int
	header http.Header
	body   string
	err    error // of the round trip, or of the body
}

func ask(ctx context.Context, b *Backend, method, path string) got {
	req, err := http.NewRequestWithContext(ctx, method, b.URL()+path, strings.NewReader("asked"))
	if err != nil {
		return got{err: err}
	}
	resp, err := b.Transport().RoundTrip(req)
	if err != nil {
		return got{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return got{resp.StatusCode, resp.Header, string(body), err}
}

func get(t *testing.T, b *Backend, path string) got {
	t.Helper()
	return ask(t.Context(), b, http.MethodPut, path)
}

func TestAnswersComeInTheirOrder(t *testing.T) {
	script := []Answer{{Status: 503, Header: map[string]string{"Retry-After": "2"}, Times: 2},
		{Status: 404, Body: "no"}, {Body: "yes"}}
	both(t, script, func(t *testing.T, b *Backend) {
		for i, want := range []got{{status: 503}, {status: 503}, {status: 404, body: "no"},
			{status: 200, body: "yes"}, {status: 200, body: "yes"}, {status: 200, body: "yes"}} {
			g := get(t, b, "/")
			if g.status != want.status || g.body != want.body || g.err != nil {
				t.Errorf("answer %d is %+v, want %+v", i+1, g, want)
			}
			if after := g.header.Get("Retry-After"); (after == "2") != (want.status == 503) {
				t.Errorf("answer %d has Retry-After %q", i+1, after)
			}
		}
	})
}

func TestWithoutAScriptAllIsWell(t *testing.T) {
	both(t, nil, func(t *testing.T, b *Backend) {
		if g := get(t, b, "/"); g.status != 200 || g.body != "" || g.err != nil {
			t.Errorf("%+v", g)
		}
	})
}

func TestPathsHaveTheirOwnScripts(t *testing.T) {
	both(t, []Answer{{Status: 404}}, func(t *testing.T, b *Backend) {
		b.On("PUT /price", Answer{Status: 500}, Answer{Body: "42"}).On("/stock/{id}", Answer{Body: "7"})
		for _, c := range []struct {
			path   string
			status int
		}{{"/price", 500}, {"/stock/3", 200}, {"/price", 200}, {"/prices", 404}, {"/stock/3?a=b", 200}} {
			if g := get(t, b, c.path); g.status != c.status {
				t.Errorf("%s: %+v, want status %d", c.path, g, c.status)
			}
		}
		if g := ask(t.Context(), b, http.MethodPost, "/price"); g.status != 404 {
			t.Errorf("POST /price: %+v", g)
		}
		asked := b.Requests()
		if len(asked) != 6 || asked[4].Path != "/stock/3?a=b" || asked[5].Method != "POST" {
			t.Errorf("%+v", asked)
		}
	})
}

func TestWhatIsRecorded(t *testing.T) {
	both(t, []Answer{{Status: 202}}, func(t *testing.T, b *Backend) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", b.URL()+"/a", strings.NewReader("text"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"X-Seakeep-Attempt": {"3"}, "X-Seakeep-Deadline": {"250"}, "X-Other": {"v"}}
		resp, err := b.Transport().RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if g := get(t, b, "/b"); g.err != nil {
			t.Fatal(g.err)
		}
		b.Close() // the handlers have ended
		asked := b.Requests()
		if len(asked) != 2 {
			t.Fatalf("%+v", asked)
		}
		if r := asked[0]; r.Method != "POST" || r.Path != "/a" || r.Body != "text" || r.Attempt != 3 ||
			r.Left != 250*time.Millisecond || r.Header.Get("X-Other") != "v" || r.Status != 202 || r.Gone {
			t.Errorf("%+v", r)
		}
		if r := asked[1]; r.Attempt != 1 || r.Left != 0 || r.Body != "asked" {
			t.Errorf("%+v", r)
		}
	})
}

func TestFaults(t *testing.T) {
	script := []Answer{{Fault: Reset}, {Fault: CutOff, Body: "half whole"}, {Fault: CutOff}, {Body: "well"}}
	both(t, script, func(t *testing.T, b *Backend) {
		if g := get(t, b, "/"); !errors.Is(g.err, syscall.ECONNRESET) {
			t.Errorf("reset: %+v", g)
		}
		if g := get(t, b, "/"); g.status != 200 || g.body != "half " || !errors.Is(g.err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off: %+v", g)
		}
		if g := get(t, b, "/"); g.status != 200 || g.body != "" || !errors.Is(g.err, io.ErrUnexpectedEOF) {
			t.Errorf("cut off without a body: %+v", g)
		}
		if g := get(t, b, "/"); g.body != "well" || g.err != nil {
			t.Errorf("afterwards: %+v", g)
		}
		b.Close()
		asked := b.Requests()
		if len(asked) != 4 || asked[0].Status != 0 || asked[1].Status != 200 {
			t.Errorf("%+v", asked)
		}
	})
}

// Whoever leaves ends the request, and the record says so.
func TestSilence(t *testing.T) {
	both(t, []Answer{{Fault: Silent}, {After: time.Hour}, {BodyAfter: time.Hour, Body: "late"}},
		func(t *testing.T, b *Backend) {
			for i := range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				g := ask(ctx, b, "GET", "/")
				cancel()
				if !errors.Is(g.err, context.DeadlineExceeded) || (g.status == 200) != (i == 2) {
					t.Errorf("answer %d is %+v", i+1, g)
				}
			}
			b.Close()
			for i, r := range b.Requests() {
				if !r.Gone || (r.Status == 200) != (i == 2) {
					t.Errorf("request %d: %+v", i+1, r)
				}
			}
		})
}

func TestClosedBackendRefuses(t *testing.T) {
	both(t, nil, func(t *testing.T, b *Backend) {
		get(t, b, "/")
		b.Close()
		if g := get(t, b, "/"); !errors.Is(g.err, syscall.ECONNREFUSED) {
			t.Errorf("%+v", g)
		}
		b.Close()
	})
}

// A request that nobody ends must not keep the test from ending.
func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	both(t, []Answer{{Fault: Silent}}, func(t *testing.T, b *Backend) {
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if g := ask(context.Background(), b, "GET", "/"); g.err == nil {
					t.Errorf("%+v", g)
				}
			})
		}
		for len(b.Requests()) < 10 {
			time.Sleep(time.Millisecond)
		}
		b.Close()
		wg.Wait()
	})
}

// In a bubble every moment is known to the nanosecond.
func TestMemoryKeepsFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewMemoryBackend(t, Answer{After: time.Hour, BodyAfter: time.Minute, Body: "late"})
		began := time.Now()
		time.Sleep(5 * time.Second)
		if g := get(t, b, "/"); g.body != "late" || g.err != nil {
			t.Errorf("%+v", g)
		}
		if took := time.Since(began); took != time.Hour+time.Minute+5*time.Second {
			t.Errorf("took %v", took)
		}
		if at := b.Requests()[0].At; at != 5*time.Second {
			t.Errorf("recorded at %v", at)
		}
	})
}

func TestFaultsHaveNames(t *testing.T) {
	for f, name := range map[Fault]string{NoFault: "none", Reset: "reset", CutOff: "cut-off", Silent: "silent", 9: "invalid"} {
		if f.String() != name {
			t.Errorf("%d is %q, want %q", f, f, name)
		}
	}
}

// A body where there can be none is no failure of the answer.
func TestBodyThatIsNotAllowed(t *testing.T) {
	both(t, []Answer{{Body: "text"}}, func(t *testing.T, b *Backend) {
		if g := ask(t.Context(), b, http.MethodHead, "/"); g.status != 200 || g.err != nil {
			t.Errorf("%+v", g)
		}
		b.Close()
		if r := b.Requests()[0]; r.Gone || r.Status != 200 {
			t.Errorf("%+v", r)
		}
	})
}

func TestAnswersThatCannotBe(t *testing.T) {
	b := NewBackend(t)
	for _, a := range []Answer{{Status: 42}, {Status: 1000}, {Status: 103}, {Fault: 9}} {
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.HasPrefix(p, "seakeeptest: answer 2 has") {
					t.Errorf("%+v: recovered %q", a, p)
				}
			}()
			b.On("/x", Answer{}, a)
		}()
	}
}
