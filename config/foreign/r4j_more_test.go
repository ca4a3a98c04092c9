package foreign

import (
	"strings"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/breaker"
)

func TestR4JBreakerRules(t *testing.T) {
	tr, d := instanceOf(t, "circuitbreaker", `failureRateThreshold=37.5 slowCallRateThreshold=25
		slowCallDurationThreshold=200ms permittedNumberOfCallsInHalfOpenState=4 maxWaitDurationInHalfOpenState=7s
		transitionToStateAfterWaitDuration=OPEN automaticTransitionFromOpenToHalfOpenEnabled=true initialState=CLOSED`)
	b := d.Call.Breaker
	if b.Failures != 0.375 || b.Slow != (breaker.Slow{Over: 200 * ms, Share: 0.25}) {
		t.Errorf("it opens at %v, %+v", b.Failures, b.Slow)
	}
	// One failed trial of four is 25 %, which opens it by the rule for slow ones.
	if want := (breaker.Trials{Calls: 4, AtOnce: 4, Pass: 1, Wait: 7 * time.Second}); b.Trials != want {
		t.Errorf("the trials are %+v, want %+v", b.Trials, want)
	}
	expectFate(t, tr, "maxWaitDurationInHalfOpenState", "approximated", "each trial")
	expectFate(t, tr, "transitionToStateAfterWaitDuration", "mapped", "")
	expectFate(t, tr, "automaticTransitionFromOpenToHalfOpenEnabled", "approximated", "not a thread")
	expectFate(t, tr, "initialState", "mapped", "")

	tr, d = instanceOf(t, "circuitbreaker", `maxWaitDurationInHalfOpenState=0 transitionToStateAfterWaitDuration=CLOSED
		automaticTransitionFromOpenToHalfOpenEnabled=false initialState=METRICS_ONLY slowCallRateThreshold=many`)
	if w := d.Call.Breaker.Trials.Wait; w != time.Minute {
		t.Errorf("a trial may be silent for %v", w)
	}
	expectFate(t, tr, "maxWaitDurationInHalfOpenState", "approximated", "no wait is endless")
	expectFate(t, tr, "transitionToStateAfterWaitDuration", "dropped", "opens again")
	expectFate(t, tr, "automaticTransitionFromOpenToHalfOpenEnabled", "mapped", "")
	expectFate(t, tr, "initialState", "dropped", "begins closed")
	expectFate(t, tr, "slowCallRateThreshold", "dropped", "not a number")
}

// The rule for slow calls is on by default; where the time limiter ends every
// call before it could be slow, it is left out, unless somebody wrote it.
func TestR4JSlowRuleThatCannotAct(t *testing.T) {
	const limited = "resilience4j.timelimiter.instances.a.timeoutDuration=2s\nresilience4j.circuitbreaker.instances.a."
	tr, f := translate(t, Resilience4j, limited+"slidingWindowSize=5")
	if s := f.Dependency("a").Call.Breaker.Slow; s != (breaker.Slow{}) || len(tr.Report.Warnings) != 0 {
		t.Errorf("there is a rule %+v, warnings %q", s, tr.Report.Warnings)
	}
	tr, f = translate(t, Resilience4j, limited+"slowCallRateThreshold=50")
	if s := f.Dependency("a").Call.Breaker.Slow; s.Share != 0.5 || len(tr.Report.Warnings) != 1 {
		t.Errorf("the rule is %+v, warnings %q", s, tr.Report.Warnings)
	}
}

func TestR4JTimeLimiter(t *testing.T) {
	tr, d := instanceOf(t, "timelimiter", "timeoutDuration=0 cancelRunningFuture=true")
	if d.Call.Timeout.Request != 0 {
		t.Errorf("0 becomes %v", d.Call.Timeout.Request)
	}
	expectFate(t, tr, "timeoutDuration", "dropped", "nothing through")
	expectFate(t, tr, "cancelRunningFuture", "mapped", "")
	tr, d = instanceOf(t, "timelimiter", "timeoutDuration=soon cancelRunningFuture=maybe")
	if d.Call.Timeout.Request != time.Second {
		t.Errorf("the default is %v", d.Call.Timeout.Request)
	}
	expectFate(t, tr, "cancelRunningFuture", "dropped", "true or false")
}

func TestR4JBackoffSettingsThatDoNothing(t *testing.T) {
	tr, _ := instanceOf(t, "retry", `waitDuration=1s enableExponentialBackoff=true exponentialMaxWaitDuration=3s
		enableRandomizedWait=false randomizedWaitFactor=0.3`)
	expectFate(t, tr, "exponentialMaxWaitDuration", "dropped", "beside exponentialBackoffMultiplier")
	expectFate(t, tr, "randomizedWaitFactor", "dropped", "only with enableRandomizedWait")
	expectFate(t, tr, "enableRandomizedWait", "mapped", "")
	tr, _ = instanceOf(t, "retry", "waitDuration=1s exponentialBackoffMultiplier=2 resultPredicate=a.B")
	expectFate(t, tr, "exponentialBackoffMultiplier", "dropped", "only with enableExponentialBackoff")
	expectFate(t, tr, "resultPredicate", "dropped", "retry.on")
	tr, _ = instanceOf(t, "retry", `waitDuration=1s enableExponentialBackoff=true exponentialBackoffMultiplier=2
		exponentialMaxWaitDuration=0`)
	expectFate(t, tr, "exponentialMaxWaitDuration", "dropped", "above 0")
}

func TestR4JDocuments(t *testing.T) {
	tr, f := translate(t, Resilience4j, "resilience4j.retry.instances.a.maxAttempts: 2\n---\n"+
		"resilience4j.retry.instances.a.maxAttempts: 4\n---\n"+
		"spring.profiles: [dev]\nresilience4j.retry.instances.a.maxAttempts: 6\n")
	if n := f.Dependency("a").Call.Retry.Attempts; n != 4 {
		t.Errorf("%d attempts", n)
	}
	expectFate(t, tr, "[0].resilience4j.retry.instances.a.maxAttempts", "dropped", "written again on line 3")
	expectFate(t, tr, "[2]", "dropped", "profile")
}

// The name by hand wins over that of the input.
func TestServiceByHand(t *testing.T) {
	for text, f := range map[string]importer{
		"node: {cluster: other}\nclusters: [{name: a}]":                               Envoy,
		"spring.application.name=other\nresilience4j.retry.instances.a.maxAttempts=2": Resilience4j,
		`{"methodConfig": [{"name": [{}], "timeout": "1s"}]}`:                         GRPC,
	} {
		tr, err := f([]byte(text), "mine")
		if err != nil {
			t.Fatal(err)
		}
		if file := verify(t, tr); file.Service != "mine" {
			t.Errorf("the service is %s", file.Service)
		}
		if strings.Contains(text, "other") && tr.Report.Dropped != 1 {
			t.Errorf("the name of the input is not dropped: %+v", tr.Report.Settings)
		}
	}
}
