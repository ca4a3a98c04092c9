package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"go.uber.org/goleak"

	"github.com/seakeep/seakeep/cmd/seakeep/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// exact are latencies whose p99 is 100 ms and whose p99.9 is 150 ms.
func exact(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		q := (float64(i) + 0.5) / float64(n)
		out[i] = 0.05 * -math.Log10(1-q) // exponential
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

const many = 20_000 // at 200 a second

// reads checks that a source has the same as every other: 20,000 calls, of which
// 100 failed, with a p99.9 of 150 ms.
func reads(t *testing.T, s Source, near float64) Sample {
	t.Helper()
	all, err := s.Read(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", s.Kind, err)
	}
	if len(all) != 1 {
		t.Fatalf("%s: %d samples", s.Kind, len(all))
	}
	got := all[0]
	q := got.All.Quantile(0.999)
	if math.Abs(q.Value/0.15-1) > near || q.Low > 0.1501 || q.High < 0.1499 {
		t.Errorf("%s: p99.9 %+v", s.Kind, q)
	}
	if n := got.All.N(); math.Abs(float64(n)/many-1) > 0.03 {
		t.Errorf("%s: %d calls", s.Kind, n)
	}
	r, err := Run(parse(t, guessed), all, "", Options{Headroom: -1})
	if err != nil {
		t.Fatalf("%s: %v", s.Kind, err)
	}
	if valueOf(r, "timeout.request") == "" {
		t.Errorf("%s: no timeout: %q", s.Kind, r.Advice[0].Kept)
	}
	return got
}

func file(t *testing.T, name string, write func(*bytes.Buffer)) string {
	t.Helper()
	var b bytes.Buffer
	write(&b)
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCSV(t *testing.T) {
	path := file(t, "calls.csv", func(b *bytes.Buffer) {
		b.WriteString("start,latency_ms,status,ignored\r\n")
		for i, x := range exact(many) {
			fmt.Fprintf(b, "%.3f,%.6f,200,x\r\n", float64(i)/200, 1000*x)
			if i%200 == 0 {
				fmt.Fprintf(b, "%.3f,%.6f,503,\"a,b\"\r\n", float64(i)/200, 1000*x)
			}
		}
	})
	s, err := ParseSource(path)
	if err != nil {
		t.Fatal(err)
	}
	got := reads(t, s, 0.01)
	if got.Calls != many+100 || got.Failed != 100 || math.Abs(got.Rate-201) > 0.1 {
		t.Errorf("%+v", got)
	}
}

// Slots must do for the busiest minute.
func TestTheBusiestMinute(t *testing.T) {
	var calls []logged
	for i := range 6000 {
		calls = append(calls, logged{float64(i) / 10, 0.01, fine})
		if i >= 1000 && i < 1600 {
			calls = append(calls, logged{float64(i) / 10, 0.01, fine}, logged{float64(i) / 10, 0.01, fine})
		}
	}
	if s := sampleOf("", calls); math.Abs(s.Rate-30) > 0.1 || len(s.Notes) != 1 {
		t.Errorf("%g %q", s.Rate, s.Notes)
	}
}

func TestHlog(t *testing.T) {
	path := file(t, "calls.hlog", func(b *bytes.Buffer) {
		w := hdrhistogram.NewHistogramLogWriter(b)
		if err := w.OutputLegend(); err != nil {
			t.Fatal(err)
		}
		for part, all := 0, exact(many); part < 10; part++ {
			h := hdrhistogram.New(1000, 60_000_000_000, 3)
			for _, x := range all[part*many/10 : (part+1)*many/10] {
				_ = h.RecordValue(int64(x * 1e9))
			}
			h.SetStartTimeMs(int64(part) * 10_000)
			h.SetEndTimeMs(int64(part+1) * 10_000)
			if err := w.OutputIntervalHistogram(h); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got := reads(t, Source{Kind: "hlog", Where: path}, 0.01); math.Abs(got.Rate-200) > 0.1 || got.Halves[1] == nil {
		t.Errorf("%+v", got)
	}
}

func TestVegeta(t *testing.T) {
	began := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, kind := range []string{"json", "csv"} {
		path := file(t, "results."+kind, func(b *bytes.Buffer) {
			for i, x := range exact(many) {
				at := began.Add(time.Duration(i) * 5 * time.Millisecond)
				if kind == "json" {
					fmt.Fprintf(b, `{"attack":"","seq":%d,"code":200,"timestamp":%q,"latency":%d,"bytes_out":0,"error":""}`+
						"\n", i, at.Format(time.RFC3339Nano), int64(x*1e9))
				} else {
					fmt.Fprintf(b, "%d,200,%d,0,1,,eA==,,%d,GET,http://a/,\n", at.UnixNano(), int64(x*1e9), i)
				}
			}
		})
		if got := reads(t, Source{Kind: "vegeta", Where: path}, 0.01); math.Abs(got.Rate-200) > 0.1 {
			t.Errorf("%+v", got)
		}
	}
}

func TestK6(t *testing.T) {
	lines := file(t, "k6.json", func(b *bytes.Buffer) {
		b.WriteString(`{"type":"Metric","data":{"name":"http_req_duration"},"metric":"http_req_duration"}` + "\n")
		for i, x := range exact(many) {
			at := time.Unix(1_800_000_000, int64(i)*5_000_000).UTC().Format(time.RFC3339Nano)
			fmt.Fprintf(b, `{"metric":"http_reqs","type":"Point","data":{"time":%q,"value":1,"tags":{}}}`+"\n", at)
			fmt.Fprintf(b, `{"metric":"http_req_duration","type":"Point","data":`+
				`{"time":%q,"value":%.6f,"tags":{"status":"200"}}}`+"\n", at, 1000*x)
		}
	})
	if got := reads(t, Source{Kind: "k6", Where: lines}, 0.01); math.Abs(got.Rate-200) > 0.1 {
		t.Errorf("%+v", got)
	}
	for _, form := range []string{
		`{"metrics":{"http_req_duration":{"min":0.001,"med":15.05,"max":250,"p(90)":50,"p(95)":65.05,"p(99)":100,
			"p(99.9)":150},"http_reqs":{"count":20000,"rate":200},"http_req_failed":{"value":0.005}}}`,
		`{"metrics":{"http_req_duration":{"type":"trend","values":{"min":0.001,"med":15.05,"max":250,"p(99)":100,
			"p(99.9)":150}},"http_reqs":{"values":{"count":20000,"rate":200}},"http_req_failed":{"values":{"rate":0.005}}}}`,
	} {
		path := file(t, "summary.json", func(b *bytes.Buffer) { b.WriteString(form) })
		if got := reads(t, Source{Kind: "k6", Where: path}, 0.01); got.Failed != 100 || got.Rate != 200 {
			t.Errorf("%+v", got)
		}
	}
}

func TestLoadReport(t *testing.T) {
	path := file(t, "load.json", func(b *bytes.Buffer) {
		h := hdrhistogram.New(1, 3_600_000_000, 3)
		for _, x := range exact(many) {
			_ = h.RecordValue(int64(x * 1e6))
		}
		step := load.Result{Offered: 200, Seconds: 100, Due: many, Good: many, Holds: true}
		for _, c := range h.Distribution() {
			if c.Count > 0 {
				step.Latencies = append(step.Latencies, load.Bucket{UpToUS: c.To, Count: c.Count})
			}
		}
		past := load.Result{Due: 50, Latencies: []load.Bucket{{UpToUS: 9_000_000, Count: 50}}}
		_ = json.NewEncoder(b).Encode(load.Report{Tool: load.ToolName, Steps: []load.Result{step, past}})
	})
	if got := reads(t, Source{Kind: "load", Where: path}, 0.01); got.Rate != 200 || got.Calls != many {
		t.Errorf("%+v", got)
	}
}
