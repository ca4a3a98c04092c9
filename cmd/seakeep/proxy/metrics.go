package proxy

import (
	"net/http"
	"runtime/debug"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/telemetry"
)

// newMetrics returns what counts the proxy's decisions.
func newMetrics(o Options) *telemetry.Metrics {
	t := telemetry.Options{Native: o.NativeHistograms}
	if info, ok := debug.ReadBuildInfo(); ok {
		t.Build = telemetry.Build{Version: info.Main.Version, Go: info.GoVersion}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				t.Build.Revision = s.Value
			}
		}
	}
	return telemetry.New(t)
}

// metricsHandler serves everything there is to scrape: what the policies do, and
// what Go and the operating system say of the process.
func (p *Proxy) metricsHandler() http.Handler {
	registry := client.NewRegistry()
	registry.MustRegister(prometheus.NewCollector(p.metrics), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return prometheus.Handler(registry)
}

// ReadState implements telemetry.Source.
func (p *Proxy) ReadState(to *telemetry.State) {
	p.set.ReadState(to)
	p.mu.Lock()
	sources := make([]telemetry.Source, 0, len(p.transports)+1)
	for _, t := range p.transports {
		sources = append(sources, t)
	}
	if g := p.upstream.gate; g != nil {
		sources = append(sources, g)
	}
	to.Proxy = &telemetry.ProxyState{Ready: p.Ready(), Loaded: p.file.loaded,
		Reloads: uint64(p.file.reloads), Refused: uint64(p.file.refusals)}
	to.Proxy.Beacons, to.Proxy.BeaconsRefused = p.beacons.counts()
	for _, f := range p.fronts {
		to.Proxy.Listeners = append(to.Proxy.Listeners, telemetry.ListenerState{Name: f.name(),
			Connections: f.listener.Open(), InFlight: int(f.active.Load()), Tunnels: f.tunnels.len()})
	}
	p.mu.Unlock()
	for _, s := range sources {
		s.ReadState(to)
	}
}
