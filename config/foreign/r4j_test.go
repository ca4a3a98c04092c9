package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/breaker"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/core/window"
)

// instanceOf translates an instance "a" of a module with these properties, one
// a line, and returns its dependency.
func instanceOf(t *testing.T, module, properties string) (*Translation, *config.Dependency) {
	t.Helper()
	var b strings.Builder
	for _, p := range strings.Fields(properties) {
		b.WriteString("resilience4j." + module + ".instances.a." + p + "\n")
	}
	tr, f := translate(t, Resilience4j, b.String())
	return tr, f.Dependency("a")
}

// The defaults are Resilience4j's, not ours.
func TestR4JDefaults(t *testing.T) {
	_, f := translate(t, Resilience4j, `
resilience4j:
  circuitbreaker: {instances: {a: {}}}
  retry: {instances: {a: {}}}
  bulkhead: {instances: {a: }}
  timelimiter: {instances: {b: {}}}
`)
	a := f.Dependency("a")
	wantBreaker := breaker.Config{Window: window.Config{Calls: 100}, MinCalls: 100, Failures: 0.5,
		Slow:   breaker.Slow{Over: time.Minute, Share: 1},
		Open:   breaker.Pause{For: time.Minute, Cap: 10 * time.Minute, Growth: 1},
		Trials: breaker.Trials{Calls: 10, AtOnce: 10, Pass: 0.6, Wait: time.Minute}}
	if *a.Call.Breaker != wantBreaker {
		t.Errorf("the breaker is %+v, want %+v", *a.Call.Breaker, wantBreaker)
	}
	r := *a.Call.Retry
	r.Causes = 0
	wantRetry := retry.Config{Attempts: 3, Idempotent: retry.Always, MaxWait: 30 * time.Second,
		IgnoreRetryAfter: true,
		Backoff:          retry.Backoff{Base: 500 * ms, Cap: 500 * ms, Factor: 1, Jitter: retry.None}}
	if r != wantRetry || a.Call.Budget != nil {
		t.Errorf("retry is %+v with %+v, want %+v", r, a.Call.Budget, wantRetry)
	}
	if b := *a.Call.Bulkhead; b != (bulkhead.Config{Limit: 25, Holds: bulkhead.Attempts}) {
		t.Errorf("the bulkhead is %+v", b)
	}
	if b := f.Dependency("b").Call; b.Timeout.Request != time.Second || b.Retry != nil {
		t.Errorf("the time limiter becomes %+v", b)
	}
}

func TestR4JWindow(t *testing.T) {
	for _, tc := range []struct {
		properties string
		window     window.Config
		calls      int
	}{
		{"slidingWindowSize=10", window.Config{Calls: 10}, 10},
		{"sliding-window-size=50 minimum-number-of-calls=20", window.Config{Calls: 50}, 20},
		{"slidingWindowSize=5 minimumNumberOfCalls=30", window.Config{Calls: 5}, 5},
		{"slidingWindowType=TIME_BASED", window.Config{Over: 100 * time.Second}, 100},
		{"slidingWindowType=time-based slidingWindowSize=7", window.Config{Over: 7 * time.Second}, 100},
		{"slidingWindowType=COUNT_BASED slidingWindowSize=500000", window.Config{Calls: 100_000}, 100},
		{"slidingWindowType=SQUARE slidingWindowSize=x", window.Config{Calls: 100}, 100},
	} {
		_, d := instanceOf(t, "circuitbreaker", tc.properties)
		if b := d.Call.Breaker; b.Window != tc.window || b.MinCalls != tc.calls {
			t.Errorf("%s: %+v and %d calls", tc.properties, b.Window, b.MinCalls)
		}
	}
}

func TestR4JOpenTime(t *testing.T) {
	for properties, want := range map[string]breaker.Pause{
		"waitDurationInOpenState=5s":   {For: 5 * time.Second, Cap: 50 * time.Second, Growth: 1},
		"waitDurationInOpenState=5000": {For: 5 * time.Second, Cap: 50 * time.Second, Growth: 1},
		"waitDurationInOpenState=PT2M": {For: 2 * time.Minute, Cap: 20 * time.Minute, Growth: 1},
		"waitDurationInOpenState=0":    {For: time.Minute, Cap: 10 * time.Minute, Growth: 1},
		"enableExponentialBackoff=true": {For: time.Minute,
			Cap: 10 * time.Minute, Growth: 1}, // it is looked at beside a wait only
		"waitDurationInOpenState=1s enableExponentialBackoff=true": {For: time.Second, Cap: longest, Growth: 1.5},
		"waitDurationInOpenState=1s enableExponentialBackoff=true exponentialBackoffMultiplier=3 " +
			"exponentialMaxWaitDurationInOpenState=20s": {For: time.Second, Cap: 20 * time.Second, Growth: 3},
		"waitDurationInOpenState=1s enableRandomizedWait=true": {For: time.Second, Cap: 10 * time.Second,
			Growth: 1, Jitter: 0.5},
		"waitDurationInOpenState=1s enableRandomizedWait=true randomizedWaitFactor=1.0": {For: time.Second,
			Cap: 10 * time.Second, Growth: 1, Jitter: 0.99},
		"waitDurationInOpenState=1s enableRandomizedWait=true enableExponentialBackoff=true": {For: time.Second,
			Cap: longest, Growth: 1.5},
	} {
		_, d := instanceOf(t, "circuitbreaker", properties)
		if got := d.Call.Breaker.Open; got != want {
			t.Errorf("%s: %+v, want %+v", properties, got, want)
		}
	}
}

