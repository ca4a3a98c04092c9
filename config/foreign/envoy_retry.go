package foreign

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// causeOrder are the causes of the policy file, as it lists them.
var causeOrder = []string{"unsent", "reset", "timeout", "unavailable", "too-many", "bad-gateway",
	"server-error", "unknown"}

// condition of Envoy's retry_on: the causes that stand for it, and what they
// get wrong.
type retryOn struct {
	causes []string
	rough  string
}

// retryWords are the conditions of retry_on. Those without causes are lost.
// An upstream that does not answer is a reset to Envoy, whatever the reason,
// and 5xx and gateway-error hold that as well.
var retryWords = map[string]retryOn{
	"5xx": {causes: []string{"unsent", "reset", "timeout", "unavailable", "bad-gateway",
		"server-error"}},
	"gateway-error": {causes: []string{"unsent", "reset", "timeout", "unavailable",
		"bad-gateway"}},
	"reset":                {causes: []string{"unsent", "reset", "timeout"}},
	"connect-failure":      {causes: []string{"unsent"}},
	"refused-stream":       {causes: []string{"unsent"}},
	"reset-before-request": {causes: []string{"unsent"}},
	"http3-post-connect-failure": {causes: []string{"reset"},
		rough: "http3-post-connect-failure becomes reset, over any protocol"},
	"deadline-exceeded": {causes: []string{"timeout"},
		rough: "deadline-exceeded becomes timeout, also one of ours"},
	"internal": {causes: []string{"server-error"},
		rough: "internal becomes server-error, which is other errors too"},
	"resource-exhausted": {causes: []string{"too-many"}},
	"unavailable":        {causes: []string{"unavailable"}},
}

const statusCodes = "retriable-status-codes"

// causesOf returns the causes that a retry policy retries, what is rough about
// them, and the conditions that are lost.
func causesOf(policy *node) (causes, rough, lost []string) {
	set := map[string]bool{}
	for word := range strings.SplitSeq(policy.scalar("retry_on").says(), ",") {
		word = strings.TrimSpace(word)
		on, known := retryWords[word]
		code, err := strconv.Atoi(word) // Istio writes codes among the words
		switch {
		case word == "":
			continue
		case word == statusCodes:
			for _, n := range policy.items("retriable_status_codes") {
				if cause, _ := causeOfStatus(n.text); cause != "" {
					set[cause] = true
				}
			}
			continue
		case err == nil && code > 0:
			cause, what := causeOfStatus(word)
			on, known = retryOn{rough: what}, cause != ""
			on.causes = []string{cause}
		}
		if !known {
			lost = append(lost, clean(word, 40))
			continue
		}
		for _, cause := range on.causes {
			set[cause] = true
		}
		if on.rough != "" {
			rough = append(rough, on.rough)
		}
	}
	for _, cause := range causeOrder {
		if set[cause] {
			causes = append(causes, cause)
		}
	}
	return causes, rough, lost
}

// causeOfStatus returns the cause that a status is, and what else is. Without a
// cause there is no retry for it.
func causeOfStatus(text string) (cause, rough string) {
	code, ok := parseCount(text)
	switch {
	case !ok:
	case code == 503:
		return "unavailable", ""
	case code == 429:
		return "too-many", ""
	case code == 502, code == 504:
		return "bad-gateway", "502 and 504 are one cause, bad-gateway"
	case code >= 500 && code < 600:
		return "server-error", fmt.Sprintf("%d becomes server-error, which is every 5xx but "+
			"502, 503 and 504", code)
	}
	return "", ""
}

// attemptsOf returns how many attempts a policy makes at most.
func attemptsOf(policy *node) int64 {
	if n, ok := parseCount(policy.scalar("num_retries").says()); ok {
		return n + 1
	}
	return 2 // Envoy's default is one retry
}

// retries reports whether a policy makes any retry that we can make too.
func retries(policy *node) bool {
	if policy == nil || attemptsOf(policy) < 2 {
		return false
	}
	causes, _, _ := causesOf(policy)
	return len(causes) > 0
}

// noRetry says why a policy makes no retries.
func noRetry(policy *node) {
	causes, _, lost := causesOf(policy)
	n, on := policy.scalar("num_retries"), policy.scalar("retry_on")
	switch {
	case policy == nil:
	case attemptsOf(policy) < 2:
		n.note(Mapped, target{}, "there is no retry")
		policy.drop("num_retries is 0, so there is no retry")
	case len(causes) == 0 && len(lost) > 0:
		on.drop("no cause of the policy file stands for " + strings.Join(lost, ", ") +
			", so there is no retry")
		policy.drop("there is no retry, because nothing in retry_on has a cause here")
	case len(causes) == 0:
		policy.drop("Envoy makes no retry without a condition in retry_on")
	default:
		policy.drop("the cluster's circuit breaker lets no retry through")
	}
}

