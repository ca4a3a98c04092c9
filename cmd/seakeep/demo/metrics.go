package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"syscall"
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
		Ends: s.checkout.life, Demo: map[string]func([]byte) error{"slow": s.orderSlow},
		File: func() (string, time.Time, error) { return policyName, s.began, nil },
		DemoViews: map[string]func(url.Values) (any, error){"slow": s.slowNow, "world": s.world,
			"measured": s.measured}}))
	l, err := listen(s.options.Admin, s.options.Spare)
	if err != nil {
		return fmt.Errorf("--admin: %w", err)
	}
	s.admin = live.ServeAt(l, mux)
	s.stopWall = live.Background(func(ctx context.Context) error { s.wall.Run(ctx); return nil })
	return nil
}

// spares is how many ports after the one that was asked for are tried.
const spares = 20

// listen listens at an address. If its port is taken, one of the next will do where
// spare allows it.
func listen(address string, spare bool) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if !errors.Is(err, syscall.EADDRINUSE) {
		return l, err
	}
	host, text, _ := net.SplitHostPort(address) // it could be listened at
	port, _ := strconv.Atoi(text)
	for k := port + 1; spare && k <= port+spares; k++ {
		if l, failed := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(k))); failed == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%s is taken by another program; give another address, or %s for any free port",
		address, net.JoinHostPort(host, "0"))
}

func (s *stage) endpoints(name string) (seakeephttp.Snapshot, bool) {
	i := slices.Index(names[:], name)
	if i < 0 {
		return seakeephttp.Snapshot{}, false
	}
	return s.checkout.to[i].transport.Snapshot(), true
}
