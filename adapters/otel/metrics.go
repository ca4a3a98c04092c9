package otel

import (
	"context"
	"sync"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// Instruments offer a telemetry.Metrics to OpenTelemetry, under the same
// definitions: counters and gauges are read when somebody collects. Histograms
// cannot be read in OpenTelemetry, only recorded, so Instruments are an observer
// too, and record durations beside what the Metrics counts.
type Instruments struct {
	metrics *telemetry.Metrics
	meter   metric.Meter
	of      map[string]metric.Float64Observable
	times   map[string]metric.Float64Histogram
	known   sync.Map // of labels: to what they are as an option
	hooked  metric.Registration
}

// NewInstruments returns the instruments of a Metrics. A nil provider is
// OpenTelemetry's global one. The observer is to be told what the Metrics is
// told: see telemetry.Tee.
func NewInstruments(m *telemetry.Metrics, p metric.MeterProvider) (*Instruments, error) {
	if p == nil {
		p = api.GetMeterProvider()
	}
	i := &Instruments{metrics: m, meter: p.Meter(scope), of: map[string]metric.Float64Observable{},
		times: map[string]metric.Float64Histogram{}}
	var all []metric.Observable
	for _, d := range telemetry.Definitions() {
		if err := i.define(d); err != nil {
			return nil, err
		}
		if o := i.of[d.Name]; o != nil {
			all = append(all, o)
		}
	}
	var err error
	i.hooked, err = i.meter.RegisterCallback(i.collect, all...)
	return i, err
}

func (i *Instruments) define(d telemetry.Definition) (err error) {
	unit, help := metric.WithUnit(d.Unit), metric.WithDescription(d.Help)
	switch d.Kind {
	case telemetry.Counter:
		i.of[d.Name], err = i.meter.Float64ObservableCounter(d.OTel, unit, help)
	case telemetry.Gauge:
		i.of[d.Name], err = i.meter.Float64ObservableGauge(d.OTel, unit, help)
	case telemetry.Histogram:
		i.times[d.Name], err = i.meter.Float64Histogram(d.OTel, unit, help,
			metric.WithExplicitBucketBoundaries(telemetry.Bounds()...))
	}
	return err
}

// Close ends the reading.
func (i *Instruments) Close() error { return i.hooked.Unregister() }

func (i *Instruments) collect(_ context.Context, to metric.Observer) error {
	i.metrics.Collect(func(s telemetry.Sample) {
		if o := i.of[s.Name]; o != nil {
			to.ObserveFloat64(o, s.Value, metric.WithAttributes(labels(s.Labels, s.Values)...))
		}
	})
	return nil
}

func labels(names, values []string) (all []attribute.KeyValue) {
	for i, name := range names {
		if values[i] != "" {
			all = append(all, attribute.String(name, values[i]))
		}
	}
	return all
}

// Observe implements core.Observer: it records durations.
func (i *Instruments) Observe(e core.Event) {
	i.metrics.Durations(&e, func(d telemetry.Duration) {
		i.times[d.Name].Record(context.Background(), d.Seconds, i.option(d))
	})
}

// key is what a Duration's attributes depend on.
type key struct {
	name   string
	values [3]string
}

// option returns the attributes of a duration, which are made once: there are
// as many as there are series.
func (i *Instruments) option(d telemetry.Duration) metric.RecordOption {
	k := key{name: d.Name, values: d.Values}
	if o, ok := i.known.Load(k); ok {
		return o.(metric.RecordOption)
	}
	var o metric.RecordOption = metric.WithAttributeSet(attribute.NewSet(labels(d.Labels, d.Values[:len(d.Labels)])...))
	i.known.Store(k, o)
	return o
}
