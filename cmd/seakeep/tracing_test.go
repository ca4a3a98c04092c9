package main

import (
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/seakeep/seakeep/cmd/seakeep/proxy"
)

// receiver takes spans as a collector does.
type receiver struct {
	t       *testing.T
	mu      sync.Mutex
	spans   []*otlp.Span
	service string
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var got collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	if err != nil || req.URL.Path != "/v1/traces" || req.Header.Get("Content-Type") != "application/x-protobuf" {
		r.t.Errorf("%s %s: %v", req.URL.Path, req.Header.Get("Content-Type"), err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range got.ResourceSpans {
		r.service = attr(of.Resource.Attributes, "service.name")
		for _, s := range of.ScopeSpans {
			r.spans = append(r.spans, s.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// attr is the text of an attribute; empty: it is not there.
func attr(all []*common.KeyValue, key string) string {
	for _, a := range all {
		if a.Key == key {
			switch v := a.Value.Value.(type) {
			case *common.AnyValue_StringValue:
				return v.StringValue
			case *common.AnyValue_IntValue:
				return strconv.FormatInt(v.IntValue, 10)
			}
		}
	}
	return ""
}

const traced = `
version: 1
service: shop
admin: {listen: 127.0.0.1:0}
serve:
  listen: 127.0.0.1:0
  upstream: BACKEND
dependencies:
  pricing:
    listen: 127.0.0.1:0
    endpoints: [BACKEND]
    timeout: {request: 5s}
    retry: {attempts: 3, backoff: {base: 1ms}}
    fallback: [{static: {body: '{}'}}]
`

// TestOTLP has a real receiver look at what the proxy sends it of a request that
// needed three attempts, beneath the span of whoever sent it.
func TestOTLP(t *testing.T) {
	var mu sync.Mutex
	var parents []string
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		parents = append(parents, r.Header.Get("Traceparent"))
		if r.Header.Get("Baggage") != "user=7" || r.Header.Get("Tracestate") != "v=1" {
			t.Errorf("%v", r.Header)
		}
		if len(parents) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer backend.Close()
	got := &receiver{t: t}
	collecting := httptest.NewServer(got)
	defer collecting.Close()

	file := filepath.Join(t.TempDir(), "seakeep.yaml")
	text := strings.ReplaceAll(traced, "BACKEND", backend.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	spans := tracing{endpoint: collecting.URL, log: slog.New(slog.DiscardHandler)}
	p, err := proxy.Open(file, proxy.Options{Trace: spans.start, Log: spans.log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	ask := func(listener string) {
		req, _ := http.NewRequest("GET", "http://"+p.Addr(listener).String()+"/quote?secret=1", nil)
		req.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
		req.Header.Set("Tracestate", "v=1")
		req.Header.Set("Baggage", "user=7")
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", listener, resp.StatusCode)
		}
	}
	ask("pricing")
	ask("serve")
	exemplar(t, p.Addr("admin").String())
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	spans.stop()
	if got.service != "shop" {
		t.Errorf("the service is %q", got.service)
	}
	judge(t, got.spans, parents)
}

// judge wants two requests: one of three attempts, and one of one.
func judge(t *testing.T, all []*otlp.Span, parents []string) {
	children := map[string][]*otlp.Span{}
	for _, s := range all {
		if hex.EncodeToString(s.TraceId) != "4bf92f3577b34da6a3ce929d0e0e4736" {
			t.Errorf("%s is in another trace", s.Name)
		}
		above := hex.EncodeToString(s.ParentSpanId)
		children[above] = append(children[above], s)
	}
	top := children["00f067aa0ba902b7"]
	if len(top) != 2 || len(all) != 2*2+4 {
		t.Fatalf("%v", all)
	}
	made := 0
	for i, attempts := range []int{3, 1} {
		server := top[i]
		if server.Kind != otlp.Span_SPAN_KIND_SERVER || attr(server.Attributes, "http.response.status_code") != "200" {
			t.Errorf("%v", server)
		}
		calls := children[hex.EncodeToString(server.SpanId)]
		if len(calls) != 1 || calls[0].Kind != otlp.Span_SPAN_KIND_INTERNAL {
			t.Fatalf("%v", calls)
		}
		legs := children[hex.EncodeToString(calls[0].SpanId)]
		if len(legs) != attempts {
			t.Fatalf("%v", legs)
		}
		for n, leg := range legs {
			resend := attr(leg.Attributes, "http.request.resend_count")
			if leg.Kind != otlp.Span_SPAN_KIND_CLIENT || n == 0 && resend != "" || n > 0 && resend != strconv.Itoa(n) {
				t.Errorf("attempt %d: %v", n, leg)
			}
			if want := hex.EncodeToString(leg.SpanId); strings.Split(parents[made], "-")[2] != want {
				t.Errorf("attempt %d sent %s, and is %s", n, parents[made], want)
			}
			made++
		}
	}
}

// exemplar wants the trace beside the durations, for who asks in OpenMetrics. The
// last request may be counted a moment after it was answered.
func exemplar(t *testing.T, admin string) {
	want := regexp.MustCompile(`request_duration_seconds_bucket\{.* # \{trace_id=`)
	var text string
	for end := time.Now().Add(10 * time.Second); !want.MatchString(text); time.Sleep(time.Millisecond) {
		if text = scraped(t, admin); time.Now().After(end) {
			t.Fatalf("a request has no exemplar in\n%s", text)
		}
	}
	for _, of := range []string{"call", "attempt"} {
		found := regexp.MustCompile(`seakeep_` + of +
			`_duration_seconds_bucket\{.* # \{trace_id="4bf92f3577b34da6a3ce929d0e0e4736"\}`)
		if !found.MatchString(text) {
			t.Errorf("a %s has no exemplar in\n%s", of, text)
		}
	}
}

func scraped(t *testing.T, admin string) string {
	t.Helper()
	req, _ := http.NewRequest("GET", "http://"+admin+"/metrics", nil)
	req.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

func TestTracingWanted(t *testing.T) {
	for _, c := range []struct {
		flag string
		env  map[string]string
		want bool
	}{
		{"", nil, false},
		{"http://127.0.0.1:4318", nil, true},
		{"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, true},
		{"http://127.0.0.1:4318", map[string]string{"OTEL_SDK_DISABLED": "true"}, false},
	} {
		for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
			"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER"} {
			t.Setenv(name, c.env[name])
		}
		if got := (&tracing{endpoint: c.flag}).wanted(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	for endpoint, good := range map[string]bool{"": true, "https://spans:4318": true, "127.0.0.1:4318": false, "http://": false} {
		if err := (&tracing{endpoint: endpoint}).check(); (err == nil) != good {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
}
