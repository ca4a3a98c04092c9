package foreign

import (
	"testing"
	"time"
)

func TestR4JConfigs(t *testing.T) {
	tr, f := translate(t, Resilience4j, `
resilience4j.circuitbreaker:
  configs:
    default: {slidingWindowSize: 20, failureRateThreshold: 40}
    strict: {failureRateThreshold: 10, baseConfig: default}
    alone: {failureRateThreshold: 20}
  instances:
    a: {slidingWindowSize: 7}
    b: {baseConfig: strict}
    c: {baseConfig: alone}
    d: {baseConfig: nobody}
resilience4j.retry:
  configs:
    default: {maxAttempts: 5}
    slow: {waitDuration: 2s}
  backends:
    a: {baseConfig: slow}
`)
	for name, want := range map[string]struct {
		calls    int
		failures float64
	}{
		"a": {7, 0.4},
		"b": {20, 0.1},
		"c": {100, 0.2}, // a shared breaker configuration has the library's defaults beneath it
		"d": {100, 0.5},
	} {
		if b := f.Dependency(name).Call.Breaker; b.Window.Calls != want.calls || b.Failures != want.failures {
			t.Errorf("%s: %+v, want %+v", name, b, want)
		}
	}
	// In the other modules the default configuration lies beneath a named one.
	if r := f.Dependency("a").Call.Retry; r.Attempts != 5 || r.Backoff.Base != 2*time.Second {
		t.Errorf("retry of a: %+v", r)
	}
	expectFate(t, tr, "instances.d.baseConfig", "dropped", "no such configuration")
	expectFate(t, tr, "configs.strict.baseConfig", "mapped", "")
}

func TestR4JConfigsWithoutInstances(t *testing.T) {
	_, f := translate(t, Resilience4j, "resilience4j.retry.configs.default.maxAttempts: 6\n")
	if d := f.Dependency("default"); d == nil || d.Call.Retry.Attempts != 6 {
		t.Errorf("the default configuration becomes %+v", d)
	}
	tr, f := translate(t, Resilience4j, "resilience4j.retry.configs.other.maxAttempts: 6\n")
	if f != nil {
		t.Error("a configuration that nobody uses becomes a dependency")
	}
	expectFate(t, tr, "maxAttempts", "dropped", "no instance uses")
}

func TestR4JLoopsEnd(t *testing.T) {
	translate(t, Resilience4j, `
resilience4j.retry:
  configs: {a: {baseConfig: b}, b: {baseConfig: a}, default: {baseConfig: default}}
  instances: {x: {baseConfig: a}, y: {}}
`)
}

func TestR4JLeftovers(t *testing.T) {
	tr, _ := translate(t, Resilience4j, `
resilience4j:
  circuitbreaker:
    metrics.enabled: true
    configs: {default: {slidingWindowSize: 5, recordExceptions: [a.B]}}
    instances: {a: {slidingWindowSize: 6, failureRateThreshold: '${RATE}', ignoreExceptions: [], x: {y: 1}}}
  ratelimiter: {instances: {a: {limitForPeriod: 3}}}
  thread-pool-bulkhead: {instances: {a: {queueCapacity: 3}}}
  cache.x: 1
  alone: 2
logging: {level: {root: info, x: y}}
`)
	for suffix, note := range map[string]string{
		"configs.default.slidingWindowSize": "has its own",
		"recordExceptions":                  "by cause",
		"ignoreExceptions":                  "by cause",
		"failureRateThreshold":              "placeholder without a default",
		"x.y":                               "does not know",
		"limitForPeriod":                    "rate limits",
		"queueCapacity":                     "thread pools",
		"metrics.enabled":                   "does not know",
		"cache.x":                           "does not know",
		"alone":                             "does not know",
		"logging":                           "not a setting of Resilience4j",
	} {
		expectFate(t, tr, suffix, "dropped", note)
	}
}

func TestR4JService(t *testing.T) {
	for text, want := range map[string]string{
		"spring.application.name=shop front\nresilience4j.retry.instances.a.maxAttempts=2": "shop-front",
		"resilience4j.retry.instances.a.maxAttempts=2":                                     "imported",
		"spring.application.name=007\nresilience4j.retry.instances.a.maxAttempts=2":        "007",
	} {
		if _, f := translate(t, Resilience4j, text); f.Service != want {
			t.Errorf("%q makes the service %q, want %q", text, f.Service, want)
		}
	}
}

func TestSpringTimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500": 500 * ms, "500ms": 500 * ms, "2s": 2 * time.Second, "3m": 3 * time.Minute,
		"1h": time.Hour, "2d": 48 * time.Hour, "7ns": 7, "7us": 7000, "5S": 5 * time.Second,
		"PT0.25S": 250 * ms, "pt1m30s": 90 * time.Second, "P1DT1H": 25 * time.Hour, "0": 0,
		"999999999999999d": longest + time.Second,
	} {
		if got, ok := parseSpringTime(text); !ok || got != want {
			t.Errorf("%s is %v, %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "P", "PT", "1.5s", "-1s", "5 s", "soon", "1w", "PT-1S"} {
		if got, ok := parseSpringTime(text); ok {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}
