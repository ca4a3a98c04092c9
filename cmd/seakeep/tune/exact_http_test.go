package tune

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seakeep/seakeep/telemetry"
)

// served is what a running Seakeep offers: its histogram of attempts, with fine
// buckets beside the others or without.
func served(t *testing.T, fine bool) *httptest.Server {
	o := client.HistogramOpts{Name: attempts.Name, Help: attempts.Help, Buckets: telemetry.Bounds()}
	if fine {
		o.NativeHistogramBucketFactor = 1.05
	}
	h := client.NewHistogramVec(o, []string{byDependency, byOperation, byOutcome})
	start := client.NewGauge(client.GaugeOpts{Name: "process_start_time_seconds", Help: "Start."})
	start.Set(float64(time.Now().Unix()) - 100)
	r := client.NewRegistry()
	r.MustRegister(h, start)
	for i, x := range exact(many) {
		h.WithLabelValues("pricing", []string{"", "quote"}[i%2], "success").Observe(x)
		if i%200 == 0 {
			h.WithLabelValues("pricing", "", "failure").Observe(x)
			h.WithLabelValues("pricing", "", "cancelled").Observe(x)
		}
	}
	s := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	t.Cleanup(s.Close)
	return s
}

func TestAdmin(t *testing.T) {
	for _, fine := range []bool{true, false} {
		near := 0.6 // what ten buckets tell, of which one goes from 100 to 250 ms
		if fine {
			near = 0.05
		}
		s, err := ParseSource("admin:" + served(t, fine).URL)
		if err != nil {
			t.Fatal(err)
		}
		got := reads(t, s, near)
		if got.Calls != many+100 || got.Failed != 100 || math.Abs(got.Rate-200) > 5 || got.Dependency != "pricing" {
			t.Errorf("%+v", got)
		}
	}
}

// The labels are those of telemetry's table.
func TestTheMetricIsThere(t *testing.T) {
	for _, want := range []string{byDependency, byOperation, byOutcome} {
		if !strings.Contains(strings.Join(attempts.Labels, " ")+" ", want+" ") {
			t.Errorf("%s has no label %s: %q", attempts.Name, want, attempts.Labels)
		}
	}
}

// api answers queries as Prometheus does.
func api(t *testing.T, fine bool) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query().Get("query")
		if strings.HasPrefix(q, "max_over_time(") {
			if fine != strings.Contains(q, "histogram_count(") || !strings.Contains(q, `job="shop"`) {
				t.Errorf("query %s", q)
			}
			_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"vector","result":[
				{"metric":{"dependency":"pricing"},"value":[1,"350"]}]}}`))
			return
		}
		var out []string
		native := !strings.Contains(q, "_bucket{")
		if !strings.Contains(q, attempts.Name) || !strings.Contains(q, `job="shop"`) ||
			!strings.Contains(q, "[50s]") {
			t.Errorf("query %s", q)
		}
		bounds := telemetry.Bounds()
		if native {
			bounds = nil
			for x := 1e-5; x < 1; x *= 1.05 {
				bounds = append(bounds, x)
			}
		}
		all := exact(many / 2)
		low, buckets, before := 0.0, []string{}, 0
		for _, end := range append(bounds, math.Inf(1)) {
			n := 0
			for _, x := range all {
				if x <= end {
					n++
				}
			}
			name := fmt.Sprint(end)
			if math.IsInf(end, 1) {
				name = "+Inf"
			}
			if !native {
				out = append(out, fmt.Sprintf(`{"metric":{"dependency":"pricing","outcome":"success","le":%q},`+
					`"value":[1,"%d.2"]}`, name, n))
			}
			buckets = append(buckets, fmt.Sprintf(`[0,"%g","%s","%d"]`, low, name, n-before))
			low, before = end, n
		}
		if native && fine {
			out = append(out, fmt.Sprintf(`{"metric":{"dependency":"pricing","outcome":"success"},"histogram":[1,
				{"count":"1","sum":"1","buckets":[%s]}]}`, strings.Join(buckets, ",")))
		}
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(out, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestPrometheus(t *testing.T) {
	for _, fine := range []bool{true, false} {
		near := 0.6
		if fine {
			near = 0.06
		}
		s, err := ParseSource("prometheus:" + api(t, fine).URL)
		if err != nil {
			t.Fatal(err)
		}
		s.Over, s.Match = 100*time.Second, `job="shop"`
		if got := reads(t, s, near); got.Rate != 350 || got.Halves[0].N() == 0 {
			t.Errorf("%+v", got)
		}
	}
}

// Where nobody listens, the answer names the place and not the query.
func TestNothingAnswers(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, kind := range []string{"admin:", "prometheus:"} {
		s, err := ParseSource(kind + gone.URL)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Read(t.Context())
		if host := gone.Listener.Addr().String(); err == nil || strings.Contains(err.Error(), "query=") ||
			!strings.HasPrefix(err.Error(), "nothing answers at "+host+": ") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
