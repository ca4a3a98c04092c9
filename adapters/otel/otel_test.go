package otel_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/otel"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// What an attempt is asked for by those who send it.
var _ seakeephttp.RequestTrace = (func() seakeephttp.RequestTrace {
	_, call := otel.NewTracer(otel.Options{}).StartCall(context.Background(), "any")
	_, a := call.StartAttempt(context.Background(), 0, false)
	return a.(seakeephttp.RequestTrace)
})()

// world is a set with a dependency, and what its calls leave behind.
type world struct {
	t       *testing.T
	spans   *recorder
	metrics *telemetry.Metrics
	set     *seakeep.Set
}

const fast = "timeout: {request: 1s}\n    retry: {attempts: 3, backoff: {base: 1ms}}\n"

func newWorld(t *testing.T, endpoints, rungs string) *world {
	w := &world{t: t, spans: &recorder{}, metrics: telemetry.New(telemetry.Options{})}
	file, err := config.Parse("seakeep.yaml", []byte("version: 1\nservice: shop\ndependencies:\n  pricing:\n"+
		"    kind: critical\n    "+endpoints+rungs))
	if err != nil {
		t.Fatal(err)
	}
	w.set, err = seakeep.NewSet(file, seakeep.Options{Observer: w.metrics, Tracer: w.tracer()})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func at(endpoints string) string { return "endpoints: [" + endpoints + "]\n    " }

func (w *world) tracer() *otel.Tracer {
	return otel.NewTracer(otel.Options{Provider: w.spans, Metrics: w.metrics})
}

// get asks the dependency.
func (w *world) get(ctx context.Context) error { return w.ask(ctx, "http://pricing/quote?user=secret") }

func (w *world) ask(ctx context.Context, url string) error {
	tr, err := seakeephttp.NewTransport(w.set, "pricing", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer tr.Close()
	defer tr.CloseIdleConnections()
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}

func TestRetries(t *testing.T) {
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Traceparent"))
		if len(seen) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	w := newWorld(t, at(s.URL), fast)
	if err := w.get(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := w.spans.ended()
	if len(all) != 4 || all[3].name != "call pricing" || all[3].parent != "" {
		t.Fatalf("%v", all)
	}
	for i, span := range all[:3] {
		if span.name != "GET" || span.kind != "client" || span.parent != all[3].id || span.trace != all[3].trace {
			t.Errorf("%v", span)
		}
		if want := "00-" + span.trace + "-" + span.id + "-01"; seen[i] != want {
			t.Errorf("attempt %d sent %q, want %q", i, seen[i], want)
		}
		resend := span.attrs["http.request.resend_count"]
		if want := [...]string{"", "1", "2"}[i]; resend != want {
			t.Errorf("attempt %d: resend_count %q, want %q", i, resend, want)
		}
	}
	first, last := all[0].attrs, all[2].attrs
	if first["http.request.method"] != "GET" || first["server.address"] != "127.0.0.1" ||
		first["http.response.status_code"] != "503" || first["error.type"] != "503" || all[0].status != "Error" ||
		strings.Contains(first["url.full"], "secret") || !strings.HasSuffix(first["url.full"], "/quote") {
		t.Errorf("%v", first)
	}
	if last["http.response.status_code"] != "200" || last["error.type"] != "" || all[2].status != "Unset" {
		t.Errorf("%v", last)
	}
	if end := all[3].attrs; end["seakeep.outcome"] != "success" || end["seakeep.attempts"] != "3" {
		t.Errorf("%v", end)
	}
	exemplars := 0
	w.metrics.Collect(func(s telemetry.Sample) {
		if s.Timing != nil {
			for _, e := range s.Timing.Exemplars {
				if exemplars++; e.Trace != all[3].trace {
					t.Errorf("an exemplar of %s", e.Trace)
				}
			}
		}
	})
	if exemplars < 3 { // of attempts that failed and that did not, and of the call
		t.Errorf("%d exemplars", exemplars)
	}
}

// TestCopies wants a copy beside the attempt that it is of, and the one that
// lost without an error.
func TestCopies(t *testing.T) {
	slow := make(chan struct{})
	one := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get(seakeephttp.HedgeHeader) == "" {
			select {
			case <-r.Context().Done():
			case <-slow:
			}
		}
	}))
	defer one.Close()
	defer close(slow)
	two := httptest.NewServer(one.Config.Handler)
	defer two.Close()
	w := newWorld(t, at(one.URL+", "+two.URL), "timeout: {request: 5s}\n    retry: {attempts: 2}\n"+
		"    hedge: {after: 5ms, budget: 100%}\n    balance: {policy: round-robin}\n")
	if err := w.get(context.Background()); err != nil {
		t.Fatal(err)
	}
	all := w.spans.await(t, 3)
	var call, copied, lost *span
	for _, s := range all {
		switch {
		case s.kind == "internal":
			call = s
		case s.attrs["seakeep.attempt.kind"] == "hedge":
			copied = s
		default:
			lost = s
		}
	}
	if copied == nil || call == nil || lost == nil || copied.parent != call.id || lost.parent != call.id ||
		copied.attrs["http.request.resend_count"] != "1" || copied.attrs["http.response.status_code"] != "200" {
		t.Fatalf("%v", all)
	}
	if lost.attrs["error.type"] != "" || lost.status != "Unset" || lost.attrs["seakeep.outcome"] != "cancelled" {
		t.Errorf("the one that lost: %v", lost)
	}
}

