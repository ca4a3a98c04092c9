package tune

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seakeep/seakeep/telemetry"
)

// A real Prometheus scrapes the histogram of attempts, and tells what was seen.
func TestRealPrometheus(t *testing.T) {
	t.Parallel() // it mostly waits
	path, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus is not installed: it is a Debian package of this name")
	}
	h := client.NewHistogramVec(client.HistogramOpts{Name: attempts.Name, Help: attempts.Help,
		Buckets: telemetry.Bounds()}, []string{byDependency, byOutcome})
	one := h.WithLabelValues("pricing", "success")
	r := client.NewRegistry()
	r.MustRegister(h)
	target := httptest.NewServer(promhttp.HandlerFor(r, promhttp.HandlerOpts{}))
	defer target.Close()
	address := scraping(t, path, strings.TrimPrefix(target.URL, "http://"))
	s := Source{Kind: "prometheus", Where: "http://" + address, Over: time.Minute}
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
	_, err = s.Read(t.Context())
	t.Errorf("it has not seen the calls in 30 s: %v", err)
}

// scraping starts a server that scrapes a target, and returns its address.
func scraping(t *testing.T, path, target string) string {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 200ms}\nscrape_configs:\n  - {job_name: shop, static_configs: "+
		"[{targets: [%q]}]}\n", target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	c := exec.Command(path, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--log.level=error")
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	})
	return address
}
