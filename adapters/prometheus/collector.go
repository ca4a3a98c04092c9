package prometheus

import (
	"net/http"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/seakeep/seakeep/telemetry"
)

// Collector offers what a telemetry.Metrics has. It is safe for use by many
// goroutines.
type Collector struct {
	metrics *telemetry.Metrics
	descs   map[string]*client.Desc
	order   []*client.Desc
}

// NewCollector returns the collector of a Metrics.
func NewCollector(m *telemetry.Metrics) *Collector {
	c := &Collector{metrics: m, descs: map[string]*client.Desc{}}
	for _, d := range telemetry.Definitions() {
		desc := client.NewDesc(d.Name, d.Help, d.Labels, nil)
		c.descs[d.Name] = desc
		c.order = append(c.order, desc)
	}
	return c
}

// Describe implements Prometheus' Collector.
func (c *Collector) Describe(to chan<- *client.Desc) {
	for _, d := range c.order {
		to <- d
	}
}

// Collect implements Prometheus' Collector.
func (c *Collector) Collect(to chan<- client.Metric) {
	c.metrics.Collect(func(s telemetry.Sample) {
		desc := c.descs[s.Name]
		switch s.Kind {
		case telemetry.Counter:
			to <- client.MustNewConstMetric(desc, client.CounterValue, s.Value, s.Values...)
		case telemetry.Gauge:
			to <- client.MustNewConstMetric(desc, client.GaugeValue, s.Value, s.Values...)
		case telemetry.Histogram:
			to <- &histogram{desc, s.Timing, client.MakeLabelPairs(desc, s.Values)}
		}
	})
}

// Handler serves a registry: in OpenMetrics to who asks for it, which is what
// exemplars need, and else in Prometheus' own forms.
func Handler(registry *client.Registry) http.Handler {
	return promhttp.InstrumentMetricHandler(registry, promhttp.HandlerFor(registry,
		promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: maxScrapes}))
}

// maxScrapes is how many may be answered at once; more get 503. Each costs
// memory, and three Prometheus servers that scrape at the same moment are many.
const maxScrapes = 8
