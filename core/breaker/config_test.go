package breaker

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/window"
)

func goodConfig() Config {
	return Config{Window: window.Config{Calls: 100}, Failures: 0.5,
		Open: Pause{For: 30 * time.Second}}
}

func withTrials(t Trials) Config {
	c := goodConfig()
	c.Trials = t
	return c
}

func TestGoodConfigs(t *testing.T) {
	for name, c := range map[string]Config{
		"smallest": goodConfig(),
		"row":      consecutive(5, time.Second, 0),
		"slow only": {
			Window: window.Config{Over: time.Second}, Slow: Slow{Over: time.Second, Share: 1},
			Open: Pause{For: time.Second},
		},
		"everything": fullConfig,
		"B1":         b1Config,
		// Resilience4j's defaults, whose trials must fail less than half.
		"ten trials": withTrials(Trials{Calls: 10, Pass: 0.6}),
		// Two of three must pass, so a third may fail, which is below one half.
		"pass rounded up": withTrials(Trials{Calls: 3, Pass: 0.5}),
	} {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// badConfigs are edits of a good config, with the beginning of the error.
var badConfigs = []struct {
	want string
	edit func(*Config)
}{
	{"Window.Over: no window", func(c *Config) { c.Window = window.Config{} }},
	{"Window.Calls: is -1", func(c *Config) { c.Window.Calls = -1 }},
	{"Window.Buckets: cuts", func(c *Config) { c.Window.Buckets = 3 }},
	{"MinCalls: is -1", func(c *Config) { c.MinCalls = -1 }},
	{"MinCalls: is 101, but the window holds 100", func(c *Config) { c.MinCalls = 101 }},
	{"Failures: is 1.1", func(c *Config) { c.Failures = 1.1 }},
	{"Failures: is NaN", func(c *Config) { c.Failures = math.NaN() }},
	{"Failures: is -0.1", func(c *Config) { c.Failures = -0.1 }},
	{"Failures: nothing would ever open", func(c *Config) { c.Failures = 0 }},
	{"Failures: a window of failures in a row",
		func(c *Config) { c.Window = window.Config{Consecutive: 3} }},
	{"Slow: a window of failures in a row", func(c *Config) {
		*c = consecutive(3, time.Second, 1)
		c.Slow = Slow{Over: 1, Share: 1}
	}},
	{"Slow.Over: is 0s", func(c *Config) { c.Slow.Share = 0.5 }},
	{"Slow.Over: is -1s", func(c *Config) { c.Slow = Slow{Over: -time.Second, Share: 0.5} }},
	{"Slow.Share: is 0", func(c *Config) { c.Slow.Over = time.Second }},
	{"Slow.Share: is 2", func(c *Config) { c.Slow = Slow{Over: time.Second, Share: 2} }},
	{"Open.For: is 0s", func(c *Config) { c.Open.For = 0 }},
	{"Open.For: is 999µs", func(c *Config) { c.Open.For = 999 * time.Microsecond }},
	{"Open.Cap: is 1s", func(c *Config) { c.Open.Cap = time.Second }},
	{"Open.Jitter: is 1;", func(c *Config) { c.Open.Jitter = 1 }},
	{"Open.Jitter: is NaN", func(c *Config) { c.Open.Jitter = math.NaN() }},
	{"Open.Growth: is 0.5", func(c *Config) { c.Open.Growth = 0.5 }},
	{"Open.Growth: is +Inf", func(c *Config) { c.Open.Growth = math.Inf(1) }},
	{"Trials.Calls: is 1001", func(c *Config) { c.Trials.Calls = 1001 }},
	{"Trials.AtOnce: is 65", func(c *Config) { c.Trials.AtOnce = 65 }},
	{"Trials.Pass: is 1.5", func(c *Config) { c.Trials.Pass = 1.5 }},
	{"Trials.Pass: is NaN", func(c *Config) { c.Trials.Pass = math.NaN() }},
	{"Trials.Pass: is 0.5, so 5 of 10",
		func(c *Config) { c.Trials = Trials{Calls: 10, Pass: 0.5} }},
	{"Trials.Pass: is 0.8, so 2 of 10", func(c *Config) {
		c.Slow = Slow{Over: 1, Share: 0.2}
		c.Trials = Trials{Calls: 10, Pass: 0.8}
	}},
	{"Trials.Wait: is 1µs", func(c *Config) { c.Trials.Wait = time.Microsecond }},
	{"Ramp: is -1s", func(c *Config) { c.Ramp = -time.Second }},
	{"Counts: is 2", func(c *Config) { c.Counts = 2 }},
}

// Each error starts with the field and says how to mend it.
func TestBadConfigsNameTheField(t *testing.T) {
	for _, c := range badConfigs {
		cfg := goodConfig()
		c.edit(&cfg)
		err := cfg.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want an error that begins %q", err, c.want)
			continue
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("one mistake gave several errors:\n%v", err)
		}
		if !strings.Contains(err.Error(), "give ") &&
			!strings.Contains(err.Error(), "leave it out") {
			t.Errorf("%v: does not say how to mend it", err)
		}
		if b, err := New(cfg, 0); b != nil || err == nil {
			t.Errorf("%s: New took it", c.want)
		}
	}
}

func TestAllErrorsAtOnce(t *testing.T) {
	err := Config{Window: window.Config{Calls: -1, Buckets: -2}, MinCalls: -1, Ramp: -1}.Validate()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v: not joined", err)
	}
	var fields []string
	for _, e := range joined.Unwrap() {
		field, _, _ := strings.Cut(e.Error(), ":")
		fields = append(fields, field)
	}
	want := "Window.Calls Window.Buckets Window.Buckets MinCalls Failures Open.For Ramp"
	if got := strings.Join(fields, " "); got != want {
		t.Errorf("fields %s\nwant   %s", got, want)
	}
}

// The page of this policy and the comments of Config promise these numbers.
func TestDefaults(t *testing.T) {
	c := Config{Window: window.Config{Over: 10 * time.Second}, Failures: 0.5,
		Open: Pause{For: 30 * time.Second}}.filled()
	if c.MinCalls != 20 || c.Open.Cap != 5*time.Minute || c.Open.Growth != 1 {
		t.Errorf("min calls %d, cap %v, growth %v; want 20, 5m, 1", c.MinCalls, c.Open.Cap,
			c.Open.Growth)
	}
	if want := (Trials{Calls: 3, AtOnce: 3, Pass: 1, Wait: time.Minute}); c.Trials != want {
		t.Errorf("trials %+v, want %+v", c.Trials, want)
	}
	small := Config{Window: window.Config{Calls: 5}}.filled()
	if small.MinCalls != 5 {
		t.Errorf("min calls of a window of 5 is %d, want 5", small.MinCalls)
	}
}
