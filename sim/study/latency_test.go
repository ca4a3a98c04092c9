package study

import (
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
)

func TestHeld(t *testing.T) {
	const ms = time.Millisecond
	slow := config.Latency{Shape: config.Exponential, Floor: 5 * ms, Mean: 1000 * ms}
	even := config.Latency{Shape: config.Uniform, Floor: 10 * ms, Mean: 30 * ms} // 10 to 50 ms
	for _, tc := range []struct {
		l     config.Latency
		limit time.Duration
		want  float64 // ms
	}{
		{config.Latency{Floor: 20 * ms}, 0, 20},
		{config.Latency{Floor: 20 * ms}, 15 * ms, 15},
		{slow, 0, 1000},
		{slow, 250 * ms, 5 + 995*(1-0.78174)}, // 222: the checkout model's
		{slow, 2 * ms, 2},
		{even, 0, 30},
		{even, 60 * ms, 30},
		{even, 30 * ms, 10 + 20 - 20*20.0/80},
		{even, 5 * ms, 5},
	} {
		got, known := held(&tc.l, tc.limit)
		if !known || !near(got.Seconds()*1e3, tc.want, 0.01) {
			t.Errorf("%+v cut at %v: %v, want %v ms", tc.l, tc.limit, got, tc.want)
		}
	}
	for _, l := range []config.Latency{{Shape: config.LogNormal, Median: ms, Sigma: 1},
		{Floor: ms, Stall: ms, StallShare: 0.1}} {
		if _, known := held(&l, 0); known {
			t.Errorf("%+v is known", l)
		}
	}
}

func TestLatencyInWords(t *testing.T) {
	const ms = time.Millisecond
	for want, l := range map[string]config.Latency{
		"20ms":                             {Floor: 20 * ms},
		"mean 1s":                          {Shape: config.Exponential, Floor: 5 * ms, Mean: time.Second},
		"median 4ms":                       {Shape: config.LogNormal, Median: 4 * ms, Sigma: 1},
		"1ms to 6ms":                       {Shape: config.Uniform, Floor: ms, Mean: 3500 * time.Microsecond},
		"up to 40ms":                       {Shape: config.Empirical, Points: []config.Point{{Quantile: 1, Value: 40 * ms}}},
		"a mix of 2":                       {Shape: config.Mixture, Parts: make([]config.Part, 2)},
		"20ms and stalls of 500ms in 10 %": {Floor: 20 * ms, Stall: 500 * ms, StallShare: 0.1},
	} {
		if got := inWords(&l); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
