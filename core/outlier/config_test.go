package outlier

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestConfigProblemsNameTheirField(t *testing.T) {
	if err := (Config{}).Validate(); err != nil {
		t.Errorf("the zero config: %v", err)
	}
	if err := (Config{}).Filled().Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	off := Config{Consecutive: Consecutive{Errors: Off}, SuccessRate: SuccessRate{Sigma: Off},
		FailureShare: FailureShare{Share: Off}, Latency: Latency{Factor: Off}}
	if err := off.Validate(); err != nil {
		t.Errorf("all off: %v", err)
	}
	nan := math.NaN()
	for field, c := range map[string]Config{
		"Interval":              {Interval: time.Millisecond},
		"Consecutive.Errors":    {Consecutive: Consecutive{Errors: -2}},
		"Consecutive.Gateway":   {Consecutive: Consecutive{Gateway: -1}},
		"Consecutive.Local":     {Consecutive: Consecutive{Local: 1e6}},
		"SuccessRate.Sigma":     {SuccessRate: SuccessRate{Sigma: nan}},
		"SuccessRate.Hosts":     {SuccessRate: SuccessRate{Hosts: 65}},
		"SuccessRate.Requests":  {SuccessRate: SuccessRate{Requests: -1}},
		"FailureShare.Share":    {FailureShare: FailureShare{Share: 1.1}},
		"FailureShare.Hosts":    {FailureShare: FailureShare{Hosts: -1}},
		"FailureShare.Requests": {FailureShare: FailureShare{Requests: -1}},
		"FailureShare.Enforce":  {FailureShare: FailureShare{Enforce: nan}},
		"Latency.Factor":        {Latency: Latency{Factor: 1}},
		"Latency.Quantile":      {Latency: Latency{Quantile: 2}},
		"Latency.Over":          {Latency: Latency{Over: -1}},
		"Latency.Hosts":         {Latency: Latency{Hosts: -1}},
		"Latency.Requests":      {Latency: Latency{Requests: -1}},
		"Base":                  {Base: time.Microsecond},
		"Cap":                   {Base: time.Minute, Cap: time.Second},
		"MaxOut.Share":          {MaxOut: MaxOut{Share: -0.1}},
	} {
		err := c.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), field+": is ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", field, err)
		}
		if _, err := New(c); err == nil {
			t.Errorf("%s: New takes it", field)
		}
		d := detector(t, 2, Config{})
		if err := d.Reconfigure(0, c); err == nil {
			t.Errorf("%s: Reconfigure takes it", field)
		}
	}
}

// A quantile is within 6 % of the truth.
func TestSpread(t *testing.T) {
	for d := time.Microsecond; d < 100*time.Second; d += d/13 + time.Microsecond {
		var s spread
		s.add(d)
		got := s.quantile(0.5)
		if off := math.Abs(float64(got-d)) / float64(d); off > 0.0626 && got != d.Truncate(time.Microsecond) {
			t.Errorf("%v is told as %v, off by %.3f", d, got, off)
		}
	}
	var s spread
	s.add(-time.Second)
	s.add(time.Hour)
	if s.n != 2 || s.quantile(0) != 0 || s.quantile(1) < 120*time.Second {
		t.Errorf("the ends are %v and %v", s.quantile(0), s.quantile(1))
	}
	if got := new(spread).quantile(0.5); got != 0 {
		t.Errorf("nothing has the median %v", got)
	}
}
