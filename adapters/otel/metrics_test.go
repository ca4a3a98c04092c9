package otel_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/seakeep/seakeep/adapters/otel"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// meters is a meter that keeps what it is told.
type meters struct {
	noop.Meter
	mu       sync.Mutex
	read     metric.Callback
	seen     map[string]string
	recorded map[string]float64
}

// provider gives the one meter to whoever asks.
type provider struct {
	noop.MeterProvider
	m *meters
}

// Meter implements metric.MeterProvider.
func (p provider) Meter(string, ...metric.MeterOption) metric.Meter { return p.m }

// counter and gauge know their name.
type counter struct {
	noop.Float64ObservableCounter
	name string
}

type gauge struct {
	noop.Float64ObservableGauge
	name string
}

type histogram struct {
	noop.Float64Histogram
	name string
	m    *meters
}

// The rest implements metric.Meter.

func (m *meters) Float64ObservableCounter(name string,
	_ ...metric.Float64ObservableCounterOption) (metric.Float64ObservableCounter, error) {
	return counter{name: name}, nil
}

func (m *meters) Float64ObservableGauge(name string,
	_ ...metric.Float64ObservableGaugeOption) (metric.Float64ObservableGauge, error) {
	return gauge{name: name}, nil
}

func (m *meters) Float64Histogram(name string,
	o ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	if cfg := metric.NewFloat64HistogramConfig(o...); len(cfg.ExplicitBucketBoundaries()) != 14 || cfg.Unit() != "s" {
		return nil, fmt.Errorf("%s: %v", name, cfg)
	}
	return histogram{name: name, m: m}, nil
}

func (m *meters) RegisterCallback(f metric.Callback, _ ...metric.Observable) (metric.Registration, error) {
	m.read = f
	return noop.Registration{}, nil
}

// Record implements metric.Float64Histogram.
func (h histogram) Record(_ context.Context, v float64, o ...metric.RecordOption) {
	cfg := metric.NewRecordConfig(o)
	set := cfg.Attributes()
	h.m.mu.Lock()
	defer h.m.mu.Unlock()
	h.m.recorded[h.name+" "+fmt.Sprint(set.Encoded(plain{}))] += v
}

// observer implements metric.Observer.
type observer struct {
	noop.Observer
	m *meters
}

func (o observer) ObserveFloat64(of metric.Float64Observable, v float64, opts ...metric.ObserveOption) {
	name := ""
	switch of := of.(type) {
	case counter:
		name = of.name
	case gauge:
		name = of.name
	}
	cfg := metric.NewObserveConfig(opts)
	set := cfg.Attributes()
	o.m.seen[name+" "+set.Encoded(plain{})] = fmt.Sprint(v)
}

// TestInstruments: what Prometheus is given, OpenTelemetry is given too.
func TestInstruments(t *testing.T) {
	m := telemetry.New(telemetry.Options{})
	p := &meters{seen: map[string]string{}, recorded: map[string]float64{}}
	i, err := otel.NewInstruments(m, provider{m: p})
	if err != nil {
		t.Fatal(err)
	}
	o := telemetry.Tee(m, i)
	o.Observe(core.Event{Kind: core.CallStarted, Policy: "pricing/quote", Left: time.Second})
	o.Observe(core.Event{Kind: core.AttemptEnded, Policy: "pricing/quote", Outcome: core.Timeout,
		Took: 250 * time.Millisecond})
	o.Observe(core.Event{Kind: core.CallEnded, Policy: "pricing/quote", Outcome: core.Timeout,
		Took: 300 * time.Millisecond})
	o.Observe(core.Event{Kind: core.RequestEnded, Policy: "shop", Outcome: core.Success, Took: time.Second})
	if err := p.read(context.Background(), observer{m: p}); err != nil {
		t.Fatal(err)
	}
	if v := p.seen["seakeep.calls dependency=pricing,operation=quote,outcome=timeout"]; v != "1" {
		t.Errorf("%v", p.seen)
	}
	for series, want := range map[string]float64{
		"seakeep.call.duration dependency=pricing,operation=quote,outcome=timeout":    0.3,
		"seakeep.attempt.duration dependency=pricing,operation=quote,outcome=timeout": 0.25,
		"seakeep.deadline.remaining dependency=pricing,hop=call,operation=quote":      1,
		"seakeep.request.duration criticality=critical,outcome=success":               1,
	} {
		if got := p.recorded[series]; got != want {
			t.Errorf("%s is %v, want %v, of %v", series, got, want, p.recorded)
		}
	}
	if err := i.Close(); err != nil {
		t.Error(err)
	}
}
