package foreign

// leftovers drops the properties that no instance took.
func (r *r4j) leftovers() {
	used := map[*group]bool{}
	for _, name := range r.instances() {
		for _, key := range mapped {
			for _, g := range r.look(key, name) {
				used[g] = true
			}
		}
	}
	for _, doc := range r.docs {
		for _, n := range doc.kids {
			if n.mark != nil || doc.mark != nil {
				continue
			}
			if parts := splitKey(n.key); len(parts) > 0 && fold(parts[0]) != spring {
				n.drop("not a setting of Resilience4j")
			}
		}
	}
	for _, p := range r.props {
		if p.n.mark == nil && !p.n.null && fold(p.parts[0]) == spring {
			p.n.drop(r.whyLeft(p, used))
		}
	}
}

// whyLeft says why nothing in the policy stands for a property.
func (r *r4j) whyLeft(p *property, used map[*group]bool) string {
	key := p.folded()
	if len(key) > 1 {
		if why, known := r4jModules[key[1]]; known {
			return why
		}
	}
	if len(key) < 3 || r.modules[key[1]] == nil {
		return unknownKey
	}
	m := r.modules[key[1]]
	if len(key) > 4 && key[2] == "configs" && !used[m.configs[p.parts[3]]] {
		return "no instance uses this configuration; name it in baseConfig of one, and import again"
	}
	at := key[len(key)-1]
	if len(key) > 4 {
		at = key[4]
	} else if len(key) > 3 && key[2] == "tags" {
		at = "tags"
	}
	why, known := r4jReasons[at]
	switch {
	case known:
		return why
	case len(key) == 5 && key[2] == "configs" && r4jKnown[at]:
		return "every instance that uses this configuration has its own"
	}
	return unknownKey
}

// r4jModules are the modules without a place in the policy file, by folded name.
var r4jModules = map[string]string{
	"ratelimiter": "rate limits are not in the policy file; a bulkhead limits calls under way",
	"threadpoolbulkhead": "there are no thread pools; bulkhead.limit is the pool's size, " +
		"bulkhead.queue its queue",
	"micrometer": "metrics are not a matter of the policy",
	"metrics":    "metrics are not a matter of the policy",
	"scheduled":  "there are no thread pools",
	"thread":     "there are no thread pools",
	"timer":      "metrics are not a matter of the policy",
}

// r4jKnown are the settings that are mapped where they are in effect, folded.
var r4jKnown = func() map[string]bool {
	known := map[string]bool{}
	for _, key := range []string{"slidingWindowType", "slidingWindowSize", "minimumNumberOfCalls",
		"failureRateThreshold", "slowCallRateThreshold", "slowCallDurationThreshold",
		"waitDurationInOpenState", "permittedNumberOfCallsInHalfOpenState",
		"maxWaitDurationInHalfOpenState", "transitionToStateAfterWaitDuration", "initialState",
		"automaticTransitionFromOpenToHalfOpenEnabled", "enableExponentialBackoff",
		"exponentialMaxWaitDurationInOpenState", "enableRandomizedWait", "randomizedWaitFactor",
		"maxAttempts", "waitDuration", "exponentialBackoffMultiplier",
		"exponentialMaxWaitDuration", "maxConcurrentCalls", "maxWaitDuration", "timeoutDuration",
		"cancelRunningFuture", "baseConfig"} {
		known[fold(key)] = true
	}
	return known
}()

const classes = "what counts as a failure is decided by cause (and in Go by the caller), " +
	"not by exception class or predicate"

// r4jReasons say why a property is dropped, by folded key.
var r4jReasons = reasons(map[string][]string{
	classes: {"recordExceptions", "ignoreExceptions", "recordFailurePredicate",
		"recordExceptionPredicate", "recordResultPredicate", "ignoreExceptionPredicate",
		"ignoreClassBindingExceptions"},
	"what is retried is decided by cause: list them in retry.on": {"retryExceptions",
		"retryExceptionPredicate", "resultPredicate"},
	"a wait computed by code cannot be written in a file; see retry.backoff": {
		"intervalBiFunction", "intervalFunction", "waitIntervalFunctionInOpenState"},
	"the caller always gets the last error": {"failAfterMaxAttempts",
		"consumeResultBeforeRetryAttempt"},
	"the policy's state and events are there in any case; readiness must not depend on a breaker": {
		"registerHealthIndicator", "allowHealthIndicatorToFail", "eventConsumerBufferSize",
		"subscribeForEvents", "tags"},
	"a matter of Java": {"writableStackTraceEnabled", "slidingWindowSynchronizationStrategy",
		"fairCallHandlingEnabled"},
	"the ladder has one order; only breaker.counts and bulkhead.holds can be chosen": {
		"circuitBreakerAspectOrder", "retryAspectOrder", "timeLimiterAspectOrder",
		"bulkheadAspectOrder", "rateLimiterAspectOrder"},
	"Resilience4j looks at it only with enableExponentialBackoff": {
		"exponentialBackoffMultiplier", "exponentialMaxWaitDuration",
		"exponentialMaxWaitDurationInOpenState"},
	"there is no such configuration": {"baseConfig"},
})
