package demo

import (
	"fmt"
	"net"
	"net/http"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/telemetry"
)

// offer serves checkout's metrics at the admin address while the demo runs, for a
// Prometheus to scrape. It returns nil if there is no such address.
func (s *stage) offer(metrics *telemetry.Metrics) (*live.Server, error) {
	if s.options.Admin == "" {
		return nil, nil
	}
	sources := []telemetry.Source{s.set}
	for _, to := range s.checkout.to {
		sources = append(sources, to.transport)
	}
	metrics.Watch(sources...)
	registry := client.NewRegistry()
	registry.MustRegister(prometheus.NewCollector(metrics))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", prometheus.Handler(registry))
	l, err := net.Listen("tcp", s.options.Admin)
	if err != nil {
		return nil, fmt.Errorf("--admin: %w", err)
	}
	return live.ServeAt(l, mux), nil
}
