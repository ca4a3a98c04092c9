package tune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/common/expfmt"
)

// hlog is a log of one interval with so many values of 20 ms, in microseconds.
func hlog(t testing.TB, n int64) string {
	t.Helper()
	h := hdrhistogram.New(1, 60_000_000, 3)
	if err := h.RecordValues(20_000, n); err != nil {
		t.Fatal(err)
	}
	h.SetStartTimeMs(0)
	h.SetEndTimeMs(10_000)
	var b bytes.Buffer
	if err := hdrhistogram.NewHistogramLogWriter(&b).OutputIntervalHistogram(h); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func repeated(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// scrape is what an admin address says of two hundred attempts, half of them at
// most 10 ms, the others 25.
const scrape = `# TYPE seakeep_attempt_duration_seconds histogram
seakeep_attempt_duration_seconds_bucket{dependency="pricing",operation="",outcome="success",le="0.01"} 100
seakeep_attempt_duration_seconds_bucket{dependency="pricing",operation="",outcome="success",le="0.025"} 200
seakeep_attempt_duration_seconds_bucket{dependency="pricing",operation="",outcome="success",le="+Inf"} 200
seakeep_attempt_duration_seconds_sum{dependency="pricing",operation="",outcome="success"} 3
seakeep_attempt_duration_seconds_count{dependency="pricing",operation="",outcome="success"} 200
`

var readers = map[string]func(io.Reader) ([]Sample, error){
	"csv": ReadCSV, "vegeta": ReadVegeta, "k6": ReadK6,
	"hlog": func(r io.Reader) ([]Sample, error) { return ReadHlog(r, 1e-6) },
	"admin": func(r io.Reader) ([]Sample, error) {
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		return readMetrics(body, expfmt.NewFormat(expfmt.TypeTextPlain), time.Now())
	},
}

func inputs(t testing.TB) map[string]string {
	return map[string]string{
		"csv": "time,latency,outcome\n" + repeated(200, func(i int) string { return fmt.Sprintf("%d,20ms,ok", i) }),
		"vegeta": repeated(200, func(i int) string {
			return fmt.Sprintf(`{"attack":"","seq":%d,"code":200,"timestamp":"2026-01-01T00:%02d:%02dZ","latency":20000000,"error":""}`,
				i, i/60, i%60)
		}),
		"k6": repeated(200, func(i int) string {
			return fmt.Sprintf(`{"type":"Point","metric":"http_req_duration","data":`+
				`{"time":"2026-01-01T00:%02d:%02dZ","value":20,"tags":{"status":"200"}}}`, i/60, i%60)
		}),
		"hlog":  hlog(t, 200),
		"admin": scrape,
	}
}

// TestSources: each kind of source comes to the same two hundred calls.
func TestSources(t *testing.T) {
	for kind, text := range inputs(t) {
		all, err := readers[kind](strings.NewReader(text))
		if err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", kind, all, err)
			continue
		}
		s := all[0]
		if v := s.All.Quantile(0.75).Value; s.Calls != 200 || s.Failed != 0 || math.Abs(v-0.020) > 0.003 {
			t.Errorf("%s: %d calls, %d failed, p75 %v", kind, s.Calls, s.Failed, v)
		}
	}
}

// TestOutcomes: what was cut off is longer than it took, and what failed tells
// nothing of healthy calls.
func TestOutcomes(t *testing.T) {
	all, err := ReadCSV(strings.NewReader("latency,outcome\n10ms,ok\n20ms,timeout\n1ms,error\n30ms,200\n5ms,503\n" +
		"7s,cancelled\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := all[0]; s.Calls != 5 || s.Failed != 3 || s.Cut != 1 || s.All.N() != 3 ||
		!math.IsInf(s.All.Quantile(0.99).Value, 1) {
		t.Errorf("%+v", s)
	}
}

// A log in whole milliseconds says that a call took 2 ms which took 2.9. That is
// not what a timeout may be made of.
func TestWholeMilliseconds(t *testing.T) {
	const mean = 0.8 // ms
	r := rand.New(rand.NewPCG(1, 1))
	text := "latency_ms\n" + repeated(100_000, func(int) string { return fmt.Sprintf("%.0f", math.Floor(mean*r.ExpFloat64())) })
	all, err := ReadCSV(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s := all[0]
	if q := s.All.Quantile(0.99); q.Value < 0.0033 || q.Value > 0.0042 || q.Low != 0.003 || q.High != 0.004 {
		t.Errorf("p99 %+v, and in truth it is %.3g ms", q, mean*math.Log(100))
	}
	if got := s.All.Beyond(0.0035); math.Abs(got/math.Exp(-3.5/mean)-1) > 0.3 {
		t.Errorf("beyond 3.5 ms %.3g, and in truth %.3g", got, math.Exp(-3.5/mean))
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "whole 1ms") {
		t.Errorf("%q", s.Notes)
	}
	// Values that show no rounding, or too few of them, are what they are.
	for text, want := range map[string]float64{"10ms 20ms 30ms 10ms": 0, "1ms 2ms 3ms 4ms 5.0123ms 6ms": 0,
		"100ms 200ms 300ms 500ms 900ms": 0.1, "1s 2s 3s 4s 5s 0s": 1, "1ms 12ms 3ms 4ms 5ms": 0.001} {
		var calls []logged
		for _, v := range strings.Fields(text) {
			d, _ := time.ParseDuration(v)
			calls = append(calls, logged{latency: max(d.Seconds(), noLatency)})
		}
		if got := resolution(calls); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	for text, says := range map[string]string{
		"latency\n-1ms\n":                    "line 2",
		"latency\n10\n":                      "line 2: 10 has no unit; call the column latency_s, latency_ms",
		"latency,time\n10ms,1769860800000\n": "line 2: 1769860800000 is no moment in seconds",
		"latency,outcome\n10ms,well\n":       `line 2: "well" is no outcome that is known; use ok, error`,
		"latency,status\n10ms,7\n":           "line 2: 7 is no status of HTTP",
		"latency,outcome\n10ms,cancelled\n":  "has no calls",
		"when,how long\n1,2\n":               "latency",
		"latency,outcome\n10ms,ok,more,1\n":  "line 2",
	} {
		if _, err := ReadCSV(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	for _, text := range []string{"", "csv:", "what:ever", "admin:nowhere", "prometheus:ftp://x"} {
		if _, err := ParseSource(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestOverHTTP: the admin address and a Prometheus, as the command asks them.
func TestOverHTTP(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/metrics":
			_, _ = io.WriteString(w, scrape)
		case strings.Contains(r.FormValue("query"), "_bucket"):
			_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[`+
				`{"metric":{"dependency":"pricing","outcome":"success","le":"0.01"},"value":[1,"100"]},`+
				`{"metric":{"dependency":"pricing","outcome":"success","le":"0.025"},"value":[1,"200"]},`+
				`{"metric":{"dependency":"pricing","outcome":"success","le":"+Inf"},"value":[1,"200"]}]}}`)
		default:
			_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[]}}`)
		}
	}))
	defer s.Close()
	for kind, calls := range map[string]int{"admin": 200, "prometheus": 400} { // 200 in each half
		src, err := ParseSource(kind + ":" + s.URL)
		if err != nil {
			t.Fatal(err)
		}
		all, err := src.Read(context.Background())
		if err != nil || len(all) != 1 || all[0].Dependency != "pricing" || all[0].Calls != calls {
			t.Errorf("%s: %+v, %v", kind, all, err)
		}
	}
}
