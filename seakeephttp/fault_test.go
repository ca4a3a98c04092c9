package seakeephttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/fault"
)

// hurtable is a client of which everything may be hurt, and its faults.
func hurtable(t *testing.T, base http.RoundTripper, c seakeep.Config) (*Transport, *seakeep.Faults) {
	t.Helper()
	c.More = &seakeep.More{Faults: &fault.Config{Name: "d", Allow: true, Share: 1}}
	p := policy(t, c)
	return Wrap(p, base), p.Faults()
}

func begin(t *testing.T, f *seakeep.Faults, r fault.Rule) {
	t.Helper()
	if r.Name == "" {
		r.Name = "f"
	}
	if r.Share == 0 {
		r.Share = 1
	}
	if err := f.Start(r, true); err != nil {
		t.Fatal(err)
	}
}

// fine answers every request with a body of this length.
func fine(n int) (baseFunc, *int) {
	asked := new(int)
	return func(r *http.Request) (*http.Response, error) {
		*asked++
		if r.Body != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			_ = r.Body.Close()
		}
		return answer(200, strings.Repeat("x", n)), nil
	}, asked
}

func TestFaultsHurtRequests(t *testing.T) {
	for _, row := range []struct {
		hurt   fault.Hurt
		status int
		cause  core.Cause
		is     error
		sent   int
	}{
		{fault.Hurt{Kind: fault.Latency, Delay: time.Second}, 200, core.NoCause, nil, 1},
		{fault.Hurt{Kind: fault.Latency, Delay: time.Hour}, 0, core.TimedOut, context.DeadlineExceeded, 0},
		{fault.Hurt{Kind: fault.Error, Status: 500}, 500, core.ServerError, nil, 0},
		{fault.Hurt{Kind: fault.Error, Status: 429}, 429, core.TooMany, nil, 0},
		{fault.Hurt{Kind: fault.Error, GRPC: 14}, 200, core.Unavailable, nil, 0},
		{fault.Hurt{Kind: fault.Refused}, 0, core.Unsent, syscall.ECONNREFUSED, 0},
		{fault.Hurt{Kind: fault.Reset}, 0, core.Reset, syscall.ECONNRESET, 0},
		{fault.Hurt{Kind: fault.NoAnswer}, 0, core.TimedOut, context.DeadlineExceeded, 0},
	} {
		for _, method := range []string{"GET", "POST"} {
			synctest.Test(t, func(t *testing.T) {
				base, asked := fine(3)
				tr, f := hurtable(t, base, seakeep.Config{Timeout: seakeep.Timeout{Request: 2 * time.Second}})
				begin(t, f, fault.Rule{Hurt: row.hurt})
				var report seakeep.Report
				body := &closes{Reader: strings.NewReader("hello")}
				req := request(t, method, "http://d/", nil)
				if method == "POST" {
					req.Body = body
				}
				req = req.WithContext(seakeep.With(req.Context(), seakeep.Call{Report: &report}))
				resp, err := tr.RoundTrip(req)
				if (err == nil) != (row.status != 0) || row.is != nil && !errors.Is(err, row.is) {
					t.Fatalf("%s %+v gives %v", method, row.hurt, err)
				}
				if err == nil {
					if resp.StatusCode != row.status || resp.Header.Get(InjectedHeader) != "f" {
						t.Errorf("%+v answers %d, %v", row.hurt, resp.StatusCode, resp.Header)
					}
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
				}
				if a := report.Attempts; len(a) != 1 || a[0].Result.Cause != row.cause || a[0].Faults != "f" {
					t.Errorf("%s %+v is told as %+v", method, row.hurt, a)
				}
				if *asked != row.sent || method == "POST" && body.n.Load() == 0 || f.Snapshot().Active != 0 {
					t.Errorf("%s %+v: sent %d, closed %v, active %d", method, row.hurt, *asked, body.n.Load(),
						f.Snapshot().Active)
				}
			})
		}
	}
}

// Exactly the share and the scope that were asked for: method, path, mark.
func TestFaultsKeepToTheirScope(t *testing.T) {
	base, _ := fine(0)
	tr, f := hurtable(t, base, seakeep.Config{})
	begin(t, f, fault.Rule{Scope: fault.Scope{Method: "GET", Path: "/a/*"}, Hurt: fault.Hurt{Kind: fault.Error, Status: 500}})
	begin(t, f, fault.Rule{Name: "m", Scope: fault.Scope{Marked: true}, Hurt: fault.Hurt{Kind: fault.Error, Status: 501}})
	for _, row := range []struct {
		method, path, mark string
		want               int
	}{{"GET", "/a/b", "", 500}, {"", "/a/b", "", 500}, {"POST", "/a/b", "", 200}, {"GET", "/b", "", 200},
		{"GET", "/b", "x, m", 501}, {"GET", "/b", "mm", 200}, {"GET", "/a%2Fb", "", 200}} {
		req := request(t, row.method, "http://d"+row.path, nil)
		req.Method = row.method
		if row.mark != "" {
			req.Header.Set("X-Seakeep-Fault", row.mark)
		}
		if g := send(tr, req); g.err != nil || g.status != row.want {
			t.Errorf("%+v gets %d, %v", row, g.status, g.err)
		}
	}
}