func TestCallerLeaves(t *testing.T) {
	arrived := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	}))
	defer s.Close()
	w := newWorld(t, at(s.URL), fast)
	ctx, leave := context.WithCancel(context.Background())
	go func() { <-arrived; leave() }()
	if err := w.get(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, span := range w.spans.await(t, 2) {
		if span.attrs["error.type"] != "" || span.status != "Unset" || span.attrs["seakeep.outcome"] != "cancelled" {
			t.Errorf("%v", span)
		}
	}
}

func TestFunctionAndFallback(t *testing.T) {
	w := newWorld(t, "", "timeout: {request: 1s}\n    breaker: {window: 2 calls, calls: 2, failures: 50%}\n")
	p := w.set.MustPolicy("pricing")
	broken := errors.New("broken")
	ask := func() (string, error) {
		return seakeep.DoOr(context.Background(), p, func(context.Context) (string, error) { return "", broken },
			func(ctx context.Context, _ error) (string, error) {
				_, span := w.spans.Tracer("").Start(ctx, "fallback")
				span.End()
				return "old", nil
			})
	}
	for range 3 {
		if v, err := ask(); v != "old" || err != nil {
			t.Fatal(v, err)
		}
	}
	all := w.spans.ended()
	if len(all) != 2*3+2 {
		t.Fatalf("%v", all)
	}
	attempt, fallback, call := all[0], all[1], all[2]
	if attempt.name != "pricing" || attempt.attrs["error.type"] != "unknown" || attempt.status != "Error" ||
		attempt.parent != call.id || fallback.parent != call.id || call.attrs["seakeep.fallback"] != "function" ||
		call.status != "Unset" {
		t.Errorf("%v %v %v", attempt, fallback, call)
	}
	if refused := all[7]; refused.attrs["seakeep.outcome"] != "rejected" ||
		refused.attrs["seakeep.reason"] != "circuit-open" || refused.attrs["seakeep.attempts"] != "0" {
		t.Errorf("%v", refused)
	}
}

func TestPanic(t *testing.T) {
	w := newWorld(t, "", fast)
	func() {
		defer func() { _ = recover() }()
		_, _ = seakeep.Do(context.Background(), w.set.MustPolicy("pricing"),
			func(context.Context) (int, error) { panic("oops") })
	}()
	all := w.spans.ended()
	if len(all) != 2 || all[0].status != "Error" || all[1].status != "Error" {
		t.Errorf("%v", all)
	}
}

// TestNested: a call within a call of the same policy has spans of its own.
func TestNested(t *testing.T) {
	w := newWorld(t, "", fast)
	p := w.set.MustPolicy("pricing")
	_, _ = seakeep.Do(context.Background(), p, func(ctx context.Context) (int, error) {
		return seakeep.Do(ctx, p, func(context.Context) (int, error) { return 1, nil })
	})
	all := w.spans.ended()
	if len(all) != 4 || all[0].parent != all[1].id || all[1].parent != all[2].id || all[2].parent != all[3].id {
		t.Errorf("%v", all)
	}
}

func TestServed(t *testing.T) {
	r := &recorder{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == "7" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	h := otel.NewTracer(otel.Options{Provider: r}).Handler(mux)
	for _, path := range []string{"/orders/7", "/orders/8", "/nowhere"} {
		req := httptest.NewRequest("GET", path, nil)
		req.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		h.ServeHTTP(httptest.NewRecorder(), req)
	}
	all := r.ended()
	for i, want := range []struct{ name, status, code, kind string }{
		{"GET /orders/{id}", "Error", "500", "500"}, {"GET /orders/{id}", "Unset", "200", ""}, {"GET", "Unset", "404", ""}} {
		s := all[i]
		if s.name != want.name || s.status != want.status || s.attrs["http.response.status_code"] != want.code ||
			s.attrs["error.type"] != want.kind || s.kind != "server" || s.parent != "00f067aa0ba902b7" ||
			s.trace != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("%v", s)
		}
	}
}

// TestRPC: an attempt over gRPC has its names.
func TestRPC(t *testing.T) {
	r := &recorder{}
	ctx, call := otel.NewTracer(otel.Options{Provider: r}).StartCall(context.Background(), "pricing")
	_, a := call.StartAttempt(ctx, 0, false)
	sent := map[string]string{}
	m := a.(interface {
		Calling(string, func(field, value string))
		Status(string)
	})
	m.Calling("shop.Pricing/Quote", func(field, value string) { sent[field] = value })
	m.Status("DeadlineExceeded")
	a.EndAttempt(seakeep.AttemptReport{Result: core.Result{Outcome: core.Timeout}})
	s := r.ended()[0]
	if s.name != "shop.Pricing/Quote" || s.attrs["rpc.system.name"] != "grpc" || s.attrs["rpc.method"] != s.name ||
		s.attrs["rpc.response.status_code"] != "DEADLINE_EXCEEDED" || s.attrs["error.type"] != "DEADLINE_EXCEEDED" ||
		sent["traceparent"] != "00-"+s.trace+"-"+s.id+"-01" {
		t.Errorf("%v, sent %v", s, sent)
	}
}
