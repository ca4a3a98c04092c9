package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/cmd/seakeep/dashboard"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/seakeephttp"
	"github.com/seakeep/seakeep/telemetry"
)

// offer serves checkout's dashboard and metrics at the admin address while the
// demo runs. It does nothing if there is no such address.
func (s *stage) offer(metrics *telemetry.Metrics) error {
	if s.wall == nil {
		return nil
	}
	sources := []telemetry.Source{s.set}
	for _, to := range s.checkout.to {
		sources = append(sources, to.transport)
	}
	metrics.Watch(sources...)
	registry := client.NewRegistry()
	registry.MustRegister(prometheus.NewCollector(metrics))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.options.Dashboard.Hosts.Guard(prometheus.Handler(registry)))
	mux.Handle("/", s.wall.Handler(dashboard.Program{Set: s.set, Metrics: metrics, Endpoints: s.endpoints,
		Ends: s.checkout.life, Demo: map[string]func([]byte) error{"slow": s.orderSlow}}))
	l, err := net.Listen("tcp", s.options.Admin)
	if err != nil {
		return fmt.Errorf("--admin: %w", err)
	}
	s.admin = live.ServeAt(l, mux)
	s.stopWall = live.Background(func(ctx context.Context) error { s.wall.Run(ctx); return nil })
	return nil
}

func (s *stage) endpoints(name string) (seakeephttp.Snapshot, bool) {
	i := slices.Index(names[:], name)
	if i < 0 {
		return seakeephttp.Snapshot{}, false
	}
	return s.checkout.to[i].transport.Snapshot(), true
}

// slowOrder is what the dashboard's control of a dependency sends.
type slowOrder struct {
	Name    string `json:"name"`
	Latency string `json:"latency"` // a time, down, none for no answer, or auto for what --slow says
}

// orderSlow makes a dependency slow, or well again.
func (s *stage) orderSlow(text []byte) error {
	var o slowOrder
	if err := json.Unmarshal(text, &o); err != nil {
		return fmt.Errorf(`give {"name": "recommendations", "latency": "2s"}: %w`, err)
	}
	i := slices.Index(names[:], o.Name)
	if i < 0 {
		return fmt.Errorf("there is no dependency %q; give %s", o.Name, alternatives(names[:]))
	}
	slow := &Slow{Name: o.Name}
	switch o.Latency {
	case "auto":
		slow = nil
	case "down":
		slow.Fault = Down
	case "none":
		slow.Fault = Silent
	default:
		var err error
		slow.Mean, err = time.ParseDuration(o.Latency)
		if err != nil || slow.Mean < floor || slow.Mean > maxMean {
			return fmt.Errorf("%q is no latency; give a time such as 2s, from %v to %v, or down, none or auto",
				o.Latency, floor, maxMean)
		}
	}
	s.dependencies[i].order.Store(slow)
	return nil
}
