package tune

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seakeep/seakeep/internal/promtest"
	"github.com/seakeep/seakeep/telemetry"
)

// A real Prometheus scrapes the histogram of attempts, and tells what was seen.
func TestRealPrometheus(t *testing.T) {
	t.Parallel() // it mostly waits
	h := client.NewHistogramVec(client.HistogramOpts{Name: attempts.Name, Help: attempts.Help,
		Buckets: telemetry.Bounds()}, []string{byDependency, byOutcome})
	one := h.WithLabelValues("pricing", "success")
	r := client.NewRegistry()
	r.MustRegister(h)
	target := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	defer target.Close()
	server := promtest.Start(t, strings.TrimPrefix(target.URL, "http://"))
	s := Source{Kind: "prometheus", Where: server.URL, Over: time.Minute}
	all := exact(many)
	for begin := time.Now(); time.Since(begin) < 30*time.Second; {
		for _, x := range all[:500] { // each time it is asked a few more
			one.Observe(x)
		}
		all = append(all[500:], all[:500]...)
		time.Sleep(100 * time.Millisecond)
		found, err := s.Read(t.Context())
		if err != nil || found[0].All.N() < many/2 {
			continue
		}
		q := found[0].All.Quantile(0.999)
		if found[0].Dependency != "pricing" || q.Low != 0.1 || q.High != 0.25 || found[0].Rate == 0 {
			t.Errorf("%+v %+v", q, found[0])
		}
		return
	}
	_, err := s.Read(t.Context())
	t.Errorf("it has not seen the calls in 30 s: %v", err)
}
