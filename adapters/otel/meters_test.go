package otel_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace/noop"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/adapters/otel"
)

// TestDurationsOfHTTP: both sides have the names and attributes of the
// conventions, of every attempt, also where no span is kept.
func TestDurationsOfHTTP(t *testing.T) {
	p := &meters{seen: map[string]string{}, recorded: map[string]float64{}}
	tracer := otel.NewTracer(otel.Options{Provider: noop.NewTracerProvider(), Meters: provider{m: p}})
	mux := http.NewServeMux()
	tries := 0
	mux.HandleFunc("GET /quote/{id}", func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	s := httptest.NewServer(tracer.Handler(mux))
	defer s.Close()
	w := newWorld(t, at(s.URL), fast)
	set, err := seakeep.NewSet(w.set.File(), seakeep.Options{Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	w.set = set
	if err := w.ask(context.Background(), "http://pricing/quote/7?user=secret"); err != nil {
		t.Fatal(err)
	}
	s.Close() // waits until both were served
	u, _ := url.Parse(s.URL)
	client := "http.client.request.duration http.request.method=GET,"
	where := ",server.address=127.0.0.1,server.port=" + u.Port()
	server := "http.server.request.duration "
	for _, want := range []string{
		client + "http.response.status_code=200" + where,
		strings.Replace(client, "http.req", "error.type=503,http.req", 1) + "http.response.status_code=503" + where,
		server + "http.request.method=GET,http.response.status_code=200,http.route=/quote/{id},url.scheme=http",
		server + "error.type=503,http.request.method=GET,http.response.status_code=503,http.route=/quote/{id},url.scheme=http",
	} {
		if p.recorded[want] <= 0 {
			t.Errorf("there is no %s", want)
		}
	}
	if len(p.recorded) != 4 {
		t.Errorf("%v", p.recorded)
	}
}