// Whatever the trials and the threshold, as many may fail as in Resilience4j:
// one fewer than would reach the threshold.
func TestR4JTrialsCloseAlike(t *testing.T) {
	for n := 1; n <= 1000; n += 1 + n/40 {
		for percent := 1; percent <= 100; percent += 3 {
			opens := float64(percent) / 100
			need := 1
			for need < n && float64(n-need)/float64(n) >= opens {
				need++
			}
			text := passing(n, opens)
			if text == "100%" && need != n {
				t.Fatalf("%d trials at %d%%: all must pass, of which %d need to", n, percent, need)
			}
			c := breaker.Config{Window: window.Config{Calls: 10}, Failures: opens,
				Open: breaker.Pause{For: time.Second}, Trials: breaker.Trials{Calls: n, Pass: share(t, text)}}
			if err := c.Validate(); err != nil {
				t.Fatalf("%d trials at %d%%, pass %s: %v", n, percent, text, err)
			}
			if got := needed(n, c.Trials.Pass); got != need {
				t.Fatalf("%d trials at %d%%: %s asks for %d, want %d", n, percent, text, got, need)
			}
		}
	}
}

func share(t *testing.T, text string) float64 {
	t.Helper()
	v, ok := parseNumber(strings.TrimSuffix(text, "%"))
	if !ok {
		t.Fatalf("%q is not a share", text)
	}
	return v / 100
}

func TestR4JRetryWaits(t *testing.T) {
	for _, tc := range []struct {
		properties string
		attempts   int
		want       retry.Backoff
	}{
		{"maxAttempts=5 waitDuration=20ms", 5, retry.Backoff{Base: 20 * ms, Cap: 20 * ms, Factor: 1, Jitter: retry.None}},
		{"maxAttempts=0", 3, retry.Backoff{Base: 500 * ms, Cap: 500 * ms, Factor: 1, Jitter: retry.None}},
		{"maxAttempts=99", 8, retry.Backoff{Base: 500 * ms, Cap: 500 * ms, Factor: 1, Jitter: retry.None}},
		{"waitDuration=1s enableExponentialBackoff=true exponentialBackoffMultiplier=2 maxAttempts=4", 4,
			retry.Backoff{Base: time.Second, Cap: 4 * time.Second, Factor: 2, Jitter: retry.None}},
		{"waitDuration=1s enableExponentialBackoff=true exponentialBackoffMultiplier=2 exponentialMaxWaitDuration=3s", 3,
			retry.Backoff{Base: time.Second, Cap: 3 * time.Second, Factor: 2, Jitter: retry.None}},
		{"waitDuration=1s enableRandomizedWait=true", 3,
			retry.Backoff{Base: time.Second, Cap: time.Second, Factor: 1, Jitter: retry.Equal}},
		{"enableRandomizedWait=true enableExponentialBackoff=true", 3,
			retry.Backoff{Base: 500 * ms, Cap: 500 * ms, Factor: 1, Jitter: retry.None}},
	} {
		_, d := instanceOf(t, "retry", tc.properties)
		if r := d.Call.Retry; r.Attempts != tc.attempts || r.Backoff != tc.want {
			t.Errorf("%s: %d attempts, %+v, want %+v", tc.properties, r.Attempts, r.Backoff, tc.want)
		}
	}
}

func TestR4JBulkhead(t *testing.T) {
	_, d := instanceOf(t, "bulkhead", "maxConcurrentCalls=10 maxWaitDuration=50ms")
	if b := d.Call.Bulkhead; b.Limit != 10 || b.Queue != mostCalls || b.Wait != 50*ms || d.Acquire != 50*ms {
		t.Errorf("the bulkhead is %+v", b)
	}
	tr, d := instanceOf(t, "bulkhead", "maxConcurrentCalls=0 maxWaitDuration=50ms")
	if d.Call.Bulkhead != nil {
		t.Error("0 makes a bulkhead")
	}
	expectFate(t, tr, "maxConcurrentCalls", "dropped", "refuses")
	expectFate(t, tr, "maxWaitDuration", "dropped", "no bulkhead")
}

// By default the retry stands outside. The aspect orders may put it inside.
func TestR4JAspectOrders(t *testing.T) {
	const instances = "  circuitbreaker.instances.a.slidingWindowSize: 5\n  retry.instances.a.maxAttempts: 2\n" +
		"  timelimiter.instances.a.timeoutDuration: 2s\n  bulkhead.instances.a.maxConcurrentCalls: 3\n"
	_, f := translate(t, Resilience4j, "resilience4j:\n"+instances)
	d := f.Dependency("a")
	if d.Call.Breaker.Counts != breaker.Attempts || d.Call.Bulkhead.Holds != bulkhead.Attempts ||
		d.Call.Timeout.Request != 2*time.Second {
		t.Errorf("by default: %+v", d.Call)
	}
	tr, f := translate(t, Resilience4j, "resilience4j:\n"+instances+"  retry.retryAspectOrder: 9\n"+
		"  circuitbreaker.circuitBreakerAspectOrder: 1\n  timelimiter.time-limiter-aspect-order: 2\n"+
		"  bulkhead.bulkheadAspectOrder: 3\n")
	d = f.Dependency("a")
	if d.Call.Breaker.Counts != breaker.Calls || d.Call.Bulkhead.Holds != bulkhead.Calls ||
		d.Call.Timeout.Total != 2*time.Second || d.Call.Timeout.Request != 0 {
		t.Errorf("turned round: %+v", d.Call)
	}
	expectFate(t, tr, "circuitBreakerAspectOrder", "mapped", "")
}