// A retry meets the fault anew, and an injected failure is retried as a real
// one is.
func TestRetriesMeetFaults(t *testing.T) {
	base, asked := fine(0)
	tr, f := hurtable(t, base, seakeep.Config{Retry: &seakeep.Retry{Attempts: 3,
		Backoff: seakeep.Backoff{Base: time.Microsecond}}, Budget: &seakeep.Budget{Floor: 1000, Ratio: 1}})
	begin(t, f, fault.Rule{Share: 0.5, Hurt: fault.Hurt{Kind: fault.Error, Status: 503}})
	failed := 0
	for range 1000 {
		if g := send(tr, request(t, "GET", "http://d/", nil)); g.status != 200 {
			failed++
		}
	}
	if failed < 80 || failed > 180 { // an eighth
		t.Errorf("%d of 1000 fail three times", failed)
	}
	s := f.Snapshot().Rules[0]
	if int(s.Seen-s.Hurt) != *asked || s.Seen < 1600 || s.Seen > 1900 {
		t.Errorf("%+v, and %d were sent", s, *asked)
	}
}

// A body in pieces, and one at a rate, take the time that they should, and are
// whole.
func TestFaultsSlowBodiesDown(t *testing.T) {
	for _, row := range []struct {
		hurt fault.Hurt
		took time.Duration
	}{
		{fault.Hurt{Kind: fault.SlowBody, Delay: 100 * time.Millisecond, Bytes: 100}, 1100 * time.Millisecond},
		{fault.Hurt{Kind: fault.Bandwidth, Bytes: 500}, 2 * time.Second},
		{fault.Hurt{Kind: fault.Bandwidth, Bytes: 1}, 1000 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			base, _ := fine(1000)
			tr, f := hurtable(t, base, seakeep.Config{})
			begin(t, f, fault.Rule{Hurt: row.hurt, For: time.Hour})
			start := time.Now()
			resp, err := tr.RoundTrip(request(t, "GET", "http://d/", nil))
			if err != nil {
				t.Fatal(err)
			}
			if f.Snapshot().Active != 1 {
				t.Error("it does not count as hurt while its body comes")
			}
			var text bytes.Buffer
			if _, err := text.ReadFrom(resp.Body); err != nil || text.Len() != 1000 {
				t.Errorf("%d bytes, %v", text.Len(), err)
			}
			_ = resp.Body.Close()
			if off := time.Since(start) - row.took; off < -time.Millisecond || off > row.took/5 {
				t.Errorf("%+v takes %v", row.hurt, time.Since(start))
			}
			if f.Snapshot().Active != 0 {
				t.Error("it counts as hurt after its end")
			}
		})
	}
}

// A body that is slowed down comes at once when the fault is switched off.
func TestSwitchedOffFaultsLetBodiesGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, _ := fine(1000)
		tr, f := hurtable(t, base, seakeep.Config{})
		begin(t, f, fault.Rule{Hurt: fault.Hurt{Kind: fault.Bandwidth, Bytes: 1}})
		start := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			f.Stop("f")
		}()
		if g := send(tr, request(t, "GET", "http://d/", nil)); g.err != nil || len(g.body) != 1000 ||
			time.Since(start) != 5*time.Second {
			t.Errorf("%d bytes after %v, %v", len(g.body), time.Since(start), g.err)
		}
	})
}

// "Cut after two seconds" comes while data flows, and while none does.
func TestF168BusyStream(t *testing.T) {
	for name, every := range map[string]time.Duration{"busy": 10 * time.Millisecond, "silent": 0} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				defer close(gone)
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
				for every > 0 {
					if _, err := w.Write([]byte("x")); err != nil || r.Context().Err() != nil {
						return
					}
					_ = http.NewResponseController(w).Flush()
					time.Sleep(every)
				}
				<-r.Context().Done()
			})
			tr, f := hurtable(t, own(t), seakeep.Config{})
			begin(t, f, fault.Rule{Hurt: fault.Hurt{Kind: fault.Reset, Delay: 200 * time.Millisecond}})
			start := time.Now()
			resp, err := tr.RoundTrip(request(t, "GET", server.URL, nil))
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			took := time.Since(start)
			if !errors.Is(err, syscall.ECONNRESET) || took < 200*time.Millisecond || took > 2*time.Second {
				t.Errorf("%v after %v", err, took)
			}
			<-gone // the server notices that its connection is gone
			if f.Snapshot().Active != 0 {
				t.Error("it counts as hurt after its end")
			}
		})
	}
}

const twoEndpoints = `version: 1
service: s
dependencies:
  d:
    endpoints: [%[1]s, %[2]s]
    retry: {attempts: 2, backoff: {base: 1ms}, budget: none}
    faults:
      share: 100%%
      rules: [{name: dead, kind: refused, share: 100%%, endpoint: %[1]q, for: 1h}]
`

// One endpoint that refuses connections is moved away from: what was not sent
// goes to another, and nobody notices.
func TestFaultsOfOneEndpoint(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }
	a, b := serve(t, ok), serve(t, ok)
	set := setOf(t, fmt.Sprintf(twoEndpoints, a.URL, b.URL))
	tr, err := NewTransport(set, "d", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.CloseIdleConnections)
	for range 50 {
		if g := send(tr, request(t, "POST", "http://x/", nil)); g.err != nil || g.status != 200 {
			t.Fatalf("%d, %v", g.status, g.err)
		}
	}
	if s := set.Faults("d").Snapshot().Rules[0]; s.Hurt == 0 || s.Seen != s.Hurt {
		t.Errorf("%+v", s)
	}
}
