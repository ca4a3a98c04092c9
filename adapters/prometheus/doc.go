// Package prometheus offers telemetry.Metrics to Prometheus.
//
// # How
//
// Collector reads everything anew for each scrape and keeps nothing. Register
// it, and serve the registry with OpenMetrics switched on, which is what carries
// exemplars:
//
//	metrics := telemetry.New(telemetry.Options{})
//	policies, err := seakeep.OpenWith("seakeep.yaml", seakeep.Options{Observer: metrics})
//	...
//	metrics.Watch(policies)
//	registry := client.NewRegistry()
//	registry.MustRegister(prometheus.NewCollector(metrics))
//	http.Handle("/metrics", prometheus.Handler(registry))
//
// # Histograms
//
// Every histogram has its classic buckets. With telemetry.Options.Native it has
// native ones beside them, which Prometheus takes if it is told to and asks for
// in protobuf; the two are of the same durations.
package prometheus