// writeRetry writes a route's retry policy.
func writeRetry(b *block, r *route) {
	policy := r.policy
	switch n := policy.scalar("num_retries"); {
	case n == nil:
		b.fill("attempts", "2", "Envoy's default is one retry")
	default:
		if _, ok := parseCount(n.text); !ok {
			n.drop("not a whole number")
			b.fill("attempts", "2", "Envoy's default is one retry")
			break
		}
		a := boundCount(attemptsOf(policy), 1, mostAttempts)
		from := a.origin(n)
		if from.note == "" {
			from.note = "and the first attempt"
		}
		b.put("attempts", strconv.FormatInt(a.value, 10), from)
	}
	writeBackOff(b.sub("backoff"), policy.section("retry_back_off"))
	writeCauses(b, policy)
	b.fill("idempotent", "always",
		"Envoy repeats requests whatever their method; by-call is safer")
	writeRetryAfter(b, policy.section("rate_limited_retry_back_off"))
	writeReplay(b, r)
	for _, p := range policy.items("retry_host_predicate") {
		if name := p.scalar("name").says(); strings.HasSuffix(name, "previous_hosts") {
			p.note(Mapped, target{}, "a retry goes to an endpoint that was not tried, if there is one")
		}
	}
}

// writeBackOff writes the wait between attempts.
func writeBackOff(b *block, back *node) {
	const differs = "Envoy's waits are up to 1, 3, 7 times this, and so on; here 1, 2, 4"
	base := 25 * time.Millisecond
	n := back.scalar("base_interval")
	switch d, ok := parseProtoTime(n.says()); {
	case ok && d > 0:
		base = max(d, time.Millisecond) // as Envoy does
		t := boundTime(base, 0, longest)
		base = t.value
		b.put("base", showTime(base), t.origin(n, differs))
	default:
		if n != nil {
			n.drop("not a time above 0 such as 0.025s")
		}
		b.fill("base", showTime(base), "Envoy's default; "+differs)
	}
	n = back.scalar("max_interval")
	switch d, ok := parseProtoTime(n.says()); {
	case ok && d > 0:
		t := boundTime(d, base, longest)
		b.put("cap", showTime(t.value), t.origin(n))
	default:
		if n != nil {
			n.drop("not a time above 0 such as 0.25s")
		}
		b.fill("cap", showTime(min(10*base, longest)), "Envoy's default, ten times base")
	}
	b.fill("factor", "2", "as close as a factor comes to Envoy's curve")
	b.fill("jitter", "full", "Envoy's")
}

// writeCauses writes what is worth a retry.
func writeCauses(b *block, policy *node) {
	causes, rough, lost := causesOf(policy)
	on := policy.scalar("retry_on")
	from := origin{n: on}
	if len(lost) > 0 {
		from = from.differing("no cause stands for " + strings.Join(lost, ", "))
	}
	for _, what := range rough {
		from = from.differing(what)
	}
	b.put("on", "["+strings.Join(causes, ", ")+"]", from)
	words := strings.Split(strings.ReplaceAll(on.says(), " ", ""), ",")
	for _, n := range policy.items("retriable_status_codes") {
		cause, what := causeOfStatus(n.text)
		switch {
		case !slices.Contains(words, statusCodes):
			n.drop("Envoy looks at it only with retriable-status-codes in retry_on")
		case cause == "":
			n.drop("no cause stands for this status; the same request would get it again")
		default:
			(origin{n: n}).differing(what).marks(target{b, "on"})
		}
	}
}

// writeRetryAfter writes whether a server's wish for a wait is heard.
func writeRetryAfter(b *block, limited *node) {
	heard := false
	for _, h := range limited.items("reset_headers") {
		name := h.scalar("name")
		if strings.EqualFold(name.says(), "retry-after") && !heard {
			heard = true
			h.note(Approximated, target{b, "ignore-retry-after"},
				"Retry-After is heard; Envoy waits up to half as long again")
			continue
		}
		h.drop("of the headers that ask for a wait only Retry-After is read")
	}
	if !heard {
		if limited != nil {
			limited.drop("no header in it is read, so no server's wish for a wait is heard")
		}
		b.fill("ignore-retry-after", "true",
			"Envoy hears Retry-After only where rate_limited_retry_back_off says so")
		return
	}
	b.fill("ignore-retry-after", "false", "it is heard because of rate_limited_retry_back_off")
	const differs = "a longer wish is cut to this; Envoy falls back to its backoff"
	n := limited.scalar("max_interval")
	d, ok := parseProtoTime(n.says())
	if !ok || d == 0 {
		if n != nil {
			n.drop("not a time above 0 such as 300s")
		}
		b.fill("max-wait", "5m", "Envoy's default")
		return
	}
	t := boundTime(d, time.Microsecond, longest)
	b.put("max-wait", showTime(t.value), t.origin(n, differs))
}

const mostReplay = 1 << 30

// writeReplay writes how much of a body is kept for another attempt.
func writeReplay(b *block, r *route) {
	for _, at := range []*node{r.n, r.host} {
		for _, key := range []string{"request_body_buffer_limit", "per_request_buffer_limit_bytes"} {
			n := at.scalar(key)
			if bytes, ok := parseCount(n.says()); ok {
				size := boundCount(bytes, 0, mostReplay)
				b.put("replay", strconv.FormatInt(size.value, 10)+"B", size.origin(n))
				return
			}
		}
	}
	b.fill("replay", "1MiB", "Envoy's default")
}
