package prometheus_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

const ms = time.Millisecond

// counted returns a Metrics that has heard of calls and requests.
func counted(native bool) *telemetry.Metrics {
	m := telemetry.New(telemetry.Options{Native: native, Build: telemetry.Build{Version: "v1", Go: "go1.26"}})
	for _, took := range []time.Duration{3 * ms, 20 * ms, 21 * ms, 20 * time.Second} {
		m.Observe(core.Event{Kind: core.CallStarted, Policy: "pricing", Left: 400 * ms})
		m.Observe(core.Event{Kind: core.AttemptEnded, Policy: "pricing", Outcome: core.Success, Took: took})
		m.Observe(core.Event{Kind: core.CallEnded, Policy: "pricing", Outcome: core.Success, Took: took})
	}
	for k := core.CallStarted; k.String() != "invalid"; k++ {
		m.Observe(core.Event{Kind: k, Policy: "pricing/quote", Outcome: core.Success, Took: ms})
	}
	return m
}

// scrape asks for the metrics in a form.
func scrape(t *testing.T, m *telemetry.Metrics, accept string) string {
	t.Helper()
	registry := client.NewPedanticRegistry()
	registry.MustRegister(prometheus.NewCollector(m))
	s := httptest.NewServer(prometheus.Handler(registry))
	defer s.Close()
	req, _ := http.NewRequest("GET", s.URL, nil)
	req.Header.Set("Accept", accept)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d, %v: %s", resp.StatusCode, err, text)
	}
	return string(text)
}

func TestText(t *testing.T) {
	text := scrape(t, counted(false), "text/plain")
	for _, want := range []string{
		"# TYPE seakeep_calls_total counter\n",
		`seakeep_calls_total{dependency="pricing",operation="",outcome="success"} 4` + "\n",
		`seakeep_call_duration_seconds_bucket{dependency="pricing",operation="",outcome="success",le="0.025"} 3` + "\n",
		`seakeep_call_duration_seconds_bucket{dependency="pricing",operation="",outcome="success",le="+Inf"} 4` + "\n",
		`seakeep_call_duration_seconds_sum{dependency="pricing",operation="",outcome="success"} 20.044` + "\n",
		`seakeep_build_info{goversion="go1.26",revision="",version="v1"} 1` + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// TestExemplars wants a trace beside the bucket that it is in, the last one
// too, which without an exemplar is not written.
func TestExemplars(t *testing.T) {
	m := counted(false)
	for _, took := range []time.Duration{20 * ms, 20 * time.Second} {
		m.Exemplify(telemetry.Span{Policy: "pricing", Timed: telemetry.CallTimed, Outcome: core.Success, Took: took},
			func() string { return "4bf92f3577b34da6a3ce929d0e0e4736" })
	}
	text := scrape(t, m, "application/openmetrics-text; version=1.0.0")
	for _, want := range []string{`le="0.025"} 3 # {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 0.02 `,
		`le="+Inf"} 4 # {trace_id="4bf92f3577b34da6a3ce929d0e0e4736"} 20.0 `} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if !strings.HasSuffix(text, "# EOF\n") {
		t.Error("the text does not end as OpenMetrics does")
	}
}

// TestNative reads the native histogram as a Prometheus server does.
func TestNative(t *testing.T) {
	registry := client.NewPedanticRegistry()
	registry.MustRegister(prometheus.NewCollector(counted(true)))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "seakeep_call_duration_seconds" {
			continue
		}
		for _, metric := range f.GetMetric() {
			h := metric.GetHistogram()
			total, count := h.GetZeroCount(), int64(0)
			for _, delta := range h.GetPositiveDelta() {
				count += delta
				total += uint64(count)
			}
			length := 0
			for _, s := range h.GetPositiveSpan() {
				length += int(s.GetLength())
			}
			if total != h.GetSampleCount() || h.GetSchema() != 3 || length != len(h.GetPositiveDelta()) ||
				len(h.GetBucket()) < 14 {
				t.Errorf("%v", h)
			}
		}
		return
	}
	t.Error("no such metric")
}

// TestLint: names and help are as Prometheus' own linters want them.
func TestLint(t *testing.T) {
	m := counted(false)
	problems, err := testutil.CollectAndLint(prometheus.NewCollector(m))
	if err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
	// What these events do not show is there by its definition.
	var b strings.Builder
	for _, d := range telemetry.Definitions() {
		b.WriteString("# HELP " + d.Name + " " + d.Help + "\n# TYPE " + d.Name + " " + d.Kind.String() + "\n")
		switch d.Kind {
		case telemetry.Histogram:
			b.WriteString(d.Name + `_bucket{le="+Inf"} 0` + "\n" + d.Name + "_sum 0\n" + d.Name + "_count 0\n")
		default:
			b.WriteString(d.Name + " 0\n")
		}
	}
	found, err := promlint.New(strings.NewReader(b.String())).Lint()
	if err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed: the Debian package prometheus has it")
	}
	for _, text := range []string{b.String(), scrape(t, m, "text/plain")} {
		c := exec.Command("promtool", "check", "metrics")
		c.Stdin = strings.NewReader(text)
		if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
}
