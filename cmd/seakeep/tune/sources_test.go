package tune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
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
	"csv": ReadCSV, "vegeta": ReadVegeta, "k6": ReadK6, "load": ReadLoad,
	"hlog": func(r io.Reader) ([]Sample, error) { return ReadHlog(r, 1e-6) },
	"admin": func(r io.Reader) ([]Sample, error) {
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		return readMetrics(body, expfmt.NewFormat(expfmt.TypeTextPlain), time.Now())
	},
	"prometheus": func(r io.Reader) ([]Sample, error) {
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		all, err := readQuery(body)
		if err == nil {
			_, err = ofClassic(all)
		}
		if err == nil {
			_, err = ofNative(all)
		}
		return nil, err
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
