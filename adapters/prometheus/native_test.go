package prometheus_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	client "github.com/prometheus/client_golang/prometheus"

	"github.com/seakeep/seakeep/adapters/prometheus"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// Prometheus refuses a whole scrape for one native histogram whose count is not
// what is in its buckets: they must agree while calls go on.
func TestNativeUnderLoad(t *testing.T) {
	m := telemetry.New(telemetry.Options{Native: true})
	var stop atomic.Bool
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			for took := ms; !stop.Load(); took = took%(40*ms) + time.Microsecond {
				for _, kind := range []core.EventKind{core.AttemptEnded, core.CallEnded, core.RequestEnded} {
					m.Observe(core.Event{Kind: kind, Policy: "pricing", Outcome: core.Success, Took: took})
				}
			}
		})
	}
	defer calls.Wait()
	defer stop.Store(true)
	registry := client.NewPedanticRegistry()
	registry.MustRegister(prometheus.NewCollector(m))
	for range 50 {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			for _, metric := range f.GetMetric() {
				h := metric.GetHistogram()
				if h == nil || h.Schema == nil {
					continue
				}
				total, count := h.GetZeroCount(), int64(0)
				for _, delta := range h.GetPositiveDelta() {
					count += delta
					total += uint64(count)
				}
				b := h.GetBucket()
				if last := b[len(b)-1].GetCumulativeCount(); total != h.GetSampleCount() || last > total {
					t.Fatalf("%s: %d in finer buckets, up to %d in the others, of %d", f.GetName(), total, last,
						h.GetSampleCount())
				}
			}
		}
	}
}
